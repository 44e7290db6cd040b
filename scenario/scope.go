package scenario

// scope holds the declarations that apply in an element.
type scope struct {
	outer      *scope
	names      []string
	parameters map[string]parameter
	entry      bool // the element is a catalog entry, which must not see the outer scope
}

type parameter struct {
	kind  string // boolean, double, ...
	value Value
	bad   bool // the error was already reported, so uses are not
}

func (s *scope) find(name string) (p parameter, beyond, ok bool) {
	for ; s != nil; s = s.outer {
		if p, ok = s.parameters[name]; ok {
			return p, beyond, true
		}
		beyond = beyond || s.entry
	}
	return p, beyond, false
}

// declared returns all visible names.
func (s *scope) declared() (names []string) {
	for ; s != nil; s = s.outer {
		names = append(names, s.names...)
	}
	return names
}

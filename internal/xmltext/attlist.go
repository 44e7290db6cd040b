package xmltext

import "strings"

// attribute is an attribute with the default that a document type declares.
type attribute struct{ name, value string }

// attributes holds what a document type declares about attributes.
type attributes struct {
	known    map[[2]string]bool     // element and attribute, with a default or without
	defaults map[string][]attribute // of each element, in the order in which they are declared
}

// declare adds the attributes of a declaration (XML 1.0, section 3.3): <!ATTLIST element name type
// default ...>. If a declaration is not well-formed, the rest of it is ignored.
func (a attributes) declare(text string) {
	text, is := strings.CutPrefix(text, "<!ATTLIST")
	if !is {
		return
	}
	element, text := cutName(skipBlanks(text))
	for element != "" {
		var next attribute
		if next.name, text = cutName(skipBlanks(text)); next.name == "" {
			return
		}
		var tokens bool
		if tokens, text, is = cutType(skipBlanks(text)); !is {
			return
		}
		var has bool
		if next.value, has, text, is = cutDefault(skipBlanks(text)); !is {
			return
		}
		if tokens { // section 3.3.3
			next.value = strings.Join(strings.Fields(next.value), " ")
		}
		key := [2]string{element, next.name}
		if has && !a.known[key] { // the first declaration counts
			a.defaults[element] = append(a.defaults[element], next)
		}
		a.known[key] = true
	}
}

// cutType removes the type of an attribute, and reports whether its values are tokens instead of
// any characters.
func cutType(text string) (tokens bool, rest string, is bool) {
	name, rest := cutName(text)
	if name == "NOTATION" || name == "" {
		rest = skipBlanks(rest)
		if !strings.HasPrefix(rest, "(") {
			return false, rest, false
		}
		_, rest, is = strings.Cut(rest, ")")
		return true, rest, is
	}
	return name != "CDATA", rest, true
}

// cutDefault removes the default of an attribute.
func cutDefault(text string) (value string, has bool, rest string, is bool) {
	for _, none := range []string{"#REQUIRED", "#IMPLIED"} {
		if rest, is = strings.CutPrefix(text, none); is {
			return "", false, rest, true
		}
	}
	if rest, is = strings.CutPrefix(text, "#FIXED"); is {
		text = skipBlanks(rest)
	}
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return "", false, text, false
	}
	value, rest, is = strings.Cut(text[1:], text[:1])
	return value, true, rest, is
}

// addDefaults adds the attributes with defaults that a start tag lacks. The tag ends before its >
// or />.
func (x *expansion) addDefaults(tag string, depth int) error {
	element, rest := cutName(tag[1:])
	declared := x.defaults[element]
	if len(declared) == 0 {
		return nil
	}
	given := map[string]bool{}
	for rest = skipBlanks(rest); rest != ""; rest = skipBlanks(rest) {
		var name string
		if name, rest = cutName(rest); name == "" {
			return nil // not well-formed, as the scanner reports
		}
		given[name] = true
		var is bool
		rest, is = strings.CutPrefix(skipBlanks(rest), "=")
		if rest = skipBlanks(rest); !is || rest == "" || rest[0] != '"' && rest[0] != '\'' {
			return nil
		}
		rest = afterQuoted(rest)
	}
	for _, a := range declared {
		if given[a.name] {
			continue
		}
		x.used += len(a.name) + len(a.value) + referenceCost
		if x.used > x.bound {
			return &EntityError{"the attribute " + a.name + " in defaults that stand for too much",
				"at most 1 MB, or 5 times the document"}
		}
		x.out.WriteString(" " + a.name + `="`)
		if err := x.quoted(a.value, depth); err != nil {
			return err
		}
		x.out.WriteByte('"')
	}
	return nil
}

package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// scanner reads the values of a document and reports their faults.
type scanner struct {
	file   string
	space  string // namespace of the elements
	strict bool
	list   Findings
	tally  finding.Tally
}

func (s *scanner) add(id string, severity finding.Severity, at Position, message, remedy string) {
	s.tally.Add(&s.list, Finding{ID: id, Severity: severity, Message: message, Remedy: remedy,
		Place: fault.Place{File: s.file, Line: at.Line, Column: at.Column}})
}

// broken reports a fault that prevents the experiment from running.
func (s *scanner) broken(id string, at Position, message, remedy string) {
	s.add(id, finding.Error, at, message, remedy)
}

// deviates reports a deviation from the schema that does not prevent reading.
func (s *scanner) deviates(id string, at Position, message, remedy string) {
	severity := finding.Warning
	if s.strict {
		severity = finding.Error
	}
	s.add(id, severity, at, message, remedy)
}

// children lists, by name, the child elements in the document's namespace. The caller handles
// elements in other namespaces.
func (s *scanner) children(e *scxml.Element, names ...string) (found map[string][]*scxml.Element,
	others []*scxml.Element) {
	found = map[string][]*scxml.Element{}
	for _, c := range e.Elements() {
		if c.Space == s.space && slices.Contains(names, c.Name) {
			found[c.Name] = append(found[c.Name], c)
		} else {
			others = append(others, c)
		}
	}
	return found, others
}

// required reads an attribute that must exist; id is the rule.
func (s *scanner) required(e *scxml.Element, name, id string) string {
	v, ok := e.Attr(name)
	if !ok || strings.TrimSpace(v) == "" {
		s.broken(id, e.Position, fmt.Sprintf("<%s> has no %s", e.Name, name),
			fmt.Sprintf("add %s=\"…\"", name))
	}
	return strings.TrimSpace(v)
}

// ownAttr returns the value of an attribute of gosmp's own namespace.
func ownAttr(e *scxml.Element, name string) (value string, ok bool) {
	for _, a := range e.Attributes {
		if a.Space == NamespaceOwn && a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// known warns of attributes that the schema does not define, and refuses misspelled ones, which
// would be ignored.
func (s *scanner) known(e *scxml.Element, names ...string) {
	for _, a := range e.Attributes {
		if a.Space == "" && !slices.Contains(names, a.Name) {
			if similar.Hint(a.Name, names) != "" {
				s.unknown("EX21", e, a, names)
				continue
			}
			s.deviates("EX21", a.Position,
				fmt.Sprintf("<%s> has an attribute %q that the schema does not define", e.Name,
					a.Name), "remove it, or keep it as a note")
		}
		if a.Space == NamespaceOwn && !slices.Contains(ownAttributes[e.Name], a.Name) {
			s.unknown("EX08", e, a, ownAttributes[e.Name])
		}
		if a.Space == s.space {
			s.deviates("EX20", a.Position,
				fmt.Sprintf("the attribute %q of <%s> has a namespace, expected none", a.Name,
					e.Name), "remove its prefix")
		}
	}
}

// ownAttributes holds the attributes of gosmp's own namespace by element of the description.
var ownAttributes = map[string][]string{"environmentModel": {"simulator"}, "robotPose": {"robotId"}}

// only refuses all attributes other than the named ones on an element in gosmp's own namespace,
// because they would be ignored. Its attributes have no prefix.
func (s *scanner) only(id string, e *scxml.Element, names ...string) {
	for _, a := range e.Attributes {
		if a.Space == "" && !slices.Contains(names, a.Name) || a.Space == NamespaceOwn {
			s.unknown(id, e, a, names)
		}
	}
}

// hollow refuses elements in an element that has only attributes.
func (s *scanner) hollow(id string, e *scxml.Element) {
	for _, c := range e.Elements() {
		s.broken(id, c.Position, fmt.Sprintf("<%s> is unknown in <%s>", c.Name, e.Name),
			"remove it")
	}
}

// unknown refuses an attribute of gosmp's own namespace or elements.
func (s *scanner) unknown(id string, e *scxml.Element, a scxml.Attribute, names []string) {
	hint := "remove it"
	if len(names) > 0 {
		hint += ", or write one of " + strings.Join(names, ", ")
	}
	name := a.Name
	if a.Space == NamespaceOwn {
		name = "g:" + name // the prefix that gosmp writes
	}
	s.broken(id, a.Position, fmt.Sprintf("<%s> has no attribute %q", e.Name, name),
		cmp.Or(similar.Hint(a.Name, names), hint))
}

// stray reports text between the elements of a document, which would be ignored: an error where
// it hides elements, as in a CDATA section, or is in an element of gosmp's own namespace.
func (s *scanner) stray(e *scxml.Element, id string, structural ...string) {
	for _, c := range e.Elements() {
		if c.Space == s.space || c.Space == NamespaceOwn {
			s.stray(c, id, structural...)
		}
	}
	found := text(e)
	if found == "" || !slices.Contains(structural, e.Name) {
		return
	}
	report := s.deviates
	if e.Space == NamespaceOwn || strings.Contains(found, "<") {
		report = s.broken
	}
	report(id, e.Position, fmt.Sprintf("<%s> contains text, which would be ignored: %.60q", e.Name,
		found), "remove it; elements must not be escaped or in a CDATA section")
}

// text returns the content of an element without surrounding white space.
func text(e *scxml.Element) string { return strings.TrimSpace(e.Text()) }

func parseFloat(text string) (float64, bool) {
	v, err := decimal.Float(strings.TrimSpace(text), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// misnamed refuses an element that would be ignored because its name is a misspelt name of an
// executed element, or has another namespace. It reports whether it refused the element.
func (s *scanner) misnamed(id string, e *scxml.Element, executed ...string) bool {
	hint := similar.Hint(e.Name, executed)
	if hint == "" {
		return false
	}
	message := fmt.Sprintf("<%s> is unknown", e.Name)
	if slices.Contains(executed, e.Name) {
		message = fmt.Sprintf("<%s> is of namespace %q", e.Name, e.Space)
		hint = fmt.Sprintf("expected %q", s.space)
	}
	s.broken(id, e.Position, message, hint)
	return true
}

// number reads an attribute that holds a number; ok is false if it is missing or invalid.
func (s *scanner) number(e *scxml.Element, name, id string) (v float64, ok bool) {
	text, given := e.Attr(name)
	if !given {
		return 0, false
	}
	if v, ok = parseFloat(text); !ok {
		s.broken(id, e.At(name), fmt.Sprintf("%s is %q, expected a number", name, text),
			"write a number such as 1.5")
	}
	return v, ok
}

// numbers reads attributes, all of which must exist.
func (s *scanner) numbers(e *scxml.Element, id string, names ...string) []float64 {
	values := make([]float64, len(names))
	for i, name := range names {
		v, ok := s.number(e, name, id)
		if _, given := e.Attr(name); !given {
			s.broken(id, e.Position, fmt.Sprintf("<%s> has no %s", e.Name, name),
				fmt.Sprintf("add %s=\"…\"", name))
		}
		if ok {
			values[i] = v
		}
	}
	return values
}

// positive reads a whole number greater than 0.
func (s *scanner) positive(what, text, id string, at Position) (uint64, bool) {
	v, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(text), "+"), 10, 64)
	if errors.Is(err, strconv.ErrRange) { // the schema has no limit
		s.broken(id, at, fmt.Sprintf("%s is %s, expected at most %d", what, strings.TrimSpace(text),
			uint64(math.MaxUint64)), "write a smaller number")
		return 0, false
	}
	if err != nil || v == 0 {
		s.broken(id, at, fmt.Sprintf("%s is %q, expected a whole number above 0", what,
			strings.TrimSpace(text)), "write 1 or more")
		return 0, false
	}
	return v, true
}

// oneOf checks that a word is in a list.
func (s *scanner) oneOf(what, word, id string, at Position, words ...string) {
	if !slices.Contains(words, word) {
		s.broken(id, at, fmt.Sprintf("%s is %q, expected %s", what, word, strings.Join(words,
			" or ")), "write one of them")
	}
}

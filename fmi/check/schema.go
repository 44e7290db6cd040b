package check

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// schema compares a document with the grammar of its version (rule X1 and the rules for values).
func (x *examiner) schema(root *xmldoc.Node) {
	x.element(root, grammars[x.language]()[root.Name])
}

// element checks an element and all of its content.
func (x *examiner) element(n *xmldoc.Node, e *element) {
	if name := n.Value("name"); name != "" && x.object == "" {
		x.object = name
		defer func() { x.object = "" }()
	}
	x.attributes(n, e)
	if e.any {
		x.annotationContent(n)
		return
	}
	if text := n.Text(); text != "" && !e.text {
		x.error("X1", x.at(n), fact{what: "<" + n.Name + "> contains text",
			found: quoted(text), expected: "elements only"})
	}
	x.sequence(n, e)
}

// annotationContent checks the few requirements on annotations.
func (x *examiner) annotationContent(n *xmldoc.Node) {
	if x.language == fmi.FMI2 && len(n.Nodes) > 1 {
		x.error("X1", x.at(n.Nodes[1]), fact{what: "an annotation of a tool with several elements",
			found: fmt.Sprintf("%d elements in <Tool>", len(n.Nodes)), expected: "one at most",
			remedy: "put them into one element"})
	}
}

// sequence checks which child elements an element contains, and their order.
func (x *examiner) sequence(n *xmldoc.Node, e *element) {
	at, counts := 0, make([]int, len(e.particles))
	for _, c := range n.Nodes {
		tag := c.Name
		k := e.find(tag, at)
		if c.Space != "" {
			k = -1
		}
		if k < 0 {
			x.misplaced(n, c, e, at)
			if k = e.find(tag, 0); k < 0 || c.Space != "" {
				continue
			}
		}
		at = max(at, k)
		if counts[k]++; counts[k] > 1 && !e.particles[k].repeated {
			x.error("X1", x.at(c), fact{what: fmt.Sprintf("a second <%s> in <%s>", tag,
				n.Name),
				expected: "one at most"})
		}
		x.element(c, grammars[x.language]()[e.particles[k].defined[tag]])
	}
	for k, p := range e.particles {
		if p.required && counts[k] == 0 {
			x.missingElement(n, p)
		}
	}
}

// missingElement reports an element that lacks a required child element.
func (x *examiner) missingElement(n *xmldoc.Node, p particle) {
	f := fact{what: fmt.Sprintf("<%s> has no <%s>", n.Name, p.tags[0])}
	if len(p.tags) > 1 {
		f = fact{what: fmt.Sprintf("<%s> has none of its elements", n.Name),
			expected: "one of " + strings.Join(p.tags, ", ")}
	}
	rule := "X1"
	switch tag := n.Name; {
	case n == x.root && p.tags[0] == "ModelStructure":
		rule, f.remedy = "M1", "add <ModelStructure/>, which may be empty"
	case n == x.root && p.tags[0] == "ModelExchange":
		rule, f.remedy = "X2", "declare how the model can be run"
	case slices.Contains(optionalLists, tag):
		rule, f.remedy = "X6", "remove the empty <"+tag+">"
	}
	x.error(rule, x.at(n), f)
}

// optionalLists are elements that may be omitted, but must not be empty.
var optionalLists = []string{"UnitDefinitions", "TypeDefinitions", "LogCategories", "SourceFiles",
	"VendorAnnotations", "Annotations", "Outputs", "Derivatives", "InitialUnknowns", "Terminals"}

// misplaced reports an element that is unknown or in the wrong place.
func (x *examiner) misplaced(parent, n *xmldoc.Node, e *element, at int) {
	tag, within := n.Name, parent.Name
	f := fact{what: fmt.Sprintf("<%s> in <%s>", tag, within), found: "an element that " +
		x.language.String() + " does not define here"}
	switch tags := e.tags(); {
	case n.Space != "":
		f.found, f.expected = "an element of the namespace "+quoted(n.Space),
			"no namespace outside of annotations"
	case e.find(tag, 0) >= 0:
		f.found, f.expected = "after <"+strings.Join(e.particles[at].tags, "> or <")+">",
			"before it"
		f.remedy = "the order is " + strings.Join(tags, ", ")
	case nearest(tag, tags) != "":
		f.expected = "<" + nearest(tag, tags) + ">"
	case len(tags) > 0:
		f.expected = "one of " + strings.Join(tags, ", ")
	}
	x.error("X1", x.at(n), f)
}

// The namespaces of attributes that are allowed anywhere.
const (
	namespaceInstance = "http://www.w3.org/2001/XMLSchema-instance"
	namespaceXML      = "http://www.w3.org/XML/1998/namespace"
)

// attributes checks the attributes of an element.
func (x *examiner) attributes(n *xmldoc.Node, e *element) {
	for _, a := range n.Attributes {
		switch space := a.Space; {
		case space == namespaceInstance, space == "xsi", space == "xmlns", a.Name == "xmlns":
		case space != "":
			if !e.foreign {
				x.error(pick(x.major >= fmi.FMI3, "X9", "X1"), x.at(n), fact{
					what:     fmt.Sprintf("attribute %s of <%s>", a.Name, n.Name),
					found:    "one of the namespace " + quoted(space),
					expected: "none", remedy: "use an annotation"})
			}
		default:
			x.attribute(n, e, a.Name, a.Value)
		}
	}
	for _, name := range e.needed {
		if _, found := n.Attribute(name); !found {
			x.error("X1", x.at(n), fact{what: fmt.Sprintf("<%s> has no attribute %s", n.Name,
				name), expected: "one"})
		}
	}
}

// attribute checks the name and the value of an attribute.
func (x *examiner) attribute(n *xmldoc.Node, e *element, name, value string) {
	a, known := e.attributes[name]
	if !known {
		f := fact{what: fmt.Sprintf("attribute %s of <%s>", name, n.Name),
			found: "one that " + x.language.String() + " does not define here"}
		if near := nearest(name, e.names()); near != "" {
			f.expected = near
		}
		x.error("X1", x.at(n), f)
		return
	}
	texts := []string{value}
	if a.list {
		texts = strings.Fields(value)
	}
	for _, text := range texts {
		if expected := a.wrong(text); expected != "" {
			x.error(ruleOfValue(name, a), x.at(n), fact{what: fmt.Sprintf("%s of <%s>", name,
				n.Name), found: quoted(text), expected: expected})
			return
		}
		if x.language > fmi.FMI1 && (a.kind == "float64" || a.kind == "float32") {
			x.finite(n, name, text, a)
		}
	}
}

// finite reports numbers that are not finite, because NaN and INF are forbidden in XML, and numbers
// that a float32 cannot hold.
func (x *examiner) finite(n *xmldoc.Node, name, text string, a attribute) {
	value, err := fmi.Float64.ParseValue(text)
	number, is := value.(float64)
	if err == nil && is && (math.IsInf(number, 0) || math.IsNaN(number)) {
		x.error("X7", x.at(n), fact{what: fmt.Sprintf("%s of <%s>", name, n.Name),
			found: quoted(text), expected: "a finite number"})
	} else if err == nil && is && a.kind == "float32" &&
		math.IsInf(float64(float32(number)), 0) {
		x.error(ruleOfValue(name, a), x.at(n), fact{what: fmt.Sprintf("%s of <%s>", name, n.Name),
			found: quoted(text), expected: fmt.Sprintf("at most %g", math.MaxFloat32)})
	}
}

// ruleOfValue returns the rule that a misspelled attribute value breaks.
func ruleOfValue(name string, a attribute) string {
	switch {
	case name == "start" || name == "value" && a.kind == "binary":
		return "V5"
	case name == "valueReference" || name == "index":
		return "V10"
	case name == "dependenciesKind":
		return "M6"
	case a.kind == "dateTime":
		return "X5"
	case a.kind == "" || a.kind == "boolean":
		return "X1"
	}
	return "X7"
}

var dateTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$`)
})

// wrong returns a description of the expected value, or an empty string if the value is valid.
func (a attribute) wrong(text string) string {
	switch {
	case a.words != nil:
		if !slices.Contains(a.words, strings.TrimSpace(text)) {
			return "one of " + strings.Join(a.words, ", ")
		}
	case a.kind == "dateTime":
		text = strings.TrimSpace(text)
		if !dateTime().MatchString(text) || !isTime(text) {
			return "a date and time like 2026-01-31T12:00:00Z"
		}
	case a.kind != "":
		kind := kinds[a.kind]
		if _, err := kind.ParseValue(text); err != nil {
			return kind.ExpectedValue()
		}
	}
	return ""
}

func isTime(text string) bool {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

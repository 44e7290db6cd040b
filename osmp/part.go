package osmp

import "gosmp/fmi"

// Tool and Namespace identify the annotations of OSMP.
const (
	Tool      = "net.pmsf.osmp"
	Namespace = "http://xsd.pmsf.net/OSISensorModelPackaging"
)

// The names of the elements in the annotations of OSMP: of the FMU as a whole, and of each actual
// variable.
const (
	MarkElement = "osmp"
	PartElement = "osmp-binary-variable"
)

// Role is the role of an actual variable within its notional variable.
type Role string

// The roles: three integers that carry an address and a size, or one Binary (from FMI 3.0 on).
const (
	BaseLo Role = "base.lo"
	BaseHi Role = "base.hi"
	Size   Role = "size"
	Full   Role = "full"
)

// Part is the content of an actual variable's annotation: the notional variable it belongs to, and
// its role.
type Part struct {
	Name     string // the prefix of the notional variable, with its index
	Role     Role
	MIMEType string
}

// PartOf finds the OSMP annotation among the annotations of a variable, and reports whether there
// is one.
func PartOf(annotations []fmi.Annotation) (Part, bool) {
	for _, a := range annotations {
		for _, e := range a.Elements {
			if a.Tool == Tool && e.Namespace == Namespace && e.Name == PartElement {
				name, _ := e.Value("name")
				role, _ := e.Value("role")
				mimeType, _ := e.Value("mime-type")
				return Part{name, Role(role), mimeType}, true
			}
		}
	}
	return Part{}, false
}

// annotation builds an OSMP annotation, whose attributes are given as pairs of names and values.
func annotation(element string, attributes ...[2]string) fmi.Annotation {
	e := fmi.Element{Prefix: "osmp", Namespace: Namespace, Name: element}
	for _, a := range attributes {
		e.Attributes = append(e.Attributes, fmi.Attribute{Name: a[0], Value: a[1]})
	}
	return fmi.Annotation{Tool: Tool, Elements: []fmi.Element{e}}
}

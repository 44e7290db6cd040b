package fmi

// Annotation is tool-specific data in a model description, for the tool's own use or by agreement
// between tools: the element Tool of FMI 2.0 (2.2.6), Annotation of FMI 3.0 (2.4).
type Annotation struct {
	// the name of the tool; since FMI 3.0, the type of the annotation
	Tool     string    `json:"tool"`
	Elements []Element `json:"-"`
}

// Element is XML inside an [Annotation].
type Element struct {
	Prefix     string // namespace prefix; used by writers, left empty by readers
	Namespace  string
	Name       string // local
	Attributes []Attribute
	Elements   []Element
	Text       string
}

// Attribute is an attribute of an [Element]. Writers support attributes without a namespace.
type Attribute struct{ Namespace, Name, Value string }

// Value returns the value of the attribute with this name and no namespace, and whether it exists.
func (e *Element) Value(name string) (string, bool) {
	for _, a := range e.Attributes {
		if a.Namespace == "" && a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

package check

import (
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/finding"
	"gosmp/osmp"
)

// Report describes the OSMP part of an FMU.
type Report struct {
	// of OSMP, as declared; empty if the FMU is not marked
	Version    string `json:"version"`
	OSIVersion string `json:"osiVersion"` // as declared
	Kind       Kind   `json:"kind"`
	Kinds      []Kind `json:"kinds"` // the kinds of a mixed model, otherwise only Kind
	// names of the input messages, each once, in alphabetical order
	Inputs    []string     `json:"inputs"`
	Outputs   []string     `json:"outputs"`   // as Inputs
	Variables []Variable   `json:"variables"` // in the order of the model description
	Problems  finding.List `json:"-"`
}

// Variable is a notional binary variable.
type Variable struct {
	Name     string `json:"name"` // the prefix, with its index
	MIMEType string `json:"mimeType"`
	// from the MIME type, otherwise from the name; empty if neither identifies it
	Message         string          `json:"message"`
	MessageVersion  string          `json:"messageVersion"`
	Causality       fmi.Causality   `json:"causality"`
	Variability     fmi.Variability `json:"variability"`
	ValueReferences References      `json:"valueReferences"`
	parts           []part
}

// References are the value references of the actual variables, nil for roles that the variable does
// not have.
type References struct {
	BaseLo *uint32 `json:"base.lo"`
	BaseHi *uint32 `json:"base.hi"`
	Size   *uint32 `json:"size"`
	Full   *uint32 `json:"full"`
}

// of returns the field for a role.
func (r *References) of(role osmp.Role) **uint32 {
	switch role {
	case osmp.BaseLo:
		return &r.BaseLo
	case osmp.BaseHi:
		return &r.BaseHi
	case osmp.Size:
		return &r.Size
	}
	return &r.Full
}

// part is an actual variable and the content of its annotation.
type part struct {
	*archive.Variable
	prefix   string // as annotated
	role     osmp.Role
	mimeType string
	typed    bool // the attribute mime-type is present
}

// Examine checks a model description. For an FMU without notional binary variables it returns a
// report with no variables and no problems.
func Examine(m *archive.ModelDescription) *Report {
	x := &examiner{model: m,
		report: &Report{Inputs: []string{}, Outputs: []string{}, Variables: []Variable{},
			Problems: finding.List{}}, actual: make(map[string]*archive.Variable, len(m.Variables)),
		at: map[string]int{}}
	x.mark()
	for k := range m.Variables {
		x.actual[m.Variables[k].Name] = &m.Variables[k]
		x.collect(&m.Variables[k])
	}
	for k := range x.report.Variables {
		x.describe(&x.report.Variables[k])
	}
	x.kind()
	x.check()
	return x.report
}

type examiner struct {
	model  *archive.ModelDescription
	report *Report
	actual map[string]*archive.Variable // by name
	at     map[string]int               // index of a notional variable in report.Variables, by name
	marks  int                          // annotations that mark the FMU
}

// mark reads the annotation that marks the FMU as an OSMP one.
func (x *examiner) mark() {
	for _, e := range x.elements(x.model.Annotations, "osmp", nil) {
		if x.marks++; x.marks == 1 {
			x.report.Version, _ = e.Value("version")
			x.report.OSIVersion, _ = e.Value("osi-version")
		}
	}
}

// elements returns the OSMP annotation elements with that name; v is the variable that has them,
// nil for the FMU as a whole.
func (x *examiner) elements(annotations []fmi.Annotation, name string, v *archive.Variable) (
	list []fmi.Element) {
	for _, a := range annotations {
		if a.Tool != osmp.Tool {
			continue
		}
		for _, e := range a.Elements {
			switch {
			case e.Name != name:
				x.problem(finding.Warning, "OSMP-A3", v,
					"element <%s> in the annotation of OSMP, expected <osmp:%s>", e.Name, name)
			case e.Namespace != osmp.Namespace:
				x.problem(finding.Error, "OSMP-A1", v, "<%s> is in the namespace %q, expected %q",
					e.Name, e.Namespace, osmp.Namespace)
				list = append(list, e)
			default:
				list = append(list, e)
			}
		}
	}
	return list
}

// collect adds an actual variable to the notional one that its annotation names.
func (x *examiner) collect(v *archive.Variable) {
	for _, e := range x.elements(v.Annotations, "osmp-binary-variable", v) {
		name, named := e.Value("name")
		role, _ := e.Value("role")
		p := part{Variable: v, prefix: name, role: osmp.Role(role)}
		p.mimeType, p.typed = e.Value("mime-type")
		switch {
		case !named || name == "":
			x.problem(finding.Error, "OSMP-A3", v,
				"<osmp-binary-variable> has no name, expected the prefix of the binary variable")
			continue
		case !slices.Contains([]osmp.Role{osmp.BaseLo, osmp.BaseHi, osmp.Size, osmp.Full}, p.role):
			x.problem(finding.Error, "OSMP-A3", v,
				"<osmp-binary-variable> has role=%q, expected base.lo, base.hi or size, or "+
					"full for a Binary", role)
			continue
		}
		if own := p.namedAs(); own != name && isNamed(own) {
			name = own // one finding, A9, instead of several about a variable that is not meant
		}
		at, known := x.at[name]
		if !known {
			at = len(x.report.Variables)
			x.at[name] = at
			x.report.Variables = append(x.report.Variables, Variable{Name: name})
		}
		x.report.Variables[at].parts = append(x.report.Variables[at].parts, p)
	}
}

// namedAs returns the prefix according to the name of the actual variable; empty if it does not end
// with the role.
func (p *part) namedAs() string {
	if p.role == osmp.Full {
		return p.Name
	}
	prefix, ok := strings.CutSuffix(p.Name, "."+string(p.role))
	if !ok {
		return ""
	}
	return prefix
}

// describe fills in the content of a variable's parts. If parts contradict each other, the first
// one counts.
func (x *examiner) describe(n *Variable) {
	first := n.parts[0]
	n.Causality, n.Variability, n.MIMEType = first.Causality, first.Variability, first.mimeType
	if !first.typed {
		n.MIMEType = first.MIMEType // of a Binary
	}
	for _, p := range n.parts {
		if field := n.ValueReferences.of(p.role); *field == nil {
			reference := p.ValueReference
			*field = &reference
		}
	}
	if media, parameters, ok := osmp.ParseMIMEType(n.MIMEType); ok && media == osmp.OSIMediaType {
		n.Message, n.MessageVersion = parameters["type"], parameters["version"]
		if n.MessageVersion == "" {
			n.MessageVersion = x.report.OSIVersion
		}
	}
	if known, found := osmp.Named(n.Name); found { // regardless of its MIME type
		n.Message = known.Message
	}
}

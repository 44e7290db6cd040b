package archive

// Causality says what a variable is for its environment.
type Causality string

// The causalities of FMI 2.0 and 3.0.
const (
	Input               Causality = "input"
	Output              Causality = "output"
	Parameter           Causality = "parameter"
	CalculatedParameter Causality = "calculatedParameter"
	StructuralParameter Causality = "structuralParameter"
	Local               Causality = "local"
	Independent         Causality = "independent"
	Dependent           Causality = "dependent"
)

// Variability says when a variable may change.
type Variability string

// The variabilities of FMI 2.0 and 3.0.
const (
	Constant   Variability = "constant"
	Fixed      Variability = "fixed"
	Tunable    Variability = "tunable"
	Discrete   Variability = "discrete"
	Continuous Variability = "continuous"
)

// Initial says where the value at the start comes from.
type Initial string

// The kinds of initial values.
const (
	Exact      Initial = "exact"
	Approx     Initial = "approx"
	Calculated Initial = "calculated"
)

// Variable is a variable of the model with all that it inherits and all defaults filled in.
//
// Values and bounds have the spelling of the file. What FMI 1.0 says is translated: causality internal and none become local;
// variability parameter becomes causality parameter, unless it is an input or output, and variability fixed; start with
// fixed="false" becomes initial approx, another start initial exact.
type Variable struct {
	Name           string       `json:"name"`
	ValueReference uint32       `json:"valueReference"`
	Description    string       `json:"description"`
	Type           string       `json:"type"` // Real, Integer, Boolean, String, Enumeration; or Float64, Binary, Clock ...
	DeclaredType   string       `json:"declaredType"`
	Causality      Causality    `json:"causality"`
	Variability    Variability  `json:"variability"`
	Initial        Initial      `json:"initial"` // empty where FMI allows none
	Start          []string     `json:"start"`   // empty without a start value, one value, or those of an array
	Unit           string       `json:"unit"`
	DisplayUnit    string       `json:"displayUnit"`
	Quantity       string       `json:"quantity"`
	Min            string       `json:"min"`
	Max            string       `json:"max"`
	Nominal        string       `json:"nominal"`
	Dimensions     []Dimension  `json:"dimensions"` // of an array
	Clocks         []uint32     `json:"clocks"`     // value references of the clocks that it belongs to
	MIMEType       string       `json:"mimeType"`   // of a Binary
	MaxSize        string       `json:"maxSize"`    // of a Binary, in bytes
	Aliases        []Alias      `json:"aliases"`    // other names, from FMI 3.0 on
	Annotations    []Annotation `json:"annotations"`
	Line           int          `json:"line"`   // in modelDescription.xml
	Column         int          `json:"column"` // as Line
}

// Dimension is the size of an array in one direction: a number, or the value reference of the structural parameter that holds it.
type Dimension struct {
	Start          *uint64 `json:"start"`
	ValueReference *uint32 `json:"valueReference"`
}

// Alias is another name of a variable.
type Alias struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// defaultVariability is that of a variable that states none.
func defaultVariability(major int, v *Variable) Variability {
	switch {
	case major < 3:
		return Continuous
	case v.Causality == Parameter || v.Causality == CalculatedParameter || v.Causality == StructuralParameter:
		return Fixed
	case v.Type == "Float32" || v.Type == "Float64":
		return Continuous
	}
	return Discrete
}

// defaultInitial is that of a variable that states none (FMI 2.0, 2.2.7; FMI 3.0, 2.4.7).
func defaultInitial(v *Variable) Initial {
	switch {
	case v.Causality == Input || v.Causality == Independent || v.Causality == Dependent || v.Type == "Clock":
		return ""
	case v.Variability == Constant || v.Causality == Parameter || v.Causality == StructuralParameter:
		return Exact
	}
	return Calculated
}

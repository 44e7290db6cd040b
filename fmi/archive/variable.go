package archive

import "gosmp/fmi"

// Variable is a variable of the model, with all inherited attributes and defaults filled in.
//
// Values and bounds are spelled as in the file. The terms of FMI 1.0 are translated: causality
// internal and none become local; variability parameter becomes variability fixed and, unless the
// variable is an input or output, causality parameter; a start value with fixed="false" becomes
// initial approx, any other start value initial exact.
type Variable struct {
	Name           string          `json:"name"`
	ValueReference uint32          `json:"valueReference"`
	Description    string          `json:"description"`
	Type           fmi.Type        `json:"type"`
	DeclaredType   string          `json:"declaredType"`
	Causality      fmi.Causality   `json:"causality"`
	Variability    fmi.Variability `json:"variability"`
	Initial        fmi.Initial     `json:"initial"` // empty if FMI allows none
	// no values, one start value, or the values of an array
	Start       []string    `json:"start"`
	Unit        string      `json:"unit"`
	DisplayUnit string      `json:"displayUnit"`
	Quantity    string      `json:"quantity"`
	Min         string      `json:"min"`
	Max         string      `json:"max"`
	Nominal     string      `json:"nominal"`
	Dimensions  []Dimension `json:"dimensions"` // of an array
	// value references of the clocks to which the variable belongs
	Clocks   []uint32 `json:"clocks"`
	MIMEType string   `json:"mimeType"` // of a Binary
	MaxSize  string   `json:"maxSize"`  // for a Binary, in bytes
	// IntermediateUpdate reports whether the variable may be accessed between communication points
	// (FMI 3.0).
	IntermediateUpdate bool `json:"intermediateUpdate,omitempty"`
	// IntervalVariability determines when a Clock ticks: constant, fixed, calculated, tunable,
	// changing, countdown or triggered.
	IntervalVariability string  `json:"intervalVariability,omitempty"`
	Timing              *Timing `json:"timing,omitempty"` // of a Clock
	Aliases             []Alias `json:"aliases"`          // other names, since FMI 3.0
	// Negated reports whether the value is the negated value of its reference (FMI 1.0).
	Negated     bool             `json:"negated,omitempty"`
	Annotations []fmi.Annotation `json:"annotations"`
	Line        int              `json:"line"`   // in modelDescription.xml
	Column      int              `json:"column"` // as Line
}

// Timing defines when a time-based Clock ticks, in units of the independent variable (FMI 3.0,
// 2.4.4). The FMU itself provides numbers that the model description omits.
type Timing struct {
	// interval between two ticks; nil if missing
	Interval *float64 `json:"intervalDecimal,omitempty"`
	// time of the first tick after the start
	Shift            float64 `json:"shiftDecimal,omitempty"`
	SupportsFraction bool    `json:"supportsFraction,omitempty"`
	// Resolution is the denominator of both counters; 0 means that there is none.
	Resolution      uint64 `json:"resolution,omitempty"`
	IntervalCounter uint64 `json:"intervalCounter,omitempty"`
	ShiftCounter    uint64 `json:"shiftCounter,omitempty"`
}

// ByFraction reports whether the timing has counters and a resolution, so that the FMU can be asked
// for them.
func (t *Timing) ByFraction() bool {
	return t.SupportsFraction && t.Resolution > 0 && t.IntervalCounter > 0
}

// Dimension is the size of an array along one axis: a number, or the value reference of the
// structural parameter that holds the number.
type Dimension struct {
	Start          *uint64 `json:"start"`
	ValueReference *uint32 `json:"valueReference"`
}

// Alias is another name of a variable.
type Alias struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

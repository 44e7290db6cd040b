package ssp

import (
	"slices"

	"gosmp/fmi"
)

// Kind is the purpose of a connector (SSP 2.0, 5.3.1).
type Kind string

// The kinds of connectors. SSP 2.0 introduced the kinds from StructuralParameter on.
const (
	Input               Kind = "input"
	Output              Kind = "output"
	Parameter           Kind = "parameter"
	CalculatedParameter Kind = "calculatedParameter"
	InOut               Kind = "inout" // of a signal dictionary
	StructuralParameter Kind = "structuralParameter"
	Constant            Kind = "constant"
	Local               Kind = "local"
	Unspecified         Kind = "unspecified"
)

// Kinds lists all kinds of connectors.
func Kinds() []Kind {
	return []Kind{Input, Output, Parameter, CalculatedParameter, InOut, StructuralParameter,
		Constant, Local, Unspecified}
}

// Media types of sources (SSP 2.0, 5.3 and 5.4).
const (
	FMUType        = "application/x-fmu-sharedlibrary"
	definitionType = "application/x-ssp-definition"
	packageType    = "application/x-ssp-package"
	modelicaType   = "text/x-modelica"
	valuesType     = "application/x-ssp-parameter-set"
	mappingType    = "application/x-ssp-parameter-mapping"
	dictionaryType = "application/x-ssp-signal-dictionary"
)

// The connections that SSP allows, by the kind of the source (SSP 2.0, 5.4.2). The kinds of
// destinations are listed separately for elements and for the enclosing system.
var fromElement = map[Kind]struct{ element, system []Kind }{
	Output: {[]Kind{Input, InOut}, []Kind{Output, Local}},
	Local:  {[]Kind{Input, InOut}, []Kind{Output, Local}},
	InOut:  {[]Kind{Input}, []Kind{Output, Local}},
	CalculatedParameter: {[]Kind{Parameter, Input, InOut}, []Kind{CalculatedParameter, Output,
		Local}},
	Constant: {
		[]Kind{StructuralParameter, Parameter, Input, InOut},
		[]Kind{Constant, CalculatedParameter, Output, Local},
	},
}

var fromSystem = map[Kind]struct{ element, system []Kind }{
	Input:     {[]Kind{Input, InOut}, []Kind{Output, Local}},
	Parameter: {[]Kind{Parameter, Input, InOut}, []Kind{CalculatedParameter, Output, Local}},
	StructuralParameter: {
		[]Kind{StructuralParameter, Parameter, Input, InOut}, []Kind{CalculatedParameter, Output,
			Local},
	},
}

// flowsTo reports whether a value may flow from one connector to another; inner is true for
// connectors of the enclosing system.
func flowsTo(from Kind, fromInner bool, to Kind, toInner bool) bool {
	table := fromElement
	if fromInner {
		table = fromSystem
	}
	fits := func(row struct{ element, system []Kind }) bool {
		list := row.element
		if toInner {
			list = row.system
		}
		return to == Unspecified && len(list) > 0 || slices.Contains(list, to)
	}
	if from != Unspecified {
		return fits(table[from])
	}
	for _, row := range table {
		if fits(row) {
			return true
		}
	}
	return false
}

// typeNames are the names of the elements that specify a type.
var typeNames = map[string]fmi.Type{
	"Real": fmi.Real, "Float64": fmi.Float64, "Float32": fmi.Float32, "Integer": fmi.Integer,
	"Int8": fmi.Int8, "UInt8": fmi.UInt8,
	"Int16": fmi.Int16, "UInt16": fmi.UInt16, "Int32": fmi.Int32, "UInt32": fmi.UInt32,
	"Int64": fmi.Int64, "UInt64": fmi.UInt64, "Boolean": fmi.Boolean, "String": fmi.String,
	"Enumeration": fmi.Enumeration, "Binary": fmi.Binary, "Clock": fmi.Clock,
}

// fits reports whether values of one type can be passed to another: floating-point types to each
// other, integers to wider integers and to floating-point types, enumerations and integers to each
// other (the values are checked at run time), and all other types only to themselves. An unknown
// type always fits.
func fits(from, to fmi.Type) bool {
	a, b := plainType(from), plainType(to)
	switch {
	case from == 0 || to == 0 || a == b:
		return true
	case b.IsFloat():
		return a.IsFloat() || a.IsInteger() && a != fmi.Enumeration
	case a == fmi.Enumeration:
		return b.IsInteger()
	case b == fmi.Enumeration:
		return a.IsInteger()
	}
	return widens(a, b)
}

// plainType returns a common type for types with the same values.
func plainType(t fmi.Type) fmi.Type {
	switch t {
	case fmi.Real:
		return fmi.Float64
	case fmi.Integer:
		return fmi.Int32
	}
	return t
}

var signed = []fmi.Type{fmi.Int8, fmi.Int16, fmi.Int32, fmi.Int64}
var unsigned = []fmi.Type{fmi.UInt8, fmi.UInt16, fmi.UInt32, fmi.UInt64}

func widens(a, b fmi.Type) bool {
	sa, ua := slices.Index(signed, a), slices.Index(unsigned, a)
	sb, ub := slices.Index(signed, b), slices.Index(unsigned, b)
	return sa >= 0 && sb > sa || ua >= 0 && (ub > ua || sb > ua)
}

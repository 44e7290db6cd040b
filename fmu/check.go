package fmu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/fmi"
)

// maxParameterName is the longest name that Simulink accepts for an imported parameter.
const maxParameterName = 55

// mostErrors is the number of variables with mistakes that are listed: arrays have many elements in
// FMI 2.0.
const mostErrors = 20

func (t *Variables) check(units []fmi.Unit) error {
	errs, more := slices.Clone(t.errs), 0
	for _, v := range t.list {
		err := t.checkVariable(v, units)
		switch {
		case err == nil:
		case len(errs) < len(t.errs)+mostErrors:
			errs = append(errs, fmt.Errorf("%w: variable %q: %w", ErrDefinition, v.Name, err))
		default:
			more++
		}
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("%w: %d more variables", ErrDefinition, more))
	}
	return errors.Join(errs...)
}

func (t *Variables) checkVariable(v *Variable, units []fmi.Unit) error {
	switch {
	case !fmi.IsStructuredName(v.Name):
		return errors.New("not a structured name (FMI 2.0, 2.2.9)")
	case v.Causality == fmi.Parameter && len(v.Name) > maxParameterName:
		return fmt.Errorf("%d characters, Simulink imports parameter names of at most %d",
			len(v.Name), maxParameterName)
	case !slices.Contains(valueTypes, v.Type):
		return fmt.Errorf("type %v, expected one of %v", v.Type, valueTypes)
	case t.Version < fmi.FMI3 && !typeOf2(v):
		return fmt.Errorf("FMI 2.0 has no type %v: pack the model for FMI 3.0", v.Type)
	case t.Version < fmi.FMI3 && v.Dimensions != nil:
		return errors.New("FMI 2.0 has no arrays: pack the model for FMI 3.0")
	case slices.ContainsFunc(v.Dimensions, func(n int) bool { return n < 1 }):
		return fmt.Errorf("dimensions %v, expected lengths from 1", v.Dimensions)
	case v.Type == fmi.Binary && v.Dimensions != nil:
		return errors.New("a Binary cannot be an array: declare several Binaries")
	case !v.Type.IsFloat() && v.Variability == fmi.Continuous:
		return fmt.Errorf("%v cannot be continuous", v.Type)
	case v.Unit != "" && !slices.ContainsFunc(units,
		func(u fmi.Unit) bool { return u.Name == v.Unit }):
		return fmt.Errorf("unit %q is not declared: add it to the units of the definition", v.Unit)
	case v.Unit != "" && !v.Type.IsFloat():
		return fmt.Errorf("%v cannot have a unit", v.Type)
	}
	for _, err := range [...]error{v.checkLimits(), t.checkEnumeration(v), v.checkSize()} {
		if err != nil {
			return err
		}
	}
	for _, name := range v.DependsOn {
		if t.byName[name] == nil {
			return fmt.Errorf("depends on unknown variable %q", name)
		}
	}
	if v == t.time {
		return nil
	}
	if v.Type == fmi.Clock {
		return v.checkClock()
	}
	if err := v.checkCombination(); err != nil {
		return err
	}
	return v.checkStart()
}

// checkClock accepts only output clocks, which the FMU itself triggers.
func (v *Variable) checkClock() error {
	if v.Causality == fmi.Output && v.Variability == fmi.Discrete && v.Initial == "" &&
		v.Start == nil && v.Dimensions == nil {
		return nil
	}
	return errors.New("a clock is a discrete output without start value and dimensions")
}

// checkSize checks structural parameters and the variables that they size. The model description
// uses the start value, so that importers without Configuration Mode need not know the parameter.
func (v *Variable) checkSize() error {
	switch {
	case v.Causality == fmi.StructuralParameter && (v.Type != fmi.UInt64 || v.Max == nil ||
		v.Min == nil || *v.Min < 1 || v.Dimensions != nil):
		return errors.New(
			"a structural parameter is a single UInt64 with a minimum from 1 and a maximum")
	case v.size == nil:
		return nil
	case v.size.Causality != fmi.StructuralParameter:
		return fmt.Errorf("its size %q is not a structural parameter", v.SizedBy)
	case len(v.Dimensions) != 1 || v.size.Max == nil || float64(v.Dimensions[0]) != *v.size.Max:
		return fmt.Errorf("dimensions %v, expected the maximum of %s alone", v.Dimensions,
			v.SizedBy)
	}
	return nil
}

// typeOf2 reports whether FMI 2.0 has variables of this type. Binary is left to the writer of the
// model description.
func typeOf2(v *Variable) bool {
	_, known := v.Type.In(fmi.FMI2)
	return known || v.Type == fmi.Binary
}

// checkCombination applies the table of FMI 2.0, which differs from FMI 3.0 only for inputs: in FMI
// 3.0 their start values are exact, which need not be stated.
func (v *Variable) checkCombination() error {
	if v.Causality != fmi.Independent && fmi.Allowed(fmi.FMI2, v.Causality, v.Variability,
		v.Initial) || v.Causality == fmi.StructuralParameter && fmi.Allowed(fmi.FMI3, v.Causality,
		v.Variability, v.Initial) {
		return nil
	}
	return fmt.Errorf(
		"causality %q, variability %q and initial %q cannot be combined (FMI 2.0, 2.2.7)",
		v.Causality, v.Variability, v.Initial)
}

func (v *Variable) checkStart() error {
	if v.Initial == fmi.Calculated {
		if v.Start != nil {
			return errors.New("a calculated variable cannot have a start value")
		}
		return nil
	}
	switch start := v.Start.(type) {
	case float64:
		if v.Type == fmi.Real {
			return v.checkRange(start)
		}
	case int32:
		if v.stored == fmi.Integer {
			return v.checkInteger(start)
		}
	case bool:
		if v.Type == fmi.Boolean {
			return nil
		}
	case string:
		if v.Type == fmi.String {
			return v.checkText(start)
		}
	case []byte:
		if v.Type == fmi.Binary {
			return v.checkBytes(start)
		}
	case float32:
		if v.Type == fmi.Float32 {
			return v.checkRange(float64(start))
		}
	case int8, uint8, int16, uint16, uint32, int64, uint64:
		if v.holds(start) {
			return v.checkWhole(start)
		}
	case nil:
		return errors.New("start value missing")
	}
	return fmt.Errorf("start value %v (%T) is not of type %v", v.Start, v.Start, v.Type)
}

// checkLimits rejects limits that no value can satisfy, that the type does not support, or that XML
// cannot represent.
func (v *Variable) checkLimits() error {
	for _, limit := range [...]*float64{v.Min, v.Max} {
		switch {
		case limit == nil:
		case !v.Type.IsFloat() && !v.Type.IsInteger():
			return fmt.Errorf("%v cannot have a minimum or a maximum", v.Type)
		case math.IsNaN(*limit) || math.IsInf(*limit, 0):
			return fmt.Errorf("limit %v is not finite", *limit)
		case v.Type == fmi.Integer && float64(int32(*limit)) != *limit:
			return fmt.Errorf("limit %v is not a 32-bit integer", *limit)
		case v.Type.IsInteger() && !v.Type.Holds(*limit):
			return fmt.Errorf("limit %v is not %s", *limit, v.Type.ExpectedValue())
		}
	}
	switch {
	case (v.MIMEType != "" || v.MaxSize != 0) && v.Type != fmi.Binary:
		return fmt.Errorf("%v cannot have a MIME type or a maximum size", v.Type)
	case v.MaxSize < 0:
		return fmt.Errorf("maximum size %d is below 0", v.MaxSize)
	case v.OneOf != nil && v.Type != fmi.String:
		return fmt.Errorf("%v cannot have a list of allowed texts", v.Type)
	case v.Min != nil && v.Max != nil && *v.Min > *v.Max:
		return fmt.Errorf("minimum %v is above maximum %v", *v.Min, *v.Max)
	}
	return nil
}

// checkRange rejects values outside min and max, and values that XML cannot represent.
func (v *Variable) checkRange(x float64) error {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return fmt.Errorf("%v is not finite", x)
	case v.Min != nil && x < *v.Min:
		return fmt.Errorf("%v is below the minimum %v", x, *v.Min)
	case v.Max != nil && x > *v.Max:
		return fmt.Errorf("%v is above the maximum %v", x, *v.Max)
	}
	return nil
}

// checkBytes rejects binary data that is too long.
func (v *Variable) checkBytes(data []byte) error {
	if v.MaxSize > 0 && len(data) > v.MaxSize {
		return fmt.Errorf("%d bytes exceed the maximum size %d", len(data), v.MaxSize)
	}
	return nil
}

// checkText rejects a text that is not one of the allowed values.
func (v *Variable) checkText(text string) error {
	if v.OneOf == nil || slices.Contains(v.OneOf, text) {
		return nil
	}
	return fmt.Errorf("%q is not one of %s", text, strings.Join(v.OneOf, ", "))
}

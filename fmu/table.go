package fmu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/fmi"
)

// Variables is the variable table of an FMU: the one place where names, references and start values are written. The order of
// Add is the order in the model description; value references count up per base type. Existing variables are never reordered,
// because hosts and system descriptions hold their references.
type Variables struct {
	list   []*Variable
	byType map[fmi.Type][]*Variable
	byName map[string]*Variable
	errs   []error
}

// ErrDefinition reports a definition that cannot become a valid FMU.
var ErrDefinition = errors.New("invalid definition")

// slotTypes are the types that a slave's variables can have.
var slotTypes = []fmi.Type{fmi.Real, fmi.Integer, fmi.Boolean, fmi.String}

// Add appends v and returns its value reference. Mistakes are collected and reported by [Definition.Check], so that a
// definition reads as a plain list.
func (t *Variables) Add(v Variable) fmi.ValueReference {
	if t.byName == nil {
		t.byName, t.byType = map[string]*Variable{}, map[fmi.Type][]*Variable{}
	}
	if t.byName[v.Name] != nil {
		t.errs = append(t.errs, fmt.Errorf("%w: two variables are named %q", ErrDefinition, v.Name))
	}
	v.Reference = fmi.ValueReference(len(t.byType[v.Type]))
	t.list = append(t.list, &v)
	t.byType[v.Type] = append(t.byType[v.Type], &v)
	t.byName[v.Name] = &v
	return v.Reference
}

// All lists the variables in the order of their declaration. The result must not be changed.
func (t *Variables) All() []*Variable { return t.list }

// Named finds a variable, or nil.
func (t *Variables) Named(name string) *Variable { return t.byName[name] }

// OfType lists the variables of one base type; the index is the value reference.
func (t *Variables) OfType(b fmi.Type) []*Variable { return t.byType[b] }

// Index is the 1-based position of v in the model description, as ModelStructure counts.
func (t *Variables) Index(v *Variable) int { return slices.Index(t.list, v) + 1 }

// maxParameterName is what Simulink accepts as the length of an imported parameter's name.
const maxParameterName = 55

func (t *Variables) check(units []fmi.Unit) error {
	errs := slices.Clone(t.errs)
	for _, v := range t.list {
		if err := t.checkVariable(v, units); err != nil {
			errs = append(errs, fmt.Errorf("%w: variable %q: %w", ErrDefinition, v.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (t *Variables) checkVariable(v *Variable, units []fmi.Unit) error {
	switch {
	case !fmi.IsStructuredName(v.Name):
		return errors.New("not a structured name (FMI 2.0, 2.2.9)")
	case v.Causality == fmi.Parameter && len(v.Name) > maxParameterName:
		return fmt.Errorf("%d characters, Simulink imports parameter names of at most %d", len(v.Name), maxParameterName)
	case !slices.Contains(slotTypes, v.Type):
		return fmt.Errorf("type %v, expected one of %v", v.Type, slotTypes)
	case v.Type != fmi.Real && v.Variability == fmi.Continuous:
		return fmt.Errorf("%v cannot be continuous", v.Type)
	case v.Unit != "" && !slices.ContainsFunc(units, func(u fmi.Unit) bool { return u.Name == v.Unit }):
		return fmt.Errorf("unit %q is not declared", v.Unit)
	case v.Unit != "" && v.Type != fmi.Real:
		return fmt.Errorf("%v cannot have a unit", v.Type)
	}
	if err := v.checkLimits(); err != nil {
		return err
	}
	for _, name := range v.DependsOn {
		if t.byName[name] == nil {
			return fmt.Errorf("depends on unknown variable %q", name)
		}
	}
	if err := v.checkCombination(); err != nil {
		return err
	}
	return v.checkStart()
}

func (v *Variable) checkCombination() error {
	if v.Causality != fmi.Independent && fmi.Allowed(fmi.FMI2, v.Causality, v.Variability, v.Initial) {
		return nil
	}
	return fmt.Errorf("causality %q, variability %q and initial %q do not go together (FMI 2.0, 2.2.7)",
		v.Causality, v.Variability, v.Initial)
}

func (v *Variable) checkStart() error {
	if v.Initial == fmi.Calculated {
		if v.Start != nil {
			return errors.New("a calculated variable has no start value")
		}
		return nil
	}
	switch start := v.Start.(type) {
	case float64:
		if v.Type == fmi.Real {
			return v.checkRange(start)
		}
	case int32:
		if v.Type == fmi.Integer {
			return v.checkRange(float64(start))
		}
	case bool:
		if v.Type == fmi.Boolean {
			return nil
		}
	case string:
		if v.Type == fmi.String {
			return v.checkText(start)
		}
	case nil:
		return errors.New("start value missing")
	}
	return fmt.Errorf("start value %v (%T) does not fit %v", v.Start, v.Start, v.Type)
}

// checkLimits refuses limits that no value can keep, that the type does not have, or that XML cannot carry.
func (v *Variable) checkLimits() error {
	for _, limit := range [...]*float64{v.Min, v.Max} {
		switch {
		case limit == nil:
		case v.Type != fmi.Real && v.Type != fmi.Integer:
			return fmt.Errorf("%v has no minimum and no maximum", v.Type)
		case math.IsNaN(*limit) || math.IsInf(*limit, 0):
			return fmt.Errorf("limit %v is not finite", *limit)
		case v.Type == fmi.Integer && float64(int32(*limit)) != *limit:
			return fmt.Errorf("limit %v is no 32-bit integer", *limit)
		}
	}
	switch {
	case v.OneOf != nil && v.Type != fmi.String:
		return fmt.Errorf("%v has no list of allowed texts", v.Type)
	case v.Min != nil && v.Max != nil && *v.Min > *v.Max:
		return fmt.Errorf("minimum %v is above maximum %v", *v.Min, *v.Max)
	}
	return nil
}

// checkRange refuses values outside min and max, and those that XML cannot carry.
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

// checkText refuses a text that is none of those allowed.
func (v *Variable) checkText(text string) error {
	if v.OneOf == nil || slices.Contains(v.OneOf, text) {
		return nil
	}
	return fmt.Errorf("%q is none of %s", text, strings.Join(v.OneOf, ", "))
}

// Fail adds a mistake that was found while the table was filled.
func (t *Variables) Fail(err error) { t.errs = append(t.errs, err) }

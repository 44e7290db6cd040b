package fmu

import (
	"errors"
	"fmt"
	"math"

	"gosmp/fmi"
)

// Definition is the part of an FMU that is fixed before an instance exists. It is built once,
// checked, and read-only from then on.
type Definition struct {
	ModelName       string // for display
	ModelIdentifier string // a C identifier; names the shared library
	Description     string
	Version         string // of the model
	GUID            string // set when the FMU is packed
	Units           []fmi.Unit
	LogCategories   []fmi.LogCategory // the model's own; the standard ones are added by Categories
	Experiment      Experiment
	Annotations     []fmi.Annotation // vendor annotations of the whole FMU
	Variables       Variables

	// WithoutState disables saving and restoring states: the capability flags are false, and the
	// functions return an error.
	WithoutState bool

	// Eventful reports whether the models are [Eventful]: steps can end early and have intermediate
	// updates. FMI 3.0 only.
	Eventful bool

	// Twin returns the definition of the same model for FMI 3.0; nil if there is none. Both
	// definitions serve the same library.
	Twin func() *Definition

	// New creates the model of one instance. It must not fail or block, because the parameters are
	// not set yet.
	New func(Host) Model
}

// Standard returns the version of FMI that d is for.
func (d *Definition) Standard() fmi.Version { return max(d.Variables.Version, fmi.FMI2) }

// HasEventMode reports whether instances have an Event Mode, which is the case if there are clocks
// or events.
func (d *Definition) HasEventMode() bool {
	return d.Standard() >= fmi.FMI3 && (d.Eventful || d.Variables.Cells(fmi.Clock) > 0)
}

// Token returns the guid of an FMU for FMI 2.0, or the instantiationToken of its twin for FMI 3.0.
// They differ because importers name folders of unpacked FMUs after them.
func Token(guid string, v fmi.Version) string {
	if v >= fmi.FMI3 && guid != "" {
		return guid + "-fmi3"
	}
	return guid
}

// Experiment is the default experiment that an importer offers, in seconds.
type Experiment struct{ Start, Stop, Tolerance, Step float64 }

// Categories lists the standard log categories and then the model's own, in the order of the model
// description.
func (d *Definition) Categories() []fmi.LogCategory { return d.categories(d.Standard()) }

// logGeneral is the category of messages that have no other. FMI 2.0 has logAll for them, which FMI
// 3.0 has dropped.
const logGeneral = "logGeneral"

func (d *Definition) categories(v fmi.Version) []fmi.LogCategory {
	prefix, general := "fmi2", fmi.LogCategory{Name: fmi.LogAll, Description: "all of the others"}
	if v >= fmi.FMI3 {
		prefix = "fmi3"
		general = fmi.LogCategory{Name: logGeneral,
			Description: "messages that have no other category"}
	}
	return append([]fmi.LogCategory{
		{Name: fmi.LogStatusWarning,
			Description: "one line for each call that returns " + prefix + "Warning"},
		{Name: fmi.LogStatusDiscard,
			Description: "one line for each call that returns " + prefix + "Discard"},
		{Name: fmi.LogStatusError,
			Description: "one line for each call that returns " + prefix + "Error"},
		{Name: fmi.LogStatusFatal,
			Description: "one line for the call that returns " + prefix + "Fatal"},
		general,
	}, d.LogCategories...)
}

// Check reports all mistakes in d as one joined error; nil means that the FMU's XML will be valid.
func (d *Definition) Check() error {
	var errs []error
	if !fmi.IsIdentifier(d.ModelIdentifier) {
		errs = append(errs, fmt.Errorf("%w: modelIdentifier %q is not a C identifier",
			ErrDefinition, d.ModelIdentifier))
	}
	if d.ModelName == "" {
		errs = append(errs, fmt.Errorf("%w: modelName is empty", ErrDefinition))
	}
	if d.New == nil {
		errs = append(errs, fmt.Errorf("%w: New is nil, so there is no model", ErrDefinition))
	}
	if e := d.Experiment; !(e.Step > 0 && e.Stop > e.Start && e.Tolerance >= 0) ||
		// XML cannot represent infinite values
		math.IsInf(e.Start, 0) || math.IsInf(e.Stop+e.Tolerance+e.Step, 0) {
		errs = append(errs, fmt.Errorf(
			"%w: default experiment %+v needs finite numbers, step > 0 and stop > start",
			ErrDefinition, e))
	}
	errs = append(errs, d.checkNames()...)
	if d.Standard() >= fmi.FMI3 && d.Variables.time == nil {
		errs = append(errs,
			fmt.Errorf("%w: FMI 3.0 requires an independent variable; see NewVariables",
				ErrDefinition))
	}
	return errors.Join(append(errs, d.Variables.check(d.Units))...)
}

// checkNames finds units and log categories that are declared twice. XML could contain both, and an
// importer would use either.
func (d *Definition) checkNames() (errs []error) {
	seen := map[string]bool{}
	for _, u := range d.Units {
		if seen["unit "+u.Name] {
			errs = append(errs, fmt.Errorf("%w: unit %q is declared twice", ErrDefinition, u.Name))
		}
		seen["unit "+u.Name] = true
	}
	for _, c := range d.Categories() {
		if c.Name == "" || seen["category "+c.Name] {
			errs = append(errs, fmt.Errorf("%w: log category %q is declared twice, or has no name",
				ErrDefinition, c.Name))
		}
		seen["category "+c.Name] = true
	}
	return errs
}

package model

import (
	"fmt"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
	"gosmp/proto/osifile"
)

// Declaration collects the variables of a model in the order of the model description; value
// references count up within a type. It is valid only during New.
type Declaration struct {
	table      *fmu.Variables
	instance   *instance // nil if only the table is needed
	prefixes   []string
	since      osmp.Version // the first release that has rules for all binary variables
	categories []fmi.LogCategory

	fixed, changing, outputsExact, calculated fields
	continuous                                fields // outputs that are also in one of the last two
	array                                     arrayOf

	vectors []interface{ fit(v *fmu.Values) }

	clocks     []*Clock
	clockNames []string

	inputs    []*Input
	outputs   []*Output
	constants []*Constant
	requests  []*ConfigRequest

	recordFolder string
	recordable   bool // true if a variable has OSI messages
	recording    bool // true if the parameter was declared
}

// Input declares a binary input, the only one of its kind.
func (d *Declaration) Input(k osmp.Kind) *Input { return d.Inputs(k, 1)[0] }

// Inputs declares count binary inputs of a kind. A single one has the name of the kind; several
// have indices [1], [2] and so on.
func (d *Declaration) Inputs(k osmp.Kind, count int) []*Input {
	d.checkKind(k, fmi.Input)
	list := make([]*Input, count)
	for n := range list {
		b := k.Binary(n+1, count)
		list[n] = &Input{name: b.Prefix, index: n + 1, count: count, kind: k, instance: d.instance}
		triple := d.binary(b)
		d.inputs = append(d.inputs, list[n])
		if d.instance != nil {
			list[n].slot = d.instance.input(len(d.inputs)-1, triple)
		}
	}
	return list
}

// Output declares a binary output, the only one of its kind.
func (d *Declaration) Output(k osmp.Kind) *Output { return d.Outputs(k, 1)[0] }

// Outputs declares count binary outputs of a kind. A single one has the name of the kind; several
// have indices [1], [2] and so on.
func (d *Declaration) Outputs(k osmp.Kind, count int) []*Output {
	d.checkKind(k, fmi.Output)
	list := make([]*Output, count)
	for n := range list {
		list[n] = d.output(k.Binary(n+1, count), k)
	}
	return list
}

// output declares one of the outputs of a kind.
func (d *Declaration) output(b osmp.Binary, k osmp.Kind) *Output {
	out := &Output{name: b.Prefix, kind: k}
	triple := d.binary(b)
	d.outputs = append(d.outputs, out)
	if d.instance != nil {
		out.buffer = d.instance.output(len(d.outputs)-1, triple)
	}
	return out
}

// Constant declares binary data that is known when the model is set up and never changes, such as
// [osmp.GroundTruthInit].
func (d *Declaration) Constant(k osmp.Kind) *Constant {
	d.checkKind(k, fmi.Parameter)
	c := &Constant{}
	triple := d.binary(k.Binary(1, 1))
	d.constants = append(d.constants, c)
	if d.instance != nil {
		c.input = d.instance.constant(len(d.constants)-1, triple)
	}
	return c
}

// ConfigRequest declares the handshake about a SensorView input: OSMPSensorViewInConfigRequest and
// OSMPSensorViewInConfig, with the index of the input. dependsOn names the parameters that
// determine the request.
func (d *Declaration) ConfigRequest(view *Input, dependsOn ...string) *ConfigRequest {
	c := &ConfigRequest{}
	if view.kind.Prefix != osmp.SensorViewIn.Prefix {
		d.fail(
			"%s: only a SensorView input has a configuration request (OSMP 0.3.0, SensorView "+
				"input configuration)", view.name)
		return c
	}
	request, config, err := osmp.DeclareConfigRequest(d.table, view.index, view.count, dependsOn)
	if err != nil {
		d.fail("%w", err)
	}
	d.requests = append(d.requests, c)
	for _, base := range []string{osmp.SensorViewInConfigRequest.Prefix,
		osmp.SensorViewInConfig.Prefix} {
		d.prefixes = append(d.prefixes, osmp.Prefix(base, view.index, view.count))
	}
	if d.instance != nil {
		c.pair = d.instance.request(len(d.requests)-1, request, config)
	}
	return c
}

// Log declares an additional log category.
func (d *Declaration) Log(category, description string) *Log {
	for _, c := range d.categories {
		if c.Name == category {
			d.fail("log category %q is declared twice", category)
		}
	}
	if strings.TrimSpace(category) == "" {
		d.fail("a log category has no name")
	}
	d.categories = append(d.categories, fmi.LogCategory{Name: category, Description: description})
	return &Log{category: category, instance: d.instance}
}

// checkKind rejects a kind that cannot be declared in this way.
func (d *Declaration) checkKind(k osmp.Kind, wanted fmi.Causality) {
	if k.Causality != wanted {
		d.fail("%s has causality %q and cannot be declared as %s", k.Prefix, k.Causality, wanted)
	}
	if err := k.Check(); err != nil {
		d.fail("%w", err)
	}
	d.since = max(d.since, k.Since)
	_, isOSI := osifile.TypeOf(k.Message)
	d.recordable = d.recordable || isOSI && wanted != fmi.Parameter
}

// binary adds the variables of b.
func (d *Declaration) binary(b osmp.Binary) osmp.Place {
	d.prefixes = append(d.prefixes, b.Prefix)
	triple, err := osmp.Declare(d.table, b)
	if err != nil {
		d.fail("%w", err)
	}
	return triple
}

// same describes how the second table differs from the first.
func same(defined, declared *fmu.Variables) error {
	a, b := defined.All(), declared.All()
	for k := range min(len(a), len(b)) {
		if a[k].Name != b[k].Name || a[k].Type != b[k].Type {
			return fmt.Errorf(
				"%w: New declares %s %q where it declared %s %q before; it "+
					"must do the same each time",
				fmu.ErrDefinition, b[k].Type, b[k].Name, a[k].Type, a[k].Name)
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf(
			"%w: New declares %d variables where it declared %d before; it "+
				"must do the same each time",
			fmu.ErrDefinition, len(b), len(a))
	}
	return nil
}

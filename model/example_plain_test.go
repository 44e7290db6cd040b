package model_test

import (
	"fmt"

	"gosmp/fmi"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

// battery has every sort of plain variable.
type battery struct {
	capacity, voltage float64
	chemistry         string
	current           float64
	charge            float64
	empty             bool
	steps             int32
}

func newBattery(d *model.Declaration) model.Model {
	b := &battery{}
	// Parameters: fixed when the run begins, unless they are tunable.
	model.Parameter(d, &b.capacity, "capacity", 2, "when full", model.Unit("A.h"), model.Min(0.1),
		model.Max(500))
	model.Parameter(d, &b.chemistry, "chemistry", "LFP", "of the cells", model.OneOf("LFP", "NMC"))
	model.Parameter(d, &b.voltage, "voltage", 3.2, "nominal", model.Unit("V"), model.Tunable())

	// Inputs: each step receives the newest value.
	model.PlainInput(d, &b.current, "current", 0, "that is drawn", model.Unit("A"))

	// Outputs: the value that the step leaves in the field. A calculated output has a value before
	// the first step, set by Setup.
	model.PlainOutput(d, &b.charge, "charge", "that is left", model.Unit("A.h"),
		model.Calculated("capacity"))
	model.PlainOutput(d, &b.empty, "empty", "nothing is left")
	model.PlainOutput(d, &b.steps, "steps", "since the start")
	return b
}

func (b *battery) Setup(model.Environment) error {
	b.charge = b.capacity
	return nil
}

func (b *battery) Step(span timebase.Span) error {
	b.charge = max(0, b.charge-b.current*span.Length().Seconds()/3600)
	b.empty = b.charge == 0
	b.steps++
	return nil
}

// Plain variables: parameters, inputs and outputs with units, bounds and choices. The error for a
// value out of bounds names the variable.
func ExampleParameter() {
	rig := modeltest.New(printer{}, model.Definition{
		Identifier: "Battery", New: newBattery,
		Units: []fmi.Unit{{Name: "A.h", A: 1, S: 1, Factor: 3600}}, // A.h is not among model.Units
	})
	fmt.Println(rig.TrySet("capacity", 1000.0), rig.Log())
	rig.Reset() // after an error only Reset is allowed
	fmt.Println(rig.TrySet("chemistry", "coal"), rig.Log())
	rig.Reset()
	rig.Set("capacity", 10)
	rig.Start()
	fmt.Println(rig.Get("charge"), rig.Get("empty"))
	rig.Set("current", 5)
	rig.Step(3600)
	fmt.Println(rig.Get("charge"), rig.Get("empty"))
	rig.Step(7200)
	fmt.Println(rig.Get("charge"), rig.Get("empty"), rig.Get("steps"))
	// Output:
	// fmi2Error [fmi2SetReal: wrong argument: capacity: 1000 is above the maximum 500]
	// fmi2Error [fmi2SetString: wrong argument: chemistry: "coal" is not one of LFP, NMC]
	// 10 false
	// 5 false
	// 0 true 2
}

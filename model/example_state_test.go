package model_test

import (
	"fmt"

	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

// odometer adds up the distance.
type odometer struct {
	speed, shown float64
	way          float64 // state that later steps depend on
}

func newOdometer(d *model.Declaration) model.Model {
	o := &odometer{}
	model.PlainInput(d, &o.speed, "speed", 0, "of the vehicle", model.Unit("m/s"))
	model.PlainOutput(d, &o.shown, "way", "since the start", model.Unit("m"))
	return o
}

func (o *odometer) Setup(model.Environment) error { return nil }

func (o *odometer) Step(span timebase.Span) error {
	o.way += o.speed * span.Length().Seconds()
	o.shown = o.way
	return nil
}

func (o *odometer) Snapshot(b []byte) ([]byte, error) {
	return model.AppendFloat64(b, o.way), nil
}

func (o *odometer) Restore(b []byte) error {
	d := model.StateReader{Data: b}
	o.way = d.Float64()
	return d.Done()
}

// With Snapshot and Restore the FMU declares canGetAndSetFMUstate: an importer can return to an
// earlier state.
func ExampleSnapshotter() {
	rig := modeltest.New(printer{}, model.Definition{Identifier: "Odometer", New: newOdometer})
	rig.Start()
	rig.Set("speed", 10)
	rig.Step(1)
	state, then := rig.Save(), rig.Now()
	rig.Step(1)
	fmt.Println(rig.Get("way"), "m")

	rig.Restore(state, then)
	rig.Set("speed", 3)
	rig.Step(1)
	fmt.Println(rig.Get("way"), "m")
	// Output:
	// 20 m
	// 13 m
}

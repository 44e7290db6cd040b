package modeltest_test

import (
	"fmt"
	"testing"

	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

// repeater repeats its input volume times.
type repeater struct {
	model.Stateless

	in     *model.Input
	out    *model.Output
	volume int32
	heard  int32
}

var definition = model.Definition{Identifier: "Repeater",
	New: func(d *model.Declaration) model.Model {
		r := &repeater{in: d.Input(osmp.SensorDataIn), out: d.Output(osmp.SensorDataOut)}
		model.Parameter(d, &r.volume, "volume", 1, "how often everything is said", model.Min(0),
			model.Max(10))
		model.PlainOutput(d, &r.heard, "heard", "bytes that have come in")
		return r
	}}

func (r *repeater) Setup(model.Environment) error { return nil }

func (r *repeater) Step(timebase.Span) error {
	r.heard = int32(len(r.in.Bytes()))
	text := r.out.Buffer()
	for range r.volume {
		text = append(text, r.in.Bytes()...)
	}
	return r.out.Publish(text)
}

// printer replaces the *testing.T of a test.
type printer struct{ testing.TB }

func (printer) Helper()                      {}
func (printer) Cleanup(func())               {}
func (printer) Fatalf(text string, a ...any) { panic(fmt.Sprintf(text, a...)) }

// Set parameters, start the run, and then write, step and read as often as needed.
func Example() {
	rig := modeltest.New(printer{}, definition) // in a test: modeltest.New(t, definition)
	rig.Set("volume", 3)
	rig.Start()
	rig.Write("OSMPSensorDataIn", []byte("ab")) // a message is also accepted
	rig.Step(0.02)
	fmt.Printf("%s, heard %d\n", rig.Read("OSMPSensorDataOut"), rig.Get("heard"))

	rig.Step(0.02) // nothing was written: the host's buffer is gone
	fmt.Printf("%d bytes, heard %d\n", len(rig.Read("OSMPSensorDataOut")), rig.Get("heard"))
	fmt.Println(rig.Log()[0][:61], "...")
	// Output:
	// ababab, heard 2
	// 0 bytes, heard 0
	// OSMPSensorDataIn: the address was set for an earlier step and ...
}

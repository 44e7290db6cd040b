package message_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"gosmp/model"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// echo reports the host vehicle of a SensorView as the only object of a SensorData.
type echo struct {
	model.Stateless

	view *model.Input
	data *model.Output
}

func newEcho(d *model.Declaration) model.Model {
	return &echo{view: d.Input(osmp.SensorViewIn), data: d.Output(osmp.SensorDataOut)}
}

func (e *echo) Setup(model.Environment) error { return nil }

func (e *echo) Step(span timebase.Span) error {
	var view osi3.SensorView
	if !message.Read(e.view, &view) {
		return nil // no view or an invalid one: the output is "no data"
	}
	return message.Publish(e.data, &osi3.SensorData{
		Version:   message.Version(),
		Timestamp: message.Time(span.End),
		MovingObject: []*osi3.DetectedMovingObject{
			{Header: &osi3.DetectedItemHeader{TrackingId: view.GetHostVehicleId()}},
		},
	})
}

// printer replaces the *testing.T of a test.
type printer struct{ testing.TB }

func (printer) Helper()                      {}
func (printer) Cleanup(func())               {}
func (printer) Fatalf(text string, a ...any) { panic(fmt.Sprintf(text, a...)) }

// Run a step that reads a message and publishes another.
func Example() {
	rig := modeltest.New(printer{}, model.Definition{Identifier: "Echo", New: newEcho})
	rig.Start()
	rig.Write("OSMPSensorViewIn",
		&osi3.SensorView{HostVehicleId: &osi3.Identifier{Value: proto.Uint64(42)}})
	rig.Step(0.02)

	var data osi3.SensorData
	rig.Decode("OSMPSensorDataOut", &data)
	fmt.Println(message.TimeOf(data.GetTimestamp()),
		data.GetMovingObject()[0].GetHeader().GetTrackingId().GetValue())

	rig.Write("OSMPSensorViewIn", []byte("something else"))
	fmt.Printf("%v %v\n", rig.TryStep(0.02), rig.Read("OSMPSensorDataOut"))
	// Output:
	// 0.020000000s 42
	// fmi2Warning []
}

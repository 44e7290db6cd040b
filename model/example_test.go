package model_test

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"gosmp/model"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// speedTrap counts the vehicles of a SensorView that exceed a speed limit.
type speedTrap struct {
	model.Stateless // each step depends only on parameters and inputs

	view  *model.Input
	limit float64
	fast  int32
}

func newSpeedTrap(d *model.Declaration) model.Model {
	s := &speedTrap{view: d.Input(osmp.SensorViewIn)}
	model.Parameter(d, &s.limit, "limit", 130, "speed that is still allowed", model.Unit("km/h"),
		model.Min(0))
	model.PlainOutput(d, &s.fast, "fast", "vehicles above the limit")
	return s
}

func (s *speedTrap) Setup(model.Environment) error { return nil }

func (s *speedTrap) Step(timebase.Span) error {
	s.fast = 0
	var view osi3.SensorView
	if !message.Read(s.view, &view) {
		return nil // without a SensorView there are no vehicles
	}
	for _, o := range view.GetGlobalGroundTruth().GetMovingObject() {
		if o.GetBase().GetVelocity().GetX()*3.6 > s.limit {
			s.fast++
		}
	}
	return nil
}

// Run a model as seen by the host. In an FMU, pass the definition to export.Register and
// build.Main.
func Example() {
	definition := model.Definition{
		Identifier: "SpeedTrap", Description: "counts vehicles that are too fast", Version: "1.0.0",
		New: newSpeedTrap,
	}
	rig := modeltest.New(printer{}, definition) // in a test: modeltest.New(t, definition)
	rig.Set("limit", 100)
	rig.Start()

	truth := &osi3.GroundTruth{}
	for _, v := range []float64{20, 30, 40} {
		truth.MovingObject = append(truth.MovingObject,
			&osi3.MovingObject{
				Base: &osi3.BaseMoving{Velocity: &osi3.Vector3D{X: proto.Float64(v)}}})
	}
	rig.Write("OSMPSensorViewIn", &osi3.SensorView{GlobalGroundTruth: truth})
	rig.Step(0.02)
	fmt.Println("faster than 100 km/h:", rig.Get("fast"))

	rig.Write("OSMPSensorViewIn", []byte(nil)) // no data
	rig.Step(0.02)
	fmt.Println("without a view:", rig.Get("fast"))
	// Output:
	// faster than 100 km/h: 2
	// without a view: 0
}

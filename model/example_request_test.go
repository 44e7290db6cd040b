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

// camera requests a SensorView as wide as its field of view, and has a map from the start.
type camera struct {
	model.Stateless

	view    *model.Input
	request *model.ConfigRequest
	world   *model.Constant
	log     *model.Log

	reach float64
}

func newCamera(d *model.Declaration) model.Model {
	c := &camera{view: d.Input(osmp.SensorViewIn), world: d.Constant(osmp.GroundTruthInit),
		log: d.Log("logCamera", "what it knows")}
	c.request = d.ConfigRequest(c.view, "range")
	model.Parameter(d, &c.reach, "range", 150, "objects farther away are not seen", model.Unit("m"))
	return c
}

func (c *camera) Setup(model.Environment) error {
	wanted, err := proto.Marshal(&osi3.SensorViewConfiguration{
		Version: message.Version(), SensorId: &osi3.Identifier{Value: proto.Uint64(1)},
		Range: &c.reach,
	})
	if err != nil {
		return err
	}
	// nil if the host set nothing, which the model must accept
	agreed, err := c.request.Negotiate(wanted)
	if err != nil {
		return err
	}
	var configuration osi3.SensorViewConfiguration
	if err := proto.Unmarshal(agreed, &configuration); err != nil {
		return fmt.Errorf("OSMPSensorViewInConfig: %w", err)
	}
	var world osi3.GroundTruth
	if err := proto.Unmarshal(c.world.Bytes(), &world); err != nil {
		return fmt.Errorf("OSMPGroundTruthInit: %w", err)
	}
	c.log.Printf("agreed range %g m, %d lanes", configuration.GetRange(), len(world.GetLane()))
	return nil
}

func (c *camera) Step(timebase.Span) error { return nil }

// Settle things before the first step: the handshake about the SensorView, and data that never
// changes.
func ExampleDeclaration_ConfigRequest() {
	rig := modeltest.New(printer{}, model.Definition{Identifier: "Camera", New: newCamera})
	rig.Write("OSMPSensorViewInConfig", &osi3.SensorViewConfiguration{Range: proto.Float64(120)})
	rig.Write("OSMPGroundTruthInit", &osi3.GroundTruth{Lane: []*osi3.Lane{{}, {}}})
	rig.Start()
	fmt.Println(rig.Log())
	// Output: [agreed range 120 m, 2 lanes]
}

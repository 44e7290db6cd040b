// Command dynamics builds OSMPDynamics.fmu, a vehicle model: its inputs are throttle, brake,
// steering wheel and gear, its output is the motion of the vehicle. It is meant to be read and
// copied, and to be replaced by a better model with the same inputs.
//
// # The model
//
// A kinematic bicycle at the rear axle, exact for an acceleration and a steering angle that are
// constant in a step: on a path of length s = v h + a h²/2 with the curvature k = tan d /
// wheelbase, the vehicle turns by q = k s, and the rear axle moves by s sinc(q/2) in the direction
// yaw + q/2.
//
// The TrafficUpdate has pose, velocity, acceleration and yaw rate of the middle of the box at the
// end of the step, and the internal state: pedals, gear and steering wheel. The model starts with
// the pose and the speed of its host vehicle in the first SensorView, and does not use later ones.
//
// # Limits
//
// There are no tyres, no suspension and no slopes: height, pitch and roll are left to the road.
//
// Sources: OSI 3.8.0 (osi_trafficupdate, osi_hostvehicledata); OSMP 1.6.0, traffic participants.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "OSMPDynamics", Name: "OSMP example of vehicle dynamics", Version: "1.0.0",
	Description: "Traffic participant: moves a vehicle by throttle, brake and steering wheel",
	New:         newDynamics,
}

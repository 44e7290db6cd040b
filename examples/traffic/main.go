// Command traffic builds OSMPMockSimulator.fmu, an environment simulation on an OpenDRIVE map:
// vehicles drive along its lanes, and each step sends the state of the world as a SensorView.
//
// The host vehicle, "ego", is the first of them. The simulator drives it until host.control is
// true; from then on, the inputs host.throttle, host.brake and host.steeringWheelAngle do.
// host.brakeRequest applies the brake in addition, like an assistance function. The parameter map
// is the path of a map; a relative one is looked up in the FMU's resources first. Without it the
// model simulates a ring road that is part of the FMU.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
	"gosmp/osmp"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "OSMPMockSimulator", Name: "OSMP mock simulator", Version: "1.0.0",
	Description: "Environment simulation: traffic on an OpenDRIVE map as SensorView",
	New: func(d *model.Declaration) model.Model {
		s := &simulator{view: d.Output(osmp.SensorViewOut)}
		model.PlainOutput(d, &s.valid, "valid", "there is a SensorView")
		model.PlainOutput(d, &s.count, "count", "actors, the host vehicle included")
		model.Parameter(d, &s.path, "map", "", "OpenDRIVE map; a relative path is looked up in "+
			"the resources first, without one a ring is simulated")
		model.Parameter(d, &s.actors, "actors", 10, "vehicles in addition to the host vehicle",
			model.Between(0, 10000))
		model.Parameter(d, &s.seed, "seed", 1, "of all random choices")
		model.Parameter(d, &s.speed, "speed", 0,
			"desired speed of all vehicles; 0 is the speed limits of the lanes", model.Unit("m/s"),
			model.Between(0, 100))
		model.Parameter(d, &s.changes, "laneChanges", true, "vehicles change lanes where it pays")
		model.Parameter(d, &s.reach, "range", 200,
			"around the host vehicle that messages cover; 0 is the whole map", model.Unit("m"),
			model.Between(0, 100000))
		model.PlainInput(d, &s.control, "host.control", false,
			"the pedals and the steering wheel move the host vehicle")
		model.PlainInput(d, &s.throttle, "host.throttle", 0, "pedal of the host vehicle",
			model.Unit("1"), model.Between(0, 1))
		model.PlainInput(d, &s.brake, "host.brake", 0, "pedal of the host vehicle", model.Unit("1"),
			model.Between(0, 1))
		model.PlainInput(d, &s.steering, "host.steeringWheelAngle", 0, "positive to the left",
			model.Unit("rad"))
		model.PlainInput(d, &s.request, "host.brakeRequest", 0,
			"brake that an assistance function presses in addition", model.Unit("1"),
			model.Between(0, 1))
		model.PlainOutput(d, &s.collisions, "collisions", "since the start")
		model.PlainOutput(d, &s.x, "host.x", "middle of the host vehicle", model.Unit("m"))
		model.PlainOutput(d, &s.y, "host.y", "middle of the host vehicle", model.Unit("m"))
		model.PlainOutput(d, &s.yaw, "host.yaw", "counter-clockwise from x", model.Unit("rad"))
		model.PlainOutput(d, &s.hostSpeed, "host.speed", "negative when reversing",
			model.Unit("m/s"))
		return s
	},
}

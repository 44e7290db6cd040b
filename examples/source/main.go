// Command source builds OSMPSource.fmu, an environment simulation for trying out sensor models:
// traffic on a ring road, sent as SensorView in every step. It needs no input and no file.
//
// # The world
//
// The road is a level circle through the origin of the world, where it heads for +x and bends to
// the left. There the host vehicle is at time 0. It has id 1, its box is centred on its lane, and
// it drives at the parameter speed, v, on the circle of radius R:
//
//	a = v t / R    x = R sin a    y = R - R cos a    yaw = a
//
// The others follow lanes that are circles, too, with radius r = R - d for a lane d to the left.
// Vehicle k of the parameter vehicles has id k + 1 and drives in the lane k modulo 4 with the speed
// and the body of that lane; k = 0 is the host.
//
//	lane 0     0 m    host's lane            speed        car
//	lane 1  -3.5 m    to the right of it     0.8 speed    truck
//	lane 2   3.5 m    to the left of it      1.2 speed    car
//	lane 3   7.0 m    oncoming               speed        car
//
// Vehicles of a lane are spread by the parameter gap, in turn ahead and behind; lane l begins l gap
// / 4 ahead. All motion is uniform, so that velocities, accelerations and yaw rates are exact
// derivatives, at all times: no step depends on the previous one. Posts stand every 50 m beside the
// road, 6 m to the right of the host's lane, with ids from 20001.
//
// # What is written
//
// OSMPSensorViewOut has the time of the end of the step, the sensor (id 10000) at mounting.x and
// mounting.z from the middle of the host's rear axle, looking ahead, the host's own data, all
// objects, and permanent clear noon weather. There are no lanes, signs or lights.
//
// SensorViewOutConfig may be set to the SensorViewConfiguration that a sensor requests. Its
// sensor_id and its mounting_position then replace those above. Everything else that a sensor can
// request is satisfied: the view contains all objects at any distance and angle, and is new in
// every step. A host may therefore return the sensor's own request as the answer.
//
// OSMPSensorViewOut, count and valid have the names and value references of OSI's own
// OSMPDummySource.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/fmi"
	"gosmp/model"
	"gosmp/osmp"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "OSMPSource", Name: "OSMP example source", Version: "1.0.0",
	Description: "Environment simulation: traffic on a ring road as SensorView",
	New: func(d *model.Declaration) model.Model {
		s := &source{view: d.Output(osmp.SensorViewOut)}
		model.PlainOutput(d, &s.valid, "valid", "there is a SensorView")
		model.PlainOutput(d, &s.count, "count", "moving objects, the host vehicle included")
		model.Parameter(d, &s.vehicles, "vehicles", 9, "vehicles in addition to the host vehicle",
			model.Between(0, 1000))
		model.Parameter(d, &s.speed, "speed", 25, "of the host vehicle", model.Unit("m/s"),
			model.Between(0, 100))
		model.Parameter(d, &s.gap, "gap", 40,
			"between vehicles of a lane at time 0, centre to centre along the host's lane",
			model.Unit("m"), model.Between(20, 1000))
		model.Parameter(d, &s.radius, "road.radius", 500, "of the host's lane", model.Unit("m"),
			model.Between(50, 5000))
		model.Parameter(d, &s.mount.X, "mounting.x", 3.9,
			"sensor ahead of the middle of the host's rear axle", model.Unit("m"),
			model.Between(-10, 10))
		model.Parameter(d, &s.mount.Z, "mounting.z", 0.2,
			"sensor above the middle of the host's rear axle", model.Unit("m"),
			model.Between(-1, 5))
		s.config = d.Constant(osmp.Kind{Prefix: "SensorViewOutConfig",
			MIMEType: osmp.MIMEType("SensorViewConfiguration"), Causality: fmi.Parameter,
			Description: "SensorView that a sensor requests"})
		return s
	},
}

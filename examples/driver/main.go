// Command driver makes OSMPDriver.fmu, a traffic participant: it drives a vehicle along its lane,
// and brakes before it hits what is ahead. It is meant to be read and copied; examples/loop runs it
// in an experiment.
//
// # The model
//
// In each step, from the SensorView of the last communication point:
//
//   - Lane: it aims at a point of the centre line of its lane, and of the lanes that follow, some
//     way ahead, and turns to it on a circle (pure pursuit).
//   - Speed: it changes its speed towards the wanted one, with at most 2 m/s².
//   - Emergency brake: it finds the deceleration that is needed to stop margin metres behind each
//     moving object ahead, in a straight path half a metre wider than the vehicle. If that exceeds
//     trigger, the model brakes with it, with at most full m/s². brake.enabled turns that off.
//
// The TrafficUpdate has pose, velocity, acceleration and yaw rate of the vehicle at the end of the
// step. Height, pitch and roll are left to the road.
//
// # Limits
//
// The path of the emergency brake is straight. Traffic lights, signs and rights of way are ignored.
//
// Sources: OSI 3.8.0 (osi_trafficupdate, osi_sensorview); OSMP 1.6.0, traffic participants.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "OSMPDriver", Name: "OSMP example driver", Version: "1.0.0",
	Description: "Traffic participant: keeps its lane, and brakes before it hits what is ahead",
	New:         newDriver,
}

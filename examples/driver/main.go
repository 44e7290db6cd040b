// Command driver builds OSMPDriver.fmu, a traffic participant: it drives a vehicle along its lane
// and brakes before it hits an object ahead. It is meant to be read and copied; examples/loop runs
// it in an experiment.
//
// # The model
//
// In each step, from the SensorView of the last communication point:
//
//   - Lane: it aims at a point some distance ahead on the centre line of its lane and the lanes
//     that follow, and steers to it on a circle (pure pursuit).
//   - Speed: it approaches the wanted speed with at most 2 m/s².
//   - Emergency brake: it determines the deceleration needed to stop margin metres behind each
//     moving object ahead, in a straight path half a metre wider than the vehicle. If that exceeds
//     trigger, the model brakes with it, but with at most full m/s². brake.enabled turns that off.
//
// The TrafficUpdate contains pose, velocity, acceleration and yaw rate of the vehicle at the end of
// the step. Height, pitch and roll are left to the road.
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

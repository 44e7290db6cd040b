// Command aeb builds OSMPEmergencyBrake.fmu, a logical model: it brakes when the vehicle is about
// to hit an object that a sensor has detected ahead. It is meant to be read and copied;
// examples/braking runs it in an experiment.
//
// # The model
//
// In each step, for each moving object of the SensorData:
//
//   - Frames: position and velocity are transformed from the sensor frame to the vehicle frame by
//     mounting_position, a rotation R and a shift t: p becomes R p + t, v becomes R v.
//   - Path: an object is in the path if its centre is ahead of the front bumper and its side is
//     less than half of path.width away from the axis of the vehicle.
//   - Gap: from the front bumper to the rear of the object. It closes at the speed -v.x, because
//     OSI states velocities relative to the sensor.
//   - Time to collision: gap / closing speed. The required deceleration is
//     closing speed² / (2 (gap - margin)).
//
// The object with the least time to collision counts. The model warns when that time is below
// warning.time. It brakes fully when the time is below braking.time or the required deceleration
// exceeds braking.deceleration, and continues until the gap has not closed for braking.hold, so
// that a stopped vehicle is held for that long.
//
// # What is read and written
//
// From OSMPSensorDataIn: mounting_position, and position, velocity, dimension and orientation (yaw)
// of each moving_object. brake.request goes to the brake of the vehicle. A step without a
// SensorData counts as a step without objects.
//
// # Limits
//
// The path is straight, regardless of the steering wheel. The model brakes fully or not at all, and
// trusts every detection. Stationary objects are ignored, as are objects without position or
// velocity.
//
// Sources: OSI 3.8.0 (osi_sensordata, osi_detectedobject).
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "OSMPEmergencyBrake", Name: "OSMP example emergency brake", Version: "1.0.0",
	Description: "Logical model: brakes before a detected moving object is hit",
	New:         newBrake,
}

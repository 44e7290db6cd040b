// Command fusion builds OSMPFusion.fmu, a logical model. Its inputs are two lists of detected
// moving objects as SensorData; its output is one list, in which an object seen by both sensors
// occurs once. It is meant to be read and copied: nearest neighbours and weighted means are the
// simplest method.
//
// # The model
//
// In each step:
//
//   - Frames: objects are transformed from their sensor's frame to the vehicle frame by
//     mounting_position, a rotation R and a shift t: p becomes R p + t, v becomes R v.
//   - Time: a measurement dt before the end of the step is predicted, p + v dt, and its variance
//     grows by (prediction.speed dt)².
//   - Association: an object of the second sensor belongs to the nearest one of the first that is
//     closer than the gate and has no partner yet.
//   - Merging: position and velocity are means weighted by the inverse variances of the positions,
//     and 1/(1/s1 + 1/s2) is the variance of the result. The existence probability is 1 - (1 -
//     p1)(1 - p2). All other fields come from the first sensor.
//   - Tracks: a merged object takes the tracking id of the nearest track within the gate, or starts
//     a new one. A track without an object is dropped after tracks.keep.
//
// # What is read and written
//
// From OSMPSensorDataIn[1] and [2]: mounting_position, last_measurement_time or timestamp,
// sensor_id, sensor_view and moving_object. The variance comes from base_rmse.position, or from the
// parameter sigma. OSMPSensorDataOut has the same fields; its mounting position is 0, so that the
// frame of the sensor is the vehicle's. An object is "measured" if a sensor has measured it at the
// end of the step, or else "predicted". With one input, only its objects are output and
// data_qualifier is "available, reduced"; without any, there is no output.
//
// # Limits
//
// Cars closer to each other than the gate can be confused. There is no filter: tracks store where
// an object was but do not smooth. Stationary objects, lanes, signs, lights and the rotation of
// objects are left out.
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
	Identifier: "OSMPFusion", Name: "OSMP example fusion", Version: "2.0.0",
	Description: "Logical model: merges the moving objects that two sensors have detected",
	New:         newFusion,
}

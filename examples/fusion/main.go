// Command fusion makes OSMPFusion.fmu, a logical model: two lists of detected objects come in as SensorData, one goes
// out, in which what both sensors have seen is there once.
//
// # The model
//
// In each step, for moving and for stationary objects:
//
// Frames. What a sensor tells is turned into the vehicle frame (origin in the middle of the rear axle) by its mounting
// position, a turn R and a shift t: p becomes R p + t, v becomes R v, a covariance C becomes R C R'. OSI has detected
// objects in the vehicle frame, while OSMP's example sensor and OSMPDummySensor write them in the frame of the sensor;
// inputs.frame says which.
//
// Time. What was measured dt before the end of the step is predicted: p + v dt, orientation + rate dt, and
//
//	C + Cv dt² + (a dt²/2)² I
//
// where a is prediction.acceleration, and prediction.speed the deviation of a velocity that is not told.
//
// Association. Of all ways to pair the two lists that one is taken where the sum of d² is least and a pair that is not
// formed counts gate² (global nearest neighbour); d is the Mahalanobis distance,
//
//	d² = (p2 - p1)' (C1 + C2)⁻¹ (p2 - p1)
//
// Merging. Position, velocity, acceleration, orientation, its rate and the dimension are weighted by the inverse of
// their covariances,
//
//	C = (C1⁻¹ + C2⁻¹)⁻¹    x = C (C1⁻¹ x1 + C2⁻¹ x2)
//
// The existence probability is 1 - (1 - p1)(1 - p2), candidates count half in each list, ids are united. All else comes
// from the object whose existence is more probable, or from the other one where that has nothing. What only one sensor
// has seen is kept as it is.
//
// Tracks. The merged objects are paired with those of earlier steps in the same way, at a cost of d² + 2 s gate²: s is
// the share of the sensors that see the object under another tracking id than they saw the track. What fits to no track
// begins one, with a new tracking id. A track without an object is forgotten after tracks.keep.
//
// # What is read and written
//
// Of OSMPSensorDataIn[1] and [2]: sensor_id, mounting_position, timestamp, last_measurement_time, sensor_view, and the
// headers and objects of the two lists. A list was measured at its measurement_time; objects that the sensor itself has
// predicted hold at its timestamp. Covariances come from base_rmse; sigma.* say what counts where there is none, and
// the least that is believed. Of other quantities than position and velocity the deviation counts as 1 in SI units.
//
// OSMPSensorDataOut has the same fields. Its mounting position is 0, so that the frame of the sensor is that of the
// vehicle. An object is "measured" when a sensor has measured it at the end of the step, else "predicted". With one
// input, its objects come out alone and data_qualifier is "available, reduced"; without any there is no output.
//
// # Limits
//
// This is no Kalman filter: tracks remember where an object was, but do not smooth, and what no sensor sees is not
// there. The errors of the two sensors are taken to be independent. Stationary objects have no velocity in OSI: from
// the measurement to the end of the step they stay, while the vehicle drives on, for which prediction.speed widens the
// gate. Left out are lanes, signs, lights, features, host_vehicle_location and accelerations of orientations.
//
// # Troubles
//
// An input that is no SensorData, is older than inputs.maxAge or has a useless mounting position counts as none, and
// objects without a position are left out; the log says so.
//
// Sources: OSI 3.8.0 (osi_sensordata, osi_detectedobject, osi_common); S. Blackman and R. Popoli, Design and Analysis
// of Modern Tracking Systems, 1999 (assignment, gating, fusion of tracks); H. W. Kuhn, The Hungarian method for the
// assignment problem, 1955.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "OSMPFusion", Name: "OSMP example fusion", Version: "1.0.0",
	Description: "Logical model: associates and merges the objects that two sensors have detected",
	New:         newFusion,
}

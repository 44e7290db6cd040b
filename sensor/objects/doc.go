// Package objects turns a SensorView into the objects that a sensor detects: the list part of an
// OSI SensorData.
//
// The SensorView is read in place, as bytes. No message is built, and fields that are not needed
// (lanes, lights, signs, sensor technology) are skipped by their length. A step does not allocate
// once the buffers have grown to the size of the scene. The package
// [gosmp/sensor/objects/internal/reference] does the same with the generated messages in the
// simplest way, for comparison.
//
// Rules:
//
//   - The host vehicle is GroundTruth.host_vehicle_id, or SensorView.host_vehicle_id if that is
//     missing.
//   - An object is in view if its center is within Config.Range of the sensor and within
//     Config.HalfAngle of the sensor's x axis. The frames are world, vehicle (middle of the rear
//     axle, by bbcenter_to_rear) and sensor (mounting position), each rotated by yaw, pitch, roll
//     (ISO 8855). existence_probability is cos((2d-R)/R) for distance d and range R, as in the OSMP
//     example.
//   - Reported values are relative to the sensor. Velocity and acceleration are the first and
//     second derivative of the position, and orientation_rate is the derivative of the orientation,
//     as seen by an observer fixed to the sensor. Values missing from the input stay unset; only a
//     missing turning rate of the host vehicle counts as zero.
//   - An object keeps its tracking id until it has not been detected for Config.ForgetAfter steps.
//     Ids are never reused.
//   - Noise, detection probability and dropouts are functions of seed, sensor id, object and cycle,
//     and do not depend on the history.
//   - Inconsistent input gives a defined result and a [Problem] with a text. The SensorView as a
//     whole is rejected only if the required bytes are not valid protobuf; skipped fields are not
//     examined.
//
// Sources: OSI 3.8.0 (osi_sensorview, osi_groundtruth, osi_sensordata, osi_detectedobject); for
// field of view, probability and candidates, the behavior of the OSMP example OSMPDummySensor.
//
// Index: [Config] and [Default] describe the sensor and [New] creates a [Detector].
// [Detector.Detect] reads a view and returns a [Result], which [Detector.AppendStationaryObjects]
// and [Detector.AppendMovingObjects] write. [Detection] is one detected object. [Problem] and
// [Problems] are anomalies of the input; [Error] explains a rejection.
package objects

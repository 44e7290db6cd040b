// Package objects turns a SensorView into the objects that a sensor detects: the list part of an OSI SensorData.
//
// The SensorView is read in place, as bytes: no message is built, what is not needed (lanes, lights, signs, sensor
// technology) is skipped by its length, and a step costs no allocation once buffers have grown to the size of the
// scene. The package [gosmp/sensor/objects/internal/reference] does the same on the generated messages in the plainest way, for
// comparison.
//
// Rules:
//
//   - The host vehicle is GroundTruth.host_vehicle_id; SensorView.host_vehicle_id stands in when that is missing.
//   - An object is in view when its centre is within Config.Range of the sensor and within Config.HalfAngle of the
//     sensor's x axis. The frames are world, vehicle (middle of the rear axle, by bbcenter_to_rear), sensor (mounting
//     position), each turned by yaw, pitch, roll (ISO 8855). existence_probability is cos((2d-R)/R) for distance d and
//     range R, as in the OSMP example.
//   - What is reported is relative to the sensor: velocity and acceleration are the first and second derivative of the
//     position, orientation_rate that of the orientation, as an observer riding on the sensor sees them. What the input
//     does not know stays unset; only the host vehicle's turning counts as none when it is not there.
//   - A tracking id stays with an object until it has not been detected for Config.ForgetAfter steps; ids are not used
//     twice.
//   - Noise, detection probability and dropouts are functions of seed, sensor id, object and cycle: they do not depend
//     on the history.
//   - Input that lies gives a defined result and a [Problem] with a text. The SensorView as a whole is refused only
//     when the bytes needed are no protobuf; what is skipped is not looked into.
//
// Sources: OSI 3.8.0 (osi_sensorview, osi_groundtruth, osi_sensordata, osi_detectedobject); the behaviour of the
// example OSMPDummySensor of OSMP for field of view, probability and candidates.
//
// Index: [Config] and [Default] describe the sensor, [New] makes a [Detector]; [Detector.Detect] reads a view and gives
// a [Result], [Detector.AppendStationaryObjects] and [Detector.AppendMovingObjects] write it, [Detection] is one object
// of it. [Problem] and [Problems] are oddities of the input, [Error] is why something was refused.
package objects

// Package scene makes SensorViews to try sensor models on. They are invented, exactly reproducible, and obey OSI's
// rules: every message has its version, timestamp and ids, every vehicle its attributes and classification.
//
// Index: [Motorway] is traffic in motion on a curved road, with everything a picture or a test of kinematics needs;
// [Crowd] is a heap of any number of objects, of which about half are in view of a forward sensor, to measure speed
// with.
package scene

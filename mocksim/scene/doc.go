// Package scene creates SensorViews for testing sensor models. The views are synthetic, exactly
// reproducible, and obey OSI's rules: every message has its version, timestamp and ids, and every
// vehicle has its attributes and classification.
//
// Index: [Motorway] is moving traffic on a curved road, with everything needed for pictures and
// tests of kinematics. [Crowd] has any number of objects, about half of them in view of a forward
// sensor, for measuring speed; [Tilt] and [Mix] make its objects less regular.
package scene

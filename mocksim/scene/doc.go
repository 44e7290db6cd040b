// Package scene creates SensorViews for testing sensor models. They are synthetic, exactly
// reproducible, and obey OSI's rules: every message has its version, timestamp and ids, every
// vehicle its attributes and classification.
//
// Index: [Motorway] is moving traffic on a curved road, with everything that a picture or a test of
// kinematics needs. [Crowd] has any number of objects, about half of them in view of a forward
// sensor, for measuring speed; [Tilt] and [Mix] make its objects less regular.
package scene

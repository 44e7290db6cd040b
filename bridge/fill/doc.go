// Package fill makes the messages that stacks of ROS wait for out of OSI messages: time, poses, the
// tree of frames (REP 105), odometry, objects to draw, point clouds, scans and traffic lights. It
// does not know how messages travel: the result is a tree of values that
// [gosmp/bridge.Definitions.Encode] encodes for any system.
//
//	value, err := fill.Message("nav_msgs/Odometry", "/odom", now, fill.Scene{View: view})
//
// Frames are map, odom and base_link; base_link is at the middle of the rear axle, as the vehicle
// frame of OSI is (ISO 8855 and REP 103 agree on axes: forward, left, up). Units are m, rad and s.
//
// Types: [Scene].
package fill

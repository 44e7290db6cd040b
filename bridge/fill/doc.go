// Package fill creates the messages that ROS stacks expect from OSI messages: time, poses, the tree
// of frames (REP 105), odometry, objects to draw, point clouds, scans and traffic lights. It is
// independent of the transport: the result is a tree of values that
// [gosmp/bridge.Definitions.Encode] encodes for any system.
//
//	value, err := fill.Message("nav_msgs/Odometry", "/odom", now, fill.Scene{View: view})
//
// Frames are map, odom and base_link; base_link is at the middle of the rear axle, like OSI's
// vehicle frame (ISO 8855 and REP 103 agree on the axes: forward, left, up). Units are m, rad and
// s.
//
// Types: [Scene].
package fill

// Package frames converts between the frames of recorders and the frames of OSI.
//
// Recorders of aircraft use forward-right-down and north-east-down, and headings clockwise from
// north. OSI follows ISO 8855: vehicles forward-left-up, the world east-north-up when it is tied to
// the map, angles counter-clockwise, yaw from the x axis. Lengths are in meters and angles in
// radians unless a name says otherwise.
package frames

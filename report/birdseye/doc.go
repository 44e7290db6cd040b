// Package birdseye draws one step of an object sensor from above: the ground truth, the field of
// view, the detections, and objects in view that are not detected, in the frame of the host vehicle
// (x forward to the right, y left to the top, m). It is meant for documentation and for inspecting
// traces; no sensor model needs it.
//
// Shapes and shades carry the same information as the colors, so the picture can also be read in
// grayscale. Equal snapshots produce equal bytes, except that a PDF also contains its creation
// time.
//
// Index: [Snapshot] is the scene to draw, [Motorway] creates one from the scene of that name,
// [Plot] draws it, [Write] encodes the picture.
package birdseye

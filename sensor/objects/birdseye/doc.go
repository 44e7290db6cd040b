// Package birdseye draws one step of an object sensor from above: the ground truth, the field of view and the
// detections, in the frame of the host vehicle (x forward to the right, y left to the top, m). It is for documentation
// and for looking at traces; no sensor model needs it.
//
// Index: [Snapshot] is what is drawn, [Motorway] makes one from the scene of that name, [Plot] draws it, [Write]
// encodes the picture.
package birdseye

// Package birdseye draws one step of an object sensor from above: the ground truth, the field of view, the detections,
// and what is in view and not detected, in the frame of the host vehicle (x forward to the right, y left to the top, m).
// It is for documentation and for looking at traces; no sensor model needs it.
//
// What the colours tell, shapes and shades tell as well: the picture can be read in shades of grey. Equal snapshots give
// equal bytes; a pdf carries the time of its making besides.
//
// Index: [Snapshot] is what is drawn, [Motorway] makes one from the scene of that name, [Plot] draws it, [Write]
// encodes the picture.
package birdseye

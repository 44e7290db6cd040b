// Package nested lays out graphs whose nodes contain graphs: statecharts, and systems of systems.
//
//	nested.Place(root, arrows)
//
// A box starts with text, one line of which may be the source of an arrow, and contains further
// boxes in layers from top to bottom. Arrows that follow the layers leave at the right of a box, go
// down, and enter their targets from above. Arrows against the layers leave at the left, go up, and
// enter from below. They run horizontally only between the layers.
//
// Guarantees:
//
//   - Boxes never overlap, and each contains all of its content.
//   - Arrows never cross a text, or a box other than those that contain one of their ends.
//   - All coordinates are integers. The same graph produces the same layout on all machines.
//
// The layout follows Sugiyama, Tagawa and Toda (1981), one box at a time, from the innermost ones
// to the outermost: layers first, then an order by barycenters, then positions.
//
// Types: [Box], [Arrow], [Point]; function [Place].
package nested

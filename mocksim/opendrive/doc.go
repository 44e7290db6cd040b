// Package opendrive reads ASAM OpenDRIVE maps of versions 1.4 to 1.8 and answers a simulator's
// questions about a road network: where a point (s, t, h) lies, where the borders of lanes run,
// which lanes follow each other, which road a position belongs to, and which faults a map has.
//
//	m, err := opendrive.ReadFile("town.xodr")
//	station, err := m.Road("5").Station(12.5)
//	point := station.Point(-1.75, 0)
//
// Rules:
//
//   - Lengths are in m, angles in rad. Positions are the file's own x, y, z: the header's offset is
//     not added, except by [Header.World]. s runs along the reference line, t to its left, h up
//     from the road surface; t and h tilt with slope and superelevation.
//   - Whatever a map contains, evaluation returns finite numbers or an error; s may lie outside a
//     road by at most 1 um.
//   - A map is immutable after reading and may be used by several goroutines.
//   - [Map.Check] reports everything that violates the standard or may surprise a simulator;
//     reading refuses only content that has no meaning at all.
//   - The same map gives the same results: everything is in the order of the file.
//
// Source: ASAM OpenDRIVE 1.8.1; 1.4 for elements that have since been removed (poly3, crossfall).
//
// Types: [Map], [Header], [Road], [Geometry], [Profile], [Station], [Section], [Lane], [RoadMark],
// [Link], [Junction], [Connection], [LaneEnd], [Place], [Signal], [Object]. Errors: [ErrMap],
// [ErrOutside].
package opendrive

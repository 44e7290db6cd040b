// Package position computes where the things in an OpenSCENARIO document are on an OpenDRIVE map:
// it handles all kinds of Position, paths along linked roads, distances and routes.
//
//	n := position.NewNetwork(m)                       // m may be nil: a plane
//	p, err := n.OnLane("5", -1, 20, 0)
//	rest := n.Move(&p, 35, nil)                       // 35 m along s, over links
//	ds, dt, ok := n.Apart(&p, &q)                     // in road coordinates
//	r := position.Reader{Network: n, Entities: names, Version: version}
//	target, err := r.Position(element)                // refuses what is not on the map
//	err = target.Resolve(scene, &p)                   // relative positions as they are now
//
// Conventions (section 6.3 of the user guide): lengths are in m and angles in rad; s, t and offsets
// are road coordinates, positive to the left of s for lanes of either sign. A relative heading is
// relative to the lane's direction of travel for LanePosition and for RelativeLanePosition with
// dsLane, or otherwise relative to the direction of s. The default height is the height of the
// road.
//
// A [Place] off all lanes counts as a place on the nearest lane, with an offset; without roads it
// has only coordinates. Computing the distance between two roads for the first time allocates;
// nothing else does.
//
// Index: [Network], [Place]; [Reader], [Position], [Scene]; [Route]; [Box] for free space.
package position

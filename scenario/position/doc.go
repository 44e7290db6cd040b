// Package position knows where things of an OpenSCENARIO document are on an OpenDRIVE map: the
// kinds of Position, ways along roads over their links, distances, routes.
//
//	n := position.NewNetwork(m)                       // m may be nil: a plane
//	p, err := n.OnLane("5", -1, 20, 0)
//	rest := n.Move(&p, 35, nil)                       // 35 m along s, over links
//	ds, dt, ok := n.Apart(&p, &q)                     // in road coordinates
//	r := position.Reader{Network: n, Entities: names, Version: version}
//	target, err := r.Position(element)                // refuses what is not on the map
//	err = target.Resolve(scene, &p)                   // relative positions as they are now
//
// Conventions (section 6.3 of the user guide): lengths in m, angles in rad; s, t and offsets are
// the coordinates of the road, positive to the left of s for lanes of either sign. A relative
// heading is relative to the lane's direction of travel for LanePosition and for
// RelativeLanePosition with dsLane, else to the direction of s. A height that is not given is the
// height of the road.
//
// A [Place] off all lanes counts as on the nearest lane, with an offset; without roads it has only
// coordinates. Nothing allocates once distances between two roads have been asked for.
//
// Index: [Network], [Place]; [Reader], [Position], [Scene]; [Route]; [Box] for free space.
package position

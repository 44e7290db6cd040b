// Package lanes extracts the lines on the road from a ground truth.
//
// Types: [Line].
package lanes

import (
	"gosmp/proto/osi3"
)

// Line is a line on the road: solid, dashed, none, edge or centre.
type Line struct {
	Style  string
	Points []*osi3.Vector3D // at least two
}

// Of returns the lane boundaries, or else the logical ones, or else the centerlines of the lanes.
func Of(g *osi3.GroundTruth) (list []Line) {
	for _, b := range g.GetLaneBoundary() {
		list = add(list, styleOf(b.GetClassification().GetType()), points(b.GetBoundaryLine()))
	}
	if len(list) > 0 {
		return list
	}
	for _, b := range g.GetLogicalLaneBoundary() {
		list = add(list, "solid", points(b.GetBoundaryLine()))
	}
	if len(list) > 0 {
		return list
	}
	for _, l := range g.GetLane() {
		list = add(list, "centre", l.GetClassification().GetCenterline())
	}
	return list
}

func styleOf(t osi3.LaneBoundary_Classification_Type) string {
	switch {
	case t == osi3.LaneBoundary_Classification_TYPE_DASHED_LINE:
		return "dashed"
	case t == osi3.LaneBoundary_Classification_TYPE_NO_LINE:
		return "none"
	case t >= osi3.LaneBoundary_Classification_TYPE_ROAD_EDGE:
		return "edge"
	default:
		return "solid"
	}
}

func points[P interface{ GetPosition() *osi3.Vector3D }](from []P) (list []*osi3.Vector3D) {
	for _, p := range from {
		list = append(list, p.GetPosition())
	}
	return list
}

func add(list []Line, style string, points []*osi3.Vector3D) []Line {
	if len(points) < 2 {
		return list
	}
	return append(list, Line{style, points})
}

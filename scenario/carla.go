package scenario

import (
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/finding"
)

// RuleCarla is the rule about documents with the axes of CARLA.
const RuleCarla = "xosc.default.carla"

// leftHanded lists, by element type, the attributes whose sign is reversed in CARLA's axes, where y
// points to the right and headings are clockwise.
var leftHanded = map[string][]string{"WorldPosition": {"y", "h"}, "Orientation": {"h"},
	"RelativeWorldPosition": {"dy"}, "RelativeObjectPosition": {"dy"}, "RoadPosition": {"t"}}

// carla converts positions to the axes of the standard. CARLA's ScenarioRunner recognizes documents
// with CARLA's axes by a description that starts with "CARLA:".
func (r *resolver) carla(root *Element) {
	header := root.Child("FileHeader")
	if !strings.HasPrefix(header.Value("description"), "CARLA:") {
		return
	}
	mirror(root)
	r.note(RuleCarla, finding.Note, header.PlaceOf("description"),
		"found CARLA: at its start, so that y is to the right and headings are clockwise", "")
}

// mirror reverses the signs in an element and in the catalog entries that it refers to.
func mirror(e *Element) {
	for _, a := range e.Attributes {
		if !slices.Contains(leftHanded[e.Type], a.Name) {
			continue
		}
		if x, isNumber := double(a.Value); isNumber {
			a.Value = strconv.FormatFloat(0-x, 'g', -1, 64)
		}
	}
	for _, c := range e.Children {
		mirror(c)
	}
	if e.Entry != nil {
		mirror(e.Entry)
	}
}

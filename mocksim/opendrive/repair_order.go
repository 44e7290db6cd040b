package opendrive

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/xmledit"
)

// records lists the elements that must be in the order of s or sOffset, by the path of their
// parent.
var records = map[string][]string{
	"road": {"type"}, "elevationProfile": {"elevation"},
	"lateralProfile": {"superelevation", "crossfall"},
	"lanes":          {"laneOffset", "laneSection"},
	"lane": {"width", "border", "roadMark", "material", "speed", "access", "height",
		"visibility"},
}

// single is the set of records that a later record at the same place overrides.
var single = map[string]bool{"elevation": true, "superelevation": true, "laneOffset": true,
	"width": true, "border": true}

// order sorts records and geometries, and removes records and geometries that never apply.
func (r *repair) order() {
	for _, road := range r.m.Roads {
		e := r.roads[road.ID]
		r.records(e, e.Get("id"))
		for _, plan := range e.Named("planView") {
			r.plan(road, plan)
		}
		r.beginnings(road, e)
	}
}

// offset returns where a record starts, which determines its place in the order of records.
func offset(e *xmledit.Element) float64 {
	text, ok := e.Attribute("s")
	if !ok {
		text = e.Get("sOffset")
	}
	s, err := decimal.Float(strings.TrimSpace(text), 64)
	if err != nil {
		return 0
	}
	return s
}

func (r *repair) records(e *xmledit.Element, where string) {
	for _, c := range e.Children() {
		if c.Name == "lane" || c.Name == "laneSection" || records[c.Name] != nil ||
			c.Name == "left" || c.Name == "right" || c.Name == "center" {
			place := where
			if c.Name == "lane" {
				place += ", lane " + c.Get("id")
			}
			r.records(c, place)
		}
	}
	for _, name := range records[e.Name] {
		moved := e.SortThose(func(c *xmledit.Element) bool { return c.Name == name }, offset)
		rule := "X-PROFILE-ORDER"
		if name == "laneSection" {
			rule = "X-SECTION-ORDER"
		}
		for _, c := range moved {
			r.change(rule, "road "+where, fmt.Sprintf("sorted %s at %g by s", name,
				offset(c)), c)
		}
		r.replaced(e, name, where)
	}
}

// replaced removes records that another record at the same place overrides.
func (r *repair) replaced(e *xmledit.Element, name, where string) {
	list := e.Named(name)
	for k := 0; single[name] && k+1 < len(list); k++ {
		if offset(list[k]) == offset(list[k+1]) {
			r.change("X-PROFILE-ORDER", "road "+where, fmt.Sprintf(
				"removed %s at %g, which is replaced by the next one at that position", name,
				offset(list[k])), list[k])
			list[k].Remove()
		}
	}
}

// plan removes geometries without length from a road, and sorts the others if each of them then
// follows the previous one.
func (r *repair) plan(road *Road, plan *xmledit.Element) {
	list := plan.Named("geometry")
	length := func(e *xmledit.Element) float64 {
		x, err := decimal.Float(strings.TrimSpace(e.Get("length")), 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	for _, e := range list {
		if length(e) == 0 && len(plan.Named("geometry")) > 1 {
			r.change("X-PLAN-TINY", road.at(offset(e)), "removed a geometry of 0 m", e)
			e.Remove()
		}
	}
	sorted := plan.Named("geometry")
	slices.SortStableFunc(sorted, func(a, b *xmledit.Element) int {
		return cmp.Compare(offset(a), offset(b))
	})
	for k, e := range sorted {
		if k+1 < len(sorted) && math.Abs(offset(e)+length(e)-offset(sorted[k+1])) > planStation {
			return
		}
	}
	for _, e := range plan.Sort(offset) {
		r.change("X-PLAN-ORDER", road.at(offset(e)), "sorted the geometry by s", e)
	}
}

// beginnings writes records of zeros for profiles that do not cover the first part of the road.
func (r *repair) beginnings(road *Road, e *xmledit.Element) {
	for _, p := range []struct {
		profile Profile
		in      *xmledit.Element
		name    string
	}{{road.Elevation, e.Child("elevationProfile"), "elevation"},
		{road.Superelevation, e.Child("lateralProfile"), "superelevation"},
		{road.LaneOffset, e.Child("lanes"), "laneOffset"}} {
		if p.in == nil || p.in.Child(p.name) == nil || offset(p.in.Child(p.name)) <= Tolerance {
			continue
		}
		first := p.in.Child(p.name)
		added := p.in.Insert(first.Index(), p.name, "s", "0", "a", "0", "b", "0", "c", "0",
			"d", "0")
		r.change("X-PROFILE-START", "road "+road.ID, fmt.Sprintf(
			"wrote the %s of 0 that applies before s = %g", added.Name, offset(first)), first)
	}
}

package opendrive

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// Check reports the faults of a map in file order. The ids start with X-; docs/OPENDRIVE.md lists
// them with their limits. Errors are defects that make simulators fail or cars jump, warnings are
// about constructs that simulators may interpret differently, and notes are about unusual
// constructs.
func (m *Map) Check() finding.List {
	c := checker{m: m}
	for _, n := range m.notes {
		c.add(n.rule, n.severity, n.line, n.object, n.text(), n.remedy)
	}
	c.header()
	for _, r := range m.Roads {
		c.plan(r)
		c.profiles(r)
		c.sections(r)
		c.roadLinks(r)
		c.laneLinks(r)
		c.signals(r)
		c.objects(r)
		c.redundant(r)
	}
	for _, j := range m.Junctions {
		c.junction(j)
		c.unlinked(j)
	}
	c.controllers(m)
	c.references(m)
	c.repeatedIDs()
	c.orientations()
	return c.byLine()
}

// byLine returns the findings in the order of their lines, and findings of one line in their order.
func (c *checker) byLine() finding.List {
	slices.SortStableFunc(c.list, func(a, b finding.Finding) int {
		return cmp.Compare(a.Place.Line, b.Place.Line)
	})
	return c.list
}

type checker struct {
	m      *Map
	list   finding.List
	tally  finding.Tally
	linked map[string][]roadLink // see ambiguous
}

func (c *checker) add(rule string, severity finding.Severity, line int, object, message,
	remedy string) {
	c.tally.Add(&c.list, finding.Finding{
		ID: rule, Severity: severity, Message: message, Remedy: remedy,
		Place: fault.Place{File: c.m.Name, Line: line, Object: object},
	})
}

// graded returns a warning for an amount above warn, and an error for an amount above fail; smaller
// amounts are not reported.
func (c *checker) graded(amount, warn, fail float64) (severity finding.Severity, bad bool) {
	switch {
	case amount > fail:
		return finding.Error, true
	case amount > warn:
		return finding.Warning, true
	}
	return finding.Note, false
}

// at returns a place on a road for findings, without package fmt because there may be hundreds of
// thousands.
func (r *Road) at(s float64) string { return string(r.appendPlace(nil, s)) }

func (r *Road) appendPlace(b []byte, s float64) []byte {
	const digits = 6
	b = append(append(append(b, "road "...), r.ID...), ", s "...)
	return strconv.AppendFloat(b, s, 'g', digits, 64)
}

func (l *Lane) at(s float64) string {
	b := append(l.Section.Road.appendPlace(nil, s), ", lane "...)
	return string(strconv.AppendInt(b, int64(l.ID), 10))
}

func (c *checker) header() {
	h := &c.m.Header
	switch {
	case !h.hasMajor || !h.hasMinor:
		c.add("X-VERSION", finding.Error, h.line, "header", "revMajor or revMinor is missing",
			"write the version of OpenDRIVE, 1.4 to 1.8")
	case h.Major != 1 || h.Minor < 4 || h.Minor > 8:
		c.add("X-VERSION", finding.Warning, h.line, "header",
			fmt.Sprintf("version %d.%d, known are 1.4 to 1.8", h.Major, h.Minor),
			"check that the map is interpreted as intended")
	}
	if h.GeoReference == "" {
		c.add("X-GEO", finding.Note, h.line, "header",
			"no geoReference: positions have no latitude and longitude", "add one if GPS matters")
	} else if _, err := h.Projection(); err != nil {
		c.add("X-GEO", finding.Warning, h.line, "geoReference", err.Error(),
			"use +proj=utm or +proj=tmerc")
	}
	if h.OffsetTurn != 0 {
		c.add("X-GEO", finding.Warning, h.line, "header",
			fmt.Sprintf("the offset has a rotation of %g rad, which "+
				"tools interpret differently", h.OffsetTurn),
			"apply the rotation to the map")
	}
}

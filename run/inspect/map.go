package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
	"gosmp/run/content"
)

// Map is the content of a map.
type Map struct {
	FormatVersion int        `json:"formatVersion"`
	File          string     `json:"file"`
	Version       string     `json:"version"` // of OpenDRIVE
	Name          string     `json:"name"`
	Vendor        string     `json:"vendor"`
	GeoReference  string     `json:"geoReference"`
	Low           [2]float64 `json:"low"`  // x and y of all reference lines, m
	High          [2]float64 `json:"high"` // m
	Roads         int        `json:"roads"`
	RoadLength    float64    `json:"roadLength"` // m, of reference lines
	InJunctions   int        `json:"roadsInJunctions"`
	LeftHand      int        `json:"roadsWithLeftHandTraffic"`
	Junctions     int        `json:"junctions"`
	Lanes         []Quantity `json:"lanes"`    // by type
	Geometry      []Quantity `json:"geometry"` // elements of reference lines, by form
	Signals       []Quantity `json:"signals"`  // static and dynamic, and references to them
	// lanes with restricted access, by who may use them
	Access   []Quantity `json:"access"`
	Objects  []Quantity `json:"objects"` // by type
	LeftOut  []string   `json:"leftOut"` // by the simulator
	Errors   int        `json:"errors"`
	Warnings int        `json:"warnings"`
}

// Quantity is the number of things of one kind, and their total length.
type Quantity struct {
	Kind   string  `json:"kind"`
	Count  int     `json:"count"`
	Length float64 `json:"length"` // m, 0 for things without a length
}

// tally counts things by kind.
type tally map[string]*Quantity

func (t tally) add(kind string, length float64) {
	if t[kind] == nil {
		t[kind] = &Quantity{Kind: kind}
	}
	t[kind].Count++
	t[kind].Length += length
}

// list returns the counts, the most frequent first.
func (t tally) list() []Quantity {
	all := []Quantity{}
	for _, q := range t {
		all = append(all, *q)
	}
	slices.SortFunc(all, func(a, b Quantity) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	return all
}

// ReadMap reads a map (OpenDRIVE).
func ReadMap(name string) (*Map, error) {
	in := content.File{Name: name}
	m, err := in.ReadMap()
	if err != nil {
		return nil, err
	}
	findings := m.Check()
	d := &Map{FormatVersion: 1, File: name, Version: fmt.Sprintf("%d.%d", m.Header.Major,
		m.Header.Minor), Name: m.Header.Name, Vendor: m.Header.Vendor,
		GeoReference: m.Header.GeoReference, Roads: len(m.Roads), Junctions: len(m.Junctions),
		Errors: findings.Count(finding.Error), Warnings: findings.Count(finding.Warning)}
	d.LeftOut = []string{}
	for _, f := range m.LeftOut() {
		d.LeftOut = append(d.LeftOut, f.Place.Object+" "+f.Message)
	}
	d.count(m)
	d.measure(m)
	return d, nil
}

func (d *Map) count(m *opendrive.Map) {
	lanes, geometry, signals, objects, access := tally{}, tally{}, tally{}, tally{}, tally{}
	for _, r := range m.Roads {
		d.RoadLength += r.Length
		if r.Junction != "" {
			d.InJunctions++
		}
		if r.LeftHand {
			d.LeftHand++
		}
		for _, sec := range r.Sections {
			for _, l := range sec.Lanes {
				if l.ID != 0 {
					lanes.add(l.Type, sec.Length())
					for _, a := range l.Access {
						access.add(a.String(), sec.Length())
					}
				}
			}
		}
		for _, g := range r.Plan {
			geometry.add(formOf(g.Curve), g.Length)
		}
		for _, s := range r.Signals {
			signals.add(map[bool]string{false: "static", true: "dynamic"}[s.Dynamic], 0)
		}
		if n := len(r.SignalReferences); n > 0 {
			signals.add("reference", 0)
			signals["reference"].Count += n - 1
		}
		for _, o := range r.Objects {
			objects.add(o.Type, 0)
		}
	}
	d.Access = access.list()
	d.Lanes, d.Geometry, d.Signals, d.Objects = lanes.list(), geometry.list(), signals.list(),
		objects.list()
}

// formOf returns the name of the element for a curve in a file.
func formOf(c opendrive.Curve) string {
	switch c.(type) {
	case opendrive.Arc, *opendrive.Arc:
		return "arc"
	case opendrive.Spiral, *opendrive.Spiral:
		return "spiral"
	case opendrive.Poly3, *opendrive.Poly3:
		return "poly3"
	case opendrive.ParamPoly3, *opendrive.ParamPoly3:
		return "paramPoly3"
	}
	return "line"
}

// measure determines the extent of the reference lines, from points 10 m apart.
func (d *Map) measure(m *opendrive.Map) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, r := range m.Roads {
		n := max(1, int(math.Ceil(r.Length/10)))
		for k := range n + 1 {
			st, err := r.Station(r.Length * float64(k) / float64(n))
			if err != nil {
				continue
			}
			q := st.Point(0, 0)
			for axis, v := range [2]float64{q.X, q.Y} {
				low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
			}
		}
	}
	if low[0] <= high[0] {
		d.Low, d.High = low, high
	}
}

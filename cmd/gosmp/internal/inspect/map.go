package inspect

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/finding"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/mocksim/opendrive"
)

// mapDocument is the output of inspect for a map. Its JSON form is a contract, as for an FMU.
type mapDocument struct {
	FormatVersion int           `json:"formatVersion"`
	File          string        `json:"file"`
	Version       string        `json:"version"` // of OpenDRIVE
	Name          string        `json:"name"`
	Vendor        string        `json:"vendor"`
	GeoReference  string        `json:"geoReference"`
	Low           [2]float64    `json:"low"`  // x and y of all reference lines, m
	High          [2]float64    `json:"high"` // m
	Roads         int           `json:"roads"`
	RoadLength    float64       `json:"roadLength"` // m, of reference lines
	InJunctions   int           `json:"roadsInJunctions"`
	LeftHand      int           `json:"roadsWithLeftHandTraffic"`
	Junctions     int           `json:"junctions"`
	Lanes         []mapQuantity `json:"lanes"`    // by type
	Geometry      []mapQuantity `json:"geometry"` // elements of reference lines, by form
	Signals       []mapQuantity `json:"signals"`  // static and dynamic, and references to them
	// lanes with restricted access, by who may use them
	Access   []mapQuantity `json:"access"`
	Objects  []mapQuantity `json:"objects"` // by type
	LeftOut  []string      `json:"leftOut"` // by the simulator
	Errors   int           `json:"errors"`
	Warnings int           `json:"warnings"`
}

// mapQuantity is the number of things of one kind, and their total length.
type mapQuantity struct {
	Kind   string  `json:"kind"`
	Count  int     `json:"count"`
	Length float64 `json:"length"` // m, 0 for things without a length
}

// tally counts things by kind.
type tally map[string]*mapQuantity

func (t tally) add(kind string, length float64) {
	if t[kind] == nil {
		t[kind] = &mapQuantity{Kind: kind}
	}
	t[kind].Count++
	t[kind].Length += length
}

// list returns the counts, the most frequent first.
func (t tally) list() []mapQuantity {
	all := []mapQuantity{}
	for _, q := range t {
		all = append(all, *q)
	}
	slices.SortFunc(all, func(a, b mapQuantity) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	return all
}

func inspectMap(name string) (*mapDocument, error) {
	m, err := inputfile.Named(name).ReadMap()
	if err != nil {
		return nil, err
	}
	findings := m.Check()
	d := &mapDocument{FormatVersion: 1, File: name, Version: fmt.Sprintf("%d.%d", m.Header.Major,
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

func (d *mapDocument) count(m *opendrive.Map) {
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
func (d *mapDocument) measure(m *opendrive.Map) {
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

func (d *mapDocument) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(out, d)
	}
	plaintext.Printf(out, "%s\n", d.File)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what, text string) {
		if text != "" {
			plaintext.Printf(w, "  %s\t%s\n", what, text)
		}
	}
	line("format", "OpenDRIVE "+d.Version)
	line("name", d.Name)
	line("vendor", d.Vendor)
	line("projection", d.GeoReference)
	line("extent", fmt.Sprintf("x %.1f m to %.1f m, y %.1f m to %.1f m", tenth(d.Low[0]),
		tenth(d.High[0]), tenth(d.Low[1]), tenth(d.High[1])))
	line("roads", d.roads())
	line("junctions", quantity.Grouped(d.Junctions))
	line("geometry", quantities(d.Geometry))
	line("lanes", quantities(d.Lanes))
	line("access", quantities(d.Access))
	line("signals", quantities(d.Signals))
	line("objects", quantities(d.Objects))
	line("left out", strings.Join(d.LeftOut, "; "))
	if d.Errors+d.Warnings > 0 {
		line("findings", fmt.Sprintf("%d errors, %d warnings: gosmp check %s", d.Errors, d.Warnings,
			d.File))
	}
	return w.Flush()
}

// tenth rounds to 0.1 and avoids negative zero.
func tenth(v float64) float64 { return math.Round(v*10)/10 + 0 }

func (d *mapDocument) roads() string {
	text := fmt.Sprintf("%s, %s", quantity.Grouped(d.Roads), kilometres(d.RoadLength))
	if d.InJunctions > 0 {
		text += fmt.Sprintf("; %s in junctions", quantity.Grouped(d.InJunctions))
	}
	if d.LeftHand > 0 {
		text += fmt.Sprintf("; %s with left-hand traffic", quantity.Grouped(d.LeftHand))
	}
	return text
}

func kilometres(m float64) string { return fmt.Sprintf("%.2f km", m/1000) }

func quantities(all []mapQuantity) string {
	parts := make([]string, len(all))
	for k, q := range all {
		parts[k] = q.Kind + " " + quantity.Grouped(q.Count)
		if q.Length > 0 {
			parts[k] += " (" + kilometres(q.Length) + ")"
		}
	}
	return strings.Join(parts, ", ")
}

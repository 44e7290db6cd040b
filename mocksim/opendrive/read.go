package opendrive

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gosmp/internal/fault"
	"gosmp/internal/regular"
)

// ReadFile reads a map from a file.
func ReadFile(path string) (*Map, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, fault.Wrap(ErrMap, fault.In(path), err)
	}
	defer f.Close() //nolint:errcheck // the file was only read
	return Read(path, f)
}

// Read reads a map; name appears in errors and findings. It fails with [ErrMap] if the file is not
// XML, is not OpenDRIVE, or is meaningless (values that are not numbers, no lanes, no reference
// line). [Map.Check] reports errors that do not prevent reading.
func Read(name string, from io.Reader) (*Map, error) {
	r := &reader{file: name}
	r.walk.notes = &r.notes
	r.begin(from)
	m := &Map{Name: name, roads: map[string]*Road{}, junctions: map[string]*Junction{}}
	root := false
	r.each(func(e *element) {
		if root = e.name == "OpenDRIVE"; !root {
			r.fail(e.line, "X-XML", "root element "+clipText(e.name), "OpenDRIVE")
			return
		}
		r.document(m)
	})
	if r.err == nil && !root {
		r.fail(1, "X-XML", "no element", "root element OpenDRIVE")
	}
	if r.err == nil && !m.Header.seen {
		r.fail(1, "X-XML", "no header", "element header")
	}
	if r.err != nil {
		return nil, r.err
	}
	m.notes = r.notes
	m.finish()
	return m, nil
}

// finish derives what the file does not state.
func (m *Map) finish() {
	for _, r := range m.Roads {
		r.chart = make([]chart, len(r.Plan))
		for k := range r.Plan {
			r.chart[k] = newChart(&r.Plan[k])
		}
		r.level = r.isLevel()
	}
	m.findReferences()
	m.divide()
	m.network = newNetwork(m)
}

func (r *reader) document(m *Map) {
	r.each(func(e *element) {
		switch e.name {
		case "header":
			r.header(e, &m.Header)
		case "road":
			road := r.road(e)
			road.Index = len(m.Roads)
			m.Roads = append(m.Roads, road)
			if m.roads[road.ID] != nil {
				r.fail(e.line, "X-ID", fmt.Sprintf("a second road %q", clipText(road.ID)),
					"ids that occur once")
			}
			m.roads[road.ID] = road
		case "junction":
			j := r.junction(e)
			m.Junctions = append(m.Junctions, j)
			if m.junctions[j.ID] != nil {
				r.fail(e.line, "X-ID", fmt.Sprintf("a second junction %q", clipText(j.ID)),
					"ids that occur once")
			}
			m.junctions[j.ID] = j
		case "controller":
			m.Controllers = append(m.Controllers, r.controller(e))
		case "include":
			r.notes.leaveOut(e.line, "X-INCLUDE", "",
				"include of "+clipText(e.string("file"))+" is not followed", "merge the files")
		}
	})
}

func (r *reader) header(e *element, h *Header) {
	*h = Header{Major: e.integer("revMajor"), Minor: e.integer("revMinor"), Name: e.string("name"),
		Vendor: e.string("vendor"),
		line:   e.line, seen: true}
	_, h.hasMajor = e.lookup("revMajor")
	_, h.hasMinor = e.lookup("revMinor")
	r.each(func(e *element) {
		switch e.name {
		case "geoReference":
			h.GeoReference = r.text()
		case "offset":
			h.OffsetX, h.OffsetY, h.OffsetZ, h.OffsetTurn = e.number("x"), e.number("y"),
				e.number("z"), e.number("hdg")
		}
	})
}

func (r *reader) road(e *element) *Road {
	road := &Road{ID: e.string("id"), Name: e.string("name"),
		Length: e.neededWithin("length", maxLength), LeftHand: e.string("rule") == "LHT",
		line: e.line}
	if j := e.string("junction"); j != "-1" {
		road.Junction = j
	}
	r.tiny = r.tiny[:0]
	r.each(func(e *element) { r.roadPart(road, e) })
	if r.err != nil {
		return road
	}
	r.extendTiny(road)
	if len(road.Plan) == 0 {
		r.fail(road.line, "X-PLAN-EMPTY", "road "+clipText(road.ID)+" without a reference line",
			"planView with a geometry")
	}
	if len(road.Sections) == 0 {
		r.fail(road.line, "X-SECTION-FIRST", "road "+clipText(road.ID)+" without lanes",
			"lanes with a laneSection")
	}
	if !(road.Length > 0) {
		r.fail(road.line, "X-NUMBER", fmt.Sprintf("road %s of %g m", clipText(road.ID),
			road.Length), "a length above 0")
	}
	r.beyond(road)
	road.finishSections()
	r.plausible(road)
	return road
}

// beyond refuses a road that is so much longer than its elements that the last one, a spiral, would
// turn endlessly on the remaining road.
func (r *reader) beyond(road *Road) {
	if r.err != nil {
		return
	}
	g := &road.Plan[len(road.Plan)-1]
	spiral, is := g.Curve.(Spiral)
	rest := road.Length - g.S
	if !is || rest <= g.Length {
		return
	}
	end := spiral.Start + float64((spiral.End-spiral.Start)/g.Length*rest)
	if turn := math.Abs(end) * rest; turn > maxTurn {
		r.fail(g.line, "X-NUMBER", fmt.Sprintf("road %s, which is %g m longer than its spiral and "+
			"would turn by %.0f rad", clipText(road.ID), rest-g.Length, turn),
			fmt.Sprintf("at most %d rad", maxTurn))
	}
}

// plausible refuses heights, angles, offsets and widths that are impossible for a road, because
// later steps take time in proportion to the road's length.
func (r *reader) plausible(road *Road) {
	r.plausibleProfile("elevation", road.Elevation, 0, road.Length, road)
	r.plausibleProfile("superelevation", road.Superelevation, 0, road.Length, road)
	r.plausibleProfile("laneOffset", road.LaneOffset, 0, road.Length, road)
	for _, s := range road.Sections {
		for _, l := range s.Lanes {
			r.plausibleProfile("width", l.Widths, l.Origin, s.End, road)
			r.plausibleProfile("border", l.Borders, l.Origin, s.End, road)
		}
	}
}

// plausibleProfile checks the middle of each record as well as its ends. Records begin at origin,
// and the last one ends at end.
func (r *reader) plausibleProfile(kind string, p Profile, origin, end float64, road *Road) {
	for k := range p {
		c, to := &p[k], end-origin
		if k+1 < len(p) {
			to = p[k+1].S
		}
		to = max(to, c.S)
		for _, s := range []float64{c.S, c.S + (to-c.S)/2, to} {
			if x := c.At(s); !(math.Abs(x) <= maxHeight) {
				r.fail(c.line, "X-NUMBER",
					fmt.Sprintf("%s of %g at s = %g m of road %s", kind, x, origin+s,
						clipText(road.ID)), "at most "+strconv.Itoa(maxHeight))
			}
		}
	}
}

func (r *reader) roadPart(road *Road, e *element) {
	switch e.name {
	case "link":
		r.roadLink(road)
	case "type":
		r.roadType(road, e)
	case "planView":
		r.each(func(e *element) { r.geometry(road, e) })
	case "elevationProfile":
		r.profile("elevation", &road.Elevation)
	case "lateralProfile":
		r.lateral(road)
	case "lanes":
		if len(road.Sections) > 0 || e.string("layer") == "temporary" {
			r.notes.leaveOut(e.line, "X-LAYER", "road "+road.ID,
				"a further layer of lanes is not evaluated",
				"keep the lanes that the simulation should use")
			return
		}
		r.lanes(road)
	case "signals":
		r.signals(road)
	case "objects":
		r.objects(road)
	}
}

func (r *reader) roadLink(road *Road) {
	r.each(func(e *element) {
		link := Link{ID: e.string("elementId"), ContactPoint: e.contact(),
			ElementS: e.number("elementS"), line: e.line}
		_, link.typed = e.lookup("elementType")
		_, link.placed = e.lookup("contactPoint")
		if _, inside := e.lookup("elementS"); inside {
			link.inside, link.placed = !link.placed, true
		}
		switch e.string("elementType") {
		case "junction":
			link.Kind = ToJunction
		default: // "road", and maps that omit it
			link.Kind = ToRoad
		}
		switch e.name {
		case "predecessor":
			road.Predecessor = link
		case "successor":
			road.Successor = link
		}
	})
}

func (r *reader) roadType(road *Road, e *element) {
	t := RoadType{S: e.number("s"), Type: e.string("type")}
	r.each(func(e *element) {
		if e.name == "speed" {
			t.Speed, t.Limit = r.speed(e)
		}
	})
	road.Types = append(road.Types, t)
}

// perSecond maps units of speed to m/s.
var perSecond = map[string]float64{"": 1, "m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704}

// speed reads max and unit, in m/s; ok is false for "no limit" and "undefined", and for negative
// numbers, which some maps use for the same purpose.
func (r *reader) speed(e *element) (speed float64, ok bool) {
	switch e.string("max") {
	case "", "no limit", "undefined":
		return 0, false
	}
	factor, known := perSecond[e.string("unit")]
	if !known {
		r.fail(e.line, "X-NUMBER", `speed with unit="`+clipText(e.string("unit"))+`"`,
			"m/s, km/h or mph")
	}
	speed = e.number("max") * factor
	return max(speed, 0), !(speed < 0)
}

func (r *reader) geometry(road *Road, e *element) {
	if e.name != "geometry" {
		return
	}
	g := Geometry{S: e.needed("s"), X: e.neededWithin("x", maxPlace),
		Y: e.neededWithin("y", maxPlace), Heading: e.number("hdg"),
		Length: e.neededWithin("length", maxLength), line: e.line}
	r.each(func(e *element) {
		if curve := r.curve(e); curve != nil {
			g.Curve = curve
		}
	})
	switch {
	case g.Curve == nil:
		r.fail(g.line, "X-PLAN-EMPTY", "geometry of unknown kind",
			"line, arc, spiral, poly3 or paramPoly3")
	case g.sharpest()*g.Length > maxTurn:
		r.fail(g.line, "X-NUMBER", fmt.Sprintf("geometry of road %s that turns by %.0f rad",
			clipText(road.ID), g.sharpest()*g.Length), fmt.Sprintf("at most %d rad", maxTurn))
	case g.Length < tiniest && g.Length >= 0:
		r.tiny = append(r.tiny, g)
	default:
		road.Plan = append(road.Plan, g)
	}
}

// extendTiny ignores geometries without length. If a road has no others, it keeps the last one as a
// line: netconvert writes such roads of 0.1 m.
func (r *reader) extendTiny(road *Road) {
	ignored := r.tiny
	if n := len(ignored); n > 0 && len(road.Plan) == 0 && road.Length > 0 {
		g := ignored[n-1]
		ignored = ignored[:n-1]
		g.S, g.Length, g.Curve = 0, road.Length, Straight{}
		road.Plan = append(road.Plan, g)
		r.notes.add(g.line, "X-PLAN-TINY", fmt.Sprintf("road %s: no geometry has a length, and "+
			"this one is extended to a line of %g m", road.ID, road.Length), "correct its length")
	}
	for _, g := range ignored {
		r.notes.add(g.line, "X-PLAN-TINY", fmt.Sprintf("road %s: a geometry of %g m is ignored",
			road.ID, g.Length), "remove it")
	}
}

// tiniest is the shortest geometry that is kept, in m.
const tiniest = 1e-9

func (r *reader) curve(e *element) Curve {
	switch e.name {
	case "line":
		return Straight{}
	case "arc":
		return Arc{e.within("curvature", maxCurvature)}
	case "spiral":
		return Spiral{e.within("curvStart", maxCurvature), e.within("curvEnd", maxCurvature)}
	case "poly3":
		return Poly3{e.number("a"), e.number("b"), e.number("c"), e.number("d")}
	case "paramPoly3":
		return ParamPoly3{U: [4]float64{e.number("aU"), e.number("bU"), e.number("cU"),
			e.number("dU")},
			V:          [4]float64{e.number("aV"), e.number("bV"), e.number("cV"), e.number("dV")},
			Normalized: e.string("pRange") != "arcLength"}
	}
	return nil
}

// cubic reads a, b, c and d, and the attribute that states where they apply.
func (e *element) cubic(s string) Cubic {
	return Cubic{S: e.number(s), A: e.number("a"), B: e.number("b"), C: e.number("c"),
		D: e.number("d"), line: e.line}
}

func (r *reader) profile(name string, p *Profile) {
	r.each(func(e *element) {
		if e.name == name {
			*p = append(*p, e.cubic("s"))
		}
	})
}

func (r *reader) lateral(road *Road) {
	surface := 0
	r.each(func(e *element) {
		switch e.name {
		case "superelevation":
			road.Superelevation = append(road.Superelevation, e.cubic("s"))
		case "crossfall":
			road.Crossfall = append(road.Crossfall, Crossfall{e.cubic("s"), e.string("side")})
		case "shape":
			road.addShape(e)
		case "crossSectionSurface":
			surface = e.line
			r.notes.leaveOut(e.line, "X-SURFACE", "road "+road.ID,
				"crossSectionSurface is not evaluated", "use shape or superelevation")
		}
	})
	if surface > 0 && len(road.Superelevation)+len(road.Crossfall)+len(road.Shapes) > 0 {
		r.notes.about(surface, "X-SURFACE", "road "+road.ID,
			"crossSectionSurface together with superelevation or shape", "use only one of them")
	}
}

// addShape adds one polynomial of a shape to its station.
func (r *Road) addShape(e *element) {
	s, part := e.number("s"), e.cubic("t")
	k := slices.IndexFunc(r.Shapes, func(sh Shape) bool { return sh.S == s })
	if k < 0 {
		k = len(r.Shapes)
		r.Shapes = append(r.Shapes, Shape{S: s, line: e.line})
	}
	r.Shapes[k].Parts = append(r.Shapes[k].Parts, part)
}

package opendrive

import (
	"fmt"
	"slices"
	"strconv"
)

func (r *reader) objects(road *Road) {
	r.each(func(e *element) {
		if e.name != "object" {
			return
		}
		o := &Object{ID: e.string("id"), Name: e.string("name"), Type: e.string("type"),
			Subtype: e.string("subtype"), S: e.number("s"), T: e.number("t"),
			Z: e.number("zOffset"), Turn: e.number("hdg"), Pitch: e.number("pitch"),
			Roll: e.number("roll"), Length: e.number("length"), Width: e.number("width"),
			Height: e.number("height"), Radius: e.number("radius"), line: e.line}
		_, o.oriented = e.lookup("orientation")
		p := objectParts{o: o, notes: &r.notes, object: o.of(road)}
		r.each(func(e *element) { r.objectPart(&p, e) })
		p.judge()
		road.Objects = append(road.Objects, o)
	})
}

func (o *Object) of(road *Road) string {
	return fmt.Sprintf("object %s of road %s", clipText(o.ID), road.ID)
}

// objectParts judges the parts of an object that refer to each other.
type objectParts struct {
	o        *Object
	notes    *notes
	object   string // for messages
	outlines []string
	corners  []corner
	named    []reference // outlines and corners that borders and markings name
}

// corner is the id of a corner, which is unique only in its outline.
type corner struct {
	outline, id string
	anywhere    bool // in any outline
}

// reference is the id of a part of an object, as another part names it.
type reference struct {
	line          int
	what          string
	outline, id   string
	ofOutline     bool // the id is the id of an outline
	inThisOutline bool // a corner of the given outline, instead of any outline
}

func (r *reader) objectPart(p *objectParts, e *element) {
	switch e.name {
	case "outlines", "markings", "borders", "skeleton":
		r.each(func(e *element) { r.objectPart(p, e) })
	case "outline":
		p.o.Outlines = append(p.o.Outlines, r.outline(p, e))
	case "border":
		r.border(p, e)
	case "marking":
		r.each(func(e *element) { p.cornerReference(e, reference{what: "marking"}) })
	case "polyline":
		r.polyline(p, e)
	case "repeat":
		p.o.Repeats = append(p.o.Repeats,
			Repeat{S: e.number("s"), Length: e.number("length"), Distance: e.number("distance"),
				StartT: e.number("tStart"), EndT: e.number("tEnd"),
				StartZ: e.number("zOffsetStart"), EndZ: e.number("zOffsetEnd"),
				StartHeight: e.number("heightStart"), EndHeight: e.number("heightEnd"),
				StartWidth: e.number("widthStart"), EndWidth: e.number("widthEnd")})
	}
}

func (r *reader) outline(p *objectParts, e *element) Outline {
	o := Outline{Closed: e.string("closed") != "false"}
	line, id := e.line, e.string("id")
	p.outlines = append(p.outlines, id)
	r.each(func(e *element) {
		switch e.name {
		case "cornerRoad":
			o.Corners = append(o.Corners, Corner{S: e.number("s"), T: e.number("t"),
				Z: e.number("dz"), Height: e.number("height")})
		case "cornerLocal":
			o.Corners = append(o.Corners, Corner{Local: true, U: e.number("u"), V: e.number("v"),
				Z: e.number("z"), Height: e.number("height")})
		default:
			return
		}
		if c, ok := e.lookup("id"); ok {
			p.corners = append(p.corners, corner{outline: id, id: c})
		}
	})
	if n := len(o.Corners); n < 2 {
		p.notes.about(line, "X-OBJECT", p.object,
			fmt.Sprintf("outline with %s, expected at least 2", counted(n, "corner")),
			"add corners, or remove the outline")
	}
	other := func(c Corner) bool { return c.Local != o.Corners[0].Local }
	if slices.ContainsFunc(o.Corners, other) {
		p.notes.about(line, "X-OBJECT", p.object,
			"cornerRoad and cornerLocal in one outline", "use only one of them")
	}
	return o
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// border reads a border, which follows an outline or, if useCompleteOutline is false, its corners.
func (r *reader) border(p *objectParts, e *element) {
	line, complete := e.line, e.string("useCompleteOutline")
	id, ok := e.lookup("outlineId")
	if ok {
		p.named = append(p.named, reference{line: line, what: "border", id: id, ofOutline: true})
	}
	n := 0
	r.each(func(e *element) {
		if p.cornerReference(e, reference{what: "border", outline: id, inThisOutline: ok}) {
			n++
		}
	})
	switch {
	case complete == "true" && n > 0:
		p.notes.about(line, "X-OBJECT", p.object,
			fmt.Sprintf("border along the complete outline, but with %s",
				counted(n, "cornerReference")), "remove them, or set useCompleteOutline to false")
	case complete == "false" && n < 2:
		p.notes.about(line, "X-OBJECT", p.object,
			fmt.Sprintf("border with %s and useCompleteOutline false, expected at "+
				"least 2", counted(n, "cornerReference")),
			"add corners, or set useCompleteOutline to true")
	}
}

// cornerReference records a reference to a corner. The schema reports one without an id.
func (p *objectParts) cornerReference(e *element, n reference) bool {
	if e.name != "cornerReference" {
		return false
	}
	if id, ok := e.lookup("id"); ok {
		n.line, n.id = e.line, id
		p.named = append(p.named, n)
	}
	return true
}

// polyline counts the vertices of a part of a skeleton. The simulator does not evaluate skeletons.
func (r *reader) polyline(p *objectParts, e *element) {
	line, n := e.line, 0
	r.each(func(e *element) {
		if e.name == "vertexRoad" || e.name == "vertexLocal" {
			n++
		}
	})
	if n < 2 {
		p.notes.about(line, "X-OBJECT", p.object,
			"polyline with fewer than 2 vertices",
			"add vertices, or remove the polyline")
	}
}

// judge reports references to missing parts, once the whole object was read.
func (p *objectParts) judge() {
	if len(p.named) == 0 {
		return
	}
	outlines, corners := map[string]bool{}, map[corner]bool{}
	for _, id := range p.outlines {
		outlines[plainNumber(id)] = true
	}
	for _, c := range p.corners {
		id := plainNumber(c.id)
		corners[corner{outline: plainNumber(c.outline), id: id}] = true
		corners[corner{id: id, anywhere: true}] = true
	}
	for _, n := range p.named {
		what, where := "corner", "the object"
		switch {
		case n.ofOutline && !outlines[plainNumber(n.id)]:
			what = "outline"
		case n.ofOutline || corners[n.corner()]:
			continue
		case n.inThisOutline:
			if !outlines[plainNumber(n.outline)] { // reported already
				continue
			}
			where = "outline " + clipText(n.outline)
		}
		p.notes.about(n.line, "X-OBJECT", p.object,
			fmt.Sprintf("%s along %s %s, which %s does not have", n.what, what,
				clipText(n.id), where), "correct the id")
	}
}

// corner returns what the reference names.
func (n *reference) corner() corner {
	if !n.inThisOutline {
		return corner{id: plainNumber(n.id), anywhere: true}
	}
	return corner{outline: plainNumber(n.outline), id: plainNumber(n.id)}
}

// plainNumber returns the usual form of an id that should be an integer: 01 is the same as 1.
func plainNumber(id string) string {
	if n, err := strconv.Atoi(id); err == nil {
		return strconv.Itoa(n)
	}
	return id
}

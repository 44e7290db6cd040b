package opendrive

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

func (r *reader) lanes(road *Road) {
	r.each(func(e *element) {
		switch e.name {
		case "laneOffset":
			road.LaneOffset = append(road.LaneOffset, e.cubic("s"))
		case "laneSection":
			section := r.section(e)
			section.Road, section.Index = road, len(road.Sections)
			road.Sections = append(road.Sections, section)
		}
	})
}

func (r *reader) section(e *element) *Section {
	s := &Section{S: e.within("s", maxLength), single: e.flag("singleSide"), line: e.line}
	r.each(func(e *element) { // left, center, right
		r.each(func(e *element) {
			if e.name == "lane" {
				if len(s.Lanes) == maxLanes {
					r.fail(e.line, "X-NUMBER", "one more lane in a section",
						"at most "+strconv.Itoa(maxLanes))
					return
				}
				lane := r.lane(e)
				lane.Section, lane.Origin = s, s.S
				s.Lanes = append(s.Lanes, lane)
			}
		})
	})
	return s
}

func (r *reader) lane(e *element) *Lane {
	if _, ok := e.lookup("id"); !ok {
		r.fail(e.line, "X-LANE-IDS", "lane without id", "an id")
	}
	l := &Lane{Works: e.flag("roadWorks"), ID: e.integer("id"), Type: e.string("type"),
		Level: e.flag("level"), direction: e.string("direction"), line: e.line}
	r.each(func(e *element) {
		switch e.name {
		case "link":
			r.laneLinks(l)
		case "width":
			l.Widths = append(l.Widths, e.cubic("sOffset"))
		case "border":
			l.Borders = append(l.Borders, e.cubic("sOffset"))
		case "height":
			l.Heights = append(l.Heights, LaneHeight{e.number("sOffset"),
				e.within("inner", maxHeight), e.within("outer", maxHeight)})
		case "speed":
			speed, limit := r.speed(e)
			l.Speeds = append(l.Speeds, LaneSpeed{e.number("sOffset"), speed, limit})
		case "access":
			l.Access = append(l.Access, r.access(e))
		case "roadMark":
			l.Marks = append(l.Marks, r.mark(e))
		}
	})
	return l
}

func (r *reader) laneLinks(l *Lane) {
	r.each(func(e *element) {
		switch e.name {
		case "predecessor":
			l.Predecessors = append(l.Predecessors, e.integer("id"))
		case "successor":
			l.Successors = append(l.Successors, e.integer("id"))
		}
	})
}

func (r *reader) mark(e *element) RoadMark {
	m := RoadMark{S: e.number("sOffset"), Type: e.string("type"), Color: e.string("color"),
		Weight:   e.string("weight"),
		Material: e.string("material"), Change: e.string("laneChange"), Width: e.number("width"),
		Height: e.number("height")}
	if m.Change == "" {
		m.Change = "both"
	}
	r.each(func(e *element) {
		if e.name != "type" {
			return
		}
		r.each(func(e *element) {
			if e.name == "line" {
				m.Lines = append(m.Lines, MarkLine{e.number("length"), e.number("space"),
					e.number("tOffset"), e.number("sOffset"), e.number("width")})
			}
		})
	})
	return m
}

// finishSections sorts lanes, finds lane 0, sets the ends of sections, and continues the lanes that
// a singleSide section leaves unchanged.
func (r *Road) finishSections() {
	for k, s := range r.Sections {
		s.End = r.Length
		if k+1 < len(r.Sections) {
			s.End = r.Sections[k+1].S
		}
		if s.single && k > 0 {
			s.carryOn(r.Sections[k-1])
		}
		slices.SortStableFunc(s.Lanes, func(a, b *Lane) int { return b.ID - a.ID })
		s.center = slices.IndexFunc(s.Lanes, func(l *Lane) bool { return l.ID == 0 })
		if s.bare = s.center < 0; s.bare {
			s.center = slices.IndexFunc(s.Lanes, func(l *Lane) bool { return l.ID < 0 })
			if s.center < 0 {
				s.center = len(s.Lanes)
			}
			s.Lanes = slices.Insert(s.Lanes, s.center, &Lane{Section: s, Origin: s.S, line: s.line})
		}
	}
}

// carryOn copies the lanes on the side that the section does not state from the previous section.
func (s *Section) carryOn(before *Section) {
	named := func(left bool) bool {
		return slices.ContainsFunc(s.Lanes, func(l *Lane) bool {
			return l.ID != 0 && (l.ID > 0) == left
		})
	}
	for _, l := range before.Lanes {
		if l.ID == 0 || named(l.ID > 0) {
			continue
		}
		lane := *l
		lane.Section, lane.Predecessors = s, []int{l.ID}
		l.Successors = []int{l.ID}
		s.Lanes = append(s.Lanes, &lane)
	}
}

func (r *reader) junction(e *element) *Junction {
	j := &Junction{ID: e.string("id"), Name: e.string("name"), Type: e.string("type"), line: e.line}
	type turn struct {
		id       string
		sequence int
	}
	var turns []turn
	r.each(func(e *element) {
		switch e.name {
		case "connection":
			j.Connections = append(j.Connections, r.connection(e))
		case "controller":
			turns = append(turns, turn{e.string("id"), e.integer("sequence")})
		case "priority":
			j.Priorities = append(j.Priorities, Priority{e.string("high"), e.string("low")})
		}
	})
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.sequence, b.sequence) })
	for _, t := range turns {
		j.Controllers = append(j.Controllers, t.id)
	}
	return j
}

func (r *reader) controller(e *element) *Controller {
	c := &Controller{ID: e.string("id"), Name: e.string("name"), line: e.line}
	r.each(func(e *element) {
		if e.name == "control" {
			c.Signals = append(c.Signals, e.string("signalId"))
		}
	})
	return c
}

func (r *reader) connection(e *element) Connection {
	c := Connection{ID: e.string("id"), Incoming: e.string("incomingRoad"),
		Connecting: e.string("connectingRoad"), ContactPoint: e.contact(), line: e.line}
	_, c.placed = e.lookup("contactPoint")
	if c.Connecting == "" {
		c.Connecting = e.string("linkedRoad")
	}
	if c.Incoming == "" && c.Connecting == "" {
		r.notes.add(e.line, "X-JUNCTION-ROAD", fmt.Sprintf("connection %s names no roads", c.ID),
			"name incomingRoad and connectingRoad")
	}
	r.each(func(e *element) {
		if e.name == "laneLink" {
			c.LaneLinks = append(c.LaneLinks, LaneLink{e.integer("from"), e.integer("to"), e.line})
		}
	})
	return c
}

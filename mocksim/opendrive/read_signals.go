package opendrive

func (r *reader) signals(road *Road) {
	r.each(func(e *element) {
		if e.name == "signalReference" {
			ref := &SignalReference{ID: e.string("id"), S: e.number("s"), T: e.number("t"),
				Orientation: e.string("orientation"), line: e.line}
			r.each(func(e *element) { ref.Validity = e.validity(ref.Validity) })
			road.SignalReferences = append(road.SignalReferences, ref)
			return
		}
		if e.name != "signal" {
			return
		}
		s := &Signal{ID: e.string("id"), Name: e.string("name"), S: e.number("s"), T: e.number("t"),
			Z:           e.number("zOffset"),
			Orientation: e.string("orientation"), Turn: e.number("hOffset"),
			Pitch: e.number("pitch"), Roll: e.number("roll"),
			Dynamic: e.string("dynamic") == "yes" ||
				e.flag("dynamic"), Country: e.string("country"), Type: e.string("type"),
			Subtype: e.string("subtype"), Text: e.string("text"), Unit: e.string("unit"),
			Width: e.number("width"), Height: e.number("height"),
			line: e.line}
		if text, ok := e.lookup("value"); ok && text != "" {
			s.Value, s.HasValue = e.number("value"), true
		}
		r.each(func(e *element) { s.Validity = e.validity(s.Validity) })
		road.Signals = append(road.Signals, s)
	})
}

// validity appends the range of lanes in a validity element.
func (e *element) validity(list []Validity) []Validity {
	if e.name != "validity" {
		return list
	}
	return append(list, Validity{e.integer("fromLane"), e.integer("toLane")})
}

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
		r.each(func(e *element) { r.objectPart(o, e) })
		road.Objects = append(road.Objects, o)
	})
}

func (r *reader) objectPart(o *Object, e *element) {
	switch e.name {
	case "outlines":
		r.each(func(e *element) { r.objectPart(o, e) })
	case "outline":
		o.Outlines = append(o.Outlines, r.outline(e))
	case "repeat":
		o.Repeats = append(o.Repeats,
			Repeat{S: e.number("s"), Length: e.number("length"), Distance: e.number("distance"),
				StartT: e.number("tStart"), EndT: e.number("tEnd"),
				StartZ: e.number("zOffsetStart"), EndZ: e.number("zOffsetEnd"),
				StartHeight: e.number("heightStart"), EndHeight: e.number("heightEnd"),
				StartWidth: e.number("widthStart"), EndWidth: e.number("widthEnd")})
	}
}

func (r *reader) outline(e *element) Outline {
	o := Outline{Closed: e.string("closed") != "false"}
	r.each(func(e *element) {
		switch e.name {
		case "cornerRoad":
			o.Corners = append(o.Corners, Corner{S: e.number("s"), T: e.number("t"),
				Z: e.number("dz"), Height: e.number("height")})
		case "cornerLocal":
			o.Corners = append(o.Corners, Corner{Local: true, U: e.number("u"), V: e.number("v"),
				Z: e.number("z"), Height: e.number("height")})
		}
	})
	return o
}

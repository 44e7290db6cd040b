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
		r.each(func(e *element) {
			s.Validity = e.validity(s.Validity)
			s.static = s.static || e.name == "staticBoard"
			s.variable = s.variable || e.name == "vmsBoard"
		})
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

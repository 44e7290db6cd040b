package trial

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
	"gosmp/mocksim"
)

// The kinds of elements of a storyboard, and their transitions, in the names of events.
var (
	elementKinds = []string{"storyboard", "story", "act", "maneuverGroup", "maneuver", "event",
		"action"}
	elementChanges = []string{"start", "end", "stop", "skip"}
)

// dataOf holds the data fields of the events that only the experiment sends, by event name.
var dataOf = func() map[string][]string {
	ofActor := []string{"actor", "other", "value", "side", "text", "time"}
	all := map[string][]string{stepEvent: {"time", "actors", "values"},
		crossedEvent:   {"name", "variable", "value", "beyond"},
		undefinedEvent: {"name", "variable"}, definedEvent: {"name", "variable", "value"},
		"zone.entered": {"zone", "actor"}, "zone.left": {"zone", "actor"},
		scenarioOver:           {"reason", "time"},
		scenarioEvent + "note": {"kind", "actor", "other", "text", "time"}}
	for _, kind := range eventKinds {
		all[eventName(kind)] = ofActor
	}
	for _, part := range elementKinds {
		for _, change := range elementChanges {
			all[scenarioEvent+part+"."+change] = []string{"name", "path", "time", "cause"}
		}
	}
	return all
}()

// received examines which event data a transition and its content read. The data is known if only
// the experiment sends such events.
func (e *chartExaminer) received(t *scxml.Transition) {
	names := e.events(t)
	if len(names) == 0 {
		return
	}
	e.expression(names, t.Cond)
	t.Content.Actions(func(a scxml.Action) {
		scxml.ExpressionsOf(a, func(x *scxml.Expression) { e.expression(names, x) })
	})
}

// events returns the events that a transition takes, or nil if machines may send one of them, or if
// one of them is not described by the experiment.
func (e *chartExaminer) events(t *scxml.Transition) (names []string) {
	for _, d := range t.Events {
		if e.sent == nil || slices.ContainsFunc(e.sent, func(s string) bool {
			return scxml.MatchEvent(d, s)
		}) {
			return nil
		}
		if strings.HasPrefix(d, dataEvent) && e.has(strings.TrimPrefix(d, dataEvent)) {
			names = append(names, d)
			continue
		}
		if e.carried != nil && e.carried.Up[strings.TrimPrefix(d, bridgeEvent)] != nil {
			names = append(names, d)
			continue
		}
		before := len(names)
		for _, name := range slices.Sorted(maps.Keys(dataOf)) {
			if scxml.MatchEvent(d, name) {
				names = append(names, name)
			}
		}
		if len(names) == before {
			return nil
		}
	}
	return names
}

// fieldsOf returns the fields of the data of an event.
func (e *chartExaminer) fieldsOf(event string) []string {
	if message, is := strings.CutPrefix(event, bridgeEvent); is {
		return e.carried.Up[message]
	}
	if strings.HasPrefix(event, dataEvent) {
		return []string{"value", "time"}
	}
	return dataOf[event]
}

// expression examines which data of one of the events an expression reads.
func (e *chartExaminer) expression(names []string, x *scxml.Expression) {
	if x == nil || x.Err != nil || x.Code == nil || e.analyzer == nil {
		return
	}
	facts := e.analyzer.Facts(x.Code)
	for _, part := range facts.OfEvent {
		field, is := strings.CutPrefix(part, "data.")
		if name, of, found := strings.Cut(field, "."); is && found && name == "actors" &&
			slices.Contains(names, stepEvent) {
			actor, deeper, found := strings.Cut(of, ".")
			if !found {
				e.actor(actor, x.Position)
			} else {
				e.ofActor(deeper, x.Position)
			}
			continue
		}
		if is && !strings.Contains(field, ".") {
			e.field(names, strings.TrimSuffix(field, "[]"), x.Position)
		}
		e.ofMessage(names, part, x.Position)
		e.ofTexts(names, part, x.Position)
	}
	for _, c := range facts.Compared {
		switch {
		case c.Variable == "":
			e.compared(names, c, x.Position)
		case slices.Contains(facts.Uses, c.Variable): // not a local one
			e.comparedVariable(names, c, x.Position)
		}
	}
}

// field examines the name of a field of the data of one of the events.
func (e *chartExaminer) field(names []string, field string, at scxml.Position) {
	var known []string
	for _, name := range names {
		known = append(known, e.fieldsOf(name)...)
	}
	if slices.Contains(known, field) || strings.Contains(field, "[]") {
		return
	}
	slices.Sort(known)
	known = slices.Compact(known)
	e.wrong(finding.Error, at, fmt.Sprintf(
		"the data of %s have no field %q, which is therefore undefined",
		strings.Join(names, " and "), field), orList(similar.Hint(field, known), known))
}

// ofActor examines the name of a field of an actor.
func (e *chartExaminer) ofActor(field string, at scxml.Position) {
	if !slices.Contains(actorFields[:], field) && !strings.ContainsAny(field, "[.") {
		e.blind(at, fmt.Sprintf("actors have no field %q", field),
			orList(similar.Hint(field, actorFields[:]), actorFields[:]))
	}
}

func (e *chartExaminer) actor(name string, at scxml.Position) {
	if e.actors == nil || e.actors[name] {
		return
	}
	names := slices.Sorted(maps.Keys(e.actors))
	e.blind(at, fmt.Sprintf("no vehicle has the name %q, and no machine creates it", name),
		orList(similar.Hint(name, names), names))
}

// compared examines a literal that a machine compares with a part of event data.
func (e *chartExaminer) compared(names []string, c scxml.Comparison, at scxml.Position) {
	if c.Text == "" {
		return // nobody
	}
	if e.numeric(names, c.Part) {
		e.comparedNumber(c, at)
		return
	}
	switch known := e.choice(names, c.Part); {
	case c.Kind == scxml.Ordered:
	case c.Kind == scxml.Key || c.Kind == scxml.Index:
		e.key(names, c, at)
	case c.Part == "data.variable" && ofSignal(names) && c.Kind != scxml.Contains && !e.has(c.Text):
		message, remedy := e.lacking(c.Text)
		e.differs(c, at, message, remedy)
	case known.truth && !equalsTruth(c):
		e.differs(c, at, fmt.Sprintf("_event.%s is true or false, which is compared with %q",
			c.Part, c.Text), "compare it with true or false")
	case known.values != nil && !known.fits(c):
		has := "has the " + known.field
		if c.Kind == scxml.Contains {
			has = "has a " + known.field + " that contains"
		}
		list := known.list()
		e.differs(c, at, fmt.Sprintf("no %s %s %q%s", known.what, has, c.Text, known.and),
			orList(similar.Hint(c.Text, list), list))
	}
}

// numeric reports whether a part of the data of all events is a number, if it exists.
func (e *chartExaminer) numeric(names []string, part string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		switch {
		case part == "data.time":
			return strings.HasPrefix(name, bridgeEvent) ||
				!slices.Contains(e.fieldsOf(name), "time")
		case part != "data.value":
			return true
		case name == crossedEvent || name == definedEvent || isOfActor(name):
			return false
		}
		v, known := e.variable(name)
		return !known || v.Size != 1 || !isNumber(v.Kind)
	})
}

// isOfActor reports whether an event is one of the simulator, whose value is a number.
func isOfActor(name string) bool {
	return slices.ContainsFunc(eventKinds, func(k mocksim.EventKind) bool {
		return eventName(k) == name
	})
}

// isNumber reports whether machines see values of a kind as numbers.
func isNumber(k cosim.Kind) bool { return k != 0 && !k.IsBlob() && k != cosim.Boolean }

// comparedNumber examines the comparison of a number with a text, which converts the text to a
// number unless the comparison is strict.
func (e *chartExaminer) comparedNumber(c scxml.Comparison, at scxml.Position) {
	if c.Number || c.Kind > scxml.Ordered {
		return
	}
	_, err := strconv.ParseFloat(strings.TrimSpace(c.Text), 64)
	if err == nil && c.Kind != scxml.Strict {
		return
	}
	e.differs(c, at, fmt.Sprintf("_event.%s is a number, which is compared with the text %q",
		c.Part, c.Text), "compare it with a number")
}

// differs reports a comparison that never finds what it looks for. The machine then misses what it
// should see, unless the comparison is negated.
func (e *chartExaminer) differs(c scxml.Comparison, at scxml.Position, message, remedy string) {
	if c.Negated {
		e.wrong(finding.Warning, at, message, remedy)
		return
	}
	e.blind(at, message, remedy)
}

// key examines the name of a member of the data of a step. A machine that reads a value which does
// not exist is blind, but it may ask whether there is one.
func (e *chartExaminer) key(names []string, c scxml.Comparison, at scxml.Position) {
	if !slices.Contains(names, stepEvent) {
		return
	}
	c.Negated = c.Negated || c.Kind == scxml.Key
	switch {
	case c.Part == "data.actors" && e.actors != nil && !e.actors[c.Text]:
		known := slices.Sorted(maps.Keys(e.actors))
		e.differs(c, at, fmt.Sprintf("no vehicle has the name %q, and no machine creates it",
			c.Text), orList(similar.Hint(c.Text, known), known))
	case c.Part == "data.values" && !e.has(c.Text):
		message, remedy := e.lacking(c.Text)
		e.differs(c, at, fmt.Sprintf("the text %q looks like a variable, but %s", c.Text, message),
			remedy)
	}
}

// sentByMachines returns the events that machines raise, or send to receivers other than the
// experiment. It returns nil if some of the names are computed, and an empty list if there are
// none.
func (x *examiner) sentByMachines() []string {
	if !x.closed {
		return nil
	}
	names := []string{}
	for _, c := range x.machines {
		c.Contents(func(_ *scxml.State, b scxml.Block) {
			b.Actions(func(a scxml.Action) {
				switch a := a.(type) {
				case *scxml.Raise:
					names = known(names, a.Event)
				case *scxml.Send:
					if a.External == nil &&
						(a.Type.Expr != nil || a.Type.Value != experiment.Processor) {
						names = known(names, a.Event.Value)
					}
				}
			})
		})
	}
	return names
}

// known adds a name to a list of names; an unknown name makes the list nil.
func known(names []string, name string) []string {
	if names == nil || name == "" {
		return nil
	}
	return append(names, name)
}

// watches returns the names that machines give to the zones and signals that they watch, by event.
// There is no set for an event if some machine computes a name for it.
func (x *examiner) watches() map[string]map[string]bool {
	all := map[string]map[string]bool{"watch.zone": {}, "watch.signal": {}}
	if !x.closed {
		return nil
	}
	for _, c := range x.machines {
		sends(c, func(s *scxml.Send) {
			set := all[s.Event.Value]
			switch p := seen(&s.Payload); {
			case s.Event.Expr != nil:
				clear(all)
			case set == nil:
			case p.values["name"] != nil:
				set[fmt.Sprint(p.values["name"])] = true
			case !p.closed || slices.Contains(p.names, "name"):
				delete(all, s.Event.Value)
			}
		})
	}
	return all
}

package trial

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gosmp/cosim"
	"gosmp/experiment/scxml"
	"gosmp/mocksim"
)

// choice is the set of texts that a part of the data of events can have.
type choice struct {
	what, field string          // as in: no vehicle has the name "ego"
	values      map[string]bool // nil if they are unknown
	and         string          // after the text
	truth       bool            // the part is true or false instead of a text
}

// list returns the texts in order.
func (c *choice) list() []string { return slices.Sorted(maps.Keys(c.values)) }

// fits reports whether a comparison can hold for one of the texts.
func (c *choice) fits(with scxml.Comparison) bool {
	if with.Kind != scxml.Contains {
		return c.values[with.Text]
	}
	for name := range c.values {
		if strings.Contains(name, with.Text) {
			return true
		}
	}
	return false
}

// equalsTruth reports whether a comparison with something that is true or false can hold.
func equalsTruth(c scxml.Comparison) bool {
	switch c.Kind {
	case scxml.Strict:
		return false
	case scxml.Equal: // with 1 or 0, also if it is written as "", "0x1" or "0b0"
		text := strings.TrimSpace(c.Text)
		number, err := strconv.ParseFloat(text, 64)
		return text == "" || strings.HasPrefix(text, "0") || err == nil && number == 1
	}
	return true
}

// ofSignal reports whether all events are ones of signals.
func ofSignal(names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names,
		func(n string) bool { return !strings.HasPrefix(n, "signal.") })
}

// choice returns the texts that a part of the data of events can have, if they are known.
func (e *chartExaminer) choice(names []string, part string) choice {
	switch {
	case part == "data.actor" || part == "data.other":
		return choice{what: "vehicle", field: "name", values: e.actors,
			and: ", and no machine creates it"}
	case part == "data.side":
		return choice{what: "side", field: "name", values: map[string]bool{"front": true,
			"rear": true, "left": true, "right": true}}
	case part == "data.name" && ofSignal(names):
		return choice{what: "watch.signal", field: "name", values: e.watched["watch.signal"]}
	case part == "data.zone":
		return choice{what: "watch.zone", field: "name", values: e.watched["watch.zone"]}
	case part == "data.name" || part == "data.path":
		return e.elements(names, strings.TrimPrefix(part, "data."))
	case part == "data.reason" && slices.Equal(names, []string{scenarioOver}) &&
		e.t.scenario != nil && len(e.t.scenario.Reasons) > 0:
		return choice{what: "end of a scenario", field: "reason",
			values: setOf(e.t.scenario.Reasons)}
	case isKind().MatchString(part) && slices.Equal(names, []string{stepEvent}) &&
		e.t.simulator() == "":
		kinds := map[string]bool{}
		for k := mocksim.Car; k <= mocksim.Static; k++ {
			kinds[k.String()] = true
		}
		return choice{what: "kind of actor", field: "name", values: kinds}
	case strings.HasPrefix(part, "data.value."):
		c, _ := e.enumeration(names, part)
		return c
	case e.boolean(names, part):
		return choice{what: "value of " + part, truth: true}
	}
	return choice{}
}

// isKind matches the kind of an actor in the data of a step.
var isKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^data\.actors(\[\]|\.[^.]+)\.kind$`)
})

func setOf(texts []string) map[string]bool {
	all := map[string]bool{}
	for _, text := range texts {
		all[text] = true
	}
	return all
}

// boolean reports whether a part of the data of all events is true or false.
func (e *chartExaminer) boolean(names []string, part string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		if name == crossedEvent {
			return part != "data.beyond"
		}
		v, known := e.variable(name)
		return part != "data.value" || !known || v.Size != 1 || v.Kind != cosim.Boolean
	})
}

// variable returns the variable whose values an event has.
func (e *chartExaminer) variable(event string) (cosim.Variable, bool) {
	name, is := strings.CutPrefix(event, dataEvent)
	owner, variable, _ := strings.Cut(name, ".")
	v, known := e.parts[owner][variable]
	return v, is && known
}

// elements returns the names or paths of the elements of the storyboard, if all events are
// transitions of elements.
func (e *chartExaminer) elements(names []string, field string) choice {
	if e.t.scenario == nil {
		return choice{}
	}
	known := map[string]bool{}
	var kinds []string
	for _, name := range names {
		kind, _, is := strings.Cut(strings.TrimPrefix(name, scenarioEvent), ".")
		if !is || !slices.Contains(elementKinds, kind) {
			return choice{}
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		for _, x := range e.t.scenario.Elements {
			if x.Kind == kind && field == "name" {
				known[x.Name] = true
			} else if x.Kind == kind {
				known[x.Path] = true
			}
		}
	}
	delete(known, "") // of the storyboard itself
	return choice{what: strings.Join(kinds, " or ") + " of the scenario", field: field,
		values: known}
}

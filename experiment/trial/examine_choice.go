package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gosmp/cosim"
	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
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
	case scxml.Equal: // true is 1, and false is 0
		number, err := strconv.ParseFloat(strings.TrimSpace(c.Text), 64)
		return err == nil && (number == 0 || number == 1)
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

// never warns of tests in an expression that have the same result for all values of the event's
// data, such as /frnt/.test(_event.data.side), so that the machine never sees what it looks for.
func (e *chartExaminer) never(names []string, facts scxml.Facts, at scxml.Position) {
	for _, t := range facts.Tests {
		known := e.choice(names, t.Part)
		list := known.list()
		var values any = list
		if known.truth {
			list, values = []string{"true", "false"}, []bool{true, false}
		}
		if len(list) == 0 || e.tests > mostTests {
			continue
		}
		results, text := e.results(t, values, facts.Uses)
		if len(results) == 1 && results[t.Negated] {
			holds := "no"
			if t.Negated {
				holds = "each"
			}
			e.blind(at, fmt.Sprintf("the test %s holds for %s %s", text, holds, known.what),
				"compare with one of "+strings.Join(list, ", "))
		}
	}
}

// results returns the results that a test has for the values of a part of the event's data, which
// may also be missing, and the complete text of the test. There are none if the test depends on
// anything that is not known.
func (e *chartExaminer) results(t scxml.Test, values any, uses []string) (map[bool]bool, string) {
	given := ""
	for _, name := range uses {
		if v, known := e.fixed[name]; known && v.useless == "" {
			text, err := json.Marshal(v.value)
			if err != nil {
				return nil, ""
			}
			given += fmt.Sprintf("var %s = %s; ", name, text)
		}
	}
	list, err := json.Marshal(values)
	if err != nil {
		return nil, ""
	}
	// A test that throws for a value that is missing has no result.
	const format = `(function() { %svar $results = {};
%s.concat([undefined, '']).forEach(function($value) {
	var _event = {data: {%q: $value}};
	try { $results[(%s) ? 1 : 0] = true } catch ($error) {
		if (!($error instanceof TypeError)) throw $error;
	}
}); return Object.keys($results).join(); })()`
	field := strings.TrimPrefix(t.Part, "data.")
	for _, text := range []string{t.Text, "(" + t.Text, t.Text + ")"} { // parentheses at its ends
		found, err := run(fmt.Sprintf(format, given, list, field, text))
		if e.tests++; e.tests > mostTests || errors.Is(err, scxml.ErrStopped) {
			e.tests = mostTests + 1 // a test that takes too long is the last one
			return nil, ""
		}
		switch found {
		case "0":
			return map[bool]bool{false: true}, text
		case "1":
			return map[bool]bool{true: true}, text
		case "0,1":
			return map[bool]bool{false: true, true: true}, text
		}
	}
	return nil, ""
}

// mostTests bounds the tests that are evaluated, and therefore the cost of a check. Any further
// tests are not judged.
const mostTests = 300

var errNoValue = errors.New("found no value, expected one")

// run evaluates an expression in an empty machine.
func run(text string) (v any, err error) {
	language := ecmascript.Language{}
	code, err := language.Compile(scxml.Expr, text)
	if err != nil {
		return nil, err
	}
	model := language.New(nowhere{})
	model.Ready()
	value, err := model.Value(code)
	if err == nil && value.IsUndefined() {
		err = errNoValue
	}
	if err == nil {
		err = value.Decode(&v)
	}
	return v, err
}

package trial

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
	"gosmp/mocksim"
)

// charts examines the names in the charts of all machines and in those that they invoke.
func (x *examiner) charts() {
	x.gather()
	x.found, x.hidden = map[finding.Finding]bool{}, map[string]bool{}
	actors, sent, watched := x.actors(), x.sentByMachines(), x.watches()
	seen := map[*scxml.Chart]bool{}
	for _, c := range x.machines {
		if seen[c] {
			continue
		}
		seen[c] = true
		e := &chartExaminer{examiner: x, file: chartFile(c.File), actors: actors, sent: sent,
			watched: watched, carried: x.t.carried()}
		e.analyzer, _ = c.Language.(scxml.Analyzer)
		e.fixed = e.fixedData(c)
		e.chart(c)
	}
}

// gather lists the charts of all machines and of those that they invoke.
func (x *examiner) gather() {
	x.machines, x.closed = nil, true
	for _, c := range x.t.charts {
		list, complete := scxml.Together(c.chart)
		x.machines, x.closed = append(x.machines, list...), x.closed && complete
	}
}

// actors returns the vehicles of the description and those that machines create, or nil if a
// machine creates some whose names are computed, or if another simulator moves them.
func (x *examiner) actors() map[string]bool {
	if x.t.simulator() != "" || !x.closed {
		return nil // that simulator may have its own actors, and unknown machines may create some
	}
	all := map[string]bool{}
	for _, name := range x.t.vehicles() {
		all[name] = true
	}
	for _, c := range x.machines {
		sends(c, func(s *scxml.Send) {
			name := s.Event.Value
			if s.External != nil && s.External.Service {
				name = services[s.Target.Value]
			}
			if name != "create" && (name != "" || s.Event.Expr == nil) {
				return
			}
			if name := seen(&s.Payload).values["name"]; name != nil && all != nil {
				all[fmt.Sprint(name)] = true
			} else {
				all = nil
			}
		})
		if all == nil {
			return nil
		}
	}
	return all
}

// sends calls visit for each send of a chart that acts on the experiment.
func sends(c *scxml.Chart, visit func(*scxml.Send)) {
	c.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			s, ok := a.(*scxml.Send)
			if ok && (s.External != nil || s.Type.Expr == nil &&
				s.Type.Value == experiment.Processor) {
				visit(s)
			}
		})
	})
}

type chartExaminer struct {
	*examiner
	file     string
	analyzer scxml.Analyzer             // nil if the language has none
	actors   map[string]bool            // nil if unknown
	sent     []string                   // events of machines; nil if unknown
	watched  map[string]map[string]bool // names that machines watch, by event
	carried  *Carried                   // by the bridge; nil if unknown
	fixed    map[string]fixed           // variables of the chart whose values are known
}

func (e *chartExaminer) wrong(s finding.Severity, at scxml.Position, message, remedy string) {
	f := finding.Finding{ID: "EX24", Severity: s, Message: message, Remedy: remedy,
		Place: fault.Place{File: e.file, Line: at.Line, Column: at.Column}}
	if !e.found[f] { // as a file that several machines invoke is examined several times
		e.found[f] = true
		e.tally.Add(&e.list, f)
	}
}

// blind warns of a place where a machine looks for something that the experiment never has, so that
// it cannot judge there: a run does not pass because of what it does not see.
func (e *chartExaminer) blind(at scxml.Position, message, remedy string) {
	place := fault.Place{File: e.file, Line: at.Line, Column: at.Column}
	line := place.String() + ": " + message
	if remedy != "" {
		line += "; " + remedy
	}
	if !e.hidden[line] {
		e.hidden[line] = true
		if len(e.blinded) < finding.MostAlike {
			e.blinded = append(e.blinded, line)
		}
		e.wrong(finding.Warning, at, message, remedy)
	}
}

func (e *chartExaminer) chart(c *scxml.Chart) {
	sends(c, e.send)
	for _, q := range c.States {
		for _, t := range q.Transitions {
			for _, d := range t.Events {
				e.descriptor(d, t.Element().At("event"))
			}
			e.received(t)
		}
		for _, i := range q.Invokes {
			if i.Register != nil {
				e.topic(i.Register.Topic, q.Element().Position)
			}
		}
	}
	e.literals(c.Element())
}

// descriptor examines the descriptor of an event. While a user can post events, any event may come,
// except for values of variables that do not exist.
func (e *chartExaminer) descriptor(d string, at scxml.Position) {
	if e.t.options.Posted == nil {
		e.awaited(d, at)
		e.possible(d, at)
	}
	name, ofData := strings.CutPrefix(d, dataEvent)
	if !ofData || name == "" || e.has(name) || e.family(name) {
		return
	}
	message, remedy := e.lacking(name)
	e.wrong(finding.Error, at, fmt.Sprintf("the event %q never occurs: %s", d, message), remedy)
}

// possible examines the descriptor of an event that only parts of experiments have.
func (e *chartExaminer) possible(d string, at scxml.Position) {
	if e.sent == nil || slices.ContainsFunc(e.sent, func(s string) bool {
		return scxml.MatchEvent(d, s)
	}) {
		return
	}
	why, remedy, all := "", "", slices.Sorted(maps.Keys(dataOf))
	if strings.HasPrefix(d, scenarioEvent) { // SX22 allows any end of a family
		why, remedy = "scenarios send no such event", similar.Hint(d, all)
	}
	for _, name := range all {
		if !scxml.MatchEvent(d, name) {
			continue
		}
		if why, remedy = e.impossible(name); why == "" {
			return
		}
	}
	if why != "" {
		e.blind(at, fmt.Sprintf("the event %q never occurs: %s", d, why), remedy)
	}
}

// impossible returns why the experiment never sends an event, or "".
func (e *chartExaminer) impossible(event string) (why, remedy string) {
	kind, _, _ := strings.Cut(event, ".")
	if kind == "zone" || kind == "signal" {
		watch := "watch." + kind
		if names := e.watched[watch]; names != nil && len(names) == 0 {
			return "no machine sends " + watch, "send it"
		}
		return "", ""
	}
	if slices.Contains(ofDrivers, event) && e.undriven() {
		return "no FMU drives a vehicle", `add drives="VEHICLE" to an FMU`
	}
	if isOfActor(event) && e.t.roads == nil && e.t.scenario == nil && e.t.simulator() == "" {
		return "there are no vehicles, because the environment is not a map",
			"an OpenDRIVE map (.xodr)"
	}
	return "", ""
}

// ofDrivers holds the events that only FMUs which drive vehicles cause.
var ofDrivers = []string{eventName(mocksim.Silent), eventName(mocksim.NotOwner),
	eventName(mocksim.UnknownActor), eventName(mocksim.BodyVelocity),
	eventName(mocksim.Dismissed), eventName(mocksim.NotPending)}

// undriven reports whether certainly no FMU drives a vehicle of the description.
func (e *chartExaminer) undriven() bool {
	drives := func(p experiment.Participant) bool { return p.Drives != "" }
	vehicles, seat := e.t.vehicles(), e.t.driver()
	toSeat := func(c cosim.Connection) bool {
		owner, input, is := experiment.CutOwner(c.To, func(owner string) bool {
			return slices.Contains(vehicles, owner)
		})
		input = strings.TrimPrefix(e.t.alias(owner, input), owner+".")
		return is && slices.Contains([]string{seat.Update, seat.Answer, seat.Motion}, input)
	}
	return e.t.roads != nil && e.t.simulator() == "" && len(e.t.options.Participants) == 0 &&
		!slices.ContainsFunc(e.t.bibi.FMUs, drives) &&
		!slices.ContainsFunc(e.t.wiring.Connections, toSeat)
}

// family reports whether a descriptor stands for several variables, as data.ego does for all
// variables of ego.
func (e *chartExaminer) family(name string) bool {
	if slices.Contains(e.unknown, name) {
		return true
	}
	for part, list := range e.parts {
		for variable := range list {
			if strings.HasPrefix(part+"."+variable, name+".") {
				return true
			}
		}
	}
	return false
}

func (e *chartExaminer) topic(name string, at scxml.Position) {
	if !e.has(name) {
		message, remedy := e.lacking(name)
		e.wrong(finding.Error, at, "the topic "+message, remedy)
	}
}

// send examines an event for the experiment.
func (e *chartExaminer) send(s *scxml.Send) {
	at := scxml.Source(s).Position
	if s.External != nil {
		if !s.External.Service && s.Target.Expr == nil && s.Target.Value != "" &&
			!e.has(s.Target.Value) {
			e.topic(s.Target.Value, at)
		}
		return
	}
	name := s.Event.Value
	if s.Event.Expr != nil {
		return
	}
	if message, is := strings.CutPrefix(name, bridgeEvent); is {
		e.down(message, seen(&s.Payload), at)
		return
	}
	if name == "" {
		e.wrong(finding.Error, at, "the message to the experiment has no event, and does nothing",
			"write event=…, one of "+strings.Join(slices.Sorted(maps.Keys(actions)), ", "))
		return
	}
	if actions[name] == nil {
		known := slices.Sorted(maps.Keys(actions))
		e.wrong(finding.Error, at, fmt.Sprintf("the event %q is unknown to the experiment",
			name), orList(similar.Hint(name, known), known))
		return
	}
	if noObject(s.Payload.Content) {
		e.wrong(finding.Error, at, fmt.Sprintf("the data of %s are not an object", name),
			"see the fields in docs/EXPERIMENTS.md")
		return
	}
	p := seen(&s.Payload)
	e.data(name, p, at)
	e.complete(name, p, at)
	e.fields(name, p.values, at)
}

func orList(hint string, names []string) string {
	if hint != "" || len(names) == 0 {
		return hint
	}
	return "expected one of " + strings.Join(names, ", ")
}

// literal matches a text in an expression.
var literal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`'([^'\\]*)'|"([^"\\]*)"`)
})

// literals examines texts in expressions that have the form of variables of a part of the
// experiment, such as values['ego.speed'].
func (e *chartExaminer) literals(root *scxml.Element) {
	for _, a := range root.Attributes {
		if slices.Contains([]string{"expr", "cond", "array"}, a.Name) {
			e.texts(a.Value, root.At(a.Name))
		}
	}
	if root.Name == "script" || root.Name == "content" {
		e.texts(root.Text(), root.Position)
	}
	for _, c := range root.Elements() {
		e.literals(c)
	}
}

func (e *chartExaminer) texts(text string, at scxml.Position) {
	for _, m := range literal().FindAllStringIndex(text, -1) {
		name := text[m[0]+1 : m[1]-1]
		part, variable, found := strings.Cut(name, ".")
		if _, known := e.parts[part]; !found || !known || e.has(name) ||
			strings.ContainsAny(variable, " \t\n/") || e.reported(at, variable) {
			continue
		}
		message, remedy := e.lacking(name)
		e.wrong(finding.Warning, at,
			fmt.Sprintf("the text %q looks like a variable, but %s", name, message), remedy)
	}
}

// reported reports whether a finding on that line already names the variable.
func (e *chartExaminer) reported(at scxml.Position, variable string) bool {
	return slices.ContainsFunc(e.list, func(f finding.Finding) bool {
		return f.Place.File == e.file && abs(f.Place.Line-at.Line) <= 1 &&
			strings.Contains(f.Message, fmt.Sprintf("%q", variable))
	})
}

func abs(n int) int { return max(n, -n) }

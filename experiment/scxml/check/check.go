// Package check finds errors and questionable constructs in a statechart before it runs. The errors
// SX01 to SX14 come from reading the chart (scxml.Inspect lists them); this package adds two errors
// that cannot be found in the chart alone, and the warnings SX20 to SX31. Each finding has its id,
// line, column and a remedy.
//
//	findings := check.Chart("m.scxml", text, check.Options{Config: ecmascript.Config(".")})
//
// The warnings about states and events (SX20 to SX23) are sound for names that are stated in the
// text: the reported events and transitions cannot happen. Where a chart may compute names
// (eventexpr, targetexpr, scripts), SX22 and SX23 are switched off, and a single note reports this
// if they would have found something (X38).
//
// No check takes more time than the length of the chart times its depth, or a fixed bound.
//
// Types: [Options]. Functions: [Chart], [Judge], [Sent].
package check

import (
	"cmp"
	"slices"

	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// The warnings.
const (
	SX20 = "SX20" // state unreachable
	SX21 = "SX21" // transition never taken: others always match; event hidden from a judge
	SX22 = "SX22" // expected event that is never raised, sent or provided
	SX23 = "SX23" // event raised or sent that nothing matches
	SX24 = "SX24" // no reachable top-level final; evaluation without success and failure
	SX25 = "SX25" // atomic state without a way out
	SX26 = "SX26" // name not declared
	SX27 = "SX27" // eventless cycle without cond; eventless cond that may fail
	SX28 = "SX28" // cancel of an unknown sendid, #_ID without invoke, done event without source
	SX29 = "SX29" // cond with side effect
	SX30 = "SX30" // Math.random without a seed; local date
	SX31 = "SX31" // no transition for error events in a machine that can raise them
)

// Options defines what a check may assume.
type Options struct {
	Config scxml.Config
	// all events from outside, "a.*" for a family; nil means any event, which switches SX22 off
	Events     []string
	Objects    []string // events from outside whose data is always an object, "a.*" for a family
	Processors []string // send types besides SCXML's own
	Services   []string // that a ServiceRequest may request; nil means any
	Seeded     bool     // the seed of the run is fixed
	// the machine decides the outcome of an experiment and must end in success or failure (X35)
	Evaluation bool
}

// Chart checks a chart; file is its name in the findings.
func Chart(file string, text []byte, o Options) finding.List {
	chart, list := scxml.Inspect(file, text, o.Config)
	return Judge(chart, list, o)
}

// Judge returns the findings of scxml.Inspect or scxml.InspectElement on a chart with warnings
// added; chart is nil if only those findings are wanted. It does not modify the list.
func Judge(chart *scxml.Chart, list finding.List, o Options) finding.List {
	all := slices.Clone(list)
	if chart == nil {
		return all
	}
	all = append(all, familyOf(chart).warnings(o)...)
	all = append(all, scxml.InspectInvoked(chart)...)
	all.Sort()
	return all
}

// Sent lists the events that a chart and all charts that it invokes send to machines by session.
// For the other machines of a system, these events come from outside. If ok is false, the list is
// incomplete, because a chart computes names, or because a chart that is invoked is not known.
func Sent(chart *scxml.Chart) (events []string, ok bool) {
	f := familyOf(chart)
	return f.provided, !f.open
}

// checker checks one chart.
type checker struct {
	chart     *scxml.Chart
	options   Options
	family    *family
	list      finding.List
	tally     finding.Tally
	analyzer  scxml.Analyzer // nil if the language has none
	computed  *scxml.Element // an element that may compute an event name or a target
	cancelled bool           // an invoking machine can end this one
	forwarded bool           // an invoking machine forwards its events to this one
	heardAll  bool           // an invoking machine may take all events of this one
	outer     []descriptors  // of the invoking machines
	sends     []*scxml.Send
	raises    []*scxml.Raise
	cancels   []*scxml.Cancel
	loops     []*scxml.ForEach

	transitions []*scxml.Transition          // all transitions that can be taken, in document order
	order       map[*scxml.State]int         // indices in document order
	invokes     map[string]*scxml.Invoke     // by id
	innerTakes  map[*scxml.Chart]descriptors // of charts inside
	facts       map[*scxml.Expression]*scxml.Facts
	known       *known
}

func newChecker(chart *scxml.Chart, o Options, f *family) *checker {
	c := &checker{chart: chart, options: o, family: f, computed: computes(chart),
		order:   map[*scxml.State]int{},
		invokes: map[string]*scxml.Invoke{}, innerTakes: map[*scxml.Chart]descriptors{},
		facts: map[*scxml.Expression]*scxml.Facts{}}
	c.analyzer, _ = chart.Language.(scxml.Analyzer)
	c.collect()
	for k, q := range chart.States {
		c.order[q] = k
		for _, i := range q.Invokes {
			if i.ID != "" {
				c.invokes[i.ID] = i
			}
		}
	}
	return c
}

func (c *checker) warnings() finding.List {
	c.known = c.newKnown()
	c.reachable()
	c.shadowed()
	c.events()
	c.stuck()
	c.circular()
	c.references()
	c.code()
	c.errors()
	c.sources()
	return c.list
}

func (c *checker) warn(id string, at scxml.Position, message, remedy string) {
	c.add(id, finding.Warning, at, message, remedy)
}

// blind warns of something because of which the machine does not see what it waits for.
func (c *checker) blind(id string, at scxml.Position, message, remedy string) {
	c.report(finding.Finding{ID: id, Severity: finding.Warning, Message: message, Remedy: remedy,
		Blind: true}, at)
}

func (c *checker) add(id string, severity finding.Severity, at scxml.Position, message,
	remedy string) {
	c.report(finding.Finding{ID: id, Severity: severity, Message: message, Remedy: remedy}, at)
}

func (c *checker) report(f finding.Finding, at scxml.Position) {
	f.Place = fault.Place{File: c.chart.File, Line: at.Line, Column: at.Column}
	c.tally.Add(&c.list, f)
}

// collect lists the actions of the chart by kind.
func (c *checker) collect() {
	c.transitions = transitions(c.chart)
	c.chart.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			switch a := a.(type) {
			case *scxml.Raise:
				c.raises = append(c.raises, a)
			case *scxml.Send:
				c.sends = append(c.sends, a)
			case *scxml.Cancel:
				c.cancels = append(c.cancels, a)
			case *scxml.ForEach:
				c.loops = append(c.loops, a)
			}
		})
	})
}

// transitions lists all transitions that can be taken, in document order.
func transitions(c *scxml.Chart) (list []*scxml.Transition) {
	for _, q := range c.States {
		if q.Kind != scxml.History {
			list = append(list, q.Transitions...)
		}
	}
	slices.SortStableFunc(list, func(a, b *scxml.Transition) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column,
			b.Position.Column))
	})
	return list
}

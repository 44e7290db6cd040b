package check

import (
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/finding"
)

// family is a chart and everything that it invokes: charts inside it, and charts in files, each of
// which is one chart even if several elements invoke it.
type family struct {
	charts  []*scxml.Chart                 // the invoking ones first
	invoked map[*scxml.Invoke]*scxml.Chart // as far as they are known
	// a chart in it is unknown or computes names, so it may send anything to any other chart
	open     bool
	provided []string // sent to sessions by name
}

func familyOf(chart *scxml.Chart) *family {
	f := &family{invoked: scxml.Invocations(chart), provided: []string{}}
	f.add(chart, map[*scxml.Chart]bool{})
	return f
}

func (f *family) add(chart *scxml.Chart, seen map[*scxml.Chart]bool) {
	seen[chart] = true
	f.charts = append(f.charts, chart)
	f.open = f.open || computes(chart) != nil
	for _, s := range sends(chart) {
		if strings.HasPrefix(s.Target.Value, "#_scxml_") {
			f.provided = append(f.provided, s.Event.Value)
		}
	}
	for _, i := range invokesOf(chart) {
		switch inner := f.invoked[i]; {
		case i.Register != nil:
		case inner == nil:
			f.open = true
		case !seen[inner]:
			f.add(inner, seen)
		}
	}
}

func invokesOf(chart *scxml.Chart) (list []*scxml.Invoke) {
	for _, q := range chart.States {
		list = append(list, q.Invokes...)
	}
	return list
}

// sendTo adds the events that a chart may receive from the charts that it invokes, on all levels: a
// machine can send to any other by its session. It returns false if they are unknown.
func (f *family) sendTo(chart *scxml.Chart, made *names, seen map[*scxml.Chart]bool) bool {
	seen[chart] = true
	for _, i := range invokesOf(chart) {
		if i.Register != nil {
			made.add(i.Register.Event)
			continue
		}
		inner := f.invoked[i]
		if seen[inner] {
			continue
		}
		if inner == nil || computes(inner) != nil || !f.sendTo(inner, made, seen) {
			return false
		}
		for _, s := range sends(inner) {
			if s.Target.Value != "" && s.Target.Value != "#_internal" {
				made.add(s.Event.Value)
			}
		}
	}
	return true
}

// warnings checks all charts of the family. The options apply to the first one; the events that
// reach the others from outside are the ones sent by the charts that invoke them.
func (f *family) warnings(o Options) (list finding.List) {
	all := map[*scxml.Chart]*checker{}
	for k, chart := range f.charts {
		c := newChecker(chart, o, f)
		if k > 0 {
			c.options.Evaluation = false
			c.options.Events = f.provided[:len(f.provided):len(f.provided)]
		}
		all[chart] = c
	}
	for _, chart := range f.charts {
		all[chart].invokeAll(all)
	}
	for k, chart := range f.charts {
		c := all[chart]
		if k > 0 && (f.open || c.forwarded) {
			c.options.Events = nil
		}
		list = append(list, c.warnings()...)
	}
	return list
}

// invokeAll records in the checkers of the charts that this one invokes what it does to them.
func (c *checker) invokeAll(all map[*scxml.Chart]*checker) {
	takes := awaited(c.chart)
	unasked := c.exits(func(t *scxml.Transition) bool {
		return t.Eventless() || slices.ContainsFunc(t.Events,
			func(d string) bool { return !strings.HasPrefix(d, "done.invoke.") })
	})
	sent := make([]string, len(c.sends))
	for k, s := range c.sends {
		sent[k] = s.Event.Value
	}
	invoked := map[*checker]bool{}
	for _, i := range invokesOf(c.chart) {
		inner := all[c.family.invoked[i]]
		if inner == nil || inner.chart == c.family.charts[0] {
			continue // unknown, or the chart whose options are given
		}
		inner.cancelled = inner.cancelled || unasked.of(i.State)
		inner.forwarded = inner.forwarded || i.AutoForward
		inner.heardAll = inner.heardAll || i.HasFinalize || c.forwards()
		if !invoked[inner] {
			invoked[inner] = true
			inner.outer = append(inner.outer, takes)
			inner.options.Events = append(inner.options.Events, sent...)
		}
	}
}

// heard reports whether a chart that invokes this one may take an event.
func (c *checker) heard(event string) bool {
	return c.heardAll || len(c.outer) == 0 ||
		slices.ContainsFunc(c.outer, func(d descriptors) bool { return d.take(event) })
}

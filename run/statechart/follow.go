package statechart

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// Region is a part of a chart of which exactly one state is active at a time: the whole chart, or a
// child of a parallel state.
type Region struct {
	Name   string
	States []string // the states that it can be in; 0 is none of them
	of     *scxml.State
}

// Regions returns the regions of the chart, outer ones first.
func (p *Player) Regions() []Region {
	var list []Region
	var add func(q *scxml.State, name string)
	add = func(q *scxml.State, name string) {
		k := len(list)
		list = append(list, Region{Name: name, States: []string{"none"}, of: q})
		var visit func(q *scxml.State)
		visit = func(q *scxml.State) {
			list[k].States = append(list[k].States, q.String())
			for _, child := range q.Children {
				if q.Kind == scxml.Parallel {
					add(child, child.String())
				} else {
					visit(child)
				}
			}
		}
		if len(q.Children) == 0 || q.Kind == scxml.Parallel {
			visit(q)
			return
		}
		for _, child := range q.Children {
			visit(child)
		}
	}
	add(p.chart.Root(), "state")
	return list
}

// Active returns the index of the innermost active state of a region in its States.
func (p *Player) Active(r *Region) int {
	for _, id := range p.machine.Configuration() {
		inner := ""
		for q := p.chart.State(id); q != nil; q = q.Parent {
			if inner == "" && slices.Contains(r.States, q.String()) {
				inner = q.String()
			}
			if q == r.of && inner != "" {
				return slices.Index(r.States, inner)
			}
		}
	}
	return 0
}

// Events returns the names of the events that the chart waits for, without those that the machine
// sends to itself.
func (p *Player) Events() []string {
	names := []string{}
	for _, q := range p.chart.States {
		for _, t := range q.Transitions {
			for _, name := range t.Events {
				group, _, _ := strings.Cut(name, ".")
				if name != "*" && group != "done" && group != "error" {
					names = append(names, strings.TrimSuffix(name, ".*"))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Follow runs the machine until it ends, until the stop time if there is one, or until the context
// ends. It calls each at the start and after each tick of simulated time. Events come from a list
// and from the function posted.
func (p *Player) Follow(ctx context.Context, tick timebase.Duration, events []Timed,
	posted func() []scxml.Event, each func(now timebase.Time)) error {
	each(p.system.Now())
	for now := timebase.Time(0); p.machine.Running() && p.failed == nil && ctx.Err() == nil; {
		if p.Stop > 0 && now >= p.Stop {
			break
		}
		for _, e := range posted() {
			if err := p.take(e); err != nil {
				return err
			}
		}
		now += tick
		if p.Stop > 0 {
			now = min(now, p.Stop)
		}
		for len(events) > 0 && events[0].At <= now && p.machine.Running() {
			err := p.until(events[0].At, true)
			if err := errors.Join(err, p.take(events[0].Event)); err != nil {
				return err
			}
			events = events[1:]
		}
		if err := p.until(now, true); err != nil {
			return err
		}
		each(p.system.Now())
	}
	return p.failed
}

// take sends an event to the machine, if it is still running.
func (p *Player) take(e scxml.Event) error {
	if !p.machine.Running() {
		return nil
	}
	return errors.Join(p.machine.Post(e), p.system.Settle())
}

package play

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/scenario/storyboard"
)

// monitor judges the value of a monitor at the end.
type monitor struct{ requirement *Requirement }

func (p *Player) newMonitor(r *Requirement) (judge, error) {
	var names []string
	for _, m := range p.board.Monitors() {
		names = append(names, m.Name)
	}
	if !slices.Contains(names, r.name) {
		return nil, r.unknown(r.name, "a monitor of the scenario", names)
	}
	return &monitor{r}, nil
}

func (*monitor) look(*Player) {}

func (*monitor) happened(storyboard.Occurrence) {}

func (m *monitor) verdict(p *Player) Verdict {
	v := Verdict{Requirement: m.requirement.Text}
	for _, x := range p.board.Monitors() {
		if x.Name == m.requirement.name {
			if v.Passed = x.Value.Bool != m.requirement.negative; !v.Passed {
				v.Cause = fmt.Sprintf("the monitor %s is %v at the end", x.Name, x.Value.Bool)
			}
		}
	}
	return v
}

// element judges the final state of an element of the storyboard.
type element struct {
	requirement *Requirement
	element     *storyboard.Element
	seen        *float64 // when it was in that state
}

func (p *Player) newElement(r *Requirement) (judge, error) {
	var names []string
	var found []*storyboard.Element
	for _, e := range p.board.Elements()[1:] {
		if e.Kind.String() != r.element {
			continue
		}
		names = append(names, e.Name)
		if e.Name == r.name || e.Path == r.name || strings.HasSuffix(e.Path, "::"+r.name) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return nil, r.unknown(r.name, "the name of an element of type "+r.element, names)
	case 1:
		return &element{requirement: r, element: found[0]}, nil
	}
	return nil, r.unknown(r.name, "the path of one element, such as "+found[0].Path, nil)
}

// stateTransitions maps the words of requirements to the transitions of an element.
var stateTransitions = map[string]storyboard.Transition{"started": storyboard.StartTransition,
	"ended": storyboard.EndTransition, "stopped": storyboard.StopTransition,
	"skipped": storyboard.SkipTransition}

func (*element) look(*Player) {}

func (j *element) happened(o storyboard.Occurrence) {
	if o.Element != j.element || j.seen != nil ||
		strings.HasPrefix(o.Cause, storyboard.EndOfStoryboard) {
		return
	}
	awaited, is := stateTransitions[j.requirement.state]
	if is && o.Transition == awaited || !is && o.Status == storyboard.Complete {
		at := o.Time
		j.seen = &at
	}
}

func (j *element) verdict(*Player) Verdict {
	r := j.requirement
	v := Verdict{Requirement: r.Text, Time: j.seen, Passed: (j.seen != nil) != r.negative}
	switch {
	case v.Passed:
	case r.negative:
		v.Cause = fmt.Sprintf("%s is %s at %s s (%s)", j.element, r.state, number(*j.seen),
			j.element.Place)
	default:
		v.Cause = fmt.Sprintf("%s is never %s (%s)", j.element, r.state, j.element.Place)
	}
	return v
}

package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/internal/vacuous"
	"gosmp/scenario"
	"gosmp/scenario/storyboard"
)

// Verdict is the judgement on a requirement.
type Verdict struct {
	Requirement string   `json:"requirement"`
	Passed      bool     `json:"passed"`
	Undecided   bool     `json:"undecided,omitempty"` // could not be judged, and does not pass
	Value       *float64 `json:"value,omitempty"`     // in SI units
	Time        *float64 `json:"time,omitempty"`      // of the value, s
	Entity      string   `json:"entity,omitempty"`
	Other       string   `json:"other,omitempty"`
	Cause       string   `json:"cause,omitempty"`
	After       string   `json:"after,omitempty"` // the last event, with its place
}

// String returns the verdict as one line.
func (v Verdict) String() string {
	switch {
	case v.Passed && v.Value != nil && v.Time != nil:
		return "passed: " + v.Requirement + " (" + number(*v.Value) + " at " + number(*v.Time) +
			" s)"
	case v.Passed:
		return "passed: " + v.Requirement
	case v.Undecided:
		return "undecided: " + v.Requirement + ": " + v.Cause
	case v.After != "":
		return "failed: " + v.Requirement + ": " + v.Cause + "; after " + v.After
	default:
		return "failed: " + v.Requirement + ": " + v.Cause
	}
}

// asFarAs returns the verdict on a run with the result r. Because the rest of an incomplete run
// might have violated a requirement, no requirement passes, nor does one in a run without a step.
func (v Verdict) asFarAs(r *Result) Verdict {
	switch {
	case !v.Passed:
	case r.EndedBy == interruption || r.EndedBy == failure:
		v.Passed, v.Undecided = false, true
		v.Cause = "the run ended early, at " + number(r.Time) + " s, by an " + r.EndedBy
	default:
		if why := vacuous.WithoutStep("scenario", r.EndedBy, r.Steps); why != "" {
			v.Passed, v.Undecided, v.Cause = false, true, why
		}
	}
	return v
}

// judge follows a run.
type judge interface {
	look(p *Player) // after each evaluation
	happened(o storyboard.Occurrence)
	verdict(p *Player) Verdict
}

// listener is a judge that receives notes.
type listener interface{ noted(p *Player, n *Note) }

// prepareJudges creates the judges for the requirements and for collisions of the ego vehicle.
func (p *Player) prepareJudges() (errs []error) {
	if len(p.names) > 1 {
		c, err := p.newCollisions(p.ego(), -1)
		if err != nil {
			return []error{err}
		}
		c.report = true
		p.judges = append(p.judges, c)
	}
	for k := range p.options.Requirements {
		j, err := p.judgeOf(&p.options.Requirements[k])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.judges = append(p.judges, j)
	}
	if p.options.Fault != "" {
		p.judges = append(p.judges, unjudged{Requirement: "a scenario without errors",
			Undecided: true, Cause: p.options.Fault})
	}
	_, unknown := p.scenario.Requirements()
	for _, c := range unknown {
		at := fault.Place{File: c.File, Line: c.Line, Column: c.Column}
		p.judges = append(p.judges, unjudged{Requirement: c.Value("name"), Undecided: true,
			Cause: at.String() + ": " + scenario.Unjudged(c)})
	}
	return errs
}

// addCriteria adds the requirements that the scenario itself states.
func (p *Player) addCriteria() error {
	texts, _ := p.scenario.Requirements()
	for _, text := range texts {
		r, err := parseRequirement(text) // another tool accepts a distance of 0
		if err != nil {
			return err
		}
		p.options.Requirements = append(slices.Clip(p.options.Requirements), r)
	}
	return nil
}

// unjudged stands for a criterion that gosmp cannot judge. Without a verdict, a run with such a
// criterion could pass.
type unjudged Verdict

func (unjudged) look(*Player)                   {}
func (unjudged) happened(storyboard.Occurrence) {}
func (u unjudged) verdict(*Player) Verdict      { return Verdict(u) }

func (p *Player) judgeOf(r *Requirement) (judge, error) {
	entity, other := p.ego(), -1
	for _, x := range []struct {
		name string
		to   *int
	}{{r.entity, &entity}, {r.other, &other}} {
		if x.name == "" {
			continue
		}
		if *x.to = slices.Index(p.names, x.name); *x.to < 0 {
			return nil, r.unknown(x.name, "an entity", p.names)
		}
	}
	if entity == other && entity >= 0 {
		return nil, r.unknown(p.names[other], "an entity other than itself", nil)
	}
	if len(p.names) == 0 && r.kind != "element" && r.kind != "monitor" {
		return nil, r.unknown("no entity", "a scenario with one", nil)
	}
	switch r.kind {
	case "collision", "impact":
		c, err := p.newCollisions(entity, other)
		if err == nil {
			c.requirement = r
		}
		return c, err
	case "monitor":
		return p.newMonitor(r)
	case "dismissal":
		return &dismissals{requirement: r, entity: r.entity}, nil
	case "element":
		return p.newElement(r)
	case "reaction":
		return p.newReaction(r, entity)
	default:
		return p.newQuantity(r, entity, other)
	}
}

func (r *Requirement) unknown(name, expected string, names []string) error {
	place := r.Place
	place.Object = strconv.Quote(r.Text)
	if names != nil {
		expected += " (" + strings.Join(names, ", ") + ")"
	}
	return fault.New(ErrRequirement, place, strconv.Quote(name), expected).
		WithHint(similar.Hint(name, names))
}

// others returns the entities of a requirement other than the first.
func (p *Player) others(entity, other int) (list []int) {
	if other >= 0 {
		return []int{other}
	}
	for k := range p.names {
		if k != entity {
			list = append(list, k)
		}
	}
	return list
}

// condition creates a condition that a world can measure, from its type and pairs of attribute
// names and values.
func condition(kind string, attributes ...string) *scenario.Element {
	e := &scenario.Element{Name: kind, Type: kind}
	for k := 0; k+1 < len(attributes); k += 2 {
		e.Attributes = append(e.Attributes, &scenario.Attribute{Name: attributes[k],
			Value: attributes[k+1]})
	}
	return e
}

// with adds a child to an element, and returns the element.
func with(e, child *scenario.Element) *scenario.Element {
	child.Parent = e
	e.Children = append(e.Children, child)
	return e
}

func (p *Player) measure(e *scenario.Element, entity int) (storyboard.Measure, error) {
	return p.world.Measure(e, storyboard.Entity(entity))
}

// after returns the last event of a story in words.
func (p *Player) after() string {
	if p.last == nil {
		return ""
	}
	return fmt.Sprintf("%s of %s at %s s (%s)", p.last.Transition, p.last.Element,
		number(p.last.Time), p.last.Place)
}

// dismissals judges whether drivers carry out the actions of the storyboard.
type dismissals struct {
	requirement *Requirement
	entity      string // "": any
	first       *Note
	after       string
}

func (*dismissals) look(*Player)                   {}
func (*dismissals) happened(storyboard.Occurrence) {}

// noted looks for the first action that a driver has dismissed.
func (d *dismissals) noted(p *Player, n *Note) {
	if n.Kind == "dismissed" && d.first == nil && (d.entity == "" || d.entity == n.Entity) {
		d.first, d.after = n, p.after()
	}
}

func (d *dismissals) verdict(*Player) Verdict {
	v := Verdict{Requirement: d.requirement.Text, Passed: d.first == nil}
	if n := d.first; n != nil {
		v.Time, v.Entity, v.After = &n.Time, n.Entity, d.after
		v.Cause = fmt.Sprintf("the driver of %s dismisses %s at %s s", n.Entity, n.Text,
			number(n.Time))
	}
	return v
}

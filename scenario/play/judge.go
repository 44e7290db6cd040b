package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
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
// might have violated a requirement, no requirement passes.
func (v Verdict) asFarAs(r *Result) Verdict {
	if v.Passed && (r.EndedBy == interruption || r.EndedBy == failure) {
		v.Passed, v.Undecided = false, true
		v.Cause = "the run ended early, at " + number(r.Time) + " s, by an " + r.EndedBy
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
	return errs
}

// addCriteria adds the requirements that the scenario itself states, and notes the criteria that
// are not judged.
func (p *Player) addCriteria() error {
	texts, unknown := p.scenario.Requirements()
	for _, text := range texts {
		r, err := ParseRequirement(text)
		if err != nil {
			return err
		}
		p.options.Requirements = append(slices.Clip(p.options.Requirements), r)
	}
	for _, c := range unknown {
		p.note(&storyboard.Note{Entity: storyboard.NoEntity, Other: storyboard.NoEntity,
			Kind: "not judged", Text: c.Value("name") + ", line " + strconv.Itoa(c.Line)})
	}
	return nil
}

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

// collisions judges whether and how fast an entity hits others.
type collisions struct {
	requirement *Requirement
	report      bool // into the result
	entity      int
	others      []int
	measures    []storyboard.Measure
	touching    []bool
	found       []Collision
	after       string
}

func (p *Player) newCollisions(entity, other int) (*collisions, error) {
	c := &collisions{entity: entity}
	for _, k := range p.others(entity, other) {
		e := with(condition("CollisionCondition"), condition("EntityRef", "entityRef", p.names[k]))
		m, err := p.measure(e, entity)
		if err != nil {
			return nil, err
		}
		c.others, c.measures = append(c.others, k), append(c.measures, m)
	}
	c.touching = make([]bool, len(c.others))
	return c, nil
}

func (c *collisions) happened(storyboard.Occurrence) {}

func (c *collisions) look(p *Player) {
	for k, m := range c.measures {
		x, ok := m.Value()
		now := ok && x != 0
		if now && !c.touching[k] {
			if len(c.found) == 0 {
				c.after = p.after()
			}
			c.found = append(c.found, Collision{p.board.Now(), p.names[c.entity],
				p.names[c.others[k]], p.speed(c.entity), p.speed(c.others[k])})
		}
		c.touching[k] = now
	}
	if c.report {
		p.result.Collisions = append(p.result.Collisions[:0], c.found...)
	}
}

func (p *Player) speed(entity int) float64 {
	if s := p.world.State(storyboard.Entity(entity)); s != nil {
		return s.Speed
	}
	return 0
}

func (c *collisions) verdict(p *Player) Verdict {
	v := Verdict{Entity: p.names[c.entity]}
	if c.requirement == nil {
		return v
	}
	r := c.requirement
	v.Requirement = r.Text
	if r.kind == "impact" {
		return c.impact(v)
	}
	v.Passed = (len(c.found) == 0) == r.negative
	switch {
	case len(c.found) > 0:
		first := c.found[0]
		v.Time, v.Value, v.Other = &first.Time, &first.ImpactSpeed, first.Other
		if !v.Passed {
			v.Cause = fmt.Sprintf("%s collides with %s at %s s, impact speed %s m/s", first.Entity,
				first.Other, number(first.Time), number(first.ImpactSpeed))
			v.After = c.after
		}
	case !v.Passed:
		v.Cause = v.Entity + " does not collide"
	}
	return v
}

func (c *collisions) impact(v Verdict) Verdict {
	worst := Collision{}
	for _, x := range c.found {
		if x.ImpactSpeed >= worst.ImpactSpeed {
			worst = x
		}
	}
	v.Value, v.Passed = &worst.ImpactSpeed, c.requirement.holds(worst.ImpactSpeed)
	if len(c.found) > 0 {
		v.Time, v.Other = &worst.Time, worst.Other
	}
	if !v.Passed {
		v.Cause, v.After = "impact speed "+number(worst.ImpactSpeed)+" m/s, "+
			c.requirement.expected("m/s"), c.after
	}
	return v
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

func (*monitor) look(*Player)                   {}
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

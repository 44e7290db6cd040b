package storyboard_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/storyboard"
)

// line is a world in which entities are points on a line.
type line struct {
	entities []*point
	names    map[string]storyboard.Entity
	signals  map[string]string
	now      float64
	trouble  error
}

type point struct {
	exists    bool
	x, v, way float64
	ramp      *ramp
	state     storyboard.State
}

// ramp is a SpeedAction of dimension time or rate, linear or a step.
type ramp struct {
	w        *line
	p        *point
	target   float64
	seconds  float64 // or, below 0, the rate
	from, at float64
	until    float64
	on       bool
}

func (r *ramp) Domains() storyboard.Domain { return storyboard.Longitudinal }

func (r *ramp) Start(now float64, _ func(storyboard.Note)) error {
	if r.w.trouble != nil {
		return r.w.trouble
	}
	r.from, r.at, r.until = r.p.v, now, now+r.seconds
	if r.seconds < 0 {
		r.until = now + math.Abs(r.target-r.p.v)/-r.seconds
	}
	r.on = true
	r.move(now)
	if r.on {
		r.p.ramp = r
	}
	return nil
}

func (r *ramp) move(now float64) {
	if now >= r.until-1e-12 {
		r.p.v, r.on = r.target, false
		if r.p.ramp == r {
			r.p.ramp = nil
		}
		return
	}
	r.p.v = r.from + (r.target-r.from)*(now-r.at)/(r.until-r.at)
}

func (r *ramp) Ended() bool { return !r.on }
func (r *ramp) Stop()       { r.on, r.p.ramp = false, nil }

// once is an action that needs no time.
type once struct{ do func() }

func (o once) Domains() storyboard.Domain { return 0 }
func (o once) Start(float64, func(storyboard.Note)) error {
	o.do()
	return nil
}
func (o once) Ended() bool { return true }
func (o once) Stop()       {}

// lane is an action of the lateral domain that takes one second.
type lane struct {
	w     *line
	until float64
}

func (l *lane) Domains() storyboard.Domain { return storyboard.Lateral }
func (l *lane) Start(now float64, _ func(storyboard.Note)) error {
	l.until = now + 1
	return nil
}
func (l *lane) Ended() bool { return l.w.now >= l.until-1e-9 }
func (l *lane) Stop()       {}

func value(e *scenario.Element, name string) float64 {
	x, _ := strconv.ParseFloat(e.Value(name), 64)
	return x
}

func (w *line) Bind(e *scenario.Element, actor storyboard.Entity) (storyboard.Action, error) {
	switch e.Type {
	case "SpeedAction":
		d := e.Child("SpeedActionDynamics")
		r := &ramp{w: w, p: w.entities[actor], seconds: value(d, "value"),
			target: value(e.Path("SpeedActionTarget", "AbsoluteTargetSpeed"), "value")}
		if d.Value("dynamicsDimension") == "rate" {
			r.seconds = -r.seconds
		}
		if d.Value("dynamicsShape") == "step" {
			r.seconds = 0
		}
		return r, nil
	case "LaneChangeAction":
		return &lane{w: w}, nil
	case "TeleportAction":
		p := w.entities[actor]
		return once{func() { p.x = value(e.Path("Position", "WorldPosition"), "x") }}, nil
	case "AddEntityAction":
		return once{func() { w.entities[actor].exists = true }}, nil
	case "DeleteEntityAction":
		return once{func() { w.entities[actor].exists = false }}, nil
	case "EnvironmentAction":
		return once{func() {}}, nil
	}
	return nil, &scenario.Error{Place: e.Place(), Kind: storyboard.ErrUnsupported, Found: e.Name,
		Expected: "an action of a line"}
}

type measure func() (float64, bool)

func (m measure) Value() (float64, bool) { return m() }

func (w *line) Measure(e *scenario.Element, x storyboard.Entity) (storyboard.Measure, error) {
	p := w.entities[x]
	existing := func(read func() float64) (storyboard.Measure, error) {
		return measure(func() (float64, bool) { return read(), p.exists }), nil
	}
	switch e.Type {
	case "SpeedCondition", "StandStillCondition":
		return existing(func() float64 { return p.v })
	case "TraveledDistanceCondition":
		return existing(func() float64 { return p.way })
	case "ReachPositionCondition":
		return existing(func() float64 {
			return math.Abs(p.x - value(e.Path("Position", "WorldPosition"), "x"))
		})
	case "RelativeDistanceCondition":
		q := w.entities[w.names[e.Value("entityRef")]]
		return existing(func() float64 { return math.Abs(q.x - p.x) })
	}
	return nil, &scenario.Error{Place: e.Place(), Kind: storyboard.ErrUnsupported, Found: e.Name,
		Expected: "a condition of a line"}
}

func (w *line) Enter(x storyboard.Entity) { w.entities[x].exists = true }

func (w *line) State(x storyboard.Entity) *storyboard.State {
	p := w.entities[x]
	if !p.exists {
		return nil
	}
	p.state = storyboard.State{X: p.x, Speed: p.v, Traveled: p.way}
	return &p.state
}

func (w *line) Signal(id, state string) { w.signals[id] = state }

func (w *line) Advance(from, to float64, _ func(storyboard.Note)) error {
	w.now = to
	for _, p := range w.entities {
		before := p.v
		if p.ramp != nil {
			p.ramp.move(to)
		}
		way := (before + p.v) / 2 * (to - from)
		p.x += way
		p.way += math.Abs(way)
	}
	return nil
}

// play is a scenario that runs in a line.
type play struct {
	t     require.TestingT
	world *line
	board *storyboard.Board
	log   []string // "1.00 event E1 startTransition"
	notes []storyboard.Note
	step  float64
}

// document is a whole scenario around a Storyboard, with entities A, B and C.
func document(head, board string) string {
	var b strings.Builder
	b.WriteString(`<OpenSCENARIO><FileHeader revMajor="1" revMinor="3" date="2026-01-01T00:00:00"` +
		` description="" author=""/>`)
	params, rest, _ := strings.Cut(head, "|")
	b.WriteString(
		params + `<CatalogLocations/>` + `<RoadNetwork>` + rest + `</RoadNetwork><Entities>`,
	)
	for _, name := range []string{"A", "B", "C"} {
		fmt.Fprintf(&b, `<ScenarioObject name="%s"><ExternalObjectReference name="%s"/>`+
			`</ScenarioObject>`, name, name)
	}
	b.WriteString(`<EntitySelection name="AB"><Members><EntityRef entityRef="A"/>` +
		`<EntityRef entityRef="B"/></Members></EntitySelection></Entities>`)
	b.WriteString(`<Storyboard>` + board + `</Storyboard></OpenSCENARIO>`)
	return b.String()
}

func prepare(t require.TestingT, text string) (*play, []error) {
	d, err := scenario.Parse("test.xosc", []byte(text))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	p := &play{t: t, step: 0.01, world: &line{names: map[string]storyboard.Entity{},
		signals: map[string]string{}}}
	for k, o := range s.Root.Child("Entities").All("ScenarioObject") {
		p.world.names[o.Value("name")] = storyboard.Entity(k)
		p.world.entities = append(p.world.entities, &point{})
	}
	var errs []error
	p.board, errs = storyboard.New(s, p.world, storyboard.Options{Observe: p.observe})
	return p, errs
}

func (p *play) observe(o storyboard.Occurrence) {
	if o.Note != nil {
		p.notes = append(p.notes, *o.Note)
		return
	}
	if o.Transition != storyboard.NoTransition {
		p.log = append(p.log, fmt.Sprintf("%.2f %s %s", o.Time, o.Element.Name,
			strings.TrimSuffix(o.Transition.String(), "Transition")))
	}
}

// run goes on to a time, or to the end of the storyboard.
func run(t require.TestingT, text string, until float64) *play {
	p, errs := prepare(t, text)
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, p.board.Start())
	for k := 1; !p.board.Ended() && float64(k)*p.step < until+1e-9; k++ {
		require.NoError(t, p.board.Step(float64(k)*p.step))
	}
	return p
}

// of are the lines about elements whose names are among those, divided by blanks.
func (p *play) of(names string) (list []string) {
	for _, l := range p.log {
		words := strings.Fields(l)
		for _, n := range strings.Fields(names) {
			if strings.Join(words[1:len(words)-1], " ") == n {
				list = append(list, l)
			}
		}
	}
	return list
}

// Pieces of a storyboard.

func private(name, actions string) string {
	return `<Private entityRef="` + name + `">` + actions + `</Private>`
}

func initial(actions string) string { return `<Init><Actions>` + actions + `</Actions></Init>` }

func teleport(x float64) string {
	return fmt.Sprintf(`<PrivateAction><TeleportAction><Position><WorldPosition x="%g" y="0"/>`+
		`</Position></TeleportAction></PrivateAction>`, x)
}

func speed(v float64) string { return ramping(v, "step", "time", 0) }

func ramping(v float64, shape, dimension string, x float64) string {
	return fmt.Sprintf(`<PrivateAction><LongitudinalAction><SpeedAction><SpeedActionDynamics`+
		` dynamicsShape="%s" dynamicsDimension="%s" value="%g"/><SpeedActionTarget>`+
		`<AbsoluteTargetSpeed value="%g"/></SpeedActionTarget></SpeedAction></LongitudinalAction>`+
		`</PrivateAction>`, shape, dimension, x, v)
}

const changeLane = `<PrivateAction><LateralAction><LaneChangeAction><LaneChangeActionDynamics` +
	` dynamicsShape="linear" dynamicsDimension="time" value="1"/><LaneChangeTarget>` +
	`<AbsoluteTargetLane value="1"/></LaneChangeTarget></LaneChangeAction></LateralAction>` +
	`</PrivateAction>`

func story(acts string) string { return `<Story name="S">` + acts + `</Story>` }

// act is one whose actors are A, with one maneuver of these events.
func act(name, trigger, events string) string { return actOf(name, trigger, "A", 1, events) }

func actOf(name, trigger, actor string, count int, events string) string {
	return fmt.Sprintf(
		`<Act name="%[1]s"><ManeuverGroup name="G%[1]s" maximumExecutionCount="%[2]d">`+
			`<Actors selectTriggeringEntities="false"><EntityRef entityRef="%[3]s"/></Actors>`+
			`<Maneuver name="M%[1]s">%[4]s</Maneuver></ManeuverGroup>%[5]s</Act>`,
		name,
		count,
		actor,
		events,
		trigger,
	)
}

func event(name, priority string, count int, action, trigger string) string {
	return fmt.Sprintf(`<Event name="%[1]s" priority="%[2]s" maximumExecutionCount="%[3]d">`+
		`<Action name="%[1]sA">%[4]s</Action>%[5]s</Event>`, name, priority, count, action, trigger)
}

func start(conditions ...string) string {
	return `<StartTrigger><ConditionGroup>` + strings.Join(conditions, "") +
		`</ConditionGroup></StartTrigger>`
}

func stop(conditions ...string) string {
	return `<StopTrigger><ConditionGroup>` + strings.Join(conditions, "") +
		`</ConditionGroup></StopTrigger>`
}

func condition(edge string, delay float64, content string) string {
	return fmt.Sprintf(
		`<Condition name="c" conditionEdge="%s" delay="%g">%s</Condition>`,
		edge,
		delay,
		content,
	)
}

func byValue(
	content string,
) string {
	return `<ByValueCondition>` + content + `</ByValueCondition>`
}

func at(edge string, delay float64, rule string, t float64) string {
	return condition(
		edge,
		delay,
		byValue(fmt.Sprintf(`<SimulationTimeCondition value="%g" rule="%s"/>`,
			t, rule)),
	)
}

// from is a time with greaterOrEqual, without edge and delay.
func from(t float64) string { return at("none", 0, "greaterOrEqual", t) }

func state(edge string, delay float64, kind, name, state string) string {
	return condition(
		edge,
		delay,
		byValue(`<StoryboardElementStateCondition storyboardElementType="`+
			kind+`" storyboardElementRef="`+name+`" state="`+state+`"/>`),
	)
}

func byEntity(edge string, delay float64, rule, names, content string) string {
	refs := ""
	for _, n := range strings.Fields(names) {
		refs += `<EntityRef entityRef="` + n + `"/>`
	}
	return condition(edge, delay, `<ByEntityCondition><TriggeringEntities triggeringEntitiesRule="`+
		rule+`">`+refs+`</TriggeringEntities><EntityCondition>`+content+
		`</EntityCondition></ByEntityCondition>`)
}

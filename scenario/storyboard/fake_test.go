package storyboard_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/internal/line"
	"gosmp/scenario/storyboard"
)

// play is a scenario that runs on a line.
type play struct {
	t     require.TestingT
	world *line.World
	board *storyboard.Board
	log   []string // "1.00 E1 start"
	cause []string // the cause for each line of the log
	notes []storyboard.Note
	step  float64
}

// document returns a complete scenario with a Storyboard and the entities A, B and C.
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
	return prepareIn(t, "", text)
}

// prepareIn prepares a scenario in the folder that contains its catalogs.
func prepareIn(t require.TestingT, folder, text string) (*play, []error) {
	d, err := scenario.Parse(filepath.Join(folder, "test.xosc"), []byte(text))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	p := &play{t: t, step: 0.01, world: line.New(s)}
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
		p.cause = append(p.cause, o.Cause)
	}
}

// run runs a scenario to a time, or to the end of the storyboard.
func run(t require.TestingT, text string, until float64) *play {
	p, errs := prepare(t, text)
	require.NoError(t, errors.Join(errs...))
	p.until(until)
	return p
}

// until starts the storyboard and runs it to a time, or to its end.
func (p *play) until(until float64) {
	require.NoError(p.t, p.board.Start())
	for k := 1; !p.board.Ended() && float64(k)*p.step < until+1e-9; k++ {
		require.NoError(p.t, p.board.Step(float64(k)*p.step))
	}
}

// of returns the lines about the elements with the given names, which are separated by spaces.
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

// act returns an act with the actor A and one maneuver of these events.
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

// from returns a time condition with greaterOrEqual, without edge and delay.
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

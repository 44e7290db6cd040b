package served_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/support"
	"gosmp/scenario"
	"gosmp/scenario/served"
	"gosmp/simapi"
	"gosmp/simapi/check"
	"gosmp/timebase"
)

const car = `<Vehicle name="car" vehicleCategory="car"><BoundingBox><Center x="1.4" y="0" z="0.75"/>` +
	`<Dimensions width="2" length="5" height="1.5"/></BoundingBox><Performance maxSpeed="60" ` +
	`maxAcceleration="10" maxDeceleration="10"/><Axles><FrontAxle maxSteering="0.5" ` +
	`wheelDiameter="0.6" trackWidth="1.8" positionX="2.7" positionZ="0.3"/><RearAxle ` +
	`maxSteering="0" wheelDiameter="0.6" trackWidth="1.8" positionX="0" positionZ="0.3"/></Axles>` +
	`</Vehicle>`

// document has an ego vehicle at 10 m/s and a car ahead that disappears after 2 s.
const document = `<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-11-27T12:00:00" description="" author=""/>
<CatalogLocations/><RoadNetwork/>
<Entities><ScenarioObject name="Ego">` + car + `</ScenarioObject>
<ScenarioObject name="Target">` + car + `</ScenarioObject></Entities>
<Storyboard><Init><Actions>
<Private entityRef="Ego"><PrivateAction><TeleportAction><Position><WorldPosition x="0" y="0"/></Position></TeleportAction></PrivateAction>
<PrivateAction><LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time" value="0"/><SpeedActionTarget><AbsoluteTargetSpeed value="10"/></SpeedActionTarget></SpeedAction></LongitudinalAction></PrivateAction>
<PrivateAction><ControllerAction><AssignControllerAction activateLateral="true" activateLongitudinal="true"><ObjectController><Controller name="c"><Properties/></Controller></ObjectController></AssignControllerAction></ControllerAction></PrivateAction></Private>
<Private entityRef="Target"><PrivateAction><TeleportAction><Position><WorldPosition x="100" y="0"/></Position></TeleportAction></PrivateAction></Private>
</Actions></Init>
<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1"><Actors selectTriggeringEntities="false"><EntityRef entityRef="Target"/></Actors><Maneuver name="M">
<Event name="Leave" priority="parallel"><Action name="leave"><GlobalAction><EntityAction entityRef="Target"><DeleteEntityAction/></EntityAction></GlobalAction></Action>
<StartTrigger><ConditionGroup><Condition name="late" conditionEdge="none" delay="0"><ByValueCondition><SimulationTimeCondition rule="greaterOrEqual" value="2"/></ByValueCondition></Condition></ConditionGroup></StartTrigger>
</Event></Maneuver></ManeuverGroup></Act></Story>
<StopTrigger><ConditionGroup><Condition name="end" conditionEdge="none" delay="0"><ByValueCondition><SimulationTimeCondition rule="greaterOrEqual" value="3"/></ByValueCondition></Condition></ConditionGroup></StopTrigger>
</Storyboard></OpenSCENARIO>`

func simulator(t *testing.T) *support.Simulator { return simulatorOf(t, document) }

func simulatorOf(t *testing.T, document string) *support.Simulator {
	d, err := scenario.Read("cut.xosc", strings.NewReader(document))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	first, err := served.New(s, 1, timebase.Every(0.01), served.Options{})
	require.NoError(t, err)
	defer first.Close()
	return support.New(support.Options{Map: first.World().Map(), SceneFile: "cut.xosc",
		Scene: served.Maker(s, served.Options{})})
}

type director struct {
	*simapi.Client
	t      *testing.T
	events []*simapi.Event
	now    float64 // ms
}

func direct(t *testing.T) *director { return directed(t, simulator(t)) }

func directed(t *testing.T, s *support.Simulator) *director {
	server := simapi.NewServer(simapi.Config{Name: "gosmp", Simulator: s})
	c, err := server.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close(); _ = server.Close() })
	d := &director{Client: c, t: t}
	_, err = c.Init(context.Background(), &simapi.Init{StepSizeMs: 100, Seed: 1,
		MapInfo: &simapi.MapInfo{Path: "elsewhere/cut.xosc"}})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(context.Background()))
	return d
}

func (d *director) start() {
	require.NoError(d.t, d.StartSimulation(context.Background(), &simapi.StartSimulation{}))
	require.NoError(d.t, d.WaitStartSimulation(context.Background(),
		&simapi.WaitStartSimulation{}))
}

func (d *director) steps(n int) {
	for range n {
		d.now += 100
		reply, err := d.Step(context.Background(), &simapi.Step{RequestedSimTimeMs: d.now})
		require.NoError(d.t, err)
		for _, e := range reply.GetEvents() {
			d.events = append(d.events, proto.CloneOf(e))
		}
	}
}

// x returns the x positions of all actors, with a star after the names of the scenario's actors.
func (d *director) x() map[string]float64 {
	reply, err := d.GetActorsStates(context.Background(), &simapi.GetActorsStates{Own: true})
	require.NoError(d.t, err)
	list := map[string]float64{}
	for _, s := range reply.GetState() {
		name := s.GetActorId()
		if s.GetDescription() != nil {
			name += "*"
		}
		list[name] = s.GetPosition().GetX()
	}
	return list
}

func (d *director) has(kind, message string) bool {
	return slices.ContainsFunc(d.events, func(e *simapi.Event) bool {
		return e.GetKind() == kind && e.GetMessage() == message
	})
}

// TestScene_GoesOnByItself checks that the scenario continues for a director that does nothing, and
// that the director receives the storyboard's events.
func TestScene_GoesOnByItself(t *testing.T) {
	d := direct(t)
	require.Equal(t, map[string]float64{"Ego*": 1.4, "Target*": 101.4}, d.x())
	d.start()
	d.steps(10)
	require.InDelta(t, 11.4, d.x()["Ego*"], 1e-9)
	d.steps(20)
	require.Equal(t, 1, len(d.x()), "the target is gone")
	require.True(t, d.has("scenario.event.start", "S::A::G::M::Leave (late)"))
	require.True(t, d.has("scenario.over", "StopTrigger"))
	d.steps(1)
	require.InDelta(t, 32.4, d.x()["Ego*"], 1e-9, "the world goes on")
}

// TestScene_GivesEntities checks that a director that creates an actor with the name of an entity
// drives it starting with the first move, and returns it by destroying it.
func TestScene_GivesEntities(t *testing.T) {
	ctx := context.Background()
	d := direct(t)
	d.x() // it has seen the entities
	create := &simapi.CreateActor{ActorId: "Ego",
		Description: &simapi.ActorDescription{ActorType: "car"}}
	reply, err := d.CreateActor(ctx, create)
	require.NoError(t, err)
	require.Equal(t, 5.0, reply.GetDescription().GetLength())
	require.Equal(t, map[string]float64{"Ego": 1.4, "Target*": 101.4}, d.x())
	_, err = d.CreateActor(ctx, create)
	require.ErrorIs(t, err, simapi.Code_DUPLICATE)
	d.start()
	d.steps(10)
	require.InDelta(t, 11.4, d.x()["Ego"], 1e-9, "as the storyboard says")
	x, y, v, none := 12.4, 1.0, 10.0, 0.0
	err = d.SetActorState(ctx, &simapi.SetActorState{State: &simapi.ActorState{ActorId: "Ego",
		Position: &simapi.Coord6Dof{X: &x, Y: &y}, Speed: &simapi.Coord6Dof{X: &v, Y: &none}}})
	require.NoError(t, err)
	d.steps(1)
	require.InDelta(t, 12.4, d.x()["Ego"], 1e-9)
	d.steps(1)
	require.InDelta(t, 13.4, d.x()["Ego"], 1e-6, "it goes on with what the director said")
	require.NoError(t, d.DestroyActor(ctx, &simapi.DestroyActor{ActorId: "Ego"}))
	d.steps(1)
	require.InDelta(t, 14.4, d.x()["Ego*"], 1e-6, "the storyboard goes on from there")
	_, err = d.CreateActor(ctx, create)
	require.NoError(t, err)
	require.Contains(t, d.x(), "Ego")
}

// TestScene_GivesTrailers checks that a director may also drive a trailer, whether it is described
// inside its vehicle or an entity, while the vehicle goes on without it. The trailer follows its
// vehicle again when the director returns it.
func TestScene_GivesTrailers(t *testing.T) {
	ctx := context.Background()
	trailer := strings.NewReplacer(`"car"`, `"t"`, "</Axles>",
		`</Axles><TrailerCoupler dx="4"/>`).Replace(car)
	described := strings.Replace(strings.Replace(trailer, "<Vehicle", "<Trailer name=\"T\"><Vehicle",
		1), "</Vehicle>", "</Vehicle></Trailer>", 1)
	towing := func(trailer string) string {
		return strings.Replace(car, "</Axles>", `</Axles><TrailerHitch dx="-1"/><Trailer>`+trailer+
			`</Trailer>`, 1)
	}
	for name, document := range map[string]string{
		"Ego.T": strings.Replace(document, car, towing(described), 1),
		"Target": strings.Replace(strings.Replace(document, `"Target">`+car, `"Target">`+trailer, 1),
			`"Ego">`+car, `"Ego">`+towing(`<TrailerRef entityRef="Target"/>`), 1),
	} {
		d := directed(t, simulatorOf(t, document))
		d.x() // it has seen the entities
		_, err := d.CreateActor(ctx, &simapi.CreateActor{ActorId: name,
			Description: &simapi.ActorDescription{ActorType: "car"}})
		require.NoError(t, err)
		d.start()
		d.steps(2)
		require.InDelta(t, -1.6, d.x()[name], 1e-9, "it follows its vehicle")
		x, y, v, none := -1.6, 0.0, 5.0, 0.0
		for k := range 3 {
			x += v * 0.1
			require.NoError(t, d.SetActorState(ctx, &simapi.SetActorState{State: &simapi.ActorState{
				ActorId: name, Position: &simapi.Coord6Dof{X: &x, Y: &y},
				Speed: &simapi.Coord6Dof{X: &v, Y: &none}}}))
			d.steps(1)
			require.InDelta(t, 4.4+float64(k), d.x()["Ego*"], 1e-6)
			require.InDelta(t, x, d.x()[name], 1e-9, "%s goes its own way", name)
		}
		require.NoError(t, d.DestroyActor(ctx, &simapi.DestroyActor{ActorId: name}))
		for k := range 3 {
			d.steps(1)
			require.InDelta(t, 7.4+float64(k), d.x()["Ego*"], 1e-6)
			require.InDelta(t, 2.4+float64(k), d.x()[name+"*"], 1e-6, "it follows again")
		}
	}
}

// TestScene_CollisionOfADrivenTrailer checks that a trailer that the director drives away from its
// vehicle collides with it like any other entity, in the events of the simulator, in notes and for
// conditions. An overlap at the hitch is no collision until the two have separated, also if the
// trailer leaves the hitch or is driven on into the vehicle.
func TestScene_CollisionOfADrivenTrailer(t *testing.T) {
	for _, c := range []struct {
		name    string
		hitch   string  // x on Ego
		start   float64 // x of the trailer
		speeds  []float64
		collide bool
	}{
		{"away and back", "-1", -3.6, []float64{10, 5, 5, 5, 40}, true},
		{"straight on", "-1", -3.6, []float64{10, 15, 15, 15}, false},
		{"fast straight on", "-1", -3.6, []float64{10, 20, 20}, false},
		{"semi-trailer leaves", "1", -1.6, []float64{10, 0, 0, 0, 0, 0, 0}, false},
		{"semi-trailer leaves slowly", "1", -1.6, []float64{10, 7, 7, 7, 7, 7, 7, 7, 7}, false},
		{"semi-trailer returns", "1", -1.6, []float64{10, 0, 0, 0, 0, 0, 0, 60}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := directed(t, simulatorOf(t, train(c.hitch, c.start)))
			d.drive(c.start, c.speeds)
			met := map[string]int{}
			for _, e := range d.events {
				if e.GetKind() != "scenario.note" || strings.HasPrefix(e.GetMessage(), "collision") {
					met[e.GetKind()]++
				}
			}
			want := 0
			if c.collide {
				want = 1
			}
			require.Equal(t, want, met["collision"])
			require.Equal(t, want, met["scenario.note"])
			require.Equal(t, c.collide, d.has("scenario.event.start", "S::A::G::M::Leave (late)"))
		})
	}
}

// train returns the document with Target as a trailer of Ego, and an event when the two collide.
func train(hitch string, x float64) string {
	trailer := strings.NewReplacer(`"car"`, `"t"`, "</Axles>",
		`</Axles><TrailerCoupler dx="4"/>`).Replace(car)
	ego := strings.Replace(car, "</Axles>", `</Axles><TrailerHitch dx="`+hitch+`"/><Trailer>`+
		`<TrailerRef entityRef="Target"/></Trailer>`, 1)
	hit := `<ByEntityCondition><TriggeringEntities triggeringEntitiesRule="any"><EntityRef ` +
		`entityRef="Ego"/></TriggeringEntities><EntityCondition><CollisionCondition><EntityRef ` +
		`entityRef="Target"/></CollisionCondition></EntityCondition></ByEntityCondition>`
	return strings.NewReplacer(`"Target">`+car, `"Target">`+trailer, `"Ego">`+car, `"Ego">`+ego,
		`<ByValueCondition><SimulationTimeCondition rule="greaterOrEqual" value="2"/>`+
			`</ByValueCondition>`, hit, `x="100"`, fmt.Sprintf(`x="%g"`, x-1.4)).Replace(document)
}

// drive drives Target along x, one step with each speed, while Ego drives with 10 m/s.
func (d *director) drive(x float64, speeds []float64) {
	ctx, none := context.Background(), 0.0
	d.x()
	_, err := d.CreateActor(ctx, &simapi.CreateActor{ActorId: "Target",
		Description: &simapi.ActorDescription{ActorType: "car"}})
	require.NoError(d.t, err)
	d.start()
	for _, v := range speeds {
		x += v * 0.1
		require.NoError(d.t, d.SetActorState(ctx, &simapi.SetActorState{State: &simapi.ActorState{
			ActorId: "Target", Position: &simapi.Coord6Dof{X: &x, Y: &none},
			Speed: &simapi.Coord6Dof{X: &v, Y: &none}}}))
		d.steps(1)
	}
}

// TestScene_DeletesWhatTheDirectorHas checks that the director keeps entities that the scenario
// deletes, at their last place, and that everything restarts afterwards.
func TestScene_DeletesWhatTheDirectorHas(t *testing.T) {
	ctx := context.Background()
	d := direct(t)
	x, y := 50.0, 3.0
	_, err := d.CreateActor(ctx, &simapi.CreateActor{ActorId: "Target",
		Description: &simapi.ActorDescription{ActorType: "car"},
		State:       &simapi.ActorState{Position: &simapi.Coord6Dof{X: &x, Y: &y}}})
	require.NoError(t, err)
	_, err = d.CreateActor(ctx, &simapi.CreateActor{ActorId: "other",
		Description: &simapi.ActorDescription{ActorType: "truck"},
		State:       &simapi.ActorState{Position: &simapi.Coord6Dof{X: &x, Y: &x}}})
	require.NoError(t, err)
	d.start()
	d.steps(25)
	require.InDelta(t, 50, d.x()["Target"], 1e-9)
	require.InDelta(t, 50, d.x()["other"], 1e-9)
	require.NoError(t, d.DestroyActor(ctx, &simapi.DestroyActor{ActorId: "Target"}))
	_, err = d.EndSimulation(ctx, &simapi.EndSimulation{})
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"Ego*": 1.4, "Target*": 101.4}, d.x())
}

// TestScene_PassesTheCheck checks that the simulator check finds no mistakes in a scene.
func TestScene_PassesTheCheck(t *testing.T) {
	result, err := check.Simulator(t.Context(), simapi.Config{Name: "gosmp",
		Simulator: simulator(t)})
	require.NoError(t, err)
	require.Empty(t, result.Findings)
}

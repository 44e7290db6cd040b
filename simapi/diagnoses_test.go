package simapi_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/simapi"
)

// TestServer_Diagnoses checks that integrators' mistakes are refused or reported with the id of the
// rule.
func TestServer_Diagnoses(t *testing.T) {
	one := func(f func(*simapi.ActorControls)) *simapi.SetDynamicMove {
		c := &simapi.ActorControls{}
		f(c)
		return &simapi.SetDynamicMove{ActorId: "a", Controls: []*simapi.ActorControls{c}}
	}
	points := func(n int) (list []*simapi.Coord6Dof) {
		for k := range n {
			list = append(list, simapi.XY(float64(k), 0))
		}
		return list
	}
	path := func(start, end float64, n int) *simapi.SetXyTrajectory {
		return &simapi.SetXyTrajectory{ActorId: "a", StartTimeMs: start, EndTimeMs: end,
			Polyline: points(n)}
	}
	bad := path(40, 80, 3)
	bad.Polyline[1].Y = nil
	tall := car("b", 0, 0)
	tall.Description.Height = -1
	nowhere := car("b", 0, 0)
	nowhere.State.Position.X, nowhere.State.ActorId = nil, ""
	turned := car("b", 0, 0)
	turned.State.Position.Yaw = proto.Float64(90)
	sizeless := car("", 0, 0)
	for _, c := range []struct {
		request proto.Message
		m       simapi.Method
		code    simapi.Code
		text    string
	}{
		{car("a", 0, 0), simapi.Method_CREATE_ACTOR, simapi.Code_DUPLICATE,
			`create_actor: actor_id: duplicate: found "a", expected an identity that is new`},
		{sizeless, simapi.Method_CREATE_ACTOR, simapi.Code_INVALID, `actor_id: invalid: found ""`},
		{tall, simapi.Method_CREATE_ACTOR, simapi.Code_INVALID,
			`description.height: invalid: found -1, expected a finite number of at least 0`},
		{nowhere, simapi.Method_CREATE_ACTOR, simapi.Code_INVALID,
			`actor "b": position.x: invalid: found no value, expected x and y`},
		{turned, simapi.Method_CREATE_ACTOR, simapi.Code_OK,
			"state.position.yaw is 90 rad, more than a full turn: are these degrees? (SA08)"},
		{&simapi.DestroyActor{ActorId: "A"}, simapi.Method_DESTROY_ACTOR, simapi.Code_UNKNOWN_ACTOR,
			`found "A", expected an actor that exists; did you mean "a"?`},
		{bad, simapi.Method_SET_XY_TRAJECTORY, simapi.Code_INVALID,
			"polyline[1].y: invalid: found no value"},
		{path(80, 40, 3), simapi.Method_SET_XY_TRAJECTORY, simapi.Code_INVALID,
			"an end after the start (SA17)"},
		{path(0, 20, 3), simapi.Method_SET_XY_TRAJECTORY, simapi.Code_INVALID,
			"does not end before the present, 40 ms (SA18)"},
		{path(0.04, 0.08, 3), simapi.Method_SET_XY_TRAJECTORY, simapi.Code_INVALID, "(SA18)"},
		{path(20, 80, 4), simapi.Method_SET_XY_TRAJECTORY, simapi.Code_OK,
			"begins 20 ms before the present: points in the past are dropped (SA18)"},
		{path(40, 40040, 3), simapi.Method_SET_XY_TRAJECTORY, simapi.Code_OK,
			"this looks like microseconds"},
		{path(40, 80, 0), simapi.Method_SET_XY_TRAJECTORY, simapi.Code_INVALID,
			"polyline: invalid: found no points"},
		{path(40, math.Inf(1), 1), simapi.Method_SET_XY_TRAJECTORY, simapi.Code_INVALID, "(SA17)"},
		{one(func(c *simapi.ActorControls) { c.Throttle = 2 }), simapi.Method_SET_DYNAMIC_MOVE,
			simapi.Code_INVALID, "controls[0].throttle: invalid: found 2, expected 0 to 1"},
		{one(func(c *simapi.ActorControls) { c.Brake = -0.1 }), simapi.Method_SET_DYNAMIC_MOVE,
			simapi.Code_INVALID, "(SA23)"},
		{one(func(c *simapi.ActorControls) { c.SteeringWheelAngle = math.NaN() }),
			simapi.Method_SET_DYNAMIC_MOVE, simapi.Code_INVALID, "found NaN"},
		{one(func(c *simapi.ActorControls) { c.Brake, c.Throttle = 1, 1 }),
			simapi.Method_SET_DYNAMIC_MOVE, simapi.Code_OK, "the brake wins (SA23)"},
		{&simapi.SetDynamicMove{ActorId: "a"}, simapi.Method_SET_DYNAMIC_MOVE, simapi.Code_INVALID,
			"no controls"},
		{&simapi.SetWeather{CloudCover: proto.Float64(100)}, simapi.Method_SET_WEATHER,
			simapi.Code_INVALID, "cloud_cover: invalid: found 100, expected 0 to 1"},
		{&simapi.SetTimeOfDay{SecondsSinceMidnight: 90000}, simapi.Method_SET_TIME_OF_DAY,
			simapi.Code_INVALID, "at least 0 and below 86400"},
		{&simapi.SetTimeOfDay{}, simapi.Method_SET_TIME_OF_DAY, simapi.Code_NOT_SUPPORTED,
			"set_time_of_day: not supported"},
		{&simapi.StartStep{RequestedSimTimeMs: 0.06}, simapi.Method_START_STEP, simapi.Code_INVALID,
			"this looks like seconds"},
		{&simapi.StartStep{RequestedSimTimeMs: 100}, simapi.Method_START_STEP, simapi.Code_INVALID,
			"found 100, expected 60, the present 40 + step_size_ms"},
		{&simapi.SetEgoDestination{ActorId: "a", Destination: &simapi.Coord6Dof{}},
			simapi.Method_SET_EGO_DESTINATION, simapi.Code_INVALID, "destination.x"},
		{&simapi.SendMessages{Message: []*simapi.Message{{}}}, simapi.Method_SEND_MESSAGES,
			simapi.Code_INVALID, "message[0]"},
		{&simapi.EgoCommand{}, simapi.Method_EGO_COMMAND, simapi.Code_NOT_SUPPORTED,
			"ego_command: not supported"},
		{&simapi.GetEgoInfo{}, 99, simapi.Code_NOT_SUPPORTED, "method 99: not supported"},
		{&simapi.GetActorsStates{ActorId: []string{"q"}}, simapi.Method_GET_ACTORS_STATES,
			simapi.Code_UNKNOWN_ACTOR, `found "q"`},
	} {
		_, connect := serve(t, &double{}, &stack{}, false)
		client := connect("director", simapi.Role_SSP)
		launched(t, client, &simapi.Init{StepSizeMs: 20})
		_, err := client.CreateActor(t.Context(), car("a", 0, 0))
		require.NoError(t, err)
		running(t, client)
		step(t, client, 20)
		step(t, client, 40)
		_, err = client.Call(t.Context(), c.m, c.request)
		text := strings.Join(client.Warnings(), "\n")
		if err != nil {
			text = err.Error()
		}
		require.Equal(t, c.code, simapi.CodeOf(err), text)
		require.Contains(t, text, c.text)
	}
}

// TestServer_OncePerSimulation checks F7 and SA20: a second destination, and two kinds of move at
// the same time.
func TestServer_OncePerSimulation(t *testing.T) {
	_, connect := serve(t, &double{}, &stack{}, true)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	for range 2 { // a new simulation starts from scratch
		_, err := c.CreateActor(t.Context(), car("a", 0, 0))
		require.NoError(t, err)
		goal := &simapi.SetEgoDestination{ActorId: "a", Destination: simapi.XY(100, 0)}
		require.NoError(t, c.SetEgoDestination(t.Context(), goal))
		require.EqualError(t, c.SetEgoDestination(t.Context(), goal),
			`set_ego_destination: invalid: found a second destination of "a", `+
				`expected one for each simulation; the first was given at 0 ms`)
		running(t, c)
		require.NoError(t, c.SetXYTrajectory(t.Context(), &simapi.SetXyTrajectory{ActorId: "a",
			EndTimeMs: 20, Polyline: []*simapi.Coord6Dof{simapi.XY(0, 0)}}))
		require.NoError(t, c.SetDynamicMove(t.Context(), &simapi.SetDynamicMove{ActorId: "a",
			Controls: []*simapi.ActorControls{{}}}))
		require.Contains(t, c.Warnings()[0],
			"set_xy_trajectory and set_dynamic_move; the last one rules (SA20)")
		reply := step(t, c, 20)
		require.Len(t, reply.GetEvents(), 1)
		require.Equal(t, simapi.EventTwoMoves, reply.GetEvents()[0].GetKind())
		require.Empty(t, step(t, c, 40).GetEvents())
		_, err = c.EndSimulation(t.Context(), &simapi.EndSimulation{})
		require.NoError(t, err)
	}
}

// TestServer_StatesOfTheSimulator checks that states that a simulator must not return are refused.
func TestServer_StatesOfTheSimulator(t *testing.T) {
	state := func(id string, p *simapi.Coord6Dof) *simapi.ActorState {
		return &simapi.ActorState{ActorId: id, Position: p}
	}
	a, b := state("a", simapi.XY(0, 0)), state("b", simapi.XY(9, 9))
	for _, c := range []struct {
		states []*simapi.ActorState
		text   string
	}{
		{[]*simapi.ActorState{b, a}, ""},
		{[]*simapi.ActorState{a},
			`found no state of "b", expected the states of all 2 actors (SA01)`},
		{[]*simapi.ActorState{a, a, b},
			`found a state of "a", expected one state of each actor that exists`},
		{[]*simapi.ActorState{a, b, state("c", simapi.XY(0, 0))}, `found a state of "c"`},
		{[]*simapi.ActorState{a, state("b", &simapi.Coord6Dof{Y: proto.Float64(1)})},
			`actor "b": position.x: invalid: found no value, expected x and y`},
		{[]*simapi.ActorState{a, state("b", simapi.XY(math.NaN(), 0))},
			`position.x: invalid: found NaN, expected a finite number`},
		{[]*simapi.ActorState{a, {ActorId: "b", Position: simapi.XY(0, 0),
			Speed: &simapi.Coord6Dof{X: proto.Float64(1)}}}, "speed.y: invalid: found no value"},
	} {
		d := &double{states: func() []*simapi.ActorState { return c.states }}
		_, connect := serve(t, d, nil, false)
		client := connect("director", simapi.Role_SSP)
		launched(t, client, &simapi.Init{StepSizeMs: 20})
		for _, id := range []string{"a", "b"} {
			_, err := client.CreateActor(t.Context(), car(id, 0, 0))
			require.NoError(t, err)
		}
		reply, err := client.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
		if c.text == "" {
			require.NoError(t, err)
			require.Equal(t, "a b", reply.GetState()[0].GetActorId()+" "+
				reply.GetState()[1].GetActorId(), "in the order of creation")
			continue
		}
		require.ErrorContains(t, err, c.text)
	}
}

// TestServer_Jump checks that a jump is reported in the next step.
func TestServer_Jump(t *testing.T) {
	_, connect := serve(t, &double{}, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	_, err := c.CreateActor(t.Context(), car("a", 0, 0))
	require.NoError(t, err)
	running(t, c)
	for k, x := range []float64{1, 1.5, 50} {
		end := float64(k+1) * 20
		require.NoError(t, c.SetXYTrajectory(t.Context(), &simapi.SetXyTrajectory{ActorId: "a",
			StartTimeMs: end - 20, EndTimeMs: end,
			Polyline: []*simapi.Coord6Dof{simapi.XY(x, 0)}}))
		step(t, c, end)
		_, err := c.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
		require.NoError(t, err)
	}
	reply := step(t, c, 80)
	require.Len(t, reply.GetEvents(), 1, "20 m/s is not a jump")
	require.Contains(t, reply.GetEvents()[0].GetMessage(), `"a" has jumped`)
}

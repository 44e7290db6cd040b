package simapi_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/simapi"
)

// both runs a test in this process and over TCP.
func both(t *testing.T, f func(t *testing.T, tcp bool)) {
	t.Run("in process", func(t *testing.T) { f(t, false) })
	t.Run("tcp", func(t *testing.T) { f(t, true) })
}

// TestServer_Scenario runs a scenario that covers nearly the whole API, and checks that the
// simulator receives the same calls in this process and over TCP.
func TestServer_Scenario(t *testing.T) {
	var logs [][]string
	both(t, func(t *testing.T, tcp bool) {
		d := &double{ownStep: 5}
		_, connect := serve(t, d, &stack{}, tcp)
		c := connect("director", simapi.Role_SSP)
		require.Equal(t, "double", c.Simulator())
		launched(t, c, &simapi.Init{StepSizeMs: 20, Properties: []*simapi.Property{{Name: "weather",
			Value: "dry"}}})
		require.NoError(t, c.SetWeather(t.Context(), &simapi.SetWeather{Rain: proto.Float64(2)}))
		_, err := c.CreateActor(t.Context(), car("ego", 0, 0))
		require.NoError(t, err)
		_, err = c.CreateActor(t.Context(), car("npc", 10, 0))
		require.NoError(t, err)
		require.NoError(t,
			c.StartSimulation(t.Context(),
				&simapi.StartSimulation{Properties: []*simapi.Property{{Name: "start", Value: "1"}}}))
		require.NoError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
		require.NoError(t, c.SetXYTrajectory(t.Context(), &simapi.SetXyTrajectory{ActorId: "npc",
			EndTimeMs: 40,
			Polyline: []*simapi.Coord6Dof{simapi.XY(10, 0), simapi.XY(10.1, 0), simapi.XY(10.2, 0),
				simapi.XY(10.3, 0), simapi.XY(10.4, 0),
				simapi.XY(10.5, 0), simapi.XY(10.6, 0), simapi.XY(10.7, 0), simapi.XY(10.8, 0)}}))
		require.Empty(t, c.Warnings())
		reply := step(t, c, 20)
		require.EqualValues(t, 4, reply.GetSteps())
		require.InDelta(t, 20, reply.GetSimTimeMs(), 0)
		states, err := c.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
		require.NoError(t, err)
		require.Len(t, states.GetState(), 2)
		require.InDelta(t, 10.4, states.GetState()[1].GetPosition().GetX(), 1e-12)
		require.InDelta(t, 20, states.GetState()[1].GetSpeed().GetX(), 1e-9, "0.4 m in 20 ms")
		require.Contains(t, states.GetState()[1].GetEstimated(), "speed")
		require.NotContains(t, states.GetState()[1].GetEstimated(), "position.x")
		require.NoError(t, c.DestroyActor(t.Context(), &simapi.DestroyActor{ActorId: "npc"}))
		step(t, c, 40)
		report, err := c.EndSimulation(t.Context(),
			&simapi.EndSimulation{Properties: []*simapi.Property{{Name: "end", Value: "2"}}})
		require.NoError(t, err)
		require.EqualValues(t, 8, report.GetSteps())
		var list []string
		for _, p := range report.GetProperties() {
			list = append(list, p.GetName()+"="+p.GetValue())
		}
		require.Equal(t, []string{"weather=dry", "start=1", "end=2", "collisions=0"}, list)
		require.NoError(t, c.TerminateSimulator(t.Context()))
		logs = append(logs, d.log)
	})
	require.Equal(t, logs[0], logs[1])
	require.Equal(t,
		"init 20, launch, weather 2, create ego, create npc, start, wait start, "+
			"trajectory npc 0 to 40, "+
			"step 0 to 5 ms, step 5 to 10 ms, step 10 to 15 ms, step 15 to 20 ms",
		strings.Join(logs[0][:12], ", "))
}

// TestServer_AllCallsInAllStates makes every call in every state. A call is legal if and only if
// the table has a cell for it. Otherwise it is refused with an error that lists the state, the
// legal calls and the preceding calls. A refused call changes nothing.
func TestServer_AllCallsInAllStates(t *testing.T) {
	requests := map[simapi.Method]proto.Message{
		simapi.Method_INIT: &simapi.Init{StepSizeMs: 20}, simapi.Method_CREATE_ACTOR: car("b",
			0, 0),
		simapi.Method_START_STEP: &simapi.StartStep{RequestedSimTimeMs: 20},
		simapi.Method_WAIT_STEP:  &simapi.WaitStep{},
		simapi.Method_SET_XY_TRAJECTORY: &simapi.SetXyTrajectory{ActorId: "a", EndTimeMs: 20,
			Polyline: []*simapi.Coord6Dof{simapi.XY(0, 0)}},
		simapi.Method_SET_DYNAMIC_MOVE: &simapi.SetDynamicMove{ActorId: "a",
			Controls: []*simapi.ActorControls{{}}},
		simapi.Method_SET_EGO_CONTROL: &simapi.SetEgoControl{ActorId: "a",
			Controls: &simapi.ActorControls{}},
		simapi.Method_DESTROY_ACTOR:           &simapi.DestroyActor{ActorId: "a"},
		simapi.Method_SET_ACTOR_PARAMS:        &simapi.SetActorParams{ActorId: "a"},
		simapi.Method_SET_EXTERNAL_CONTROLLER: &simapi.SetExternalController{ActorId: "a"},
		simapi.Method_SET_EGO_DESTINATION: &simapi.SetEgoDestination{ActorId: "a",
			Destination: simapi.XY(1, 1)},
		simapi.Method_LAUNCH_SIMULATOR:      &simapi.LaunchSimulator{},
		simapi.Method_TERMINATE_SIMULATOR:   &simapi.TerminateSimulator{},
		simapi.Method_START_SIMULATION:      &simapi.StartSimulation{},
		simapi.Method_WAIT_START_SIMULATION: &simapi.WaitStartSimulation{},
		simapi.Method_END_SIMULATION:        &simapi.EndSimulation{},
		simapi.Method_GET_ACTORS_STATES:     &simapi.GetActorsStates{},
		simapi.Method_SET_WEATHER:           &simapi.SetWeather{},
		simapi.Method_SET_TIME_OF_DAY:       &simapi.SetTimeOfDay{},
		simapi.Method_SIM_COMMAND:           &simapi.SimCommand{},
		simapi.Method_GET_EGO_INFO:          &simapi.GetEgoInfo{},
		simapi.Method_EGO_COMMAND:           &simapi.EgoCommand{},
		simapi.Method_SEND_MESSAGES:         &simapi.SendMessages{},
		simapi.Method_GET_MESSAGES:          &simapi.GetMessages{},
	}
	way := []simapi.Method{simapi.Method_INIT, simapi.Method_LAUNCH_SIMULATOR,
		simapi.Method_START_SIMULATION,
		simapi.Method_WAIT_START_SIMULATION, simapi.Method_START_STEP}
	for state := simapi.Connected; state <= simapi.Stepping; state++ {
		for _, m := range simapi.Methods() {
			_, connect := serve(t, &double{}, &stack{}, false)
			c := connect("director", simapi.Role_SSP)
			for k, w := range way[:state-simapi.Connected] {
				if k == 2 {
					_, err := c.CreateActor(t.Context(), car("a", 0, 0))
					require.NoError(t, err)
				}
				_, err := c.Call(t.Context(), w, requests[w])
				require.NoError(t, err)
			}
			if state == simapi.Launched {
				_, err := c.CreateActor(t.Context(), car("a", 0, 0))
				require.NoError(t, err)
			}
			_, err := c.Call(t.Context(), m, requests[m])
			after, legal := m.After(state)
			if legal {
				require.NotEqual(t, simapi.Code_WRONG_STATE, simapi.CodeOf(err),
					"%s in state %s: %v", m.Word(), state, err)
				continue
			}
			require.Equal(t, simapi.Nowhere, after)
			require.ErrorIs(t, err, simapi.Code_WRONG_STATE, "%s in state %s", m.Word(), state)
			require.ErrorContains(t, err, m.Word()+": wrong state: found state "+state.String())
		}
	}
	_, connect := serve(t, &double{}, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	_, err := c.WaitStep(t.Context(), &simapi.WaitStep{})
	require.EqualError(t, err,
		`wait_step: wrong state: found state launched of "director", expected one of the calls `+
			"terminate_simulator, start_simulation, get_actors_states, create_actor, "+
			"set_actor_params, destroy_actor, set_weather, "+
			"set_time_of_day, sim_command, set_xy_trajectory, set_dynamic_move, "+
			"set_external_controller, set_actor_state, "+
			"get_ground_truth, set_ego_destination, "+
			"set_ego_control, get_ego_info, ego_command, send_messages, get_messages; the calls "+
			"before were init, launch_simulator")
}

// TestStepRatio_FixedSteps checks the fixed steps of capabilities, which have to fit as well.
func TestStepRatio_FixedSteps(t *testing.T) {
	for _, c := range []struct {
		own, fixed float64
		ratio      int64 // 0: refused
	}{{20, 0, 1}, {20, 20, 1}, {5, 5, 4}, {20, 7, 0}, {20, 10, 0}, {20, -20, 0}, {20, 40, 0},
		{20, math.NaN(), 0}, {20, math.Inf(1), 0}, {20, 1e-300, 0}, {7, 20, 0}, {0, 20, 0}} {
		_, ratio, err := simapi.StepRatio(&simapi.Init{StepSizeMs: 20},
			&simapi.InitReply{SimulationStepSizeMs: c.own,
				Capabilities: &simapi.Capabilities{FixedStepMs: c.fixed}})
		require.Equal(t, c.ratio, ratio, "%v", c)
		if c.ratio == 0 {
			require.ErrorIs(t, err, simapi.Code_STEP_RATIO)
		} else {
			require.NoError(t, err)
		}
	}
}

// TestServer_StepRatio checks that one step of the director is a whole number of steps of the
// simulator.
func TestServer_StepRatio(t *testing.T) {
	for _, c := range []struct {
		director, simulator float64
		steps               int // 0: refused
	}{{20, 5, 4}, {20, 20, 1}, {20, 3, 0}, {5, 20, 0}, {1000.0 / 60, 1000.0 / 120, 2},
		{10, 0.1, 100}, {20, 20.01, 0}, {20, math.NaN(), 0}, {20, -5, 0}} {
		d := &double{ownStep: c.simulator}
		_, connect := serve(t, d, nil, false)
		client := connect("director", simapi.Role_SSP)
		_, err := client.Init(t.Context(), &simapi.Init{StepSizeMs: c.director})
		if c.steps == 0 {
			require.ErrorIs(t, err, simapi.Code_STEP_RATIO)
			require.ErrorContains(t, err, "ms of the simulator in ")
			continue
		}
		require.NoError(t, err)
		require.NoError(t, client.LaunchSimulator(t.Context()))
		running(t, client)
		for k := 1; k <= 3; k++ {
			reply := step(t, client, c.director*float64(k))
			require.EqualValues(t, c.steps, reply.GetSteps())
		}
		require.Equal(t, 3*c.steps, strings.Count(strings.Join(d.log, ","), "step "))
	}
	_, connect := serve(t, &double{ownStep: 20}, nil, false)
	_, err := connect("director", simapi.Role_SSP).Init(t.Context(), &simapi.Init{StepSizeMs: 5})
	require.EqualError(t, err,
		"init: step ratio: found 20 ms of the simulator in 5 ms of the director, expected a "+
			"whole number of "+
			"simulator steps, at least one, in each step of the director; the simulator may be "+
			"faster than the director, never slower")
}

// TestServer_Override checks F8: changes by the system under test reach the simulator, but only for
// the ego vehicle.
func TestServer_Override(t *testing.T) {
	d := &double{}
	sut := &stack{override: func(r *simapi.SetDynamicMove) { r.Controls[0].Throttle = 0.25 }}
	_, connect := serve(t, d, sut, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	for _, id := range []string{"ego", "npc"} {
		r := car(id, 0, 0)
		r.Ego = id == "ego"
		_, err := c.CreateActor(t.Context(), r)
		require.NoError(t, err)
		controls := []*simapi.ActorControls{{Throttle: 0.5, SteeringWheelAngle: 0.1}}
		require.NoError(t, c.SetDynamicMove(t.Context(), &simapi.SetDynamicMove{ActorId: id,
			Controls: controls}))
		require.InDelta(t, 0.5, controls[0].GetThrottle(), 0,
			"the caller's own message is left alone")
	}
	require.Equal(t, []string{"controls ego 0.25 0 0.1", "controls npc 0.5 0 0.1"},
		[]string{d.log[3], d.log[5]})
	running(t, c)
	step(t, c, 20)
	require.Equal(t, []string{"20 ms ego 0", "20 ms npc 0"}, sut.seen)
}

// TestServer_Messages checks that messages pass through the system under test in order.
func TestServer_Messages(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		_, connect := serve(t, &double{}, &stack{}, tcp)
		c := connect("director", simapi.Role_SSP)
		launched(t, c, &simapi.Init{StepSizeMs: 20})
		var sent []*simapi.Message
		for k := range 3 {
			sent = append(sent, &simapi.Message{Topic: fmt.Sprintf("/t%d", k%2),
				Type: "std_msgs/Bool", Cdr: []byte{0, 1, 0, 0, byte(k)}})
		}
		require.NoError(t, c.SendMessages(t.Context(), &simapi.SendMessages{Message: sent}))
		got, err := c.GetMessages(t.Context(), &simapi.GetMessages{Topic: []string{"/t0"}})
		require.NoError(t, err)
		require.Len(t, got.GetMessage(), 2)
		require.True(t, proto.Equal(sent[2], got.GetMessage()[1]))
	})
}

// host is a double that has its own actor, receives the positions of others, and describes its
// world.
type host struct {
	double
	own []*simapi.ActorState
	set []*simapi.SetActorState
}

func (h *host) OwnStates(context.Context) ([]*simapi.ActorState, error) { return h.own, nil }

func (h *host) SetActorState(_ context.Context, r *simapi.SetActorState) error {
	h.set = append(h.set, r)
	h.places[r.GetState().GetActorId()] = r.GetState().GetPosition()
	return nil
}

func (h *host) GroundTruth(_ context.Context,
	r *simapi.GetGroundTruth) (*simapi.GetGroundTruthReply, error) {
	return &simapi.GetGroundTruthReply{GroundTruth: []byte(r.GetActorId())}, nil
}

func (h *host) Notes() []string { return []string{"a note"} }

// TestServer_StepInOneCall checks that a step in one call sets actor states, performs the step and
// returns all states, and that events report when actors of the simulator appear and disappear.
func TestServer_StepInOneCall(t *testing.T) {
	for _, remote := range []bool{false, true} {
		h := &host{}
		_, connect := serve(t, h, nil, remote)
		c := connect("director", simapi.Role_SSP)
		launched(t, c, &simapi.Init{StepSizeMs: 20})
		_, err := c.CreateActor(t.Context(), car("ego", 0, 0))
		require.NoError(t, err)
		running(t, c)
		h.own = []*simapi.ActorState{{ActorId: "tram", Position: simapi.XY(5, 6),
			Description: &simapi.ActorDescription{ActorType: "bus", Length: 20},
			Controls:    &simapi.ActorControls{Brake: 1}}}
		set := &simapi.SetActorState{State: &simapi.ActorState{ActorId: "ego",
			Position: simapi.XY(0.3, 0.4)}}
		r, err := c.Step(t.Context(), &simapi.Step{RequestedSimTimeMs: 20, States: true,
			Set: []*simapi.SetActorState{set}})
		require.NoError(t, err)
		require.Contains(t, c.Warnings(), "a note")
		require.InDelta(t, 20, r.GetSimTimeMs(), 0)
		require.Len(t, h.set, 1)
		require.Len(t, r.GetState(), 2)
		require.InDelta(t, 0.4, r.GetState()[0].GetPosition().GetY(), 0)
		require.Equal(t, "bus", r.GetState()[1].GetDescription().GetActorType())
		require.InDelta(t, 1, r.GetState()[1].GetControls().GetBrake(), 0)
		require.Equal(t, "appeared", r.GetEvents()[0].GetKind())
		require.Equal(t, []string{"tram"}, r.GetEvents()[0].GetActorId())
		require.InDelta(t, 20, r.GetEvents()[0].GetDescription().GetLength(), 0)

		states, err := c.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
		require.NoError(t, err)
		require.Len(t, states.GetState(), 1, "only its own")
		_, err = c.CreateActor(t.Context(), &simapi.CreateActor{ActorId: "tram"})
		require.ErrorIs(t, err, simapi.Code_DUPLICATE)
		truth, err := c.GroundTruth(t.Context(), &simapi.GetGroundTruth{ActorId: "tram"})
		require.NoError(t, err)
		require.Equal(t, "tram", string(truth.GetGroundTruth()))
		_, err = c.GroundTruth(t.Context(), &simapi.GetGroundTruth{ActorId: "trem"})
		require.ErrorIs(t, err, simapi.Code_UNKNOWN_ACTOR)

		h.own = nil
		r, err = c.Step(t.Context(), &simapi.Step{RequestedSimTimeMs: 40})
		require.NoError(t, err)
		require.Empty(t, r.GetState())
		require.Equal(t, "gone", r.GetEvents()[0].GetKind())
		_, err = c.Step(t.Context(), &simapi.Step{RequestedSimTimeMs: 41})
		require.ErrorIs(t, err, simapi.Code_INVALID)
		require.ErrorIs(t, c.SetActorState(t.Context(), &simapi.SetActorState{}),
			simapi.Code_UNKNOWN_ACTOR)
	}
}

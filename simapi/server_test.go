package simapi_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/simapi"
	"gosmp/timebase"
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

// TestServer_TwoParties checks F10 and F11: the start and the steps of a simulation with two
// parties, first by split calls from one goroutine, and then the deadlock of one party that waits
// before the other has started.
func TestServer_TwoParties(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		d := &double{}
		_, connect := serve(t, d, &stack{}, tcp)
		a, b := connect("director", simapi.Role_SSP), connect("stack", simapi.Role_DSP)
		launched(t, a, &simapi.Init{StepSizeMs: 20, Parties: []string{"director", "stack"}})
		require.NoError(t, a.StartSimulation(t.Context(), &simapi.StartSimulation{}))
		err := a.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{MaxWaitMs: 30})
		require.ErrorIs(t, err, simapi.Code_TIMEOUT)
		require.ErrorContains(t, err, `dsp "stack" has not called start_simulation, no call yet`)
		require.NoError(t, b.StartSimulation(t.Context(), &simapi.StartSimulation{}))
		require.NoError(t, a.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}),
			"waiting again is legal")
		require.NoError(t, b.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
		for k := 1.0; k <= 3; k++ {
			require.NoError(t,
				a.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20 * k}))
			require.NoError(t,
				b.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20 * k}))
			for _, c := range []*simapi.Client{a, b} {
				reply, err := c.WaitStep(t.Context(), &simapi.WaitStep{})
				require.NoError(t, err)
				require.InDelta(t, 20*k, reply.GetSimTimeMs(), 0)
			}
		}
		_, err = b.GetEgoInfo(t.Context(), &simapi.GetEgoInfo{ActorId: "ego"})
		require.NoError(t, err)
		require.NoError(t, a.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 80}))
		_, err = a.WaitStep(t.Context(), &simapi.WaitStep{MaxWaitMs: 100})
		require.Equal(t, simapi.Code_TIMEOUT, simapi.CodeOf(err))
		require.ErrorContains(t, err,
			`for 80 ms: dsp "stack" has not called start_step, last get_ego_info at 60 ms`)
		late := simapi.Late(err)
		require.Len(t, late, 1)
		require.Equal(t, "stack", late[0].GetName())
		err = b.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 100})
		require.ErrorIs(t, err, simapi.Code_INVALID)
		require.NoError(t, b.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 80}))
		_, err = a.WaitStep(t.Context(), &simapi.WaitStep{})
		require.NoError(t, err)
	})
}

// TestServer_PartyLost checks that a party that vanishes while another one waits ends the wait at
// once, and the others can end the simulation in order.
func TestServer_PartyLost(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		_, connect := serve(t, &double{}, nil, tcp)
		a, b := connect("director", simapi.Role_SSP), connect("stack", simapi.Role_DSP)
		launched(t, a, &simapi.Init{StepSizeMs: 20, Parties: []string{"director", "stack"}})
		require.NoError(t, a.StartSimulation(t.Context(), &simapi.StartSimulation{}))
		running(t, b)
		require.NoError(t, a.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
		require.NoError(t, a.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
		time.AfterFunc(20*time.Millisecond, func() { _ = b.Close() })
		_, err := a.WaitStep(t.Context(), &simapi.WaitStep{MaxWaitMs: 60000})
		require.ErrorIs(t, err, simapi.Code_PARTY_LOST)
		require.ErrorContains(t, err,
			`party lost at 0 ms: dsp "stack" has closed its connection, last `+
				`wait_start_simulation at 0 ms`)
		err = a.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20})
		require.ErrorIs(t, err, simapi.Code_PARTY_LOST)
		_, err = a.EndSimulation(t.Context(), &simapi.EndSimulation{})
		require.NoError(t, err)
	})
}

// TestServer_DirectorLost lets the director itself vanish in wait_step: the simulation ends, and
// the server is ready for the next director.
func TestServer_DirectorLost(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		release := make(chan struct{})
		d := &double{onStep: func(ctx context.Context, _ timebase.Span) error {
			select {
			case <-ctx.Done():
			case <-release:
			}
			return ctx.Err()
		}}
		_, connect := serve(t, d, nil, tcp)
		a := connect("director", simapi.Role_SSP)
		watcher := connect("watcher", simapi.Role_OBSERVER)
		launched(t, a, &simapi.Init{StepSizeMs: 20})
		running(t, a)
		require.NoError(t, a.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
		time.AfterFunc(20*time.Millisecond, func() { _ = a.Close() })
		if tcp {
			_, err := a.WaitStep(t.Context(), &simapi.WaitStep{MaxWaitMs: 60000})
			require.ErrorIs(t, err, simapi.Code_PARTY_LOST)
		} else {
			time.Sleep(30 * time.Millisecond)
		}
		b := connect("director again", simapi.Role_SSP)
		require.Eventually(t, func() bool { // until the server detects it
			_, err := b.Init(t.Context(), &simapi.Init{StepSizeMs: 10})
			return err == nil
		}, time.Minute, time.Millisecond)
		require.Equal(t, "end, terminate, init 10", strings.Join(d.log[len(d.log)-3:], ", "))
		require.NoError(t, b.LaunchSimulator(t.Context()))
		_, err := watcher.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
		require.NoError(t, err)
		close(release)
		running(t, b)
		step(t, b, 10)
	})
}

// TestServer_LateSimulator checks that a hanging simulator is named, and that the wait can be
// repeated.
func TestServer_LateSimulator(t *testing.T) {
	release := make(chan struct{})
	d := &double{onStep: func(context.Context, timebase.Span) error { <-release; return nil }}
	_, connect := serve(t, d, nil, true)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	running(t, c)
	require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
	_, err := c.WaitStep(t.Context(), &simapi.WaitStep{MaxWaitMs: 50})
	require.ErrorIs(t, err, simapi.Code_TIMEOUT)
	require.Regexp(t, `for 20 ms: simulator "double" has been in this step for \d+\.\d`, err.Error())
	require.Equal(t, simapi.Role_SIMULATOR, simapi.Late(err)[0].GetRole())
	close(release)
	_, err = c.WaitStep(t.Context(), &simapi.WaitStep{})
	require.NoError(t, err)
	_, err = c.Call(t.Context(), simapi.Method_WAIT_STEP, &simapi.WaitStep{MaxWaitMs: 1e9})
	require.ErrorIs(t, err, simapi.Code_WRONG_STATE)
	require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 40}))
	_, err = c.WaitStep(t.Context(), &simapi.WaitStep{MaxWaitMs: 1e9})
	require.EqualError(t, err,
		"wait_step: max_wait_ms: invalid: found 1000000000, expected 0 (10 s) to 600000")
}

// TestServer_SimulatorFails checks that an error or a panic of the simulator ends the simulation,
// not the server.
func TestServer_SimulatorFails(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		fail := func(context.Context, timebase.Span) error { panic("division by zero") }
		d := &double{onStep: func(ctx context.Context, s timebase.Span) error {
			return fail(ctx, s)
		}}
		_, connect := serve(t, d, nil, tcp)
		c := connect("director", simapi.Role_SSP)
		launched(t, c, &simapi.Init{StepSizeMs: 20})
		running(t, c)
		require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
		_, err := c.WaitStep(t.Context(), &simapi.WaitStep{})
		require.ErrorIs(t, err, simapi.Code_INTERNAL)
		require.ErrorContains(t, err,
			"wait_step: the step to 20 ms: double: internal: found a panic: division by zero")
		require.ErrorIs(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}),
			simapi.Code_INTERNAL)
		_, err = c.EndSimulation(t.Context(), &simapi.EndSimulation{})
		require.NoError(t, err)
		fail = func(context.Context, timebase.Span) error { return nil }
		running(t, c)
		step(t, c, 20)
	})
}

// holed is a simulator whose map fails.
type holed struct{ *double }

func (holed) At(_, _, _ float64, _ string) (z, pitch, roll float64, ok bool) { panic("no map") }
func (holed) Lane(_, _ float64) (yaw float64, ok bool)                       { return 0, false }

// TestServer_CreateFails checks that the simulator has no actor that the server does not know, even
// if it fails while the server asks for the actor's surroundings.
func TestServer_CreateFails(t *testing.T) {
	d := &double{}
	_, connect := serve(t, holed{d}, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	_, err := c.CreateActor(t.Context(), car("a", 0, 0))
	require.ErrorIs(t, err, simapi.Code_INTERNAL)
	require.NotContains(t, d.log, "create a")
	require.Empty(t, d.ids)
}

// TestServer_StartFails checks that a failed start is reported by the wait, and the simulation can
// be ended.
func TestServer_StartFails(t *testing.T) {
	d := &double{onStart: func(context.Context) error { return errors.New("no licence") }}
	_, connect := serve(t, d, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	require.NoError(t, c.StartSimulation(t.Context(), &simapi.StartSimulation{}))
	require.EqualError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}),
		"wait_start_simulation: no licence")
	_, err := c.EndSimulation(t.Context(), &simapi.EndSimulation{})
	require.NoError(t, err)
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

// TestServer_Parties checks the roles and names of parties.
func TestServer_Parties(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		server, connect := serve(t, &double{}, nil, tcp)
		connect("director", simapi.Role_SSP)
		_, err := server.Connect("director", simapi.Role_DSP)
		require.ErrorIs(t, err, simapi.Code_DUPLICATE)
		_, err = server.Connect("", simapi.Role_DSP)
		require.ErrorIs(t, err, simapi.Code_INVALID)
		_, err = server.Connect("x", simapi.Role_SIMULATOR)
		require.ErrorIs(t, err, simapi.Code_INVALID)
		watcher := connect("watcher", simapi.Role_OBSERVER)
		_, err = watcher.Init(t.Context(), &simapi.Init{StepSizeMs: 20})
		require.EqualError(t, err,
			"init: not supported: found a call by role observer, expected a call by role ssp")
		other := connect("second director", simapi.Role_SSP)
		_, err = other.Init(t.Context(), &simapi.Init{StepSizeMs: 20})
		require.NoError(t, err)
		third := connect("third director", simapi.Role_SSP)
		_, err = third.Init(t.Context(), &simapi.Init{StepSizeMs: 20})
		require.ErrorIs(t, err, simapi.Code_WRONG_STATE)
		_, err = third.Init(t.Context(), &simapi.Init{StepSizeMs: 20, Parties: []string{"a", "a"}})
		require.ErrorIs(t, err, simapi.Code_WRONG_STATE)
	})
}

// TestServer_NoActorsAreLeft checks that a simulation that was never started leaves no actors
// behind, regardless of how it ends.
func TestServer_NoActorsAreLeft(t *testing.T) {
	d := &double{}
	_, connect := serve(t, d, nil, false)
	c := connect("director", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	for _, end := range []func(){
		func() { require.NoError(t, c.TerminateSimulator(t.Context())) },
		func() { require.NoError(t, c.Close()) },
	} {
		_, err := c.CreateActor(t.Context(), car("a", 0, 0))
		require.NoError(t, err)
		end()
		other := connect("next", simapi.Role_SSP)
		require.Eventually(t, func() bool {
			_, err := other.Call(t.Context(), simapi.Method_LAUNCH_SIMULATOR,
				&simapi.LaunchSimulator{})
			if err != nil {
				_, _ = other.Init(t.Context(), &simapi.Init{StepSizeMs: 20})
			}
			return err == nil
		}, time.Minute, time.Millisecond)
		require.Empty(t, d.ids)
		require.Contains(t, strings.Join(d.log, ", "), "create a, destroy a, terminate")
		require.NoError(t, other.Close()) // the server notices this later
	}
}

// TestServer_CloseInAStep checks that a server that is closed in the middle of a step leaves
// nothing behind.
func TestServer_CloseInAStep(t *testing.T) {
	d := &double{onStep: func(ctx context.Context, _ timebase.Span) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	server := simapi.NewServer(simapi.Config{Name: "double", Simulator: d})
	c, err := server.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	running(t, c)
	require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
	done := make(chan error)
	go func() {
		_, err := c.WaitStep(context.WithoutCancel(t.Context()), &simapi.WaitStep{})
		done <- err
	}()
	require.NoError(t, server.Close())
	require.ErrorIs(t, <-done, simapi.Code_PARTY_LOST)
	_, err = server.Connect("late", simapi.Role_SSP)
	require.ErrorIs(t, err, simapi.Code_PARTY_LOST)
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

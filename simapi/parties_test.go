package simapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
	"gosmp/timebase"
)

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

// TestServer_DirectorLostInALongStep: a step for which the simulator makes 10^12 steps ends with
// its director, also with a simulator that does not look at the context.
func TestServer_DirectorLostInALongStep(t *testing.T) {
	both(t, func(t *testing.T, tcp bool) {
		begun, begin := context.WithCancel(t.Context())
		d := &double{quiet: true, ownStep: 1, onStep: func(context.Context, timebase.Span) error {
			begin()
			return nil
		}}
		_, connect := serve(t, d, nil, tcp)
		a := connect("director", simapi.Role_SSP)
		launched(t, a, &simapi.Init{StepSizeMs: 1e12})
		running(t, a)
		require.NoError(t, a.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 1e12}))
		<-begun.Done()
		require.NoError(t, a.Close())
		b := connect("director again", simapi.Role_SSP)
		require.Eventually(t, func() bool { // until the server detects it
			_, err := b.Init(t.Context(), &simapi.Init{StepSizeMs: 10})
			return err == nil
		}, time.Minute, time.Millisecond)
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

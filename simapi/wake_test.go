package simapi_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
	"gosmp/timebase"
)

// TestServer_WaitEndsWithItsParty checks that a wait in one process ends at once when its party or
// the server is closed meanwhile, even if no other party is there.
func TestServer_WaitEndsWithItsParty(t *testing.T) {
	for name, end := range map[string]func(*simapi.Server, *simapi.Client) error{
		"party":  func(_ *simapi.Server, c *simapi.Client) error { return c.Close() },
		"server": func(v *simapi.Server, _ *simapi.Client) error { return v.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &double{onStep: func(ctx context.Context, _ timebase.Span) error {
					<-ctx.Done()
					return ctx.Err()
				}}
				server := simapi.NewServer(simapi.Config{Name: "double", Simulator: d})
				c, err := server.Connect("director", simapi.Role_SSP)
				require.NoError(t, err)
				launched(t, c, &simapi.Init{StepSizeMs: 20})
				running(t, c)
				require.NoError(t,
					c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
				waited := make(chan error)
				go func() {
					_, err := c.WaitStep(t.Context(), &simapi.WaitStep{MaxWaitMs: 60000})
					waited <- err
				}()
				synctest.Wait()
				begin := time.Now()
				require.NoError(t, end(server, c))
				require.ErrorIs(t, <-waited, simapi.Code_PARTY_LOST)
				require.Zero(t, time.Since(begin))
				require.NoError(t, server.Close())
			})
		})
	}
}

// TestClient_RepliesAreItsOwn checks that a reply within one process does not change while other
// parties join and request the same states.
func TestClient_RepliesAreItsOwn(t *testing.T) {
	x := 0.0
	d := &double{states: func() []*simapi.ActorState {
		x++
		return []*simapi.ActorState{{ActorId: "ego", Position: simapi.XY(x, 0)}}
	}}
	_, connect := serve(t, d, nil, false)
	director := connect("director", simapi.Role_SSP)
	launched(t, director, &simapi.Init{StepSizeMs: 20})
	_, err := director.CreateActor(t.Context(), car("ego", 0, 0))
	require.NoError(t, err)
	reply, err := director.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
	require.NoError(t, err)
	before := reply.GetState()[0].GetPosition().GetX()
	_, err = connect("viewer", simapi.Role_OBSERVER).GetActorsStates(t.Context(),
		&simapi.GetActorsStates{})
	require.NoError(t, err)
	require.Equal(t, before, reply.GetState()[0].GetPosition().GetX()) //nolint:testifylint // the same bits
}

// TestServer_StepsWaitForOneOther checks that the parties of a step wait for the calls of at most one
// other party, even if there are many.
func TestServer_StepsWaitForOneOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const steps, observers = 10, 20
		busy := func() []*simapi.ActorState {
			time.Sleep(time.Second)
			return nil
		}
		server := simapi.NewServer(simapi.Config{Name: "double", Simulator: &double{states: busy}})
		director, err := server.Connect("director", simapi.Role_SSP)
		require.NoError(t, err)
		driver, err := server.Connect("driver", simapi.Role_DSP)
		require.NoError(t, err)
		launched(t, director, &simapi.Init{StepSizeMs: 20, Parties: []string{"director", "driver"}})
		require.NoError(t, driver.StartSimulation(t.Context(), &simapi.StartSimulation{}))
		running(t, director)
		require.NoError(t,
			driver.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
		ctx, cancel := context.WithCancel(t.Context())
		defer func() { require.NoError(t, server.Close()) }()
		defer cancel()
		for k := range observers {
			c, err := server.Connect(fmt.Sprint("observer ", k), simapi.Role_OBSERVER)
			require.NoError(t, err)
			go func() {
				for ctx.Err() == nil {
					_, _ = c.GetActorsStates(ctx, &simapi.GetActorsStates{})
				}
			}()
		}
		synctest.Wait()
		begin := time.Now()
		for k := range steps {
			to := float64(k+1) * 20
			require.NoError(t, driver.StartStep(t.Context(),
				&simapi.StartStep{RequestedSimTimeMs: to}))
			step(t, director, to)
			_, err := driver.WaitStep(t.Context(), &simapi.WaitStep{})
			require.NoError(t, err)
			_, err = driver.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
			require.NoError(t, err)
		}
		require.LessOrEqual(t, time.Since(begin), 4*steps*time.Second)
	})
}

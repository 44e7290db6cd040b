package queue

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"gosmp/internal/gate"
	"gosmp/sweep"
)

func TestServerClock(t *testing.T) {
	t.Parallel()
	here := time.Now()
	there := here.Round(0).Add(time.Hour) // without a monotonic reading
	after := func(d time.Duration) (time.Time, time.Time) { return there.Add(d), here.Add(d) }
	var c serverClock
	back := func(stamp, sent time.Time) bool { return c.back(stamp, sent, sent) }
	require.False(t, back(after(0)))
	require.False(t, back(after(time.Minute)))
	stamp, now := after(2 * time.Minute)
	require.False(t, back(stamp.Add(-setBack), now), "less than that")
	require.False(t, c.back(stamp.Add(-time.Hour), now.Add(-time.Hour), now), "a late answer")
	require.True(t, back(stamp.Add(-setBack-1), now))
	require.False(t, back(stamp.Add(-setBack-1), now), "set back once")

	stamp, now = after(3 * time.Minute)
	require.False(t, back(stamp.Add(24*time.Hour), now), "set forward")
	require.True(t, back(stamp, now))
	stamp, now = after(4 * time.Minute)
	c.seen(stamp.Add(time.Hour), now)
	c.seen(stamp.Add(-time.Hour), now) // long in transit
	require.True(t, back(stamp, now), "set forward and back between two requests")
}

// TestCoordinator_ClockSetBack: if a worker vanishes with a run and the server's clock is then set
// back to before the run was taken, another worker receives the run.
func TestCoordinator_ClockSetBack(t *testing.T) {
	t.Parallel()
	s, err := Embed("127.0.0.1:0", t.TempDir(), gate.Rules{})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	c, js, err := (&Server{URL: s.Address()}).reach(t.Context(), patience, func(string) {})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	q := &Coordinator{Version: "1", Log: func(string) {}, js: js,
		Experiment: Experiment{Base: "b"}, waiting: map[string]sweep.Case{"id": {}}}
	q.runs, err = runs(t.Context(), js)
	require.NoError(t, err)
	require.NoError(t, q.publish(t.Context(), []string{"id"}))
	w := &Crew{Version: "1", Ping: time.Hour, js: js}
	take := func(limit time.Duration) jetstream.Msg {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		consumer, err := w.consumer(ctx)
		require.NoError(t, err)
		m, err := next(ctx, consumer, limit)
		require.NoError(t, err)
		return m
	}
	require.NotNil(t, take(time.Minute))
	require.NoError(t, q.repair(t.Context()))
	require.Nil(t, take(100*time.Millisecond), "it belongs to the first worker")
	q.clock.seen(time.Now().Round(0).Add(time.Hour), time.Now())
	require.NoError(t, q.repair(t.Context()))
	require.NotNil(t, take(time.Minute))
}

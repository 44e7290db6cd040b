package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// TestGuide checks that a guided actor is where it is placed and collides with anything there.
func TestGuide(t *testing.T) {
	w, err := New(opendrive.Plane(), Options{})
	require.NoError(t, err)
	for _, name := range []string{"a", "b"} {
		require.NoError(t, w.Create(Actor{Name: name, Start: AtPosition(0, 0).Facing(0)}))
	}
	a, err := w.Actor("a")
	require.NoError(t, err)
	b, err := w.Actor("b")
	require.NoError(t, err)
	w.Jump(b, &Motion{State: State{Position: frames.Vector{X: 20}}})
	require.InDelta(t, 20, b.State().Position.X, 0)
	hit := 0
	for k := range 300 {
		m := Motion{State: State{Position: frames.Vector{X: 0.1 * float64(k+1)}, Speed: 10,
			Velocity: frames.Vector{X: 10}}}
		w.Guide(a, &m)
		w.Guide(b, &Motion{State: State{Position: frames.Vector{X: 20}}})
		events, err := w.Step(10 * timebase.Millisecond)
		require.NoError(t, err)
		for _, e := range events {
			if e.Kind == Collision {
				hit++
				require.InDelta(t, 10, e.Value, 1e-9)
				require.InDelta(t, 1.54, e.Time.Seconds(),
					0.011) // 15.4 m: two halves of 4.6 m less
			}
		}
	}
	require.Equal(t, 1, hit)
	require.InDelta(t, 30, a.State().Position.X, 1e-9)
	// A saved state has the last motion, and continues with the next one.
	saved := w.AppendState(nil)
	require.NoError(t, w.Restore(saved))
	_, err = w.Step(10 * timebase.Millisecond)
	require.NoError(t, err)
	a, err = w.Actor("a")
	require.NoError(t, err)
	require.InDelta(t, 30, a.State().Position.X, 1e-9)
	require.Zero(t, testing.AllocsPerRun(50, func() {
		w.Guide(a, &Motion{State: State{Position: frames.Vector{X: 1}}})
		_, _ = w.Step(10 * timebase.Millisecond)
	}))
}

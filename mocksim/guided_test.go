package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/internal/portable"
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

// TestGuide_AheadAsFromYaw checks that an actor moves in the same way with and without the unit
// vector of its yaw, also where the yaw has to be wrapped or the vector follows an earlier one.
func TestGuide_AheadAsFromYaw(t *testing.T) {
	w, err := New(opendrive.Plane(), Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	var views [2]View
	for k, name := range []string{"with", "without"} {
		require.NoError(t, w.Create(Actor{Name: name, Start: AtPosition(0, 50*float64(k)).Facing(0)}))
		views[k], err = w.Actor(name)
		require.NoError(t, err)
	}
	for _, yaw := range []float64{0.5, 0.5, -2, 0, 3, 4, -7, 1e-9} {
		sine, cosine := portable.Sincos(yaw)
		for k, ahead := range []frames.Vector{{X: cosine, Y: sine}, {}} {
			w.Guide(views[k], &Motion{Ahead: ahead, State: State{
				Position:    frames.Vector{Y: 50 * float64(k)},
				Orientation: frames.Orientation{Yaw: yaw}}})
		}
		_, err := w.Step(10 * timebase.Millisecond)
		require.NoError(t, err)
		with, without := w.find("with"), w.find("without")
		require.Equal(t, without.state.Orientation, with.state.Orientation)
		require.Equal(t, [2]float64{without.sine, without.cosine},
			[2]float64{with.sine, with.cosine}, "yaw %g", yaw)
	}
}

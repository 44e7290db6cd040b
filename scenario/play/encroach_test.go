package play

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
)

// TestEncroachment_OfCrossingCars lets two cars of 4 m by 2 m cross at the origin at 10 m/s, one
// from the west and one from the south. Their centers reach the origin at 0 s and at 2 s. Both
// cross a square of 2 m: the rear of the first car leaves it at 0.3 s, and the front of the other
// one enters it at 1.7 s.
func TestEncroachment_OfCrossingCars(t *testing.T) {
	e := newEncroachment()
	car := func(x, y, h float64) *storyboard.State {
		return &storyboard.State{X: x, Y: y, H: h, Box: storyboard.Box{Length: 4, Width: 2}}
	}
	least, first := math.Inf(1), math.Inf(1)
	for k := -300; k <= 500; k++ {
		now := float64(k) / 100
		x, ok := e.look(now, [2]*storyboard.State{car(10*now, 0, 0), car(0, 10*(now-2), math.Pi/2)})
		if ok {
			least, first = min(least, x), min(first, now)
		}
	}
	const inaccuracy = placeSize/10 + 0.02 // a place at 10 m/s, plus two steps
	require.InDelta(t, 1.4, least, inaccuracy)
	require.InDelta(t, 1.7, first, inaccuracy)
}

// TestEncroachment_Boxes checks that the center of a box need not be the reference point, and that
// an entity that does not exist covers no places.
func TestEncroachment_Boxes(t *testing.T) {
	e := newEncroachment()
	one := &storyboard.State{Box: storyboard.Box{Length: 4, Width: 2, X: 10}}
	other := &storyboard.State{X: 10, Y: 0, H: 1, Box: storyboard.Box{Length: 1, Width: 1}}
	_, ok := e.look(0, [2]*storyboard.State{one, nil})
	require.False(t, ok)
	x, ok := e.look(0.5, [2]*storyboard.State{nil, other})
	require.True(t, ok)
	require.InDelta(t, 0.5, x, 1e-12)
	x, ok = e.look(1, [2]*storyboard.State{one, other})
	require.True(t, ok)
	require.Zero(t, x)
}

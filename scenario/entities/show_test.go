package entities

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/frames"
)

// TestStraightOn checks that a motion that is obviously along the mean of two headings has no
// component across the heading in their middle, and that motion along a curve is recognized.
func TestStraightOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float64Range(-math.Pi, math.Pi).Draw(t, "from")
		turned := rapid.Float64Range(-2, 2).Draw(t, "turned")
		h := rapid.SampledFrom([]float64{1e-3, 0.01, 0.1}).Draw(t, "step")
		speed := rapid.Float64Range(-80, 80).Draw(t, "speed")
		aside := rapid.SampledFrom([]float64{0, 1e-13, 1e-10, 4e-10, 9e-10, 1.1e-9, 1e-3,
			1}).Draw(t, "aside")
		middle := heading(from + turned/2)
		moved := middle.Scale(speed * h).Add(frames.Vector{X: -middle.Y, Y: middle.X}.
			Scale(aside * h))
		if !straightOn(moved, heading(from).Add(heading(from+turned)), h) {
			require.True(t, aside > 1e-12 || math.Abs(turned) > 1)
			return
		}
		require.Less(t, math.Abs(across(moved, middle)/h), level)
	})
	for _, turned := range []float64{-0.9, -0.01, 0.01, 0.9} {
		moved := heading(1 + turned/2).Scale(0.2)
		require.True(t, straightOn(moved, heading(1).Add(heading(1+turned)), 0.01), turned)
	}
}

package support_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/support"
	"gosmp/simapi"
)

var _ simapi.Ground = support.Ground{}

// TestGround checks the ground on the road that rises from x = 0: its height is 1.8674e-4 x^2 -
// 3.4727e-7 x^3.
func TestGround(t *testing.T) {
	m, err := opendrive.ReadFile("../../examples/maps/hills.xodr")
	require.NoError(t, err)
	g := support.Ground{Map: m}

	z, pitch, roll, ok := g.At(100, -1.75, 0, "nobody")
	require.True(t, ok)
	require.InDelta(t, 1.8674-0.3473, z, 1e-3)
	require.InDelta(t, -math.Atan(0.0373-0.0104), pitch, 1e-3, "a pitch is positive downhill")
	require.InDelta(t, 0, roll, 1e-9)
	_, back, _, _ := g.At(100, -1.75, math.Pi, "")
	require.InDelta(t, -pitch, back, 1e-9, "in the other direction")

	yaw, ok := g.Lane(100, -1.75)
	require.True(t, ok)
	require.InDelta(t, 0, yaw, 1e-9)
	yaw, ok = g.Lane(100, 1.75)
	require.True(t, ok)
	require.InDelta(t, math.Pi, math.Abs(yaw), 1e-9,
		"the left lane is for traffic in the other direction")

	_, _, _, ok = g.At(100, -50, 0, "")
	require.False(t, ok)
	_, ok = g.Lane(100, -50)
	require.False(t, ok)
}

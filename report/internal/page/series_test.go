package page

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSeries: a series keeps the peak of many numbers in few intervals.
func TestSeries(t *testing.T) {
	s := NewSeries()
	require.True(t, s.Empty())
	for k := range 100_000 {
		x := float64(k % 10)
		if k == 77_777 {
			x = 1e6
		}
		s.Add(float64(k)/100, x)
	}
	c := s.Curve("x")
	require.LessOrEqual(t, len(c.Values), mostStretches)
	require.Len(t, c.Times, len(c.Values))
	require.Zero(t, c.Times[0])
	require.Contains(t, c.Values, any([2]float64{0, 1e6}))
}

// TestCurve_Round: values that change little keep the digits that change.
func TestCurve_Round(t *testing.T) {
	c := Curve{Values: []any{53.2110000123, nil, [2]float64{53.2110000123, 53.2110004567}}}
	c.Round()
	require.InDelta(t, 53.2110000123, c.Values[0], 1e-11)
	require.Nil(t, c.Values[1])
	c = Curve{Values: []any{0.1234567891, [2]float64{1, 1.00000001}}}
	c.Round()
	require.Equal(t, []any{0.1234568, 1.}, c.Values)
	c = Curve{Values: []any{0., [2]float64{0, 53.2021321}, 53.2021323, 53.2021322}}
	c.Round()
	require.Equal(t, []any{0., [2]float64{0, 53.2021321}, 53.2021323, 53.2021322}, c.Values,
		"zeros before the first sample")
}

package decimal_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/decimal"
)

// TestFloat: only decimal notation is a number.
func TestFloat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"1": 1, "-2.5e3": -2500, "+.5": 0.5, "007": 7,
		"1E-2": 0.01} {
		x, err := decimal.Float(text, 64)
		require.NoError(t, err, text)
		require.InDelta(t, want, x, 0, text)
		x, err = decimal.Number(text)
		require.NoError(t, err, text)
		require.InDelta(t, want, x, 0, text)
	}
	for _, text := range []string{"", "1_0", "0x10", "0x1p4", "0X1P4", "0x1_0p0", "0b1", "0o7", "1p4",
		"1,5", "1 0", "１", "--1", "1e", "e5", "."} {
		_, err := decimal.Float(text, 64)
		require.ErrorIs(t, err, strconv.ErrSyntax, text)
		_, err = decimal.Number(text)
		require.ErrorIs(t, err, strconv.ErrSyntax, text)
	}
	for _, text := range []string{"NaN", "inf", "-Infinity"} {
		_, err := decimal.Float(text, 64)
		require.NoError(t, err, text)
		_, err = decimal.Number(text)
		require.Error(t, err, text)
	}
	x, err := decimal.Float("1e39", 32)
	require.ErrorIs(t, err, strconv.ErrRange)
	require.True(t, math.IsInf(x, 1))
}

func TestExceeds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	degrees := 180 * 0.0174532925199433 // the factor that tools write
	for _, x := range []struct {
		a, b float64
		want bool
	}{
		{2, 1, true}, {1, 2, false}, {1, 1, false}, {degrees, math.Pi, false},
		{math.Pi + 1e-12, math.Pi, true}, {1e-300, 0, true}, {0, -1e-300, true},
		{inf, 1, true}, {1, inf, false}, {inf, inf, false}, {1, -inf, true},
		{nan, 1, false}, {1, nan, false},
	} {
		require.Equal(t, x.want, decimal.Exceeds(x.a, x.b), "%g, %g", x.a, x.b)
	}
}

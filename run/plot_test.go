package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCurve_KeepsTheExtremesOfManyPoints(t *testing.T) {
	c := &curve{every: 1}
	for k := range 100_000 {
		y := 0.0
		if k == 77_777 {
			y = 5
		}
		c.add(float64(k), y)
	}
	require.Less(t, len(c.points), maxPoints)
	highest := 0.0
	for _, p := range c.points {
		highest = max(highest, p.Y)
	}
	require.Equal(t, 5.0, highest)
}

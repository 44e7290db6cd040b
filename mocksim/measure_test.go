package mocksim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestMeasureAll_AsOnFirstUse checks that lanes have the same rails no matter whether they are
// measured together or one by one.
func TestMeasureAll_AsOnFirstUse(t *testing.T) {
	together := largeWorld(t)
	single := newWorld(t, together.m)
	together.measureAll()
	require.GreaterOrEqual(t, len(together.rails), 4*lanesAtOnce, "too few for several goroutines")
	for k, l := range single.m.Lanes() {
		require.Equal(t, single.rail(l), together.rails[k], "lane %d", k)
	}
}

// TestSpeed_AsFromDerivatives checks that speed gives the same bits as the derivatives.
func TestSpeed_AsFromDerivatives(t *testing.T) {
	m, err := opendrive.ReadFile("../examples/maps/hills.xodr")
	require.NoError(t, err)
	w, steep := newWorld(t, m), 0
	for _, l := range w.m.Lanes() {
		for _, p := range w.rail(l).pieces {
			for x := -1.0; x <= 1; x += 0.125 {
				_, dx, _ := p.x.at(x)
				_, dy, _ := p.y.at(x)
				_, dz, _ := p.z.at(x)
				want := math.Sqrt(float64(dx*dx) + float64(dy*dy) + float64(dz*dz))
				require.Equal(t, want, speed(&p.x, &p.y, &p.z, x))
				if dz != 0 {
					steep++
				}
			}
		}
	}
	require.Positive(t, steep)
}

package birdseye

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// The legend is in the corner where it covers the fewest positions, the lower right one if there
// are several.
func TestPlaceLegend_CoversTheFewestPositions(t *testing.T) {
	for _, c := range []struct {
		at         plotter.XYs
		left, high bool
	}{
		{nil, false, false},
		{plotter.XYs{{X: 50, Y: 50}}, false, false},
		{plotter.XYs{{X: 90, Y: 5}}, true, false},
		{plotter.XYs{{X: 90, Y: 5}, {X: 10, Y: 5}}, false, true},
		{plotter.XYs{{X: 90, Y: 5}, {X: 10, Y: 5}, {X: 90, Y: 95}}, true, true},
		{plotter.XYs{{X: 90, Y: 5}, {X: 10, Y: 5}, {X: 10, Y: 6}, {X: 90, Y: 95}, {X: 91, Y: 95},
			{X: 10, Y: 95}, {X: 11, Y: 95}}, false, false},
	} {
		p := plot.New()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 100, 0, 100
		p.Legend.Add("an entry", &plotter.Polygon{})
		p.Legend.Add("another entry", &plotter.Polygon{})
		placeLegend(p, vg.Point{X: 500, Y: 400}, c.at)
		require.Equal(t, c.left, p.Legend.XOffs < 100, "%v", c.at)
		require.Equal(t, c.high, p.Legend.YOffs > 200, "%v", c.at)
		require.GreaterOrEqual(t, p.Legend.XOffs, legendMargin)
	}
}

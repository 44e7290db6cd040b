package curves

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCurve_KeepsExtremes: no matter how many points are added, the picture shows the ends and the
// peaks.
func TestCurve_KeepsExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40000).Draw(t, "points")
		peak, low := rapid.IntRange(0, n-1).Draw(t, "peak"), rapid.IntRange(0, n-1).Draw(t, "low")
		c := (&Panel{}).Curve("", false)
		value := func(k int) float64 {
			switch k {
			case peak:
				return 50
			case low:
				return -50
			}
			return math.Sin(float64(k) / 700)
		}
		lowest, highest := 0.0, 0.0
		for k := range n {
			lowest, highest = min(lowest, value(k)), max(highest, value(k))
			c.Add(float64(k), value(k))
		}
		points := c.stretch[0].points()
		if len(points) > MaxPoints+4 {
			t.Fatalf("%d points", len(points))
		}
		gotLow, gotHigh := 0.0, 0.0
		for k, p := range points {
			gotLow, gotHigh = min(gotLow, p.Y), max(gotHigh, p.Y)
			if k > 0 && p.X <= points[k-1].X {
				t.Fatalf("time goes back at %v", p.X)
			}
		}
		if gotLow != lowest || gotHigh != highest {
			t.Fatalf("%v to %v, expected %v to %v", gotLow, gotHigh, lowest, highest)
		}
		if last := points[len(points)-1]; points[0].X != 0 || last.X != float64(n-1) {
			t.Fatalf("from %v to %v", points[0].X, last.X)
		}
	})
}

// TestCurve_Gaps: NaN splits a curve, and its neighbors are not joined.
func TestCurve_Gaps(t *testing.T) {
	p := &Panel{}
	c := p.Curve("", false)
	require.True(t, p.Empty())
	for k, y := range []float64{math.NaN(), 1, 2, math.Inf(1), math.NaN(), 3} {
		c.Add(float64(k), y)
	}
	require.False(t, p.Empty())
	require.Len(t, c.stretch, 2)
	require.Len(t, c.stretch[0].points(), 2)
	require.Equal(t, 5.0, c.stretch[1].points()[0].X)
	for k := range 20 * MaxPoints { // gaps everywhere
		c.Add(float64(k+6), []float64{1, math.NaN()}[k%2])
	}
}

func TestWrite(t *testing.T) {
	panels := func() []*Panel {
		one, two := &Panel{Title: "speed", Unit: "m/s"}, &Panel{Title: "empty"}
		for _, name := range []string{"ego", "lead"} {
			c := one.Curve(name, true)
			for k := range 100 {
				c.Add(float64(k)/10, float64(k*len(name)))
			}
		}
		return []*Panel{one, two}
	}
	var first, second bytes.Buffer
	require.NoError(t, Write(&first, "svg", panels()))
	require.NoError(t, Write(&second, "svg", panels()))
	require.Equal(t, first.String(), second.String())
	for _, want := range []string{"speed", "m/s", "ego", "lead", "empty", "time in s"} {
		require.Contains(t, first.String(), want)
	}
	require.Error(t, Write(&first, "svg", nil))
	require.Error(t, Write(&first, "svg", make([]*Panel, MaxPanels+1)))
	require.Error(t, Write(&first, "nothing", panels()))
}

// TestWrite_NamesFromFiles: a picture stays well-formed and shows control characters as text.
func TestWrite_NamesFromFiles(t *testing.T) {
	p := &Panel{Title: "a\x1b[31m\u202eb", Unit: "m"}
	p.Curve("x\x00\a", false).Add(0, 1)
	var picture bytes.Buffer
	require.NoError(t, Write(&picture, "svg", []*Panel{p}))
	require.NoError(t, xml.Unmarshal(picture.Bytes(), &struct{}{}))
	require.NotContains(t, picture.String(), "\u202e")
	require.Contains(t, picture.String(), `\u001b[31m\u202e`)
}

// TestWrite_WildNumbers: no number makes the axis library panic, and numbers that cannot be drawn
// leave a gap.
func TestWrite_WildNumbers(t *testing.T) {
	wild := []float64{0, 1, -1e300, 1e300, math.MaxFloat64, -math.MaxFloat64, math.NaN(),
		math.Inf(1), math.Inf(-1), 5e-324, -5e-324, 1e16, math.Nextafter(1e16, 2e16)}
	for _, a := range wild {
		for _, b := range wild {
			p := &Panel{Title: "a"}
			c, d := p.Curve("x", false), p.Curve("y", true)
			c.Add(0, a)
			c.Add(1, b)
			d.Add(a, 1)
			d.Add(b, 2)
			var picture bytes.Buffer
			require.NoError(t, Write(&picture, "svg", []*Panel{p}), "%g, %g", a, b)
			require.NotContains(t, picture.String(), "NaN", "%g, %g", a, b)
			require.NotContains(t, picture.String(), "Inf", "%g, %g", a, b)
		}
	}
}

// Short zeros before the first sample do not determine the axis. Zeros that are a signal do.
func TestWrite_ZerosBeforeTheFirstSample(t *testing.T) {
	fix := func(k int) float64 { return 53.2 + 1e-3*float64(k) }
	for name, c := range map[string]struct {
		value func(k int) float64
		zeros int
		hides bool
	}{
		"latitude":            {fix, 1, true},
		"negative":            {func(k int) float64 { return -fix(k) }, 5, true},
		"late":                {fix, 20, false},
		"no zeros":            {fix, 0, false},
		"a switch":            {func(int) float64 { return 1 }, 1, false},
		"a constant":          {func(int) float64 { return 53.2 }, 3, false},
		"a rise":              {func(k int) float64 { return float64(k) }, 1, false},
		"both sides":          {func(k int) float64 { return math.Sin(float64(k)) }, 1, false},
		"zeros again":         {func(k int) float64 { return fix(k) * float64(k%2) }, 1, false},
		"many points in each": {func(k int) float64 { return fix(k % 100) }, 40, true},
	} {
		p, n := &Panel{Title: "a"}, 100
		if name == "many points in each" {
			n = 20 * MaxPoints
		}
		curve := p.Curve("", false)
		for k := range n {
			if k < c.zeros {
				curve.Add(float64(k), 0)
			} else {
				curve.Add(float64(k), c.value(k))
			}
		}
		drawn, err := p.plot()
		require.NoError(t, err)
		require.Equal(t, c.hides, drawn.Y.Min*drawn.Y.Max > 0 && drawn.Title.Text != "a", name)
		if c.hides {
			require.Equal(t, fmt.Sprintf("a (0 until %d s, not shown)", c.zeros),
				drawn.Title.Text)
		}
	}
}

// Marks of large numbers that change little are labelled relative to the lowest one.
func TestWrite_LabelsMarksRelativeToABase(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		unit     string
		want     []string
		name     string
	}{
		{53.202130, 53.202133, "deg", []string{"+0", "+1e-06", "+2e-06", "+3e-06"},
			"deg, above 53.202130"},
		{1e9, 1e9 + 10, "", []string{"+0", "+5", "+10"}, "above 1000000000"},
		{95, 98.8, "m", []string{"95", "96", "97", "98"}, "m"},
		{-1, 1, "", []string{"-1", "0", "1"}, ""},
	} {
		p := &Panel{Title: "a", Unit: c.unit}
		curve := p.Curve("", false)
		curve.Add(0, c.from)
		curve.Add(1, c.to)
		drawn, err := p.plot()
		require.NoError(t, err)
		var labels []string
		for _, m := range drawn.Y.Tick.Marker.Ticks(drawn.Y.Min, drawn.Y.Max) {
			if !m.IsMinor() {
				labels = append(labels, m.Label)
			}
		}
		require.Equal(t, c.want, labels)
		require.Equal(t, c.name, drawn.Y.Label.Text)
	}
}

package mocksim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// turningCircle returns a road of 100 m at whose end traffic drives around a drop and comes back on
// the other lane. The ends of the loop are on the way that leads to it, or on a lane of their own if
// long is true, so that a road meets itself.
func turningCircle(t testing.TB, long bool) *opendrive.Map {
	t.Helper()
	const out, back = 50.0 / 3, 12.5 // radii, m
	turn := math.Acos(out / (out + back))
	const geometry = `<geometry s="%.9f" x="%.9f" y="%.9f" hdg="%.9f" length="%.9f">%s</geometry>`
	arc := func(curvature float64) string { return fmt.Sprintf(`<arc curvature="%g"/>`, curvature) }
	s, x, y, heading := 0.0, 100.0, 0.0, 0.0
	var loop strings.Builder
	add := func(curvature, length float64) {
		shape, c := "<line/>", curvature
		if c != 0 {
			shape = arc(c)
		}
		fmt.Fprintf(&loop, geometry, s, x, y, heading, length, shape)
		s += length
		if c == 0 {
			x, y = x+length*math.Cos(heading), y+length*math.Sin(heading)
			return
		}
		next := heading + c*length
		x, y = x+(math.Sin(next)-math.Sin(heading))/c, y-(math.Cos(next)-math.Cos(heading))/c
		heading = next
	}
	if long {
		add(0, 20)
	}
	add(-1/out, out*turn)
	add(1/back, back*(math.Pi+2*turn))
	add(-1/out, out*turn)
	if long {
		add(0, 20)
	}
	text := `<OpenDRIVE><header revMajor="1" revMinor="6"/>` +
		road(1, -1, 0, 0, 0, 100, "<line/>",
			`<successor elementType="road" elementId="2" contactPoint="start"/>`,
			"<left>"+laneOf(1, "", "")+"</left><right>"+laneOf(-1, "", "-1")+"</right>") + "</road>" +
		fmt.Sprintf(`<road id="2" length="%.9f" junction="-1">`, s) +
		`<link><predecessor elementType="road" elementId="1" contactPoint="end"/>` +
		`<successor elementType="road" elementId="1" contactPoint="end"/></link><planView>` +
		loop.String() + `</planView><lanes><laneSection s="0"><center><lane id="0" type="none"/>` +
		`</center><right>` + laneOf(-1, "-1", "1") + `</right></laneSection></lanes></road></OpenDRIVE>`
	m, err := opendrive.Read("circle.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return m
}

// TestLoop_WithoutCollisions checks that lorries and buses, which need part of the other lane where
// a loop begins and ends, let each other pass there.
func TestLoop_WithoutCollisions(t *testing.T) {
	for _, long := range []bool{false, true} {
		for seed := range uint64(3) {
			w := on(t, turningCircle(t, long), mocksim.Options{Seed: seed})
			require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 400,
				Kinds: []mocksim.Kind{mocksim.Truck, mocksim.Bus, mocksim.Car}}))
			for _, e := range steps(t, w, 20*60*10, 100*ms) {
				require.NotEqual(t, mocksim.Collision, e.Kind, "long %v, seed %d: %s", long, seed,
					describe(w, &e))
			}
			_, left, _ := w.FlowCounts()
			require.Greater(t, left, 80, "long %v, seed %d", long, seed)
			require.Equal(t, 20*60*timebase.Second, w.Time())
		}
	}
}

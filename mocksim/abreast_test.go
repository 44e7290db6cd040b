package mocksim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// bend returns a one-way ring of two lanes with a radius of 25 m, or with a straight part of 100 m
// before each half circle.
func bend(t testing.TB) *opendrive.Map {
	t.Helper()
	const half, straight, radius = 78.53981633974483, 100.0, 25.0
	lane := func(id int) string {
		return fmt.Sprintf(`<lane id="%d" type="driving" level="false"><link><predecessor id="%d"/>
<successor id="%d"/></link><width sOffset="0" a="3.2" b="0" c="0" d="0"/></lane>`, id, id, id)
	}
	piece := func(s, x, y, hdg, length float64, shape string) string {
		return fmt.Sprintf(
			`<geometry s="%.12g" x="%g" y="%g" hdg="%.15g" length="%.15g">%s</geometry>`,
			s, x, y, hdg, length, shape)
	}
	arc, total := fmt.Sprintf(`<arc curvature="%g"/>`, 1/radius), 2*(half+straight)
	text := fmt.Sprintf(`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="%.15g"
junction="-1"><link><predecessor elementType="road" elementId="1" contactPoint="end"/>
<successor elementType="road" elementId="1" contactPoint="start"/></link><planView>`, total) +
		piece(0, 0, 0, 0, straight, "<line/>") +
		piece(straight, straight, 0, 0, half, arc) +
		piece(straight+half, straight, 2*radius, 3.141592653589793, straight, "<line/>") +
		piece(2*straight+half, 0, 2*radius, 3.141592653589793, half, arc) + `</planView><lanes>
<laneSection s="0"><center><lane id="0" type="none"/></center><right>` + lane(-1) + lane(-2) +
		`</right></laneSection></lanes></road></OpenDRIVE>`
	m, err := opendrive.Read("bend.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return m
}

// TestAbreast_LongVehiclesInABend checks that lorries, buses and cars drive around tight bends on
// two lanes without a collision. A lorry swings out into the next lane there, so the vehicle behind
// it has to fall back. On straight roads they drive abreast.
func TestAbreast_LongVehiclesInABend(t *testing.T) {
	w := on(t, bend(t), mocksim.Options{})
	kinds := []mocksim.Kind{mocksim.Truck, mocksim.Car, mocksim.Bus, mocksim.Van}
	for k, kind := range kinds {
		for lane := -2; lane < 0; lane++ {
			name := fmt.Sprintf("%d%s", -lane, kind)
			create(t, w, name, kind, mocksim.OnRoad("1", lane, 15+20*float64(k)).WithSpeed(5))
			require.NoError(t, w.SetController(name, mocksim.Controller{
				Driver: mocksim.Driver{Speed: 8 + float64(lane)}}))
		}
	}
	abreast := 0
	for range 10 * 900 {
		require.Empty(t, steps(t, w, 1, 100*ms))
		for i := range w.Len() {
			a := w.At(i)
			for k := range i {
				b := w.At(k)
				if d := a.Place().S - b.Place().S; d < 2 && d > -2 {
					require.True(t, a.Place().S < 100 || a.Place().S > 178 && a.Place().S < 278 ||
						a.Shape().Length+b.Shape().Length < 11, "%s and %s", a.Name(), b.Name())
					abreast++
				}
			}
		}
	}
	require.Positive(t, abreast, "they overtake each other on the straight roads")
}

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

// circle returns a closed road with two lanes in each direction, made of two half circles, with
// space of the given length in m for each of n actors.
func circle(t testing.TB, n int, place float64) *opendrive.Map {
	var b strings.Builder
	half := math.Max(float64(n)*place/4/2, 200)
	b.WriteString(`<OpenDRIVE><header revMajor="1" revMinor="8"/>`)
	for k, other := range []int{2, 1} {
		lane := func(id int) string {
			return fmt.Sprintf(
				`<lane id="%d" type="driving"><link><predecessor id="%d"/><successor id="%d"/>`+
					`</link><width a="3.5"/></lane>`, id, id, id)
		}
		fmt.Fprintf(&b,
			`<road id="%d" length="%g" junction="-1"><link>`+
				`<predecessor elementType="road" elementId="%d" contactPoint="end"/>`+
				`<successor elementType="road" elementId="%d" contactPoint="start"/></link>`+
				`<planView><geometry s="0" x="0" y="%.12g" hdg="%.17g" length="%g">`+
				`<arc curvature="%.17g"/></geometry></planView><lanes><laneSection s="0">`+
				`<left>%s%s</left><center><lane id="0"/></center><right>%s%s</right>`+
				`</laneSection></lanes></road>`,
			k+1, half, other, other, float64(k)*2*half/math.Pi, float64(k)*math.Pi, half,
			math.Pi/half, lane(2), lane(1), lane(-1), lane(-2))
	}
	b.WriteString("</OpenDRIVE>")
	m, err := opendrive.Read("circle.xodr", strings.NewReader(b.String()))
	require.NoError(t, err)
	return m
}

// crowded returns a world with n cars and trucks on such a road, which keep their distance.
func crowded(t testing.TB, n int) *mocksim.World {
	const place = 30.0
	m := circle(t, n, place)
	w, err := mocksim.New(m, mocksim.Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	lanes := []int{-1, -2, 1, 2}
	for k := range n {
		r := m.Roads[k/4%2]
		s := math.Mod(5+place*float64(k/8), r.Length)
		a := mocksim.Actor{Name: fmt.Sprintf("%04d", k), Kind: mocksim.Car,
			Start: mocksim.OnRoad(r.ID, lanes[k%4], s).WithSpeed(8)}
		if k%10 == 9 {
			a.Kind = mocksim.Truck
		}
		require.NoError(t, w.Create(a))
		require.NoError(t,
			w.SetController(a.Name,
				mocksim.Controller{Driver: mocksim.Driver{Speed: 8 + float64(k%3)}}))
	}
	return w
}

// BenchmarkStep measures a step of 20 ms of traffic on a road with two lanes in each direction. The
// metric times-real-time is the speed of the simulation.
func BenchmarkStep(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := crowded(b, n)
			steps(b, w, 100, 20*ms)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = w.Step(20 * ms)
			}
			b.ReportMetric((20*timebase.Millisecond).Seconds()*float64(b.N)/b.Elapsed().Seconds(),
				"times-real-time")
		})
	}
}

func TestStep_OfManyActorsAllocatesNothing(t *testing.T) {
	w := crowded(t, 100)
	steps(t, w, 50*120, 20*ms) // twice around
	require.Zero(t, testing.AllocsPerRun(500, func() { _, _ = w.Step(20 * ms) }))
}

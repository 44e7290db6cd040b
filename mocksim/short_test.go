package mocksim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// widening returns a road whose lane widens by 1 m within 1 m, followed by sections of some
// decimetres.
func widening(t *testing.T) *opendrive.Map {
	t.Helper()
	var sections strings.Builder
	ends := []float64{20, 20.29, 20.45, 21.24, 21.6, 60}
	for k, s := 0, 0.0; k < len(ends); k++ {
		width := `<width sOffset="0" a="4.4" b="0" c="0" d="0"/>`
		if k == 0 {
			width = `<width sOffset="0" a="3.4" b="0" c="0" d="0"/>
<width sOffset="19" a="3.4" b="1" c="0" d="0"/>`
		}
		fmt.Fprintf(&sections, `<laneSection s="%g"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>%s</lane>
</right></laneSection>`, s, width)
		s = ends[k]
	}
	m, err := opendrive.Read("widening.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="60" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="60"><line/></geometry></planView><lanes>`+
			sections.String()+`</lanes></road></OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

// TestMotion_AcrossShortSections checks that velocities are the derivatives of the positions where
// a vehicle next to the middle of its lane reaches sections that end before it. It used to be set
// back to their ends.
func TestMotion_AcrossShortSections(t *testing.T) {
	m := widening(t)
	for _, offset := range []float64{-1, 0, 1} {
		w := on(t, m, mocksim.Options{})
		start := mocksim.OnRoad("1", -1, 19.4).WithSpeed(1.4)
		start.Offset = offset
		create(t, w, "car", mocksim.Car, start)
		require.NoError(t, w.SetController("car", mocksim.Controller{}))
		a := newAudit(5 * ms)
		for w.Time() < 40*timebase.Second && w.At(0).Place().S < 40 {
			steps(t, w, 1, 5*ms)
			a.step(w)
		}
		require.Greater(t, w.At(0).Place().S, 40.0)
		require.NotContains(t, a.found, "velocity", "%g m: %s", offset, a.found["velocity"])
	}
}

// TestFlow_OnShortRoads checks that vehicles of all kinds enter where the first road is shorter
// than they are.
func TestFlow_OnShortRoads(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<OpenDRIVE><header revMajor="1" revMinor="6"/>`)
	const count, length = 40, 4
	for k := 1; k <= count; k++ {
		fmt.Fprintf(&b, `<road id="%d" length="%d" junction="-1"><link>`, k, length)
		if k > 1 {
			fmt.Fprintf(&b, `<predecessor elementType="road" elementId="%d" contactPoint="end"/>`,
				k-1)
		}
		if k < count {
			fmt.Fprintf(&b, `<successor elementType="road" elementId="%d" contactPoint="start"/>`,
				k+1)
		}
		fmt.Fprintf(&b, `</link><planView><geometry s="0" x="%d" y="0" hdg="0" length="%d"><line/>
</geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>`,
			(k-1)*length, length)
	}
	b.WriteString(`</OpenDRIVE>`)
	m, err := opendrive.Read("short.xodr", strings.NewReader(b.String()))
	require.NoError(t, err)
	w := on(t, m, mocksim.Options{Seed: 1})
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 400}))
	kinds := map[mocksim.Kind]bool{}
	for range 6000 {
		require.Empty(t, steps(t, w, 1, 100*ms))
		for k := range w.Len() {
			kinds[w.At(k).Kind()] = true
		}
	}
	entered, left, waiting := w.FlowCounts()
	require.Greater(t, entered, 50)
	require.Greater(t, left, 45)
	require.Less(t, waiting, 3)
	require.True(t, kinds[mocksim.Bus] && kinds[mocksim.Truck], kinds)
}

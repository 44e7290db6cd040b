package mocksim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// twoLanes returns a one-way road of two lanes: a straight part of 100 m, and a curve with a radius
// of 25 m in which a bus needs part of both lanes.
func twoLanes(t *testing.T) *opendrive.Map {
	t.Helper()
	const lane = `<lane id="%d" type="driving"><width sOffset="0" a="3.2" b="0" c="0" d="0"/>` +
		`</lane>`
	m, err := opendrive.Read("curve.xodr", strings.NewReader(`<OpenDRIVE><header revMajor="1" `+
		`revMinor="6"/><road id="1" length="170" junction="-1"><planView>`+
		`<geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry>`+
		`<geometry s="100" x="100" y="0" hdg="0" length="70">`+
		`<arc curvature="0.04"/></geometry></planView><lanes><laneSection s="0"><center>`+
		`<lane id="0" type="none"/></center><right>`+fmt.Sprintf(lane, -1)+fmt.Sprintf(lane, -2)+
		`</right></laneSection></lanes></road></OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

// TestRightAhead_BeforeANarrowPlace checks that the search for circles of waiting vehicles knows
// which vehicle another one waits for that queues before a place with no room for both.
func TestRightAhead_BeforeANarrowPlace(t *testing.T) {
	w, err := New(twoLanes(t), Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.meet())
	list := w.conflictsOn(0)
	require.Len(t, list, 1)
	require.Equal(t, abreast, list[0].meeting)
	z := &list[0].zones[len(bodies)-1]
	ids := [2]int{}
	for k, number := range [2]int32{0, list[0].other} {
		ids[k] = w.crossings.movements[number].first().Lane.ID
	}
	queues := 0
	for way := range 12 {
		for _, a := range []Actor{
			{Name: "bus", Kind: Bus, Start: OnRoad("1", ids[1], z.enter+1)},
			{Name: "rider", Kind: Motorcycle, Start: OnRoad("1", ids[0], z.from-float64(way))},
		} {
			require.NoError(t, w.Create(a))
			require.NoError(t, w.SetController(a.Name, Controller{}))
		}
		w.observe(w.crossings)
		a, l := w.find("rider"), leader{gap: inf}
		if w.look(1, a, &l); a.driver.queued {
			queues++
			require.Equal(t, int32(0), w.rightAhead(1, a), "%d m before the place", way)
		}
		require.NoError(t, w.Destroy("bus"))
		require.NoError(t, w.Destroy("rider"))
	}
	require.Greater(t, queues, 3)
}

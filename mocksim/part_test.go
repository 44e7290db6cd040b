package mocksim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// fork is a road that splits into a straight part of 10 m (road 10) followed by a road (road 2),
// and into a gentle bend of 30 m (road 11).
func fork(t *testing.T) *World {
	t.Helper()
	var b strings.Builder
	road := func(id, junction int, x, length float64, shape, link string) {
		fmt.Fprintf(&b, `<road id="%d" junction="%d" length="%g"><link>%s</link><planView>`+
			`<geometry s="0" x="%g" y="0" hdg="0" length="%g">%s</geometry></planView><lanes>`+
			`<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" `+
			`type="driving"><link><predecessor id="-1"/><successor id="-1"/></link><width `+
			`sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>`,
			id, junction, length, link, x, length, shape)
	}
	const from = `<predecessor elementType="road" elementId="1" contactPoint="end"/>`
	road(1, -1, 0, 60, "<line/>", `<successor elementType="junction" elementId="9"/>`)
	road(10, 9, 60, 10, "<line/>",
		from+`<successor elementType="road" elementId="2" contactPoint="start"/>`)
	road(2, -1, 70, 60, "<line/>", `<predecessor elementType="junction" elementId="9"/>`)
	road(11, 9, 60, 30, `<arc curvature="-0.015"/>`, from)
	m, err := opendrive.Read("fork.xodr", strings.NewReader(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/>`+b.String()+`<junction id="9" name="">
<connection id="0" incomingRoad="1" connectingRoad="10" contactPoint="start">
<laneLink from="-1" to="-1"/></connection>
<connection id="1" incomingRoad="1" connectingRoad="11" contactPoint="start">
<laneLink from="-1" to="-1"/></connection></junction></OpenDRIVE>`))
	require.NoError(t, err)
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// TestConflicts_PartLater checks that long bodies that still touch on the next road after a fork
// follow each other there, and that the vehicle ahead does not wait for the one behind it.
func TestConflicts_PartLater(t *testing.T) {
	w := fork(t)
	require.NoError(t, w.meet())
	number := func(road string) int32 {
		l := w.m.Road(road).Sections[0].Lane(-1)
		return w.crossings.of[courseNumber(opendrive.Course{Lane: l, Forwards: true})]
	}
	found := 0
	for _, x := range w.crossings.conflicts[number("11")] {
		require.Equal(t, diverging, x.meeting, "with %d", x.other)
		switch x.other {
		case number("10"):
			require.Zero(t, x.past)
			found++
		case number("2"):
			require.InDelta(t, -10, x.past, 1e-6)
			found++
		}
	}
	require.Equal(t, 2, found)
	for _, x := range w.crossings.conflicts[number("2")] {
		require.InDelta(t, 10, x.past, 1e-6)
	}
}

// TestInsists_AfterAClaim checks that a vehicle that has waited for a long time goes before one
// that can still stop comfortably for it.
func TestInsists_AfterAClaim(t *testing.T) {
	driver := Driver{}.completed()
	a, o := &actor{mode: byController}, &actor{mode: byController}
	a.driver.Driver, o.driver.Driver = driver, driver
	a.driver.waited, o.state.Speed = claimAfter+1, 8 // 16 m to stop
	require.True(t, a.insists(o, 17))
	require.False(t, a.insists(o, 16), "it cannot stop any more")
	o.driver.waited = claimAfter + 2
	require.False(t, a.insists(o, 17), "it has waited for longer")
	o.driver.waited, a.driver.waited = 0, claimAfter
	require.False(t, a.insists(o, 17), "it does not claim yet")
}

// TestStopFrom_LeavesSpaceToLorries checks where cars stop before a conflict: before the space that
// lorries need, unless that space begins far from the cars' conflict.
func TestStopFrom_LeavesSpaceToLorries(t *testing.T) {
	zones := func(car, lorry float64) *conflict {
		return &conflict{zones: [len(bodies)]zone{{from: car, to: 20}, {from: lorry, to: 22}}}
	}
	require.InDelta(t, 6, zones(10, 6).stopFrom(0), 0)
	require.InDelta(t, 10, zones(10, 2).stopFrom(0), 0)
	require.InDelta(t, 2, zones(10, 2).stopFrom(1), 0)
}

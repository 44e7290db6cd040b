package mocksim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// endingLane is a road with two lanes into a junction, where lane -1 turns right across the end of
// lane -2, from which nothing leads on.
func endingLane(t *testing.T, radius float64) *opendrive.Map {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<OpenDRIVE><header revMajor="1" revMinor="6"/>`)
	lane := func(id int, link string) string {
		return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link><width sOffset="0" a="3.5" `+
			`b="0" c="0" d="0"/><roadMark sOffset="0" type="broken" laneChange="both"/></lane>`,
			id, link)
	}
	road := func(id, junction int, x, y, heading, length float64, shape, link, lanes string) {
		fmt.Fprintf(&b, `<road id="%d" junction="%d" length="%.9f"><link>%s</link><planView>`+
			`<geometry s="0" x="%.9f" y="%.9f" hdg="%.9f" length="%.9f">%s</geometry></planView>`+
			`<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>%s`+
			`</right></laneSection></lanes></road>`, id, junction, length, link, x, y, heading,
			length, shape, lanes)
	}
	both := `<predecessor id="-1"/><successor id="-1"/>`
	road(1, -1, 0, 0, 0, 90, `<line/>`, `<successor elementType="junction" elementId="9"/>`,
		lane(-1, "")+lane(-2, ""))
	border := radius + 1.75 // of the left border of the lane
	road(10, 9, 90, 0, 0, border*math.Pi/2, fmt.Sprintf(`<arc curvature="%.12f"/>`, -1/border),
		`<predecessor elementType="road" elementId="1" contactPoint="end"/>`+
			`<successor elementType="road" elementId="2" contactPoint="start"/>`, lane(-1, both))
	road(2, -1, 90+border, -border, -math.Pi/2, 90, `<line/>`,
		`<predecessor elementType="junction" elementId="9"/>`, lane(-1, ""))
	b.WriteString(`<junction id="9"><connection id="0" incomingRoad="1" connectingRoad="10" ` +
		`contactPoint="start"><laneLink from="-1" to="-1"/></connection></junction></OpenDRIVE>`)
	m, err := opendrive.Read("ending.xodr", strings.NewReader(b.String()))
	require.NoError(t, err)
	return m
}

// TestDrop_IsLeftInTime checks that vehicles on a lane that ends before a junction change lanes
// before the place where vehicles on the other lane swing out, and never have the right to it.
func TestDrop_IsLeftInTime(t *testing.T) {
	w, err := New(endingLane(t, 10), Options{Seed: 1})
	require.NoError(t, err)
	defer w.Close()
	for name, place := range map[string][2]float64{"bus": {-2, 40}, "ahead": {-1, 45},
		"beside": {-1, 25}, "truck": {-2, 15}} {
		kind := Truck
		if name == "bus" {
			kind = Bus
		}
		require.NoError(t, w.Create(Actor{Name: name, Kind: kind,
			Start: OnRoad("1", int(place[0]), place[1]).WithSpeed(5)}))
		require.NoError(t, w.SetController(name, Controller{}))
	}
	for range 1200 {
		events, err := w.Step(100 * timebase.Millisecond)
		require.NoError(t, err)
		for k := range events {
			require.NotEqual(t, Collision, events[k].Kind, events[k].String())
		}
		for _, a := range w.actors {
			d := &a.driver
			if c := d.course(); c.lane.ID == -2 {
				m := &w.crossings.movements[c.movement]
				require.LessOrEqual(t, m.drop, m.length-roomToChange)
				require.LessOrEqual(t, d.cleared, c.begin()+m.drop, "%s at %s", a.name, w.now)
				require.LessOrEqual(t, d.u, m.drop)
			}
		}
	}
	for _, a := range w.actors {
		require.Equal(t, "2", a.driver.course().lane.Section.Road.ID, a.name)
	}
}

// TestDrop_IntoATightCurve checks that a vehicle leaves a lane that ends even if the curve after
// the other lane is too tight for it: it has no other way.
func TestDrop_IntoATightCurve(t *testing.T) {
	w, err := New(endingLane(t, 4.5), Options{Seed: 1})
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Create(Actor{Name: "van", Kind: Van,
		Start: OnRoad("1", -2, 20).WithSpeed(5)}))
	require.NoError(t, w.SetController("van", Controller{}))
	for range 600 {
		_, err := w.Step(100 * timebase.Millisecond)
		require.NoError(t, err)
	}
	require.Equal(t, "2", w.find("van").driver.course().lane.Section.Road.ID)
	require.False(t, w.suits(Van, &Start{Road: "1", Lane: -2, S: 20}))
	require.True(t, w.suits(Motorcycle, &Start{Road: "1", Lane: -2, S: 20}))
}

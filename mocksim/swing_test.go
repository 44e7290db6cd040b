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

// threeLanes is a road of three lanes. The first lane ends after 120 m.
const threeLanes = `<OpenDRIVE><header revMajor="1" revMinor="6"/>
<road id="1" length="120" junction="-1"><link><successor elementType="road" elementId="2"
contactPoint="start"/></link><planView><geometry s="0" x="0" y="0" hdg="0" length="120"><line/>
</geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
<lane id="-2" type="driving"><link><successor id="-2"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
<lane id="-3" type="driving"><link><successor id="-3"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
<road id="2" length="300" junction="-1"><link><predecessor elementType="road" elementId="1"
contactPoint="end"/></link><planView><geometry s="0" x="120" y="0" hdg="0" length="300"><line/>
</geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="border"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
<lane id="-2" type="driving"><link><predecessor id="-2"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
<lane id="-3" type="driving"><link><predecessor id="-3"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
</OpenDRIVE>`

// TestChange_ObliqueBus checks that drivers see the ends of a bus that has to change lanes just
// before the end of its lane, so that it extends into the lane beyond, and that the bus waits until
// they can stop.
func TestChange_ObliqueBus(t *testing.T) {
	m, err := opendrive.Read("three.xodr", strings.NewReader(threeLanes))
	require.NoError(t, err)
	oblique := false
	for _, behind := range []float64{2, 6, 10, 15, 25, 40, 60} {
		w := on(t, m, mocksim.Options{})
		create(t, w, "bus", mocksim.Bus, mocksim.OnRoad("1", -1, 105).WithSpeed(3))
		create(t, w, "truck", mocksim.Truck, mocksim.OnRoad("1", -3, 105-behind).WithSpeed(11))
		for _, name := range []string{"bus", "truck"} {
			require.NoError(t, w.SetController(name, mocksim.Controller{}))
		}
		for w.Time() < 30*timebase.Second {
			for _, e := range steps(t, w, 1, 50*ms) {
				require.NotEqual(t, mocksim.Collision, e.Kind, "%g m: %s", behind, describe(w, &e))
			}
			oblique = oblique || view(t, w, "bus").State().Orientation.Yaw < -0.3
			require.Greater(t, view(t, w, "truck").State().Along, -6.0)
		}
		require.Greater(t, view(t, w, "bus").State().Position.X, 130.0, "%g m", behind)
	}
	require.True(t, oblique)
}

// roads returns a straight map of roads of 120 m and 300 m with the given lanes.
func roads(t *testing.T, left, right [2]string) *opendrive.Map {
	t.Helper()
	road := func(k, length, x int, link string) string {
		return fmt.Sprintf(`<road id="%d" length="%d" junction="-1"><link>%s</link><planView>`+
			`<geometry s="0" x="%d" y="0" hdg="0" length="%d"><line/></geometry></planView><lanes>`+
			`<laneSection s="0"><left>%s</left><center><lane id="0" type="none"/></center><right>%s`+
			`</right></laneSection></lanes></road>`, k+1, length, link, x, length, left[k], right[k])
	}
	m, err := opendrive.Read("roads.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/>`+
			road(0, 120, 0, `<successor elementType="road" elementId="2" contactPoint="start"/>`)+
			road(1, 300, 120, `<predecessor elementType="road" elementId="1" contactPoint="end"/>`)+
			`</OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

// TestChange_ObliqueBusAndOncomingTraffic checks the same for traffic in the other direction, into
// whose lane the front or the rear of the bus swings.
func TestChange_ObliqueBusAndOncomingTraffic(t *testing.T) {
	lane := func(id int, kind, link string) string {
		return fmt.Sprintf(`<lane id="%d" type="%s"><link>%s</link><width sOffset="0" a="3.2" `+
			`b="0" c="0" d="0"/></lane>`, id, kind, link)
	}
	onwards := func(id int) string {
		return lane(id, "driving", fmt.Sprintf(`<successor id="%d"/>`, id))
	}
	from := func(id int) string {
		return lane(id, "driving", fmt.Sprintf(`<predecessor id="%d"/>`, id))
	}
	left := [2]string{onwards(1), from(1)}
	for _, x := range []struct {
		end   string
		right [2]string
		ends  int     // the lane that ends
		yaw   float64 // of an oblique bus
	}{
		{"front", [2]string{onwards(-1) + lane(-2, "driving", ""), from(-1)}, -2, 0.3},
		{"rear", [2]string{lane(-1, "driving", "") + onwards(-2), lane(-1, "border", "") + from(-2)},
			-1, -0.3},
	} {
		m := roads(t, left, x.right)
		oblique := false
		for ahead := 5.0; ahead <= 120; ahead += 2.5 {
			w := on(t, m, mocksim.Options{})
			create(t, w, "bus", mocksim.Bus, mocksim.OnRoad("1", x.ends, 105).WithSpeed(3))
			create(t, w, "truck", mocksim.Truck, mocksim.OnRoad("2", 1, ahead).WithSpeed(11))
			for _, name := range []string{"bus", "truck"} {
				require.NoError(t, w.SetController(name, mocksim.Controller{}))
			}
			for w.Time() < 40*timebase.Second {
				for _, e := range steps(t, w, 1, 50*ms) {
					require.NotEqual(t, mocksim.Collision, e.Kind, "%s, %g m: %s", x.end, ahead,
						describe(w, &e))
				}
				yaw := view(t, w, "bus").State().Orientation.Yaw
				oblique = oblique || yaw/x.yaw > 1
			}
			require.Greater(t, view(t, w, "bus").State().Position.X, 130.0, "%s, %g m", x.end,
				ahead)
		}
		require.True(t, oblique, x.end)
	}
}

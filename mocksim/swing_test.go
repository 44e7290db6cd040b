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

// TestChange_ObliqueBusAndOncomingTraffic checks the same for traffic in the other direction, into
// whose lane the front of the bus swings.
func TestChange_ObliqueBusAndOncomingTraffic(t *testing.T) {
	lane := func(id int, link string) string {
		return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link><width sOffset="0" a="3.2" `+
			`b="0" c="0" d="0"/></lane>`, id, link)
	}
	road := func(id, length, x int, link, left, right string) string {
		return fmt.Sprintf(`<road id="%d" length="%d" junction="-1"><link>%s</link><planView>`+
			`<geometry s="0" x="%d" y="0" hdg="0" length="%d"><line/></geometry></planView><lanes>`+
			`<laneSection s="0"><left>%s</left><center><lane id="0" type="none"/></center><right>%s`+
			`</right></laneSection></lanes></road>`, id, length, link, x, length, left, right)
	}
	text := `<OpenDRIVE><header revMajor="1" revMinor="6"/>` +
		road(1, 120, 0, `<successor elementType="road" elementId="2" contactPoint="start"/>`,
			lane(1, `<successor id="1"/>`), lane(-1, `<successor id="-1"/>`)+lane(-2, "")) +
		road(2, 300, 120, `<predecessor elementType="road" elementId="1" contactPoint="end"/>`,
			lane(1, `<predecessor id="1"/>`), lane(-1, `<predecessor id="-1"/>`)) + `</OpenDRIVE>`
	m, err := opendrive.Read("oncoming.xodr", strings.NewReader(text))
	require.NoError(t, err)
	oblique := false
	for ahead := 10.0; ahead <= 120; ahead += 5 {
		w := on(t, m, mocksim.Options{})
		create(t, w, "bus", mocksim.Bus, mocksim.OnRoad("1", -2, 105).WithSpeed(3))
		create(t, w, "truck", mocksim.Truck, mocksim.OnRoad("2", 1, ahead).WithSpeed(11))
		for _, name := range []string{"bus", "truck"} {
			require.NoError(t, w.SetController(name, mocksim.Controller{}))
		}
		for w.Time() < 40*timebase.Second {
			for _, e := range steps(t, w, 1, 50*ms) {
				require.NotEqual(t, mocksim.Collision, e.Kind, "%g m: %s", ahead, describe(w, &e))
			}
			oblique = oblique || view(t, w, "bus").State().Orientation.Yaw > 0.3
		}
		require.Greater(t, view(t, w, "bus").State().Position.X, 130.0, "%g m", ahead)
	}
	require.True(t, oblique)
}

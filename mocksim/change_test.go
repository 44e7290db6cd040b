package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// fork is a road with two lanes whose left lane continues straight on, and whose right lane leads
// to the right.
const fork = `<OpenDRIVE><header revMajor="1" revMinor="6"/>
<road id="1" length="300" junction="-1"><link><successor elementType="junction" elementId="9"/>
</link><planView><geometry s="0" x="0" y="0" hdg="0" length="300"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
<lane id="-2" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
</right></laneSection></lanes></road>
<road id="2" length="200" junction="9"><link>
<predecessor elementType="road" elementId="1" contactPoint="end"/></link>
<planView><geometry s="0" x="300" y="0" hdg="0" length="200"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-1"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
<road id="3" length="200" junction="9"><link>
<predecessor elementType="road" elementId="1" contactPoint="end"/></link>
<planView><geometry s="0" x="300" y="-3.5" hdg="0" length="200"><arc curvature="-0.01"/></geometry>
</planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-2"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
<junction id="9" name=""><connection id="0" incomingRoad="1" connectingRoad="2" contactPoint="start">
<laneLink from="-1" to="-1"/></connection><connection id="1" incomingRoad="1" connectingRoad="3"
contactPoint="start"><laneLink from="-2" to="-1"/></connection></junction></OpenDRIVE>`

// TestMOBIL_CompletesChangesBeforeAJunction checks that a car overtakes a slow lorry only where the
// lane change ends before the lanes part.
func TestMOBIL_CompletesChangesBeforeAJunction(t *testing.T) {
	m, err := opendrive.Read("fork.xodr", strings.NewReader(fork))
	require.NoError(t, err)
	for _, c := range []struct {
		at      float64
		changes bool
	}{{50, true}, {150, true}, {240, true}, {275, false}} {
		w := on(t, m, mocksim.Options{Seed: 1})
		create(t, w, "slow", mocksim.Truck, mocksim.OnRoad("1", -2, c.at+20).WithSpeed(3))
		create(t, w, "fast", mocksim.Car, mocksim.OnRoad("1", -2, c.at).WithSpeed(8))
		require.NoError(t, w.SetController("slow",
			mocksim.Controller{Driver: mocksim.Driver{Speed: 3}}))
		require.NoError(t, w.SetController("fast", mocksim.Controller{
			Driver: mocksim.Driver{LaneChange: mocksim.ChangeWithMOBIL}}))
		changed := false
		for range 400 {
			for _, e := range steps(t, w, 1, 50*ms) {
				require.Equal(t, mocksim.LaneChange, e.Kind, "from %g m", c.at)
				changed = true
			}
		}
		require.Equal(t, c.changes, changed, "from %g m", c.at)
	}
}

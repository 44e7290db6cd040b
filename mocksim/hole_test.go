package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// hole is a road whose reference line is missing from s = 150 m to s = 250 m, over which it descends:
// the line stops there, goes straight down, and then jumps.
const hole = `<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="300" junction="-1">
<planView><geometry s="0" x="300" y="-50" hdg="0" length="50"><line/></geometry>
<geometry s="50" x="350" y="-50" hdg="0" length="100"><spiral curvStart="0" curvEnd="0.02"/></geometry>
<geometry s="250" x="431" y="76" hdg="2" length="50"><line/></geometry></planView>
<elevationProfile><elevation s="0" a="0"/><elevation s="70" a="0" c="0.006" d="-0.00004"/>
<elevation s="170" a="20" c="-0.006" d="0.00004"/><elevation s="270" a="0"/></elevationProfile>
<lanes><laneSection s="0"><left><lane id="1" type="driving"><width sOffset="0" a="3.5"/></lane></left>
<center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane></right></laneSection></lanes>
</road></OpenDRIVE>`

// TestPopulate_AHoleInAHill checks that the gap is not filled with a path into the sky. The search
// for crossing lanes once followed it endlessly.
func TestPopulate_AHoleInAHill(t *testing.T) {
	m, err := opendrive.Read("hole.xodr", strings.NewReader(hole))
	require.NoError(t, err)
	w := on(t, m, mocksim.Options{Seed: 1})
	for _, name := range []string{"there", "back"} {
		lane := map[string]int{"there": -1, "back": 1}[name]
		create(t, w, name, mocksim.Car, mocksim.OnRoad("1", lane, 50).WithSpeed(8))
		require.NoError(t, w.SetController(name, mocksim.Controller{}))
	}
	steps(t, w, 50, 100*ms)
	require.Less(t, view(t, w, "there").State().Position.Z, 100.0)
	require.Less(t, view(t, w, "back").State().Position.Z, 100.0)
}

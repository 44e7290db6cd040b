package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// bays is a road with a lane that opens and closes several times, next to a normal one.
const bays = `<OpenDRIVE><header revMajor="1" revMinor="7"/><road id="1" length="300" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="300"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.25" b="0" c="0" d="0"/></lane>
<lane id="-2" type="driving"><width sOffset="0" a="0" b="0" c="0" d="0"/>
<width sOffset="20" a="0" b="1" c="0" d="0"/><width sOffset="23" a="3" b="0" c="0" d="0"/>
<width sOffset="80" a="3" b="-1" c="0" d="0"/><width sOffset="83" a="0" b="0" c="0" d="0"/>
<width sOffset="150" a="0" b="1" c="0" d="0"/><width sOffset="153" a="3" b="0" c="0" d="0"/>
<width sOffset="250" a="3" b="-1" c="0" d="0"/><width sOffset="253" a="0" b="0" c="0" d="0"/>
</lane></right></laneSection></lanes></road></OpenDRIVE>`

// TestPopulate_LeavesOutParkingBays checks that vehicles neither start on lanes that close along
// the way, nor change to them, nor collide there.
func TestPopulate_LeavesOutParkingBays(t *testing.T) {
	m, err := opendrive.Read("bays.xodr", strings.NewReader(bays))
	require.NoError(t, err)
	for seed := range uint64(3) {
		w := on(t, m, mocksim.Options{Seed: seed})
		require.NoError(t, w.Populate(mocksim.Traffic{Count: 8,
			Driver: mocksim.Driver{LaneChange: mocksim.ChangeWithMOBIL}}))
		for range 600 {
			for k := range w.Len() {
				require.Equal(t, -1, w.At(k).Place().Lane.ID, "seed %d at %s", seed, w.Time())
			}
			for _, e := range steps(t, w, 1, 100*ms) {
				require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
			}
		}
	}
}

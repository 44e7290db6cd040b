package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// TestCollision_OnABankedRoad checks that wide vehicles pass each other on a road with a bank of 45
// degrees. Their lanes are narrower than the vehicles if seen from above, but so are the vehicles.
func TestCollision_OnABankedRoad(t *testing.T) {
	text := strings.Replace(open, "<lanes>", `<lateralProfile>
<superelevation s="0" a="0.7853981633974483" b="0" c="0" d="0"/></lateralProfile><lanes>`, 1)
	m, err := opendrive.Read("banked.xodr", strings.NewReader(text))
	require.NoError(t, err)
	w := on(t, m, mocksim.Options{})
	create(t, w, "there", mocksim.Bus, mocksim.OnRoad("1", -1, 50).WithSpeed(10))
	create(t, w, "back", mocksim.Bus, mocksim.OnRoad("1", 1, 120).WithSpeed(10))
	for _, name := range []string{"there", "back"} {
		require.NoError(t, w.SetController(name, mocksim.Controller{}))
	}
	for w.Time() < 6*timebase.Second {
		for _, e := range steps(t, w, 1, 50*ms) {
			require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
		}
	}
}

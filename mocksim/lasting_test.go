package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLasting_StaysOnTheMap checks that vehicles that never leave the map keep driving around where
// an exit leads to a dead end, and that vehicles that leave the map take the exit.
func TestLasting_StaysOnTheMap(t *testing.T) {
	w := fullRing(t, true, 1, 3)
	require.Less(t, walk(t, w, 600), 60.0)
	for _, a := range w.actors {
		require.NotEqual(t, "4", a.place.Road.ID, a.name)
	}

	w, err := New(ringRoads(t, true), Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Populate(Traffic{Count: 5, Host: "ego", Flow: 1}))
	walk(t, w, 600)
	_, left, _ := w.FlowCounts()
	require.GreaterOrEqual(t, left, 4)
	host := w.find("ego")
	require.NotEqual(t, "4", host.place.Road.ID)
}

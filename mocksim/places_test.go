package mocksim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// shortSections returns a straight road of n sections with one lane, each with the given length in
// m.
func shortSections(t *testing.T, n int, length float64) *opendrive.Map {
	var sections strings.Builder
	for k := range n {
		link := ""
		if k > 0 {
			link += `<predecessor id="-1"/>`
		}
		if k+1 < n {
			link += `<successor id="-1"/>`
		}
		fmt.Fprintf(&sections,
			`<laneSection s="%g"><center><lane id="0" type="none"/></center><right>`+
				`<lane id="-1" type="driving">`+
				`<link>%s</link><width sOffset="0" a="3.5"/></lane></right></laneSection>`,
			float64(k)*length, link)
	}
	all := float64(n) * length
	m, err := opendrive.Read("short.xodr",
		strings.NewReader(fmt.Sprintf(`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
			`<road id="1" length="%g" junction="-1"><planView>`+
			`<geometry s="0" x="0" y="0" hdg="0" length="%g"><line/></geometry></planView>`+
			`<lanes>%s</lanes></road></OpenDRIVE>`, all, all, &sections)))
	require.NoError(t, err)
	return m
}

// TestPopulate_ImpossibleHeights checks that the steepest permitted road takes no longer than other
// roads, and that numbers with infinite sums are refused.
func TestPopulate_ImpossibleHeights(t *testing.T) {
	for _, high := range []string{"1e308", "-1e308", "1e40", "0.01"} {
		elevation := fmt.Sprintf(`<elevationProfile><elevation s="0" a="%[1]s" b="%[1]s" `+
			`c="%[1]s" d="%[1]s"/></elevationProfile><lanes>`, high)
		m, err := opendrive.Read("high.xodr",
			strings.NewReader(`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
				`<road id="1" length="50" junction="-1"><planView>`+
				`<geometry s="0" x="0" y="0" hdg="0" length="50"><line/></geometry></planView>`+
				elevation+`<laneSection s="0"><center><lane id="0" type="none"/></center><right>`+
				`<lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane></right>`+
				`</laneSection></lanes></road></OpenDRIVE>`))
		if high != "0.01" {
			require.ErrorIs(t, err, opendrive.ErrMap)
			continue
		}
		require.NoError(t, err)
		w, err := mocksim.New(m, mocksim.Options{})
		require.NoError(t, err)
		_ = w.Populate(mocksim.Traffic{Count: 1}) // this may report that there is no room
	}
}

func TestPopulate_FollowsLanesAcrossSections(t *testing.T) {
	for _, length := range []float64{1, 7, 20, 100} {
		n := int(1000 / length)
		w, err := mocksim.New(shortSections(t, n, length), mocksim.Options{})
		require.NoError(t, err)
		require.NoError(t, w.Populate(mocksim.Traffic{Count: 100}))
		require.InDelta(t, 38, w.Len(), 2, "sections of %g m", length)
		for i := range w.Len() {
			x := w.At(i).State().Position.X
			require.True(t, x >= 12 && x <= 988, "x = %g", x)
			for k := range i {
				require.GreaterOrEqual(t, math.Abs(x-w.At(k).State().Position.X), 25-1e-6)
			}
		}
	}
}

func TestPopulate_UsesShortRoads(t *testing.T) {
	w, err := mocksim.New(shortSections(t, 1, 16), mocksim.Options{})
	require.NoError(t, err)
	require.NoError(t, w.Populate(mocksim.Traffic{Host: "ego"}))
	require.Equal(t, 1, w.Len())
	require.Equal(t, mocksim.Car, w.At(0).Kind())
	w, err = mocksim.New(shortSections(t, 1, 4), mocksim.Options{})
	require.NoError(t, err)
	require.ErrorIs(t, w.Populate(mocksim.Traffic{Host: "ego"}), mocksim.ErrValue)
}

// TestPopulate_CountlessLanesWithinReach: the search for places ends on a map with hundreds of
// lanes where one vehicle fits at most, and does not begin on one with thousands.
func TestPopulate_CountlessLanesWithinReach(t *testing.T) {
	for n, want := range map[int]error{400: mocksim.ErrValue, 6000: opendrive.ErrMap} {
		w, err := mocksim.New(shortSections(t, n, 1e-3), mocksim.Options{})
		require.NoError(t, err)
		require.ErrorIs(t, w.Populate(mocksim.Traffic{Host: "ego"}), want, n)
	}
}

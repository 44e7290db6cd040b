package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// bends is a road of two sections. The second one bends to the right and then to the left, so the
// lane on the right is shorter than the road in one part and longer in the other.
const bends = `<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="70" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="40"><line/></geometry>
<geometry s="40" x="40" y="0" hdg="0" length="10"><arc curvature="-0.1"/></geometry>
<geometry s="50" x="48.41470985" y="-4.59697694" hdg="-1" length="20"><arc curvature="0.1"/>
</geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><link><successor id="-1"/></link><width sOffset="0" a="3.5" b="0"
c="0" d="0"/></lane></right></laneSection>
<laneSection s="40"><center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><link><predecessor id="-1"/></link><width sOffset="0" a="3.5"
b="0" c="0" d="0"/></lane></right></laneSection></lanes></road></OpenDRIVE>`

// TestController_KeepsTheGapInABend checks that a van stops behind a car that stands in a bend, in
// the same section or in the next one, with its driver's desired gap along the lane. It used to hit
// the car, because the lane was assumed to be as long as the road, or longer by the same factor
// everywhere.
func TestController_KeepsTheGapInABend(t *testing.T) {
	m, err := opendrive.Read("bends.xodr", strings.NewReader(bends))
	require.NoError(t, err)
	// in the lane, a metre of the road is 0.825 m up to s = 50 m, and then 1.175 m
	way := func(s float64) float64 {
		return min(s, 40) + max(min(s, 50)-40, 0)*0.825 + max(s-50, 0)*1.175
	}
	for _, at := range []float64{45, 48, 52, 56} {
		w := on(t, m, mocksim.Options{Seed: 1})
		create(t, w, "car", mocksim.Car, mocksim.OnRoad("1", -1, at))
		create(t, w, "van", mocksim.Van, mocksim.OnRoad("1", -1, 10).WithSpeed(8))
		require.NoError(t, w.SetController("van", mocksim.Controller{}))
		require.Empty(t, steps(t, w, 600, 100*ms), "at %g m", at)
		car, van := view(t, w, "car"), view(t, w, "van")
		halves := (car.Shape().Length + van.Shape().Length) / 2
		require.InDelta(t, 2, way(at)-way(van.Place().S)-halves, 0.15, "at %g m", at)
	}
}

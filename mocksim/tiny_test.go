package mocksim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestRail_OverTinyRecords checks the direction of a lane in a curve that consists of records of 1
// m and of 2 µm in turns, far from the origin, as in maps from surveys. Where the rounding of
// coordinates is not small compared to a record, the record must not turn vehicles: one used to
// start a sidestep at right angles to its lane.
func TestRail_OverTinyRecords(t *testing.T) {
	const curvature, length = 0.004, 20.0
	var geometry strings.Builder
	for k, s := 0, 0.0; s < length; k++ {
		part := min([]float64{1, 2e-6}[k%2], length-s)
		fmt.Fprintf(&geometry, `<geometry s="%.17g" x="%.17g" y="%.17g" hdg="%.17g"
length="%.17g"><arc curvature="%g"/></geometry>`, s, -5200+math.Sin(curvature*s)/curvature,
			-33000+(1-math.Cos(curvature*s))/curvature, curvature*s, part, curvature)
		s += part
	}
	m, err := opendrive.Read("tiny.xodr", strings.NewReader(fmt.Sprintf(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="%g" junction="-1">
<planView>%s</planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>`, length, geometry.String())))
	require.NoError(t, err)
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	r := w.rail(m.Lanes()[0])
	for k := range r.pieces {
		var p railPoint
		for _, share := range []float64{0, 0.3, 0.7, 1} {
			r.pieces[k].at(r.pieces[k].u0+share*r.pieces[k].length, &p)
			require.InDelta(t, curvature*p.s, p.angles.Yaw, 2e-5, "s = %g m", p.s)
			require.Less(t, math.Abs(p.turn.Yaw), 2*curvature, "s = %g m", p.s)
		}
	}
}

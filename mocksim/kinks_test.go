package mocksim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// polyline returns a road of straight lines of 7 m with a kink between each two, in turns to the
// left and to the right, and with slopes and banks that change at other places.
func polyline(t *testing.T, kink float64, uneven bool) *opendrive.Map {
	t.Helper()
	const parts, part = 40, 7.0
	var plan, height strings.Builder
	x, y, heading := 0.0, 0.0, 0.0
	for k := range parts {
		fmt.Fprintf(&plan, `<geometry s="%g" x="%.17g" y="%.17g" hdg="%.17g" length="%g"><line/>
</geometry>`, float64(k)*part, x, y, heading, part)
		x, y = x+part*math.Cos(heading), y+part*math.Sin(heading)
		if heading += kink; k%4 >= 2 {
			heading -= 2 * kink
		}
	}
	if uneven {
		fmt.Fprint(&height, `<elevationProfile><elevation s="0" a="0" b="0" c="0" d="0"/>
<elevation s="90.5" a="0" b="0.06" c="-0.0002" d="0"/></elevationProfile>
<lateralProfile><superelevation s="0" a="0" b="0" c="0" d="0"/>
<superelevation s="61" a="0" b="0.002" c="0" d="0"/></lateralProfile>`)
	}
	lane := func(id int) string {
		return fmt.Sprintf(`<lane id="%d" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
<roadMark sOffset="0" type="broken" laneChange="both"/></lane>`, id)
	}
	m, err := opendrive.Read("polyline.xodr", strings.NewReader(fmt.Sprintf(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="%g" junction="-1">
<planView>%s</planView>%s<lanes><laneSection s="0"><left>%s%s</left><center><lane id="0" type="none"/>
</center><right>%s%s</right></laneSection></lanes></road></OpenDRIVE>`, parts*part, plan.String(),
		height.String(), lane(2), lane(1), lane(-1), lane(-2))))
	require.NoError(t, err)
	return m
}

// TestMotion_AcrossKinks checks that velocities are the derivatives of the positions where vehicles
// change lanes across kinks of a road. On the outer side of a kink, no place on the lane is next to
// the vehicle for a moment; vehicles used to jump over this gap. Where the curvature or the slope
// changes, the direction of the path must not change.
func TestMotion_AcrossKinks(t *testing.T) {
	const h = 5 * ms
	for _, kink := range []float64{1e-4, 5e-3, 0.03} {
		for _, uneven := range []bool{false, true} {
			m := polyline(t, kink, uneven)
			for _, lane := range []int{2, 1, -1, -2} {
				w := on(t, m, mocksim.Options{})
				s, change := 5.0, mocksim.ChangeLeft
				if lane > 0 {
					s = 275
				}
				if lane == 1 || lane == -1 {
					change = mocksim.ChangeRight
				}
				create(t, w, "car", mocksim.Car, mocksim.OnRoad("1", lane, s).WithSpeed(9))
				require.NoError(t, w.SetController("car",
					mocksim.Controller{Driver: mocksim.Driver{LaneChange: change}}))
				a := newAudit(h)
				changed := false
				for w.Time() < 25*timebase.Second && w.At(0).State().Speed > 0 {
					for _, e := range steps(t, w, 1, h) {
						changed = changed || e.Kind == mocksim.LaneChange
					}
					a.step(w)
				}
				require.True(t, changed)
				require.NotContains(t, a.found, "velocity", "kink %g, uneven %t, lane %d: %s",
					kink, uneven, lane, a.found["velocity"])
			}
		}
	}
}

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

// surveyed returns a road as surveys measure it: in UTM coordinates, with many short sections, and
// with widths that change every few metres.
func surveyed(t *testing.T) *opendrive.Map {
	t.Helper()
	const length, arc = 400.0, 100.0
	var plan, sections strings.Builder
	x, y, heading := 696120.5248677, 5347042.677392, 4.423314246392
	for k := range int(length / arc) {
		fmt.Fprintf(&plan, `<geometry s="%g" x="%.13g" y="%.13g" hdg="%.13g" length="%g">
<paramPoly3 aU="0" bU="1" cU="0" dU="0" aV="0" bV="0" cV="1e-4" dV="-1e-6" pRange="arcLength"/>
</geometry>`, float64(k)*arc, x, y, heading, arc)
		sin, cos := math.Sincos(heading)
		u, v, turn := arc, 1e-4*arc*arc-1e-6*arc*arc*arc, 2e-4*arc-3e-6*arc*arc
		x, y, heading = x+u*cos-v*sin, y+u*sin+v*cos, heading+turn
	}
	lane := func(id int, s, part float64) string {
		var widths strings.Builder
		for at := 0.0; at < part; at += 0.9 {
			slope := 0.0003 * float64(id+2)
			fmt.Fprintf(&widths, `<width sOffset="%.12f" a="%.12f" b="%.12f" c="%.12f" d="%.12f"/>`,
				at, 3.6, slope, -3*slope/0.9, 2*slope/0.9/0.9)
		}
		return fmt.Sprintf(`<lane id="%d" type="driving"><link><predecessor id="%d"/>
<successor id="%d"/></link>%s<roadMark sOffset="0" type="broken" laneChange="both"/></lane>`, id,
			id, id, widths.String())
	}
	for s, k := 0.0, 0; s < length; k++ {
		part := [...]float64{31.4159265359, 0.3143614140, 7.071067811865, 0.104719755}[k%4]
		fmt.Fprintf(&sections, `<laneSection s="%.10f"><center><lane id="0" type="none"/></center>
<right>%s%s%s</right></laneSection>`, s, lane(-1, s, part), lane(-2, s, part), lane(-3, s, part))
		s += part
	}
	m, err := opendrive.Read("surveyed.xodr", strings.NewReader(fmt.Sprintf(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="%g" junction="-1">
<planView>%s</planView><lanes>%s</lanes></road></OpenDRIVE>`, length, plan.String(),
		sections.String())))
	require.NoError(t, err)
	return m
}

// TestMotion_FarFromTheOrigin checks that velocities are the derivatives of the positions where
// numbers resolve only a nanometre. Vehicles used to jump by decimetres there, because pieces of
// lanes were left out as inaccurate, and to be stuck at joints for seconds of processor time.
func TestMotion_FarFromTheOrigin(t *testing.T) {
	m := surveyed(t)
	for seed := range uint64(2) {
		findings, w := drive(t, m, 12, seed, 5*ms, 10*timebase.Second, true)
		require.Empty(t, findings, "seed %d", seed)
		require.Positive(t, w.Len())
	}
	w := on(t, m, mocksim.Options{})
	create(t, w, "car", mocksim.Car, mocksim.OnRoad("1", -2, 2).WithSpeed(10))
	require.NoError(t, w.SetController("car", mocksim.Controller{}))
	steps(t, w, 1000, 5*ms)
	require.Greater(t, w.At(0).Place().S, 50.0)
}

package entities_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ending is a road with one lane in each direction that continues as a road with only one lane.
const ending = `<OpenDRIVE><header revMajor="1" revMinor="6"/>
<road id="1" length="200" junction="-1"><link><successor elementType="road" elementId="2"
contactPoint="start"/></link><planView><geometry s="0" x="0" y="0" hdg="0" length="200"><line/>
</geometry></planView><lanes><laneSection s="0"><left><lane id="1" type="driving"><width sOffset="0"
a="3.5" b="0" c="0" d="0"/></lane></left><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><successor id="-1"/></link><width sOffset="0" a="3.5" b="0" c="0"
d="0"/></lane></right></laneSection></lanes></road>
<road id="2" length="300" junction="-1"><link><predecessor elementType="road" elementId="1"
contactPoint="end"/></link><planView><geometry s="0" x="200" y="0" hdg="0" length="300"><line/>
</geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-1"/></link><width sOffset="0" a="3.5" b="0"
c="0" d="0"/></lane></right></laneSection></lanes></road></OpenDRIVE>`

// TestLaneChange_ToALaneThatEnds checks that an entity never jumps when its target lane ends: the
// rest of the change leads to the lane that continues.
func TestLaneChange_ToALaneThatEnds(t *testing.T) {
	change := story(`<LateralAction><LaneChangeAction><LaneChangeActionDynamics dynamicsShape="cubic"
dynamicsDimension="time" value="8"/><LaneChangeTarget><AbsoluteTargetLane value="1"/>
</LaneChangeTarget></LaneChangeAction></LateralAction>`)
	r := startOn(t, car("A", "10"), private("A", teleport(-1, 170)+speed(10)), change, ending)
	last := r.until(0, 0)
	for k := 1; k < 1200; k++ {
		s := r.until(float64(k)/100, 0)
		require.InDelta(t, last.Speed/100, math.Hypot(s.X-last.X, s.Y-last.Y), 1e-3, "step %d", k)
		last = s
	}
	require.InDelta(t, 9, r.ends["X"], 0.011)
	require.InDelta(t, -1.75, last.Y, 1e-6, "on the lane that continues")
}

// TestKeep_LaneNarrowsToNothing checks that an entity does not jump to the center of the lane that
// continues its own, which has narrowed to nothing, whether the lane ends within a road or with it.
func TestKeep_LaneNarrowsToNothing(t *testing.T) {
	lane := func(id, next, width string) string {
		return `<lane id="` + id + `" type="driving"><link>` + next + `</link>` + width + `</lane>`
	}
	const full = `<width sOffset="0" a="3.5" b="0" c="0" d="0"/>`
	section := func(s, right string) string {
		return `<laneSection s="` + s + `"><center><lane id="0" type="none"/></center><right>` +
			right + `</right></laneSection>`
	}
	road := func(id, x, length, link, sections string) string {
		return `<road id="` + id + `" length="` + length + `" junction="-1"><link>` + link +
			`</link><planView><geometry s="0" x="` + x + `" y="0" hdg="0" length="` + length +
			`"><line/></geometry></planView><lanes>` + sections + `</lanes></road>`
	}
	const begin = `<OpenDRIVE><header revMajor="1" revMinor="6"/>`
	two := lane("-1", `<successor id="-1"/>`, full) + lane("-2", `<successor id="-1"/>`, full+
		`<width sOffset="110" a="3.5" b="-0.175" c="0" d="0"/>`)
	one := lane("-1", `<predecessor id="-1"/>`, full)
	offset := `<LateralAction><LaneOffsetAction continuous="false"><LaneOffsetActionDynamics
dynamicsShape="cubic" maxLateralAcc="0.001"/><LaneOffsetTarget><AbsoluteTargetLaneOffset value="0.1"/>
</LaneOffsetTarget></LaneOffsetAction></LateralAction>`
	// A continuous offset that has been reached is reached again from there.
	kept := `<LateralAction><LaneOffsetAction continuous="true"><LaneOffsetActionDynamics
dynamicsShape="cubic" maxLateralAcc="2"/><LaneOffsetTarget><AbsoluteTargetLaneOffset value="0.2"/>
</LaneOffsetTarget></LaneOffsetAction></LateralAction>`
	for _, plan := range []string{
		begin + road("1", "0", "200", "", section("0", two)+section("130", one)) + `</OpenDRIVE>`,
		begin + road("1", "0", "130", `<successor elementType="road" elementId="2"
contactPoint="start"/>`, section("0", two)) + road("2", "130", "70", `<predecessor
elementType="road" elementId="1" contactPoint="end"/>`, section("0", one)) + `</OpenDRIVE>`,
	} {
		for _, action := range []string{speedAction("linear", "time", 1, 10), offset} {
			r := startOn(t, car("A", "10"), private("A", teleport(-2, 100)+speed(10)),
				story(action), plan)
			last := r.until(0, 0)
			for now := 0.01; now < 5; now += 0.01 {
				s := r.until(now, 0)
				require.InDelta(t, 0.1, math.Hypot(s.X-last.X, s.Y-last.Y), 0.003, now)
				last = s
			}
			require.InDelta(t, -3.5, last.Y, 0.15)
			require.Equal(t, -1, last.Lane)
		}
		for _, c := range []struct {
			action string
			most   float64
		}{{kept, 0.105}, {strings.Replace(kept, ` maxLateralAcc="2"`, "", 1), 0.1415}} {
			r := startOn(t, car("A", "10"), private("A", teleport(-2, 100)+speed(10)),
				story(c.action), plan)
			last := r.until(0, 0)
			for now := 0.01; now < 9; now += 0.01 {
				s := r.until(now, 0)
				if now > 1.5 { // an offset without a limit starts with a jump
					require.LessOrEqual(t, math.Hypot(s.X-last.X, s.Y-last.Y), c.most, now)
				}
				last = s
			}
			require.InDelta(t, -1.55, last.Y, 1e-6)
		}
	}
}

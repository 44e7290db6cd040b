package entities_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// meeting is two roads along x, one after the other. The s of the second one runs back.
func meeting() string {
	side := func(ids ...string) (lanes string) {
		for _, id := range ids {
			other := strings.TrimPrefix("-"+id, "--")
			lanes += `<lane id="` + id + `" type="driving"><link><successor id="` + other +
				`"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>`
		}
		return lanes
	}
	road := func(id, other, x, heading string) string {
		return `<road id="` + id + `" length="100" junction="-1"><link><successor elementType="road"
elementId="` + other + `" contactPoint="end"/></link><planView><geometry s="0" x="` + x +
			`" y="0" hdg="` + heading + `" length="100"><line/></geometry></planView><lanes>
<laneSection s="0"><left>` + side("2", "1") + `</left><center><lane id="0" type="none"/></center>
<right>` + side("-1", "-2") + `</right></laneSection></lanes></road>`
	}
	return `<OpenDRIVE><header revMajor="1" revMinor="6"/>` + road("1", "2", "0", "0") +
		road("2", "1", "200", "3.141592653589793") + `</OpenDRIVE>`
}

// TestAgainst checks what an entity does relative to one on a road whose s runs the other way.
func TestAgainst(t *testing.T) {
	at := func(lane string) string {
		return `<PrivateAction><TeleportAction><Position><LanePosition roadId="2" laneId="` + lane +
			`" s="70"/></Position></TeleportAction></PrivateAction>`
	}
	for _, c := range []struct {
		action, lane string
		y            float64
	}{
		{lateralDistance(`freespace="false" distance="3" coordinateSystem="road"
displacement="leftToReferencedEntity"`, ""), "1",
			-1.75 + 3},
		{lateralDistance(`freespace="false" distance="3" coordinateSystem="road"
displacement="rightToReferencedEntity"`, ""), "1", -1.75 - 3},
		{`<LateralAction><LaneOffsetAction continuous="false"><LaneOffsetActionDynamics
dynamicsShape="step"/><LaneOffsetTarget><RelativeTargetLaneOffset entityRef="B" value="0.5"/>
</LaneOffsetTarget></LaneOffsetAction></LateralAction>`, "2", -5.25 + 0.5},
		{`<LateralAction><LaneChangeAction>` + dynamics("LaneChangeActionDynamics", "linear", "time",
			0.5) + `<LaneChangeTarget><RelativeTargetLane entityRef="B" value="0"/>
</LaneChangeTarget></LaneChangeAction></LateralAction>`, "2", -5.25},
		{`<LateralAction><LaneChangeAction>` + dynamics("LaneChangeActionDynamics", "linear", "time",
			0.5) + `<LaneChangeTarget><RelativeTargetLane entityRef="B" value="2"/>
</LaneChangeTarget></LaneChangeAction></LateralAction>`, "2", 1.75},
	} {
		r := startOn(t, car("A", "10")+car("B", "10"), private("A", teleport(-1, 20)+speed(10))+
			private("B", at(c.lane)), story(c.action), meeting())
		require.InDelta(t, c.y, r.until(2, 0).Y, 1e-6, c.action)
	}
	r := startOn(t, car("A", "10")+car("B", "10"), private("A", teleport(-1, 90))+
		private("B", at("1")), "", meeting())
	for text, want := range map[string]float64{`from="0" to="0"`: 0, `from="1" to="1"`: 1,
		`from="-1" to="-1"`: 1} {
		x, ok := quantity(t, r.world, 0, `<RelativeClearanceCondition distanceForward="50"
freeSpace="false" oppositeLanes="true"><RelativeLaneRange `+text+`/></RelativeClearanceCondition>`)
		require.True(t, ok)
		require.InDelta(t, want, x, 0, text)
	}
}

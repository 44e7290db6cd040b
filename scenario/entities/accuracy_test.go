package entities_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSynchronize_Constantly checks that a meeting that a constant acceleration reaches has that
// acceleration: 60 m in 4 s from 10 m/s up to 20 m/s, or 2.5 m/s2. With a final speed, the speed
// required at the start of a step applies to all of it, which is half a step early.
func TestSynchronize_Constantly(t *testing.T) {
	// near is in m and m/s, in steps of 0.01 s.
	for final, near := range map[string]float64{"": 1e-9,
		`<FinalSpeed><AbsoluteSpeed value="20"/></FinalSpeed>`: 0.06} {
		r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-2, 90)+speed(10)),
			story(`<LongitudinalAction><SynchronizeAction masterEntityRef="B"><TargetPositionMaster>
<LanePosition roadId="1" laneId="-2" s="140"/></TargetPositionMaster><TargetPosition><LanePosition
roadId="1" laneId="-1" s="170"/></TargetPosition>`+final+`</SynchronizeAction>
</LongitudinalAction>`))
		for now := 0.5; now < 4; now += 0.5 {
			a := r.until(1+now, 0)
			require.InDelta(t, 110+10*now+2.5*now*now/2, a.X, near, "%q at %g", final, now)
			require.InDelta(t, 10+2.5*now, a.Speed, near, "%q at %g", final, now)
		}
		require.InDelta(t, 190, r.until(6, 0).X, 3*near, final)
		require.InDelta(t, 20, r.until(6, 0).Speed, 3*near, final)
		require.InDelta(t, 5, r.ends["X"], 0.011, final)
	}
}

// TestSynchronize_WithinAStep: without a final speed, an entity arrives with the speed of a constant
// acceleration, and keeps it, also if it arrives within a step: 60 m in 4.0053 s from 10 m/s.
func TestSynchronize_WithinAStep(t *testing.T) {
	const time = 4.0053 // s
	r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-2, 90)+speed(10)),
		story(`<LongitudinalAction><SynchronizeAction masterEntityRef="B"><TargetPositionMaster>
<LanePosition roadId="1" laneId="-2" s="140.053"/></TargetPositionMaster><TargetPosition><LanePosition
roadId="1" laneId="-1" s="170"/></TargetPosition></SynchronizeAction></LongitudinalAction>`))
	want := 2*60/time - 10
	for _, now := range []float64{1 + time, 5.5, 6} {
		now = math.Ceil(now*100) / 100
		a := r.until(now, 0)
		require.InDelta(t, want, a.Speed, 1e-9, "%g", now)
		require.InDelta(t, 170+want*(now-1-time), a.X, 1e-9, "%g", now)
	}
}

// TestSynchronize_InABend checks that the ways to the places of a meeting are those of the lanes,
// which differ in a bend from the reference line: one entity in the outer lane, one in the inner.
func TestSynchronize_InABend(t *testing.T) {
	at := func(lane, s string) string {
		return `<LanePosition roadId="1" laneId="` + lane + `" s="` + s + `"/>`
	}
	for _, curvature := range []float64{0.01, 0.05} {
		inner, outer := 1-1.75*curvature, 1+1.75*curvature // m per m of s
		time := 110*outer/10 - 1                           // from 1 s to the meeting
		way := 100*inner - 10
		for final, want := range map[string]float64{"": 2*way/time - 10, "12": 12, "8": 8} {
			speedThen := `<FinalSpeed><AbsoluteSpeed value="` + final + `"/></FinalSpeed>`
			if final == "" {
				speedThen = ""
			}
			r := startOn(t, car("A", "10")+car("B", "10"), private("A", teleport(1, 140)+speed(10))+
				private("B", teleport(-1, 0)+speed(10)), story(`<LongitudinalAction>
<SynchronizeAction masterEntityRef="B"><TargetPositionMaster>`+at("-1", "110")+`
</TargetPositionMaster><TargetPosition>`+at("1", "40")+`</TargetPosition>`+speedThen+`
</SynchronizeAction></LongitudinalAction>`), strings.Replace(bend, `curvature="0.01"`,
				fmt.Sprintf(`curvature="%v"`, curvature), 1))
			a := r.until(math.Floor((1+time)*100)/100, 0)
			require.InDelta(t, want, a.Speed, 0.04, "%g %q", curvature, final)
			require.InDelta(t, 40, a.S, a.Speed*0.01/inner+0.01, "%g %q", curvature, final)
		}
	}
}

// TestSynchronize_AsideInABend checks that entities meet although one of them moves to the outside
// of a bend meanwhile, so that its way becomes longer at once.
func TestSynchronize_AsideInABend(t *testing.T) {
	at := func(lane, s string) string {
		return `<LanePosition roadId="1" laneId="` + lane + `" s="` + s + `"/>`
	}
	change := `<PrivateAction><LateralAction><LaneChangeAction>` +
		dynamics("LaneChangeActionDynamics", "sinusoidal", "time", 6) + `<LaneChangeTarget>
<AbsoluteTargetLane value="-2"/></LaneChangeTarget></LaneChangeAction></LateralAction>
</PrivateAction>`
	offset := `<PrivateAction><LateralAction><LaneOffsetAction continuous="false">
<LaneOffsetActionDynamics dynamicsShape="sinusoidal" maxLateralAcc="0.1"/><LaneOffsetTarget>
<AbsoluteTargetLaneOffset value="-1.5"/></LaneOffsetTarget></LaneOffsetAction></LateralAction>
</PrivateAction>`
	const lane = `<lane id="-%" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>`
	for _, test := range []struct{ actor, master, curvature string }{
		{"", change, "0.01"}, {offset, "", "0.01"}, {offset, change, "0.05"},
	} {
		plan := strings.NewReplacer("<right>", "<right>"+strings.Replace(lane, "%", "2", 1), "0.01",
			test.curvature).Replace(bend)
		r := startOn(t, car("A", "10")+car("B", "10"), private("A", teleport(1, 140)+speed(5)+
			test.actor)+private("B", teleport(-1, 0)+speed(5)+test.master),
			story(`<LongitudinalAction><SynchronizeAction masterEntityRef="B"><TargetPositionMaster>`+
				at("-2", "110")+`</TargetPositionMaster><TargetPosition>`+at("1", "40")+
				`</TargetPosition></SynchronizeAction></LongitudinalAction>`), plan)
		for now := 1.0; now < 60 && r.ends["X"] == 0; now += 0.01 {
			r.until(now, 0)
		}
		require.InDelta(t, 110, r.until(r.ends["X"], 1).S, 0.1, test)
		require.InDelta(t, 40, r.until(r.ends["X"], 0).S, 0.1, test)
	}
}

// TestSynchronize_InAnotherLane checks that the way of a master whose lane does not lead to its place
// is the distance along the reference line in each step: the actor's acceleration does not jump.
func TestSynchronize_InAnotherLane(t *testing.T) {
	at := func(road, s string) string {
		return `<LanePosition roadId="` + road + `" laneId="-1" s="` + s + `"/>`
	}
	plan := strings.Replace(fork, "<line/>", `<arc curvature="0.03"/>`, 1)
	r := startOn(t, car("A", "10")+car("B", "10"), private("A", `<PrivateAction>`+
		placed(at("2", "0"))+`</PrivateAction>`+speed(3))+private("B", teleport(-1, 0)+speed(5)),
		story(`<LongitudinalAction><SynchronizeAction masterEntityRef="B"><TargetPositionMaster>`+
			at("3", "10")+`</TargetPositionMaster><TargetPosition>`+at("2", "90")+
			`</TargetPosition></SynchronizeAction></LongitudinalAction>`), plan)
	last, gained := r.until(1.05, 0).Speed, 0.0
	for now := 1.06; r.until(now, 1).S < 95; now += 0.01 {
		v := r.until(now, 0).Speed
		if now > 1.065 {
			require.InDelta(t, gained, v-last, 5e-5, now)
		}
		last, gained = v, v-last
	}
	require.NotContains(t, r.ends, "X")
}

// TestSynchronize_AlongTheRoute checks that the way to the place of a meeting is that of the route,
// 190 m here in 10 s, although another way is 40 m shorter.
func TestSynchronize_AlongTheRoute(t *testing.T) {
	at := func(road, s string) string {
		return `<LanePosition roadId="` + road + `" laneId="-1" s="` + s + `"/>`
	}
	placed := func(name, position, more string) string {
		return private(name, `<PrivateAction>`+placed(position)+`</PrivateAction>`+more)
	}
	r := startOn(t, car("A", "10")+car("B", "10"), placed("A", at("1", "21"), speed(19)+overRoad5())+
		placed("B", at("4", "30"), speed(10)), story(`<LongitudinalAction>
<SynchronizeAction masterEntityRef="B"><TargetPositionMaster>`+at("4", "140")+`
</TargetPositionMaster><TargetPosition>`+at("4", "40")+`</TargetPosition></SynchronizeAction>
</LongitudinalAction>`), diamond())
	for now := 1.0; now < 11; now += 0.5 {
		require.InDelta(t, 19, r.until(now, 0).Speed, 1e-6, now)
	}
	a := r.until(11, 0)
	require.Equal(t, "4", a.Road)
	require.InDelta(t, 40, a.S, 1e-6)
	r.until(11.1, 0)
	require.InDelta(t, 11, r.ends["X"], 0.011)
}

// TestSynchronize_WithinTheLimit checks that an entity that would have to be faster than it can be
// drives at its greatest speed, 70 m/s, and that a note says so once.
func TestSynchronize_WithinTheLimit(t *testing.T) {
	r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-2, 90)+speed(20)),
		story(`<LongitudinalAction><SynchronizeAction masterEntityRef="B"><TargetPositionMaster>
<LanePosition roadId="1" laneId="-2" s="150"/></TargetPositionMaster><TargetPosition><LanePosition
roadId="1" laneId="-1" s="400"/></TargetPosition></SynchronizeAction></LongitudinalAction>`))
	for now := 1.0; now < 4; now += 0.01 {
		require.LessOrEqual(t, r.until(now, 0).Speed, 70.0, now)
	}
	require.Len(t, r.notes, 1)
	require.Equal(t, "limited", r.notes[0].Kind)
	require.InDelta(t, 70, r.until(4, 0).Speed, 0)
}

// TestFollowTrajectory_StopsWithItsSpeed checks that an entity that leaves a trajectory whose speed
// grows linearly has the speed of that moment, 10 m/s + 5 t, not the mean of the last step.
func TestFollowTrajectory_StopsWithItsSpeed(t *testing.T) {
	r := start(t, car("A", "10"), one(10), story(`<RoutingAction><FollowTrajectoryAction>
<TrajectoryRef><Trajectory name="t" closed="false"><Shape><Polyline><Vertex time="0"><Position>
<WorldPosition x="200" y="0"/></Position></Vertex><Vertex time="2"><Position><WorldPosition x="230"
y="0"/></Position></Vertex></Polyline></Shape></Trajectory></TrajectoryRef><TimeReference><Timing
domainAbsoluteRelative="relative" scale="1" offset="0"/></TimeReference><TrajectoryFollowingMode
followingMode="follow"/></FollowTrajectoryAction></RoutingAction>`))
	for now := 0.0; now < 2; now += 0.25 {
		require.InDelta(t, 10+5*now, r.until(1+now, 0).Speed, 1e-3, now)
	}
}

// TestContinuous_RelativeToItself checks that what is relative to the entity itself is relative to
// its state at the start, because it would run away otherwise.
func TestContinuous_RelativeToItself(t *testing.T) {
	r := start(t, car("A", "10"), one(10), story(`<LongitudinalAction><SpeedAction>`+
		dynamics("SpeedActionDynamics", "linear", "rate", 2)+`<SpeedActionTarget>
<RelativeTargetSpeed entityRef="A" value="4" speedTargetValueType="delta" continuous="true"/>
</SpeedActionTarget></SpeedAction></LongitudinalAction>`))
	require.InDelta(t, 12, r.until(2, 0).Speed, 1e-6)
	require.InDelta(t, 14, r.until(9, 0).Speed, 1e-6)
	r = start(t, car("A", "10"), one(10), story(`<LateralAction><LaneOffsetAction continuous="true">
<LaneOffsetActionDynamics dynamicsShape="linear" maxLateralAcc="2"/><LaneOffsetTarget>
<RelativeTargetLaneOffset entityRef="A" value="0.5"/></LaneOffsetTarget></LaneOffsetAction>
</LateralAction>`))
	require.InDelta(t, -1.25, r.until(9, 0).Y, 1e-6)
}

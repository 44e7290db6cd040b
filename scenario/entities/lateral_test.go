package entities_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
)

// bend is a road that curves to the left with a radius of 100 m.
const bend = `<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="150" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="150"><arc curvature="0.01"/></geometry>
</planView><lanes><laneSection s="0"><left><lane id="1" type="driving"><width sOffset="0" a="3.5"
b="0" c="0" d="0"/></lane></left><center><lane id="0" type="none"/></center><right><lane id="-1"
type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes>
</road></OpenDRIVE>`

func lateralDistance(attributes, constraints string) string {
	return `<LateralAction><LateralDistanceAction entityRef="B" continuous="true" ` + attributes +
		`>` + constraints + `</LateralDistanceAction></LateralAction>`
}

// TestLateralDistance_OfEntityInABend checks that a lateral distance is measured along the axis of
// the reference, unless the coordinate system is that of the road.
func TestLateralDistance_OfEntityInABend(t *testing.T) {
	for attributes, want := range map[string]func(x, y float64) float64{
		`freespace="false" distance="2.5"`: func(_, y float64) float64 {
			return y - (-1.75 + 2.5)
		},
		`freespace="true" distance="1" coordinateSystem="entity"`: func(_, y float64) float64 {
			return y - (-1.75 + 1 + 2)
		},
		`freespace="false" distance="2.5" coordinateSystem="road"`: func(x, y float64) float64 {
			return 100 - math.Hypot(x, y-100) - (-1.75 + 2.5)
		},
		`freespace="false" distance="1.5" displacement="rightToReferencedEntity"`: func(_,
			y float64) float64 {
			return y - (-1.75 - 1.5)
		},
	} {
		r := startOn(t, car("A", "10")+car("B", "10"), private("A", teleport(-1, 8)+speed(1))+
			private("B", teleport(-1, 0)), story(lateralDistance(attributes, "")), bend)
		r.until(1, 0)
		for k := 101; k < 400; k++ {
			a := r.until(float64(k)/100, 0)
			// In a step of 0.01 m, the distance to the axis changes by its slope.
			require.InDelta(t, 0, want(a.X, a.Y), 0.002, "%s at %d: %+v", attributes, k, a)
		}
	}
}

// TestLateralDistance_WithoutARoad checks that on a plane an entity keeps its distance from the axis
// of the reference, and otherwise moves along its heading, at its speed.
func TestLateralDistance_WithoutARoad(t *testing.T) {
	at := func(x, y, h string) string {
		return `<PrivateAction><TeleportAction><Position><WorldPosition x="` + x + `" y="` + y +
			`" h="` + h + `"/></Position></TeleportAction></PrivateAction>`
	}
	const limits = `<DynamicConstraints maxAcceleration="2" maxDeceleration="2" maxSpeed="3"/>`
	start := func(yaw, attributes, constraints string) *run {
		return startOn(t, car("A", "10")+car("B", "10"),
			private("A", at("0", "5", yaw)+speed(10))+private("B", at("-30", "0", "0")+speed(9)),
			story(lateralDistance(attributes, constraints)), "")
	}
	r := start("0", `freespace="false" distance="2"`, limits)
	last := r.until(0, 0)
	for k := 1; k < 2000; k++ {
		s := r.until(float64(k)/100, 0)
		require.InDelta(t, 0.1, math.Hypot(s.X-last.X, s.Y-last.Y), 1e-6, k)
		last = s
	}
	require.InDelta(t, 2, last.Y, 1e-3)
	r = start("0.1", `freespace="true" distance="1" displacement="rightToReferencedEntity"`, "")
	s := r.until(3, 0)
	require.InDelta(t, -3, s.Y, 0.02)
	w, d, err := open(t, car("A", "10")+car("B", "10"), "", story(lateralDistance(
		`freespace="true" distance="1" coordinateSystem="road"`, "")), "")
	require.NoError(t, err)
	_, errs := storyboard.New(d, w, storyboard.Options{})
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "road without a map")
}

// TestLongitudinalDistance_FreespaceOnEitherSide checks that an entity that passes its reference
// keeps the free distance behind itself, and that the coordinate system of a road follows a bend.
func TestLongitudinalDistance_FreespaceOnEitherSide(t *testing.T) {
	leading := ` displacement="leadingReferencedEntity"`
	for _, c := range []struct {
		attributes, plan string
		want             float64
	}{
		{`freespace="true" distance="12"` + leading, road, 17},
		{`freespace="true" distance="12"` + leading + ` coordinateSystem="road"`, road, 17},
		{`freespace="true" distance="10" coordinateSystem="road"`, bend, -15},
		{`freespace="true" distance="10"` + leading + ` coordinateSystem="road"`, bend, 15},
		{`freespace="false" distance="10" displacement="any" coordinateSystem="road"`, bend, -10},
	} {
		r := startOn(t, car("A", "10")+car("B", "10"), private("A", teleport(-1, 10)+speed(5))+
			private("B", teleport(-1, 60)), story(distance(c.attributes+` continuous="false"`,
			"")), c.plan)
		require.InDelta(t, 60+c.want, r.until(1, 0).S, 1e-6, c.attributes)
	}
	// Against s.
	r := start(t, car("A", "10")+car("B", "10"), private("A", teleport(1, 300)+speed(5))+
		private("B", teleport(1, 200)), story(distance(`freespace="true" distance="12"
continuous="false" coordinateSystem="road"`+leading, "")))
	require.InDelta(t, 200-17, r.until(1, 0).S, 1e-6)
}

// TestLaneChange_Slow checks that an entity that is too slow for the shape moves sideways no faster
// than it moves, and reaches the lane. A change over a short distance is steep, and ends after it.
func TestLaneChange_Slow(t *testing.T) {
	change := func(shape, dimension string, value float64) string {
		return `<LateralAction><LaneChangeAction>` + dynamics("LaneChangeActionDynamics", shape,
			dimension, value) + `<LaneChangeTarget><AbsoluteTargetLane value="-2"/></LaneChangeTarget>
</LaneChangeAction></LateralAction>`
	}
	for _, c := range []struct {
		shape, dimension   string
		speed, value, ends float64
	}{
		{"sinusoidal", "time", 1, 4, 5}, // it catches up just before the end
		{"linear", "time", 1, 2, 4.5},
		{"cubic", "rate", 0.5, 3, 8.04}, // it is as slow as the shape at first
		{"linear", "distance", 10, 1, 1 + math.Hypot(3.5, 1)/10},
		{"sinusoidal", "distance", 10, 2, 0},
	} {
		r := start(t, car("A", "10"), one(c.speed), story(change(c.shape, c.dimension, c.value)))
		last := r.until(1, 0)
		for now := 1.01; now < 9; now += 0.01 {
			s := r.until(now, 0)
			require.LessOrEqual(t, math.Hypot(s.X-last.X, s.Y-last.Y), c.speed*0.01+1e-5, "%v %g", c,
				now)
			last = s
		}
		require.InDelta(t, -5.25, last.Y, 1e-9, c)
		if c.ends > 0 {
			require.InDelta(t, c.ends, r.ends["X"], 0.02, c)
		}
	}
}

// TestLaneOffset_Slow checks that an entity that crawls does not slide to the side.
func TestLaneOffset_Slow(t *testing.T) {
	r := start(t, car("A", "10"), one(0.5), story(`<LateralAction><LaneOffsetAction
continuous="false"><LaneOffsetActionDynamics dynamicsShape="cubic" maxLateralAcc="20"/>
<LaneOffsetTarget><AbsoluteTargetLaneOffset value="1"/></LaneOffsetTarget></LaneOffsetAction>
</LateralAction>`))
	last := r.until(1, 0)
	for now := 1.01; now < 4; now += 0.01 {
		s := r.until(now, 0)
		require.LessOrEqual(t, math.Abs(s.Y-last.Y), 0.005+1e-9, now)
		require.InDelta(t, 0.005, s.X-last.X, 1e-9, now)
		last = s
	}
	require.InDelta(t, -0.75, last.Y, 1e-9)
	require.InDelta(t, 3, r.ends["X"], 0.03)
}

// TestLateralDistance_WithDrift checks that an entity that is held at a distance by a limited
// acceleration does not lag behind while it drifts sideways, because of its own heading or of the
// motion of the reference.
func TestLateralDistance_WithDrift(t *testing.T) {
	const limits = `<DynamicConstraints maxAcceleration="2" maxDeceleration="2" maxSpeed="5"/>`
	at := func(y, h string) string {
		return `<PrivateAction><TeleportAction><Position><WorldPosition x="0" y="` + y + `" h="` + h +
			`"/></Position></TeleportAction></PrivateAction>`
	}
	for _, own := range []string{"0", "0.1", "-0.2"} {
		r := startOn(t, car("A", "10")+car("B", "10"), private("A", at("5", own)+speed(10))+
			private("B", at("0", "0")+speed(9)),
			story(lateralDistance(`freespace="false" distance="2"`, limits)), "")
		r.until(15, 0)
		for now := 15.0; now < 20; now += 0.1 {
			require.InDelta(t, 2, r.until(now, 0).Y, 1e-3, "%s at %g", own, now)
		}
	}
	// The reference changes lanes slowly.
	r := start(t, car("A", "10")+car("B", "10"), private("A", teleport(-2, 0)+speed(10))+
		private("B", teleport(-2, 0)+speed(10)+`<PrivateAction><LateralAction><LaneChangeAction>`+
			dynamics("LaneChangeActionDynamics", "linear", "time", 20)+`<LaneChangeTarget>
<AbsoluteTargetLane value="2"/></LaneChangeTarget></LaneChangeAction></LateralAction>
</PrivateAction>`), story(lateralDistance(`freespace="false" distance="2"
coordinateSystem="road" displacement="rightToReferencedEntity"`, limits)))
	for now := 15.0; now < 19; now += 0.1 {
		require.InDelta(t, 2, r.until(now, 1).Y-r.until(now, 0).Y, 1e-3, "at %g", now)
	}
}

// TestLongitudinalDistance_WithReferenceAtAnAngle checks that an entity that is held at a distance
// along its own axis does not lag behind a reference with another heading.
func TestLongitudinalDistance_WithReferenceAtAnAngle(t *testing.T) {
	at := func(x, h string) string {
		return `<PrivateAction><TeleportAction><Position><WorldPosition x="` + x + `" y="0" h="` +
			h + `"/></Position></TeleportAction></PrivateAction>`
	}
	r := startOn(t, car("A", "10")+car("B", "10"), private("A", at("0", "0")+speed(8))+
		private("B", at("30", "1")+speed(20)), story(distance(`freespace="false" distance="25"
continuous="true"`, `<DynamicConstraints maxAcceleration="3" maxDeceleration="3" maxSpeed="40"/>`)),
		"")
	for now := 15.0; now < 20; now += 0.1 {
		require.InDelta(t, 25, r.until(now, 1).X-r.until(now, 0).X, 1e-2, "at %g", now)
	}
	require.InDelta(t, 20*math.Cos(1), r.until(20, 0).Speed, 1e-3)
}

// apart returns two roads that are not connected.
func apart() string {
	header, road, _ := strings.Cut(strings.TrimSuffix(bend, "</OpenDRIVE>"), "<road")
	second := strings.NewReplacer(`id="1" length`, `id="2" length`, `y="0"`, `y="300"`).Replace(road)
	return header + "<road" + road + "<road" + second + "</OpenDRIVE>"
}

// TestDistances_NotDefined checks that an action whose distance is not defined does not end as if it
// were reached, and that an offset relative to an entity that no road leads to is refused.
func TestDistances_NotDefined(t *testing.T) {
	const limits = `<DynamicConstraints maxAcceleration="2" maxDeceleration="2" maxSpeed="30"/>`
	other := private("B", strings.Replace(teleport(-1, 50), `roadId="1"`, `roadId="2"`, 1)+speed(1))
	same := private("B", teleport(1, 50)+speed(0))
	const road = `freespace="false" coordinateSystem="road"`
	for _, action := range []string{
		distance(`continuous="false" distance="20" `+road, limits),
		distance(`continuous="false" distance="20" `+road, ""),
		lateralDistance(`distance="1" `+road, limits), lateralDistance(`distance="1" `+road, ""),
	} {
		action = strings.Replace(action, `continuous="true" `, `continuous="false" `, 1)
		start := func(init string) *run {
			return startOn(t, car("A", "10")+car("B", "10"),
				private("A", teleport(-1, 10)+speed(5))+init, story(action), apart())
		}
		r := start(other)
		require.InDelta(t, 5, r.until(6, 0).Speed, 1e-9)
		require.Zero(t, r.ends["X"], action)
		r = start(same)
		r.until(15, 0)
		require.NotZero(t, r.ends["X"], action)
	}
	r := startOn(t, car("A", "10")+car("B", "10"), private("A", teleport(-1, 10)+speed(5))+other,
		story(`<LateralAction><LaneOffsetAction continuous="false"><LaneOffsetActionDynamics `+
			`dynamicsShape="linear"/><LaneOffsetTarget><RelativeTargetLaneOffset entityRef="B" `+
			`value="1"/></LaneOffsetTarget></LaneOffsetAction></LateralAction>`), apart())
	var err error
	for k := 1; k < 120 && err == nil; k++ {
		err = r.board.Step(float64(k) / 100)
	}
	require.ErrorContains(t, err, "no roads from A to B")
}

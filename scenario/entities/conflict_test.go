package entities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
)

// TestConflict_OfBothDomains: a trajectory with times controls both motions, so an action of either
// domain stops it.
func TestConflict_OfBothDomains(t *testing.T) {
	timed := private("A", teleport(-1, 100)+speed(10)+`<PrivateAction><RoutingAction>
<FollowTrajectoryAction><TrajectoryRef><Trajectory name="t" closed="false"><Shape><Polyline>
<Vertex time="0"><Position><WorldPosition x="100" y="-1.75"/></Position></Vertex>
<Vertex time="10"><Position><WorldPosition x="200" y="-1.75"/></Position></Vertex>
</Polyline></Shape></Trajectory></TrajectoryRef><TimeReference>
<Timing domainAbsoluteRelative="relative" scale="1" offset="0"/></TimeReference>
<TrajectoryFollowingMode followingMode="position"/></FollowTrajectoryAction></RoutingAction>
</PrivateAction>`)
	followed := func(r *run) storyboard.Status {
		all := r.board.Init()
		return all[len(all)-1].Status()
	}
	r := start(t, car("A", "10"), timed, story(`<LateralAction><LaneChangeAction>`+
		dynamics("LaneChangeActionDynamics", "linear", "time", 2)+`<LaneChangeTarget>
<AbsoluteTargetLane value="-2"/></LaneChangeTarget></LaneChangeAction></LateralAction>`))
	r.until(0.99, 0)
	require.Equal(t, storyboard.Running, followed(r))
	r.until(1, 0)
	require.Equal(t, storyboard.Complete, followed(r))
	require.InDelta(t, -5.25, r.until(4, 0).Y, 1e-6)
	r = start(t, car("A", "10"), timed, story(speedAction("linear", "rate", 5, 20)))
	r.until(1, 0)
	require.Equal(t, storyboard.Complete, followed(r))
	require.InDelta(t, 20, r.until(3.5, 0).Speed, 1e-6)
}

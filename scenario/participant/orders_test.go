package participant_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/proto/osi3"
	"gosmp/scenario/participant"
)

// TestOrders_OfTheStoryboardReachTheDriver checks C1 and C3: the storyboard's actions on an entity
// that its driver moves each reach the driver once as TrafficCommands.
func TestOrders_OfTheStoryboardReachTheDriver(t *testing.T) {
	speed := `<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="linear"
dynamicsDimension="time" value="2"/><SpeedActionTarget><AbsoluteTargetSpeed value="30"/>
</SpeedActionTarget></SpeedAction></LongitudinalAction>`
	teleport := `<TeleportAction><Position><WorldPosition x="50" y="3" z="0" h="0"/></Position>
</TeleportAction>`
	follow := `<RoutingAction><FollowTrajectoryAction><TrajectoryRef><Trajectory name="t"
closed="false"><Shape><Polyline><Vertex time="0"><Position><WorldPosition x="60" y="0"/></Position>
</Vertex><Vertex time="2"><Position><WorldPosition x="100" y="0"/></Position></Vertex></Polyline>
</Shape></Trajectory></TrajectoryRef><TimeReference><Timing domainAbsoluteRelative="relative"
scale="1" offset="0"/></TimeReference><TrajectoryFollowingMode followingMode="position"/>
</FollowTrajectoryAction></RoutingAction>`
	s := newStage(t,
		event("faster", 1, speed)+event("there", 2, teleport)+event("along", 3, follow),
		drive(0, 0))
	command := s.engine.Watch("world.Ego." + participant.Command)
	data := s.engine.Watch("world.Ego." + participant.Data)
	stream := s.engine.Watch("world.Ego." + participant.Stream)
	var found []*osi3.TrafficAction
	s.start()
	for more := true; more; {
		var err error
		more, err = s.engine.Step(t.Context())
		require.NoError(t, err)
		c := &osi3.TrafficCommand{}
		require.NoError(t, proto.Unmarshal(blob(command), c))
		require.NotNil(t, c.TrafficParticipantId, "C2: a message in each step")
		found = append(found, c.Action...)
	}
	require.Len(t, found, 4, "a speed, its end and a teleport, a trajectory")
	require.Equal(t, 30.0, found[0].SpeedAction.GetAbsoluteTargetSpeed())
	require.Equal(t, 2.0, found[0].SpeedAction.GetDuration())
	require.NotNil(t, found[1].AbortActionsAction)
	require.InDelta(t, 51.4, found[2].TeleportAction.Position.GetX(), 1e-9, "the middle of the box")
	points := found[3].FollowTrajectoryAction.GetTrajectoryPoint()
	require.InDelta(t, 61.4, points[0].Position.GetX(), 1e-6)
	require.InDelta(t, 5, float64(points[len(points)-1].Timestamp.GetSeconds()), 1e-9)
	d := &osi3.HostVehicleData{}
	require.NoError(t, proto.Unmarshal(blob(data), d))
	require.InDelta(t, 20, d.VehicleMotion.Velocity.GetX(), 1e-6)
	require.NotEmpty(t, blob(stream))
}

func blob(s *cosim.Signal) []byte {
	_, b := s.First()
	return b
}

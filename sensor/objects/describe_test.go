package objects_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/sensor/objects"
)

// pedestrianAt returns a pedestrian who faces the given direction of the world.
func pedestrianAt(n uint64, x, y, z, yaw float64) *osi3.MovingObject {
	return &osi3.MovingObject{
		Id: id(n), Type: osi3.MovingObject_TYPE_PEDESTRIAN.Enum(),
		Base: &osi3.BaseMoving{Dimension: size(0.5, 0.6, 1.8), Position: vec(x, y,
			z), Orientation: turn(0, 0, yaw)},
		PedestrianAttributes: &osi3.MovingObject_PedestrianAttributes{},
	}
}

// TestDetect_PosesOfPedestriansAreRelativeToTheHostVehicle also holds when the sensor points
// elsewhere, in either frame.
func TestDetect_PosesOfPedestriansAreRelativeToTheHostVehicle(t *testing.T) {
	for _, frame := range []objects.Frame{objects.SensorFrame, objects.VehicleFrame} {
		c := objects.Default()
		c.Frame, c.HalfAngle = frame, math.Pi
		c.Mounting = &frames.Pose{Orientation: frames.Orientation{Yaw: 1}}
		// The host vehicle faces along the world's y axis; the pedestrian, to its left, faces -x.
		data, p := detect(t, c, plainView(pedestrianAt(9, 103, 70, 1, math.Pi)))
		require.Zero(t, p.fast.Problems())
		candidate := data.MovingObject[0].Candidate[0]
		for _, pose := range []*osi3.Orientation3D{candidate.HeadPose, candidate.UpperBodyPose} {
			require.InDelta(t, math.Pi/2, pose.GetYaw(), 1e-12)
			require.InDelta(t, 0, pose.GetRoll(), 1e-12)
			require.InDelta(t, 0, pose.GetPitch(), 1e-12)
		}
		require.Nil(t, candidate.VehicleClassification)
	}
}

// TestDetect_PedestrianWithoutOrientation expects empty poses, because OSI requires the fields.
func TestDetect_PedestrianWithoutOrientation(t *testing.T) {
	for _, unknown := range []*osi3.Orientation3D{nil, turn(0, math.NaN(), 0)} {
		someone := pedestrianAt(9, 103, 70, 1, 0)
		someone.Base.Orientation = unknown
		data, _ := detect(t, objects.Default(), plainView(someone))
		candidate := data.MovingObject[0].Candidate[0]
		require.True(t, proto.Equal(&osi3.Orientation3D{}, candidate.HeadPose))
		require.True(t, proto.Equal(&osi3.Orientation3D{}, candidate.UpperBodyPose))
	}
}

// TestDetect_CrowdObeysTheRules: every sixth object is a pedestrian.
func TestDetect_CrowdObeysTheRules(t *testing.T) {
	for _, tilt := range []float64{0, 0.2} {
		view := scene.Crowd(200, 0, 0)
		for _, o := range view.GlobalGroundTruth.MovingObject {
			*o.Base.Orientation.Pitch = tilt
		}
		c := objects.Default()
		c.HalfAngle = math.Pi
		data, _ := detect(t, c, view)
		pedestrians := 0
		for _, o := range data.MovingObject {
			if o.Candidate[0].GetType() == osi3.MovingObject_TYPE_PEDESTRIAN {
				pedestrians++
			}
		}
		require.Greater(t, pedestrians, 10)
		require.Empty(t, rules.Check(data))
	}
}

// TestDetect_MovementState follows a car that waits, drives, stops, and is forgotten.
func TestDetect_MovementState(t *testing.T) {
	const stationary, moving, stopped = osi3.DetectedMovingObject_MOVEMENT_STATE_STATIONARY,
		osi3.DetectedMovingObject_MOVEMENT_STATE_MOVING,
		osi3.DetectedMovingObject_MOVEMENT_STATE_STOPPED
	c := objects.Default()
	c.ForgetAfter = 2
	p := newPair(t, c)
	for k, s := range []struct {
		speed *osi3.Vector3D
		want  osi3.DetectedMovingObject_MovementState
	}{
		{vec(0, 0, 0), stationary}, {vec(0.05, -0.05, 0.05), stationary}, {vec(-0.08, 0.08, 0),
			moving}, {vec(0, 0, 0.09), stopped},
		{vec(0, 20, 0), moving}, {vec(0, 0, 0), stopped},
	} {
		car := carAt(9, 100, 90, 1)
		car.Base.Velocity = s.speed
		data := p.step(t, marshal(t, plainView(car)), step)
		require.Equal(t, s.want, data.MovingObject[0].GetMovementState(), "step %d", k)
	}
	state := p.fast.AppendState(nil)
	other, err := objects.New(c)
	require.NoError(t, err)
	require.NoError(t, other.RestoreState(state))
	still := carAt(9, 100, 90, 1)
	still.Base.Velocity = vec(0, 0, 0)
	_, err = other.Detect(marshal(t, plainView(still)), until(step))
	require.NoError(t, err)
	require.Equal(t, objects.Stopped, other.Detections(objects.MovingObject)[0].Movement,
		"a state stores that the car has moved")

	for range 2 {
		p.fast.SkipStep()
		p.plain.SkipStep()
	}
	data := p.step(t, marshal(t, plainView(still)), step)
	require.Equal(t, stationary, data.MovingObject[0].GetMovementState(),
		"a new track has a history of its own")
}

// TestDetect_MovementStateIsUnknownWithoutVelocity does not depend on the host vehicle's velocity.
func TestDetect_MovementStateIsUnknownWithoutVelocity(t *testing.T) {
	silent, wild, fine := carAt(9, 100, 90, 1), carAt(10, 101, 95, 1), carAt(11, 99, 99, 1)
	silent.Base.Velocity, wild.Base.Velocity = nil, vec(math.Inf(1), 0, 0)
	view := plainView(silent, wild, fine)
	view.GlobalGroundTruth.MovingObject[0].Base.Velocity = nil
	data, _ := detect(t, objects.Default(), view)
	require.Nil(t, data.MovingObject[0].MovementState)
	require.Nil(t, data.MovingObject[1].MovementState)
	require.Equal(t, osi3.DetectedMovingObject_MOVEMENT_STATE_MOVING,
		data.MovingObject[2].GetMovementState())
	require.Nil(t, data.MovingObject[2].Base.Velocity)
}

// TestDetect_RepeatsWhatTheTruthSays covers lanes and colors, including long ones.
func TestDetect_RepeatsWhatTheTruthSays(t *testing.T) {
	car := carAt(9, 100, 90, 1)
	car.MovingObjectClassification = &osi3.MovingObject_MovingObjectClassification{}
	for lane := range uint64(300) {
		car.MovingObjectClassification.AssignedLaneId = append(
			car.MovingObjectClassification.AssignedLaneId, id(lane))
	}
	car.ColorDescription = &osi3.ColorDescription{Grey: &osi3.ColorGrey{Grey: proto.Float64(0.25)}}
	tree := &osi3.StationaryObject{
		Id: id(20), Base: &osi3.BaseStationary{Position: vec(101, 90, 1), Orientation: turn(0,
			0, 0)},
		ColorDescription: &osi3.ColorDescription{Hsv: &osi3.ColorHSV{Hue: proto.Float64(120)}},
	}
	view := plainView(car)
	view.GlobalGroundTruth.StationaryObject = []*osi3.StationaryObject{tree}
	data, p := detect(t, objects.Default(), view)
	require.Zero(t, p.fast.Problems())
	require.True(t, proto.Equal(car.MovingObjectClassification,
		data.MovingObject[0].Candidate[0].MovingObjectClassification))
	require.True(t, proto.Equal(car.ColorDescription, data.MovingObject[0].ColorDescription))
	require.True(t, proto.Equal(tree.ColorDescription, data.StationaryObject[0].ColorDescription))
}

// TestDetector_SkippedStepsCount: without a view, tracks age while the cycle counter, and with it
// the noise, stays the same.
func TestDetector_SkippedStepsCount(t *testing.T) {
	for skipped, want := range map[int]uint64{4: 1, 5: 2} {
		c := objects.Default()
		c.ForgetAfter = 5
		p := newPair(t, c)
		view := marshal(t, plainView(carAt(9, 100, 90, 1)))
		p.step(t, view, step)
		for range skipped {
			p.fast.SkipStep()
			p.plain.SkipStep()
		}
		require.Empty(t, p.fast.AppendMovingObjects(nil), "the newest step has no view")
		data := p.step(t, view, 6*step)
		require.Equal(t, want, data.MovingObject[0].Header.TrackingId.GetValue(),
			"%d steps without a view", skipped)
		require.EqualValues(t, 2, data.MovingObjectHeader.GetCycleCounter())
	}
}

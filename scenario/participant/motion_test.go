package participant_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/scenario/participant"
	"gosmp/timebase"
)

// planner requests a speed of 15 m/s along y = 0 until a given time, and then stops sending.
type planner struct {
	driver
	until float64
}

func (r *planner) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "request", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
		MIMEType: osmp.MIMEType("MotionRequest")}}
}

func (r *planner) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	r.in, r.out = cosim.NewFrame(r.Variables(), in), cosim.NewFrame(r.Variables(), out)
	return r.in, r.out, nil
}

func (r *planner) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	r.out.SetBlob(0, 0, nil)
	if s.Start.Seconds() >= r.until {
		return cosim.Advance{Reached: s.End}, nil
	}
	stamp := func(at timebase.Time) *osi3.Timestamp {
		seconds, nanos := at.Split()
		return &osi3.Timestamp{Seconds: &seconds, Nanos: &nanos}
	}
	b, err := proto.Marshal(&osi3.MotionRequest{Timestamp: stamp(s.Start),
		MotionRequestType: osi3.MotionRequest_MOTION_REQUEST_TYPE_DESIRED_STATE.Enum(),
		DesiredState: &osi3.MotionRequest_DesiredState{Timestamp: stamp(s.End),
			Velocity: &osi3.Vector3D{X: proto.Float64(15), Y: proto.Float64(0)}}})
	r.out.SetBlob(0, 0, b)
	return cosim.Advance{Reached: s.End}, err
}

func newPlanned(t *testing.T, events string, until float64, more ...cosim.Connection) *stage {
	p, err := participant.New(parse(t, events), participant.Options{Seats: []string{"Ego"}})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 100 * timebase.Second, Step: cosim.Every(p.StepSize())})
	e.Add("planner", &planner{until: until})
	if len(more) > 0 {
		e.Add("driver", drive(0, 0))
	}
	e.Add("world", p)
	e.ConnectAs(cosim.Connection{From: "planner.request",
		To: "world.Ego." + participant.Motion, Timing: cosim.Prompt})
	for _, c := range more {
		e.ConnectAs(c)
	}
	return &stage{p, e, t, false}
}

// TestMotion_EntitiesFollowAPlanner checks that a vehicle of a scenario follows MotionRequests as
// far as its own vehicle model allows, and coasts when the planner stops sending.
func TestMotion_EntitiesFollowAPlanner(t *testing.T) {
	s := newPlanned(t, "", 4)
	x, y, v := s.until(3.9)
	require.InDelta(t, 15, v, 0.2)
	require.InDelta(t, 0, y, 0.05)
	require.Greater(t, x, 55.0)
	r := s.end()
	require.Equal(t, "finished", string(r.Outcome))
	silent := kinds(r, "silent")
	require.Len(t, silent, 1)
	require.InDelta(t, 4.02, silent[0], 0.011)
	require.Less(t, s.World().State(0).Speed, 15.0)
}

// TestMotion_ByTheScenario checks that a planner controls the vehicle, with both motions at once,
// when the storyboard hands it over, and that handing over only one motion is refused.
func TestMotion_ByTheScenario(t *testing.T) {
	s := newPlanned(t, event("on", 1, activate(true, true))+event("off", 3, activate(false, false)),
		9)
	_, _, v := s.until(0.9)
	require.InDelta(t, 20, v, 1e-9)
	_, _, v = s.until(2.9)
	require.InDelta(t, 15, v, 0.3)
	_, _, kept := s.until(4.9)
	require.InDelta(t, v, kept, 0.05)

	s = newPlanned(t, event("on", 0, activate(true, false)), 9)
	require.ErrorContains(t, s.engine.Start(t.Context()), "both lateral and longitudinal")
	s = newPlanned(t, "", 9, cosim.Connection{From: "driver.update",
		To: "world.Ego." + participant.Update, Timing: cosim.Prompt})
	require.ErrorContains(t, s.engine.Start(t.Context()), "one way to drive")
}

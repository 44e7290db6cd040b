package participant_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/mocksim/participant"
	"gosmp/timebase"
)

// TestStep_FollowsSpeedAndTireAngle checks that the commands of a stack, a speed and the angle of
// the front wheels, drive the host vehicle instead of pedals and steering wheel. It reaches the
// speed, stops, and stays where it is.
func TestStep_FollowsSpeedAndTireAngle(t *testing.T) {
	p, err := participant.New(scene(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	number := map[string]int{}
	for k, v := range p.Variables() {
		number[v.Name] = k
	}
	in, out, err := p.Bind([]int{number["host.control"], number["host.targetSpeed"],
		number["host.tireAngle"]}, []int{number["actor.ego.speed"], number["actor.ego.yaw"]})
	require.NoError(t, err)
	ctx := context.Background()
	require.NoError(t, p.Enter(ctx, cosim.Setup{Step: cosim.Every(0.02)}))
	require.NoError(t, p.Exchange(ctx))
	require.NoError(t, p.Leave(ctx))
	in.SetInteger(0, 0, 1)
	now := timebase.Time(0)
	run := func(seconds int, speed, angle float64) (v, yaw float64) {
		in.SetFloat(1, 0, speed)
		in.SetFloat(2, 0, angle)
		for range 50 * seconds {
			_, err := p.Step(ctx, timebase.Span{Start: now,
				End: now + 20*timebase.Millisecond})
			require.NoError(t, err)
			now += 20 * timebase.Millisecond
		}
		return out.Float(0, 0), out.Float(1, 0)
	}
	v, before := run(20, 8, 0)
	require.InDelta(t, 8, v, 0.2)
	v, after := run(2, 8, 0.1)
	require.InDelta(t, 8, v, 0.2)
	require.Greater(t, after, before+0.1, "to the left")
	v, _ = run(15, 0, 0)
	require.Zero(t, v)
	v, _ = run(5, 0, 0)
	require.Zero(t, v, "it does not creep")
	v, _ = run(10, 3, 0)
	require.InDelta(t, 3, v, 0.2)
	in.SetFloat(1, 0, -1)
	_, err = p.Step(ctx, timebase.Span{Start: now,
		End: now + 20*timebase.Millisecond})
	require.ErrorIs(t, err, participant.ErrVariable)
	require.ErrorContains(t, err,
		"host.targetSpeed: unusable variable: found -1, expected a speed in m/s")
}

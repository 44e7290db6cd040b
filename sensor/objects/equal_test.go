package objects_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/proto/field"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/proto/wire"
	"gosmp/sensor/objects"
	"gosmp/sensor/objects/internal/reference"
	"gosmp/timebase"
)

const step = 20 * timebase.Millisecond

// until returns the span of the step that ends at t.
func until(t timebase.Time) timebase.Span { return timebase.Span{Start: t - step, End: t} }

// appendSensorData writes a whole SensorData around the lists of objects, as a sensor model does.
func appendSensorData(b, view []byte, d *objects.Detector, r objects.Result,
	now timebase.Time) []byte {
	seconds, nanos := now.Split()
	b = wire.AppendInterfaceVersion(b, 1, 3, 8, 0)
	b = wire.AppendTimestamp(b, 2, seconds, nanos)
	b = wire.AppendIdentifier(b, 5, d.SensorID())
	m := d.Mounting()
	b = wire.AppendMountingPosition(b, 6, wire.Vector3d(m.Position),
		wire.Orientation3d(m.Orientation))
	b = wire.AppendBytes(b, 8, view)
	seconds, nanos = r.Measured.Split()
	b = wire.AppendTimestamp(b, 9, seconds, nanos)
	b = d.AppendStationaryObjects(b)
	return d.AppendMovingObjects(b)
}

func marshal(t require.TestingT, m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	require.NoError(t, err)
	return b
}

// pair is the fast detector and the plain one, which receive the same views.
type pair struct {
	fast  *objects.Detector
	plain *reference.Detector
}

func newPair(t require.TestingT, c objects.Config) *pair {
	d, err := objects.New(c)
	require.NoError(t, err)
	return &pair{d, reference.New(c)}
}

// step passes the view to both and requires identical results.
func (p *pair) step(t require.TestingT, view []byte, now timebase.Time) *osi3.SensorData {
	before := append([]byte(nil), view...)
	want, refused := p.plain.Detect(view, until(now))
	r, err := p.fast.Detect(view, until(now))
	require.Equal(t, before, append([]byte(nil), view...), "the view is read only")
	if refused != nil {
		// The plain one decodes everything; the fast one may accept malformed data in fields that
		// it skips.
		return nil
	}
	require.NoError(t, err)
	b := appendSensorData(nil, view, p.fast, r, now)
	got := &osi3.SensorData{}
	require.NoError(t, proto.Unmarshal(b, got), "the output is protobuf")
	if !proto.Equal(want, got) {
		want.SensorView, got.SensorView = nil, nil
		require.Equal(t, prototext.Format(want), prototext.Format(got))
	}
	require.Equal(t, p.plain.Problems().String(), r.Problems.String())
	require.Equal(t, len(got.MovingObject), r.Moving)
	require.Equal(t, len(got.StationaryObject), r.Stationary)
	for q := range r.Problems.All() {
		require.Contains(t, p.fast.Explain(q), "expected")
	}
	return got
}

// TestDetect_SameBytesAsPlain compares the output for valid input byte by byte, over many steps.
func TestDetect_SameBytesAsPlain(t *testing.T) {
	for name, c := range configs() {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, c)
			seen := 0
			for k := range timebase.Time(40) {
				now := k * 5 * step
				view := marshal(t, scene.Motorway(now))
				data := p.step(t, view, now)
				seen += len(data.MovingObject) + len(data.StationaryObject)
				require.Zero(t, p.fast.Problems())
				require.Empty(t, rules.Check(data))
				b := appendSensorData(nil, view, p.fast, objects.Result{Measured: now}, now)
				require.Equal(t, marshal(t, data), b)
			}
			require.Greater(t, seen, 100)
		})
	}
}

// TestDetect_FieldsBetweenObjects puts each field of the GroundTruth between objects of equal
// length, which the fast detector finds by comparison with the previous one.
func TestDetect_FieldsBetweenObjects(t *testing.T) {
	view := scene.Crowd(8, 2, 3)
	view.GlobalGroundTruth.StationaryObject = scene.Motorway(
		0).GlobalGroundTruth.StationaryObject[:4]
	truth := view.GlobalGroundTruth
	view.GlobalGroundTruth = nil
	var moving, others [][]byte
	for b := marshal(t, truth); len(b) > 0; {
		number, _, n := protowire.ConsumeField(b)
		if number == field.GroundTruthMovingObject {
			moving = append(moving, b[:n])
		} else {
			others = append(others, b[:n])
		}
		b = b[n:]
	}
	for k := range others {
		var mixed []byte
		for i, o := range moving {
			mixed = append(append(mixed, o...), others[(i+k)%len(others)]...)
		}
		b := wire.AppendBytes(marshal(t, view), field.SensorViewGlobalGroundTruth, mixed)
		newPair(t, configs()["all around"]).step(t, b, step)
	}
}

// configs returns sensors that together use every feature.
func configs() map[string]objects.Config {
	all := map[string]objects.Config{}
	add := func(name string, change func(*objects.Config)) {
		c := objects.Default()
		change(&c)
		all[name] = c
	}
	id := uint64(math.MaxUint64)
	add("default", func(*objects.Config) {})
	add("all around", func(c *objects.Config) { c.HalfAngle = math.Pi })
	add("vehicle frame", func(c *objects.Config) { c.Frame = objects.VehicleFrame })
	add("mounted askew", func(c *objects.Config) {
		c.Mounting = &frames.Pose{
			Position:    frames.Vector{X: -0.5, Y: 0.8, Z: 0.4},
			Orientation: frames.Orientation{Roll: 0.1, Pitch: -0.05, Yaw: 2.6},
		}
		c.SensorID = &id
	})
	add("noise and losses", func(c *objects.Config) {
		c.PositionNoise, c.VelocityNoise, c.Seed = 0.4, 0.2, 7
		c.DetectionProbability, c.DropoutProbability, c.DropoutCycles, c.ForgetAfter = 0.8,
			0.3, 3, 2
	})
	add("occlusion", func(c *objects.Config) { c.Occlusion, c.HalfAngle = true, 1.2 })
	add("moving only", func(c *objects.Config) { c.Stationary = false })
	add("stationary only", func(c *objects.Config) { c.Moving, c.Occlusion = false, true })
	return all
}

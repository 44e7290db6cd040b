package participant_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/participant"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

func scene(t testing.TB) participant.Scene {
	m, err := opendrive.ReadFile("../testdata/ring.xodr")
	require.NoError(t, err)
	return participant.Scene{Map: m, Options: mocksim.Options{Seed: 2},
		Truth: truth.Options{Host: "ego"}, Actors: func(w *mocksim.World) error {
			return w.Populate(mocksim.Traffic{Count: 5, Host: "ego"})
		}}
}

func run(t testing.TB, request float64) (sum string, views []byte, speed float64, err error) {
	p, err := participant.New(scene(t))
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 4 * timebase.Second, Step: cosim.Every(0.02)})
	e.Add("simulator", p)
	table := []cosim.Variable{{Name: "request", Kind: cosim.Float64, Role: cosim.Output, Size: 1}}
	e.AddSource("aeb", &constant{table, request, nil})
	e.Connect("aeb.request", "simulator.host.brakeRequest")
	hash := cosim.NewHash(e.Watch("simulator.actor.ego.x"), e.Watch("simulator.actor.ego.speed"),
		e.Watch("simulator.count"))
	e.Observe(hash)
	last := &final{view: e.Watch("simulator.OSMPSensorViewOut"),
		speed: e.Watch("simulator.actor.ego.speed")}
	e.Observe(last)
	_, err = e.Run(context.Background())
	return hash.Sum(), last.bytes, last.value, err
}

// constant is a source with a constant value.
type constant struct {
	variables []cosim.Variable
	value     float64
	frame     *cosim.Frame
}

func (c *constant) Variables() []cosim.Variable { return c.variables }
func (c *constant) Bind(outputs []int) (*cosim.Frame, error) {
	c.frame = cosim.NewFrame(c.variables, outputs)
	return c.frame, nil
}
func (c *constant) At(timebase.Time) error { c.frame.SetFloat(0, 0, c.value); return nil }

// final stores the last values.
type final struct {
	view, speed *cosim.Signal
	bytes       []byte
	value       float64
}

func (f *final) Begin(*cosim.Result) error { return nil }
func (f *final) Row(timebase.Time, cosim.Row) error {
	f.bytes = append(f.bytes[:0], f.view.Blobs()[0]...)
	frame := cosim.Frame{Ports: []cosim.Port{{Kind: cosim.Float64, Size: 1}},
		Cells: f.speed.Cells()}
	f.value = frame.Float(0, 0)
	return nil
}
func (f *final) End(*cosim.Result) error { return nil }

func TestParticipant_RunsInAnEngine(t *testing.T) {
	sum, view, speed, err := run(t, 0)
	require.NoError(t, err)
	again, _, _, err := run(t, 0)
	require.NoError(t, err)
	require.Equal(t, sum, again)
	require.Greater(t, speed, 5.0)
	v := &osi3.SensorView{}
	require.NoError(t, proto.Unmarshal(view, v))
	require.Equal(t, int64(4), v.Timestamp.GetSeconds())
	require.Len(t, v.GlobalGroundTruth.MovingObject, 6)
	_, _, speed, err = run(t, 1)
	require.NoError(t, err)
	require.Zero(t, speed, "the brake request stops the host")
	_, _, _, err = run(t, 2)
	require.ErrorIs(t, err, participant.ErrVariable)
	require.ErrorContains(t, err, "host.brakeRequest")
}

func TestParticipant_RestoresAndObeysPedals(t *testing.T) {
	p, err := participant.New(scene(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	number := map[string]int{}
	for k, v := range p.Variables() {
		number[v.Name] = k
	}
	in, out, err := p.Bind([]int{number["host.control"], number["host.throttle"],
		number["host.gear"]},
		[]int{number["actor.ego.x"], number["actor.ego.speed"], number["collisions"]})
	require.NoError(t, err)
	ctx := context.Background()
	require.NoError(t, p.Enter(ctx, cosim.Setup{Step: cosim.Every(0.02)}))
	require.NoError(t, p.Exchange(ctx))
	require.NoError(t, p.Leave(ctx))
	step := func(k int) {
		_, err := p.Step(ctx, timebase.Span{Start: timebase.Time(k) * 20 * timebase.Millisecond,
			End: timebase.Time(k+1) * 20 * timebase.Millisecond})
		require.NoError(t, err)
	}
	step(0)
	speed := out.Float(1, 0)
	in.SetInteger(0, 0, 1)
	in.SetFloat(1, 0, 1)
	for k := 1; k < 6; k++ {
		step(k)
	}
	require.Greater(t, out.Float(1, 0), speed+0.2, "full throttle")
	require.NoError(t, p.Save(ctx))
	x := out.Float(0, 0)
	step(6)
	after := out.Float(0, 0)
	require.NotEqual(t, x, after)
	require.NoError(t, p.Restore(ctx))
	require.Equal(t, x, out.Float(0, 0))
	step(6)
	require.Equal(t, after, out.Float(0, 0))
	in.SetInteger(0, 0, 0) // the simulator takes over again
	step(7)
	_, _, err = p.Bind([]int{1000}, nil)
	require.ErrorIs(t, err, participant.ErrVariable)
}

// start returns a participant that is ready to step, with the position of the host vehicle and the
// messages as outputs.
func start(t *testing.T, s participant.Scene) (*participant.Participant, *cosim.Frame) {
	p, err := participant.New(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	number := map[string]int{}
	for k, v := range p.Variables() {
		number[v.Name] = k
	}
	_, out, err := p.Bind(nil, []int{number["actor.ego.x"], number["OSMPSensorViewOut"]})
	require.NoError(t, err)
	require.NoError(t, p.Enter(context.Background(), cosim.Setup{Step: cosim.Every(0.02)}))
	require.NoError(t, p.Leave(context.Background()))
	return p, out
}

// TestParticipant_MapAtTheStart checks that the map, which is large and does not change, is in the
// messages at the start and at the end of the first step, whichever of the two a participant reads
// first.
func TestParticipant_MapAtTheStart(t *testing.T) {
	p, err := participant.New(scene(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	_, out, err := p.Bind(nil, []int{0, 1})
	require.NoError(t, err)
	lanes := func() (n [2]int) {
		view, truth := &osi3.SensorView{}, &osi3.GroundTruth{}
		require.NoError(t, proto.Unmarshal(out.Blob(0, 0), view))
		require.NoError(t, proto.Unmarshal(out.Blob(1, 0), truth))
		return [2]int{len(view.GlobalGroundTruth.Lane), len(truth.Lane)}
	}
	require.NoError(t, p.Enter(t.Context(), cosim.Setup{Start: timebase.Second,
		Step: cosim.Every(0.02)}))
	all := lanes()
	require.Positive(t, all[0])
	require.Equal(t, all[0], all[1])
	for k, want := range [][2]int{all, {}, {}} {
		at := timebase.Second + timebase.Time(k)*20*timebase.Millisecond
		_, err := p.Step(t.Context(), timebase.Span{Start: at, End: at + 20*timebase.Millisecond})
		require.NoError(t, err)
		require.Equal(t, want, lanes(), "step %d", k)
	}
}

func TestParticipant_ASavedStateContinuesInAnother(t *testing.T) {
	s := scene(t)
	s.Truth.Range, s.Truth.Static = 50, truth.Every
	p, out := start(t, s)
	ctx := context.Background()
	step := func(p *participant.Participant, k int) {
		_, err := p.Step(ctx, timebase.Span{Start: timebase.Time(k) * timebase.Second,
			End: timebase.Time(k+1) * timebase.Second})
		require.NoError(t, err)
	}
	step(p, 0)
	saved, err := p.AppendState(ctx, []byte("before"))
	require.NoError(t, err)
	step(p, 1)

	other, theirs := start(t, s)
	require.NoError(t, other.RestoreState(ctx, saved[len("before"):]))
	step(other, 1)
	require.Equal(t, out.Float(0, 0), theirs.Float(0, 0))
	require.Equal(t, out.Blobs, theirs.Blobs, "the messages have the same part of the map")

	for k := range len(saved) - len("before") {
		require.Error(t, other.RestoreState(ctx, saved[len("before"):len(saved)-k-1]), k)
	}
	require.NoError(t, other.RestoreState(ctx, saved[len("before"):]))
}

// TestParticipant_CollisionsOfAStepThatIsRolledBack checks that a collision is counted once, even
// if its step is undone and repeated.
func TestParticipant_CollisionsOfAStepThatIsRolledBack(t *testing.T) {
	s := scene(t)
	s.Actors = func(w *mocksim.World) error {
		ego := w.Create(mocksim.Actor{Name: "ego", Kind: mocksim.Car, Start: mocksim.OnRoad("1", -1,
			10)})
		b := w.Create(mocksim.Actor{Name: "b", Kind: mocksim.Static, Start: mocksim.OnRoad("1", -1,
			24)})
		if ego != nil || b != nil {
			return errors.Join(ego, b)
		}
		_, err := w.SetTrajectory("ego", mocksim.Trajectory{End: 10 * timebase.Second,
			Points: []mocksim.Point{{X: 10, Y: -1.75}, {X: 210, Y: -1.75}}})
		return err
	}
	seen := 0
	s.Events = func(list []mocksim.Event) {
		for k := range list {
			if list[k].Kind == mocksim.Collision {
				seen++
			}
		}
	}
	p, _ := start(t, s)
	for range 2 {
		require.NoError(t, p.Save(t.Context()))
		_, err := p.Step(t.Context(), timebase.Span{End: timebase.Second})
		require.NoError(t, err)
		require.Equal(t, int64(1), p.Collisions())
		require.NoError(t, p.Restore(t.Context()))
		require.Zero(t, p.Collisions())
	}
	require.Equal(t, 2, seen, "the events of both attempts")
}

// TestParticipant_StatesTheConfigurationOfItsViews checks that the configuration answers a sensor's
// request: OSMP requires SensorViews to follow the agreed configuration (V6).
func TestParticipant_StatesTheConfigurationOfItsViews(t *testing.T) {
	s := scene(t)
	s.Truth.SensorID, s.Truth.Range = 7, 60
	s.Truth.Mounting = frames.Pose{Position: frames.Vector{X: 2, Z: 1},
		Orientation: frames.Orientation{Yaw: 0.5}}
	p, err := participant.New(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	config := slices.IndexFunc(p.Variables(),
		func(v cosim.Variable) bool { return v.Name == "OSMPSensorViewOutConfig" })
	require.Equal(t, cosim.Calculated, p.Variables()[config].Role)
	_, out, err := p.Bind(nil, []int{0, config})
	require.NoError(t, err)
	require.NoError(t, p.Enter(t.Context(), cosim.Setup{Step: cosim.Every(0.02)}))
	view, agreed := &osi3.SensorView{}, &osi3.SensorViewConfiguration{}
	require.NoError(t, proto.Unmarshal(out.Blob(0, 0), view))
	require.NoError(t, proto.Unmarshal(out.Blob(1, 0), agreed))
	require.True(t, proto.Equal(view.Version, agreed.Version))
	require.True(t, proto.Equal(view.SensorId, agreed.SensorId))
	require.True(t, proto.Equal(view.MountingPosition, agreed.MountingPosition))
	require.Equal(t, uint64(7), agreed.SensorId.GetValue())
	require.Equal(t, 60.0, agreed.GetRange())
}

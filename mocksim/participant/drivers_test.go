package participant_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/participant"
	"gosmp/mocksim/truth"
	"gosmp/osmp"
	"gosmp/osmp/connect"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// driver drives straight ahead at 20 m/s. It starts with the position in the first SensorView and
// integrates its own position, or it integrates the position in the latest SensorView.
type driver struct {
	follows bool // integrates the observed state
	in, out *cosim.Frame
	x       float64
	begun   bool
	silent  timebase.Time // time after which it sends nothing; 0: never
}

func (d *driver) Variables() []cosim.Variable {
	return []cosim.Variable{
		{Name: "OSMPSensorViewIn", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
			MIMEType: osmp.MIMEType("SensorView")},
		{Name: "OSMPTrafficCommandIn", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
			MIMEType: osmp.MIMEType("TrafficCommand")},
		{Name: "OSMPTrafficUpdateOut", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: osmp.MIMEType("TrafficUpdate")},
	}
}
func (d *driver) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }
func (d *driver) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	d.in, d.out = cosim.NewFrame(d.Variables(), in), cosim.NewFrame(d.Variables(), out)
	return d.in, d.out, nil
}
func (d *driver) Enter(context.Context, cosim.Setup) error { return nil }
func (d *driver) Exchange(context.Context) error           { return nil }
func (d *driver) Leave(context.Context) error              { return nil }
func (d *driver) Stop(context.Context) error               { return nil }
func (d *driver) Close() error                             { return nil }

func (d *driver) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	v := &osi3.SensorView{}
	if err := proto.Unmarshal(d.in.Blob(0, 0), v); err != nil {
		return cosim.Advance{}, err
	}
	for _, o := range v.GlobalGroundTruth.GetMovingObject() {
		if o.Id.GetValue() == v.HostVehicleId.GetValue() && (d.follows || !d.begun) {
			d.x, d.begun = o.Base.Position.GetX(), true
		}
	}
	c := &osi3.TrafficCommand{}
	if err := proto.Unmarshal(d.in.Blob(1, 0), c); err != nil ||
		c.TrafficParticipantId.GetValue() != v.HostVehicleId.GetValue() ||
		c.Timestamp.GetNanos() != v.Timestamp.GetNanos() || len(c.Action) > 0 {
		return cosim.Advance{}, fmt.Errorf("the command %v, %w", c, err)
	}
	d.x += 20 * s.Length().Seconds()
	b, err := proto.Marshal(&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{Id: v.HostVehicleId,
		Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: &d.x},
			Velocity: &osi3.Vector3D{X: proto.Float64(20)}}}}})
	if d.silent > 0 && s.Start >= d.silent {
		b = nil
	}
	d.out.SetBlob(0, 0, b)
	return cosim.Advance{Reached: s.End}, err
}

// loop is an engine with a world, a driver of an actor in it, and a sensor of the host vehicle.
type loop struct {
	*cosim.Engine
	x, speed *cosim.Signal
	hash     *cosim.Hash
	events   []string
}

func newLoop(t testing.TB, actor string, d *driver, every float64, worldFirst bool,
	a cosim.Algorithm) *loop {
	m, err := opendrive.ReadFile("../testdata/straight.xodr")
	require.NoError(t, err)
	l := &loop{Engine: cosim.New(cosim.Spec{Stop: 5 * timebase.Second, Step: cosim.Every(0.02),
		Algorithm: a})}
	p, err := participant.New(participant.Scene{Map: m, Truth: truth.Options{Host: "ego"},
		Actors: func(w *mocksim.World) error {
			for k, name := range []string{"ego", "npc"} {
				if err := w.Create(mocksim.Actor{Name: name, Start: mocksim.OnRoad("1", -1,
					50+100*float64(k)).WithSpeed(20)}); err != nil {
					return err
				}
				if err := w.SetController(name, mocksim.Controller{Driver: mocksim.Driver{
					Speed: 20}}); err != nil {
					return err
				}
			}
			return nil
		}, Seats: []string{actor}, Events: func(list []mocksim.Event) {
			for k := range list {
				l.events = append(l.events, list[k].String())
			}
		}})
	require.NoError(t, err)
	parts := []connect.Part{{Name: "world", Variables: p.Variables()},
		{Name: "driver", Variables: d.Variables()}}
	view := "OSMPSensorViewOut"
	if actor != "ego" {
		view = actor + "." + view
	}
	connections := []cosim.Connection{
		{From: "world." + view, To: "driver.OSMPSensorViewIn"},
		{From: "world." + actor + ".OSMPTrafficCommandOut", To: "driver.OSMPTrafficCommandIn"},
		{From: "driver.OSMPTrafficUpdateOut", To: "world." + actor + ".OSMPTrafficUpdateIn"}}
	connect.Time(parts, []string{"world"}, connections)
	if worldFirst {
		l.Add("world", p)
	}
	l.AddEvery("driver", d, cosim.Every(every))
	if !worldFirst {
		l.Add("world", p)
	}
	for _, c := range connections {
		l.ConnectAs(c)
	}
	l.x, l.speed = l.Watch("world.actor."+actor+".x"), l.Watch("world.actor."+actor+".speed")
	l.hash = cosim.NewHash(l.x, l.speed, l.Watch("world."+view))
	l.Observe(l.hash)
	return l
}

func number(s *cosim.Signal) float64 { return math.Float64frombits(s.Cells()[0]) }

// TestDrivers_TheOrderOfAStep checks that a driver steps first, regardless of the order of files,
// because the order within a step determines whether a driver is in the right place.
func TestDrivers_TheOrderOfAStep(t *testing.T) {
	for _, actor := range []string{"ego", "npc"} {
		for _, follows := range []bool{false, true} {
			var hashes []string
			for _, worldFirst := range []bool{true, false} {
				l := newLoop(t, actor, &driver{follows: follows}, 0.02, worldFirst,
					cosim.Sequential)
				require.NoError(t, l.Start(context.Background()))
				start := number(l.x)
				for more := true; more; {
					var err error
					more, err = l.Step(context.Background())
					require.NoError(t, err)
					require.InDelta(t, 20, number(l.speed), 1e-9)
				}
				require.InDelta(t, start+100, number(l.x), 1e-9, "after 5 s at 20 m/s")
				r, err := l.Finish(context.Background())
				require.NoError(t, err)
				require.Equal(t, []string{"driver", "world"}, r.Order)
				require.Len(t, r.Cuts, 2, "what the driver sees, and hears")
				require.Empty(t, r.Loops)
				require.Empty(t, l.events)
				hashes = append(hashes, l.hash.Sum())
			}
			require.Equal(t, hashes[0], hashes[1])
		}
	}
}

func TestDrivers_ParallelIsRefused(t *testing.T) {
	l := newLoop(t, "ego", &driver{}, 0.02, true, cosim.Parallel)
	_, err := l.Run(context.Background())
	require.ErrorIs(t, err, cosim.ErrSpec)
	require.ErrorContains(t, err, "driver.OSMPTrafficUpdateOut = world.ego.OSMPTrafficUpdateIn")
	require.ErrorContains(t, err, "use the algorithm sequential")
}

// TestDrivers_SlowerThanTheWorld checks that a driver with steps of 100 ms in a world with steps of
// 20 ms moves its actor in each step of the world.
func TestDrivers_SlowerThanTheWorld(t *testing.T) {
	for _, follows := range []bool{false, true} {
		l := newLoop(t, "npc", &driver{follows: follows}, 0.1, true, cosim.Sequential)
		require.NoError(t, l.Start(context.Background()))
		start := number(l.x)
		for k := 1; k <= 250; k++ {
			_, err := l.Step(context.Background())
			require.NoError(t, err)
			require.InDelta(t, 20, number(l.speed), 0.1)
			require.InDelta(t, start+0.4*float64(k), number(l.x), 1e-6, k)
		}
		_, err := l.Finish(context.Background())
		require.NoError(t, err)
	}
}

func TestDrivers_WhoFallsSilentIsReplaced(t *testing.T) {
	l := newLoop(t, "npc", &driver{silent: timebase.Second}, 0.1, true, cosim.Sequential)
	_, err := l.Run(context.Background())
	require.NoError(t, err)
	require.Len(t, l.events, 1)
	require.Contains(t, l.events[0], "silent npc")
	require.InDelta(t, 20, number(l.speed), 0.1, "the controller goes on")
}

func TestDrivers_UnknownActor(t *testing.T) {
	s := scene(t)
	s.Seats = []string{"nobody"}
	_, err := participant.New(s)
	require.ErrorIs(t, err, mocksim.ErrActor)
}

func TestDrivers_StateIsSavedAndRestored(t *testing.T) {
	ctx := context.Background()
	p, err := participant.New(func() participant.Scene {
		s := scene(t)
		s.Seats = []string{"ego", s0(t)}
		return s
	}())
	require.NoError(t, err)
	names := map[string]int{}
	for k, v := range p.Variables() {
		names[v.Name] = k
	}
	in, out, err := p.Bind([]int{names["ego.OSMPTrafficUpdateIn"]},
		[]int{names["OSMPSensorViewOut"], names[s0(t)+".OSMPSensorViewOut"]})
	require.NoError(t, err)
	require.NoError(t, p.Enter(ctx, cosim.Setup{Step: cosim.Every(0.02)}))
	defer func() { require.NoError(t, p.Close()) }()
	id := uint64(0)
	for k := range p.World().Len() {
		if v := p.World().At(k); v.Name() == "ego" {
			id = v.ID()
		}
	}
	step := func(n int64) string {
		b, err := proto.Marshal(&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{
			Id:   &osi3.Identifier{Value: &id},
			Base: &osi3.BaseMoving{Velocity: &osi3.Vector3D{X: proto.Float64(3)}}}}})
		require.NoError(t, err)
		end := timebase.Time(n) * 20 * timebase.Millisecond
		in.SetBlob(0, 0, b)
		in.Times[0] = end
		_, err = p.Step(ctx, timebase.Span{Start: end - 20*timebase.Millisecond, End: end})
		require.NoError(t, err)
		return fmt.Sprintf("%x %x", out.Blob(0, 0), out.Blob(1, 0))
	}
	step(1)
	require.NoError(t, p.Save(ctx))
	want := step(2)
	require.NoError(t, p.Restore(ctx))
	require.Equal(t, want, step(2))
}

// s0 returns the name of an actor of the scene other than the host vehicle.
func s0(t testing.TB) string {
	p, err := participant.New(scene(t))
	require.NoError(t, err)
	for _, v := range p.Variables() {
		var name string
		if n, _ := fmt.Sscanf(v.Name, "actor.%s", &name); n == 1 && name != "ego.x" &&
			v.Name[len(v.Name)-2:] == ".x" {
			return name[:len(name)-2]
		}
	}
	t.Fatal("no actors")
	return ""
}

// TestDrivers_WatchedInputs checks that an input keeps its value when a recorder watches it.
func TestDrivers_WatchedInputs(t *testing.T) {
	s := scene(t)
	s.Seats = []string{"ego", s0(t)}
	p, err := participant.New(s)
	require.NoError(t, err)
	var watched []int
	for k, v := range p.Variables() {
		if v.Role == cosim.Input {
			watched = append(watched, k)
		}
	}
	_, out, err := p.Bind(nil, watched)
	require.NoError(t, err)
	require.NoError(t, p.Enter(t.Context(), cosim.Setup{Step: cosim.Every(0.02)}))
	defer func() { require.NoError(t, p.Close()) }()
	_, err = p.Step(t.Context(), timebase.Span{End: 20 * timebase.Millisecond})
	require.NoError(t, err)
	require.Greater(t, len(out.Ports), 10)
	for k, port := range out.Ports {
		if v := p.Variables()[port.Variable]; v.Kind == cosim.Binary {
			require.Empty(t, out.Blob(k, 0), v.Name)
		} else {
			require.Zero(t, out.Cells[port.Offset], v.Name)
		}
	}
}

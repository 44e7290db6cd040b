package foreign_test

import (
	"cmp"
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/foreign"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/support"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/simapi"
	"gosmp/simapi/check"
	"gosmp/timebase"
)

const (
	straight = "../testdata/straight.xodr"
	step     = 20 * timebase.Millisecond
)

// plain is a simulator that only stores where its actors were placed.
type plain struct {
	simapi.Base
	ids    []string
	states map[string]*simapi.ActorState
	chatty bool                     // it writes text between frames
	stuck  bool                     // it never finishes a step
	stray  *simapi.ActorDescription // of an actor created by the simulator itself
	// echo is an actor created by the simulator itself, which copies the controls of another actor
	echo *simapi.ActorState
}

func (p *plain) Init(_ context.Context, r *simapi.Init) (*simapi.InitReply, error) {
	p.ids, p.states = nil, map[string]*simapi.ActorState{}
	return &simapi.InitReply{SimulationStepSizeMs: r.GetStepSizeMs(), MapInfo: r.GetMapInfo()}, nil
}

func (p *plain) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription,
	error) {
	p.ids = append(p.ids, r.GetActorId())
	d := r.GetDescription()
	d.Length, d.Width, d.Height = cmp.Or(d.GetLength(), 4.5), cmp.Or(d.GetWidth(), 1.8),
		cmp.Or(d.GetHeight(), 1.5)
	return d, p.SetActorState(context.Background(),
		&simapi.SetActorState{State: &simapi.ActorState{ActorId: r.GetActorId(),
			Position: r.GetState().GetPosition()}})
}

func (p *plain) DestroyActor(_ context.Context, id string) error {
	for k := range p.ids {
		if p.ids[k] == id {
			p.ids = append(p.ids[:k], p.ids[k+1:]...)
			break
		}
	}
	return nil
}

func (p *plain) SetActorState(_ context.Context, r *simapi.SetActorState) error {
	at := r.GetState().GetPosition()
	yaw := at.GetYaw()
	p.states[r.GetState().GetActorId()] = &simapi.ActorState{ActorId: r.GetState().GetActorId(),
		Position: simapi.Pose(at.GetX(), at.GetY(), yaw)}
	if p.echo != nil {
		p.echo.Controls = r.GetState().GetControls()
	}
	return nil
}

func (p *plain) ActorsStates(context.Context) (list []*simapi.ActorState, err error) {
	for _, id := range p.ids {
		list = append(list, p.states[id])
	}
	return list, nil
}

func (*plain) EndSimulation(context.Context, *simapi.EndSimulation) ([]*simapi.Property, error) {
	return nil, nil
}

func (p *plain) Step(context.Context, timebase.Span) ([]*simapi.Event, error) {
	if p.chatty {
		_, _ = os.Stdout.WriteString("stepping\n")
	}
	if p.stuck {
		select {}
	}
	return nil, nil
}

func (p *plain) OwnStates(context.Context) (list []*simapi.ActorState, err error) {
	if p.stray != nil {
		list = append(list, &simapi.ActorState{ActorId: "own", Position: simapi.Pose(0, 0, 0),
			Description: p.stray})
	}
	if p.echo != nil {
		list = append(list, p.echo)
	}
	return list, nil
}

// TestMain also makes the test program the child process: GOSMP_CHILD selects the simulator.
func TestMain(m *testing.M) {
	var s simapi.Simulator
	switch os.Getenv("GOSMP_CHILD") {
	case "":
		os.Exit(m.Run())
	case "mock":
		s = support.New(support.Options{})
	case "traffic":
		s = support.New(support.Options{Traffic: mocksim.Traffic{Count: 3}})
	case "plain":
		s = &plain{}
	case "chatty":
		_, _ = os.Stdout.WriteString("loaded\nno newline")
		s = &plain{chatty: true}
	case "stray":
		s = &plain{stray: &simapi.ActorDescription{ActorType: "ufo", Length: 1}}
	case "flat":
		s = &plain{stray: &simapi.ActorDescription{ActorType: "car", Length: -4}}
	case "echo":
		s = &plain{echo: &simapi.ActorState{ActorId: "own", Position: simapi.Pose(40, 1.75, 0),
			Description: &simapi.ActorDescription{ActorType: "car", Length: 4, Width: 2,
				Height: 1.5}}}
	case "stuck":
		s = &plain{stuck: true}
	case "mute":
		_, _ = os.Stderr.WriteString("no licence\n")
		os.Exit(3)
	}
	server := simapi.NewServer(simapi.Config{Name: os.Getenv("GOSMP_CHILD"), Simulator: s})
	if err := server.ServeStream(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// child returns the address of a child.
func child(t *testing.T, kind string) string {
	t.Setenv("GOSMP_CHILD", kind)
	exe, err := os.Executable()
	require.NoError(t, err)
	return `exec:"` + exe + `"`
}

// server returns the address of the mock simulator over TCP.
func server(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := simapi.NewServer(simapi.Config{Name: "mock", Simulator: support.New(support.Options{})})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return "tcp:" + l.Addr().String()
}

func readMap(t *testing.T, file string) *opendrive.Map {
	t.Helper()
	m, err := opendrive.ReadFile(file)
	require.NoError(t, err)
	return m
}

func world(t *testing.T, file, address string) *mocksim.World {
	t.Helper()
	m := readMap(t, file)
	w, err := mocksim.New(m, mocksim.Options{Step: step, Seed: 1})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	if address != "" {
		o := foreign.Options{Step: timebase.Every(step.Seconds()), Seed: 1, Log: func(s string) {
			t.Log(s)
		}}
		require.NoError(t, foreign.Join(t.Context(), w, address, o))
	}
	return w
}

// drive moves cars in four ways, and returns the ego vehicle's SensorViews.
func drive(t *testing.T, file, address string) (list []*osi3.SensorView) {
	t.Helper()
	w := world(t, file, address)
	for k, name := range []string{"ego", "pedals", "track", "still"} {
		require.NoError(t, w.Create(mocksim.Actor{Name: name,
			Start: mocksim.OnRoad("1", -1, 20+30*float64(k)).WithSpeed(10)}))
	}
	require.NoError(t, w.SetController("ego", mocksim.Controller{
		Driver: mocksim.Driver{Speed: 10}}))
	_, err := w.SetControls("pedals", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.4,
		Gear: 1}}})
	require.NoError(t, err)
	v, err := w.Actor("track")
	require.NoError(t, err)
	p := v.State().Position
	_, err = w.SetTrajectory("track", mocksim.Trajectory{End: 2 * timebase.Second,
		Points: []mocksim.Point{{X: p.X, Y: p.Y}, {X: p.X + 20, Y: p.Y}}})
	require.NoError(t, err)
	require.NoError(t, w.Begin())
	m, err := truth.New(w, truth.Options{Host: "ego", Static: truth.Never})
	require.NoError(t, err)
	for k := range 100 {
		if k == 50 {
			require.NoError(t, w.Destroy("still"))
		}
		_, err := w.Step(step)
		require.NoError(t, err)
		b, err := m.SensorView()
		require.NoError(t, err)
		view := &osi3.SensorView{}
		require.NoError(t, proto.Unmarshal(b, view))
		list = append(list, view)
	}
	return list
}

// TestJoin_SamePlaces checks that the same drive leads through the same places without an outside
// simulator, with the mock simulator as the outside simulator, and with one that moves nothing by
// itself.
func TestJoin_SamePlaces(t *testing.T) {
	want := drive(t, straight, "")
	for name, address := range map[string]string{"exec": child(t, "mock"), "tcp": server(t)} {
		got := drive(t, straight, address)
		compare(t, name, want, got)
	}
	compare(t, "plain", want, drive(t, straight, child(t, "plain")))
}

func compare(t *testing.T, name string, want, got []*osi3.SensorView) {
	t.Helper()
	require.Len(t, got, len(want))
	for k := range want {
		a, b := want[k].GlobalGroundTruth.MovingObject, got[k].GlobalGroundTruth.MovingObject
		require.Len(t, b, len(a), name)
		for i := range a {
			p, q := a[i].Base.Position, b[i].Base.Position
			near := 1e-6
			if i < 2 && name != "plain" { // pedals and drivers use the simulator's steps
				near = 1e-2
			}
			require.InDelta(t, p.GetX(), q.GetX(), near, "%s %d %d", name, k, i)
			require.InDelta(t, p.GetY(), q.GetY(), 1e-6, name)
			require.InDelta(t, p.GetZ(), q.GetZ(), 1e-6, name)
			require.InDelta(t, a[i].Base.Velocity.GetX(), b[i].Base.Velocity.GetX(), near, name)
		}
	}
}

// TestJoin_RatesOfCameras checks that a world at a camera's rate can run for any duration and may
// end between two steps: the simulator receives multiples of 1/60 s, and then the end.
func TestJoin_RatesOfCameras(t *testing.T) {
	grid := timebase.Every(1. / 60)
	for name, address := range map[string]string{"exec": child(t, "plain"), "tcp": server(t)} {
		w, err := mocksim.New(readMap(t, straight), mocksim.Options{Step: grid.Step(), Grid: grid,
			Start: timebase.Second / 3})
		require.NoError(t, err)
		t.Cleanup(w.Close)
		require.NoError(t, foreign.Join(t.Context(), w, address, foreign.Options{Step: grid}), name)
		require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: mocksim.OnRoad("1", -1, 20)}))
		for k := int64(1); k <= 3600; k++ {
			_, err := w.Step(grid.Point(timebase.Second/3, k) - w.Time())
			require.NoError(t, err, "%s, step %d", name, k)
		}
		_, err = w.Step(grid.Step() / 2)
		require.NoError(t, err, "the end of a run")
	}
}

// TestJoin_ItsOwnActors checks that actors created by the simulator are in the world from the
// start.
func TestJoin_ItsOwnActors(t *testing.T) {
	w := world(t, "../../examples/maps/motorway.xodr", child(t, "traffic"))
	require.NoError(t, w.Begin())
	require.Equal(t, 3, w.Len())
	before := w.At(0).State().Position
	require.True(t, w.At(0).Native())
	require.NoError(t, w.Populate(mocksim.Traffic{Count: 3, Host: "ego", Prefix: "of gosmp"}))
	require.Equal(t, 7, w.Len())
	for range 10 {
		_, err := w.Step(step)
		require.NoError(t, err)
	}
	require.NotEqual(t, before, w.At(0).State().Position)
	require.Error(t, w.Create(mocksim.Actor{Name: w.At(0).Name(), Start: mocksim.AtPosition(0, 0)}))
}

// TestJoin_MovedActors checks that an actor that is moved to another place, and then driven by the
// simulator or by controls, starts there and with its speed.
func TestJoin_MovedActors(t *testing.T) {
	for _, kind := range []string{"mock", "plain"} {
		for _, later := range []int{0, 10} {
			w := world(t, straight, child(t, kind))
			require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
				Start: mocksim.OnRoad("1", -1, 20)}))
			for range later {
				_, err := w.Step(step)
				require.NoError(t, err)
			}
			require.NoError(t, w.Move("ego", mocksim.OnRoad("1", -1, 60).WithSpeed(20)))
			require.NoError(t, w.SetController("ego", mocksim.Controller{
				Driver: mocksim.Driver{Speed: 20}}))
			for range 50 {
				_, err := w.Step(step)
				require.NoError(t, err)
			}
			require.InDelta(t, 80, w.At(0).State().Position.X, 0.3, kind)
			require.InDelta(t, 20, w.At(0).State().Speed, 0.2, kind)
			require.NoError(t, w.Move("ego", mocksim.OnRoad("1", -1, 50).WithSpeed(10)))
			_, err := w.SetControls("ego", mocksim.Drive{Start: w.Time(),
				Controls: []mocksim.Controls{{Gear: 1, Brake: 1}}})
			require.NoError(t, err)
			for range 50 {
				_, err := w.Step(step)
				require.NoError(t, err)
			}
			require.Greater(t, w.At(0).State().Position.X, 52.0, kind)
			require.Less(t, w.At(0).State().Position.X, 60.0, kind)
			require.InDelta(t, 0, w.At(0).State().Speed, 3, kind)
		}
	}
}

// TestJoin_Assistance checks that an assistance function can brake an actor that the simulator
// moves, and release it again.
func TestJoin_Assistance(t *testing.T) {
	for _, kind := range []string{"mock", "plain"} {
		w := world(t, straight, child(t, kind))
		require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
			Start: mocksim.OnRoad("1", -1, 20).WithSpeed(10)}))
		require.NoError(t, w.SetController("ego", mocksim.Controller{
			Driver: mocksim.Driver{Speed: 10}}))
		speed := func(brake float64, steps int) float64 {
			require.NoError(t, w.Assist("ego", brake))
			for range steps {
				_, err := w.Step(step)
				require.NoError(t, err)
			}
			return w.At(0).State().Speed
		}
		require.InDelta(t, 10, speed(0, 10), 0.1, kind)
		slow := speed(0.5, 50)
		require.Less(t, slow, 7.0, kind)
		require.Greater(t, speed(0, 50), slow+0.5, kind)
	}
}

func TestChild_PassesTheCheck(t *testing.T) {
	for _, kind := range []string{"mock", "plain"} {
		s, end, err := foreign.Serve(t.Context(), child(t, kind),
			foreign.Options{Step: timebase.Every(step.Seconds())})
		require.NoError(t, err)
		result := check.Run(t.Context(), check.Options{Dial: func(_ context.Context, name string,
			role simapi.Role) (*simapi.Client, error) {
			return s.Connect(name, role)
		}, Map: &simapi.MapInfo{Path: straight}, At: [3]float64{20, -1.75, 0}})
		require.Empty(t, result.Findings, kind)
		require.NoError(t, end())
	}
}

// TestJoin_TextBetweenFrames checks that text on standard output, such as the warning of a library,
// goes to the log and does not disturb the calls.
func TestJoin_TextBetweenFrames(t *testing.T) {
	w, err := mocksim.New(readMap(t, straight), mocksim.Options{Step: step})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	var log []string
	require.NoError(t, foreign.Join(t.Context(), w, child(t, "chatty"), foreign.Options{
		Step: timebase.Every(step.Seconds()), Log: func(s string) { log = append(log, s) }}))
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: mocksim.OnRoad("1", -1, 20)}))
	require.NoError(t, w.SetController("ego", mocksim.Controller{}))
	require.NoError(t, w.Take("ego")) // gosmp's decision, not a mistake by the simulator
	for range 2 {
		_, err = w.Step(step)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"loaded", "no newline", "stepping", "stepping"}, log)
}

// TestJoin_UnusableAnswers checks that impossible actors are reported as faults of the simulator
// rather than of the run's input.
func TestJoin_UnusableAnswers(t *testing.T) {
	for kind, want := range map[string]string{"stray": `"ufo", expected one of car`,
		"flat": "own.length: invalid value: found -4"} {
		err := world(t, straight, child(t, kind)).Begin()
		require.ErrorIs(t, err, mocksim.ErrOutside)
		require.NotErrorIs(t, err, mocksim.ErrValue)
		require.ErrorContains(t, err, want)
	}
}

// TestJoin_StuckSimulator checks that the error for a simulator that does not finish a step names
// the simulator.
func TestJoin_StuckSimulator(t *testing.T) {
	// a busy machine needs more to join
	for patience := time.Second; patience < 10*time.Minute; patience *= 2 {
		w, err := mocksim.New(readMap(t, straight), mocksim.Options{Step: step})
		require.NoError(t, err)
		t.Cleanup(w.Close)
		err = foreign.Join(t.Context(), w, child(t, "stuck"), foreign.Options{
			Step: timebase.Every(step.Seconds()), Patience: patience})
		if errors.Is(err, simapi.Code_TIMEOUT) {
			continue
		}
		require.NoError(t, err)
		_, err = w.Step(step)
		require.ErrorContains(t, err, "no answer from ")
		require.ErrorContains(t, err, "within "+patience.String())
		return
	}
	require.Fail(t, "the simulator did not join")
}

func TestOpen_SaysWhyItFails(t *testing.T) {
	for address, want := range map[string]string{
		"carla": "exec:COMMAND, tcp:HOST:PORT or tls:HOST:PORT", "exec:": "exec:COMMAND",
		"exec:/none/such": "correct the command", "tcp:nonsense": "tcp:HOST:PORT",
		"tls:key@host": "tcp:HOST:PORT", "tcp:127.0.0.1:1": "start the simulator",
		child(t, "mute"): "exit status 3, and has said: no licence"} {
		_, err := foreign.Open(t.Context(), address, foreign.Options{})
		require.ErrorContains(t, err, want, address)
	}
}

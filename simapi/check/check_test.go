package check_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge"
	"gosmp/internal/finding"
	"gosmp/simapi"
	"gosmp/simapi/check"
	"gosmp/timebase"
)

// reference is a simulator without mistakes, apart from those that a test enables.
type reference struct {
	simapi.Base
	perQuery, drifts, noisy, sizeless bool
	collide                           collide // what it reports about a contact

	touching bool

	runs, queries int
	step          timebase.Grid
	now           timebase.Time
	cars          []*car
}

type car struct {
	state  *simapi.ActorState
	path   simapi.Trajectory
	points []*simapi.Coord6Dof
}

func (w *reference) Init(_ context.Context, r *simapi.Init) (*simapi.InitReply, error) {
	own := r.GetSimulationStepSizeMs()
	if own == 0 {
		own = r.GetStepSizeMs()
	}
	w.step, _ = simapi.SpacingOf(own)
	w.cars, w.now, w.queries, w.touching = nil, 0, 0, false
	w.runs++
	return &simapi.InitReply{SimulationStepSizeMs: own, MapInfo: r.GetMapInfo()}, nil
}

func (w *reference) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription,
	error) {
	w.cars = append(w.cars,
		&car{state: &simapi.ActorState{ActorId: r.GetActorId(),
			Position: proto.CloneOf(r.GetState().GetPosition())}})
	d := proto.CloneOf(r.GetDescription())
	if d.GetLength() == 0 && !w.sizeless {
		d.Length, d.Width, d.Height = 4, 2, 1.5
	}
	return d, nil
}

func (w *reference) find(id string) int {
	return slices.IndexFunc(w.cars, func(c *car) bool { return c.state.GetActorId() == id })
}

func (w *reference) DestroyActor(_ context.Context, id string) error {
	w.cars = slices.Delete(w.cars, w.find(id), w.find(id)+1)
	return nil
}

func (w *reference) SetXYTrajectory(_ context.Context, r *simapi.SetXyTrajectory) error {
	c := w.cars[w.find(r.GetActorId())]
	c.path.Follow(r, w.now, w.step, c.state.GetPosition())
	c.points = append(c.points, r.GetPolyline()[1:]...)
	return nil
}

func (w *reference) SetDynamicMove(_ context.Context, r *simapi.SetDynamicMove) error {
	w.cars[w.find(r.GetActorId())].path.Stop()
	return nil
}

func (w *reference) ActorsStates(context.Context) (list []*simapi.ActorState, err error) {
	w.queries++
	for _, c := range w.cars {
		state := proto.CloneOf(c.state)
		p := state.GetPosition()
		if w.perQuery && len(c.points) > 0 {
			*p.X, *p.Y = c.points[0].GetX(), c.points[0].GetY()
			c.points = c.points[1:]
		}
		if w.drifts {
			*p.X += 1e-4 * float64(w.queries)
		}
		if w.noisy {
			*p.X += 1e-5 * float64(w.runs)
		}
		list = append(list, state)
	}
	return list, nil
}

func (w *reference) Step(_ context.Context, s timebase.Span) ([]*simapi.Event, error) {
	for _, c := range w.cars {
		c.path.At(s.End, c.state.Position)
	}
	w.now = s.End
	return w.collisions(), nil
}

// collide is a simulator's report of a contact.
type collide int

const (
	once collide = iota
	never
	inEachStep
	late
	afterTheStep
	nameless
)

// collisions compares the first two cars, of 4.6 m, which drive along x.
func (w *reference) collisions() []*simapi.Event {
	if len(w.cars) != 2 || w.collide == never {
		return nil
	}
	a, b := w.cars[0].state, w.cars[1].state
	way := math.Abs(a.GetPosition().GetX() - b.GetPosition().GetX())
	reach := 4.6
	if w.collide == late {
		reach = 4
	}
	before := w.touching
	w.touching = way < reach-1e-9
	e := &simapi.Event{Kind: simapi.EventCollision, TimeMs: simapi.Ms(w.now),
		ActorId: []string{b.GetActorId(), a.GetActorId()}}
	switch {
	case before && !w.touching:
		e.Kind = simapi.EventSeparated
	case !w.touching, before && w.collide != inEachStep:
		return nil
	case w.collide == nameless:
		e.ActorId = e.ActorId[:1]
	case w.collide == afterTheStep:
		e.TimeMs += 100
	}
	return []*simapi.Event{e}
}

// stack is a system under test that sends a message in each step.
type stack struct {
	simapi.BaseSUT
	cdr []byte
}

func (stack) SetEgoDestination(context.Context, *simapi.SetEgoDestination) error { return nil }

func (k stack) Messages(context.Context) ([]*simapi.Message, uint64, error) {
	return []*simapi.Message{{Topic: "/status", Type: "std_msgs/String", Cdr: k.cdr}}, 0, nil
}

// between is a proxy between the director and a simulator. It injects mistakes into calls and
// replies.
type between struct {
	// request may change a call; it returns false to suppress the reply.
	request func(*simapi.Frame) bool
	// reply may change an answer; it returns false to end everything.
	reply  func(*simapi.Frame) bool
	little bool // lengths are little-endian
}

// serve starts the proxy in front of a server and returns its address.
func (b *between) serve(t *testing.T, server *simapi.Server) string {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	outer, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(inner) }()
	var wait sync.WaitGroup
	var conns sync.Map
	wait.Go(func() {
		for {
			conn, err := outer.Accept()
			if err != nil {
				return
			}
			conns.Store(conn, true)
			wait.Go(func() {
				defer func() { _ = conn.Close() }()
				if !b.pass(conn, inner.Addr().String()) {
					_ = outer.Close()
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = outer.Close()
		conns.Range(func(c, _ any) bool { _ = c.(net.Conn).Close(); return true })
		wait.Wait()
		require.NoError(t, server.Close())
	})
	return outer.Addr().String()
}

// pass forwards one connection.
func (b *between) pass(conn net.Conn, address string) bool {
	to, err := net.Dial("tcp", address)
	if err != nil {
		return true
	}
	defer func() { _ = to.Close() }()
	calls, answers := simapi.NewFrameReader(bufio.NewReader(conn)),
		simapi.NewFrameReader(bufio.NewReader(to))
	for {
		call, answer := &simapi.Frame{}, &simapi.Frame{}
		if calls.Next(call) != nil {
			return true
		}
		if b.request != nil && !b.request(call) {
			continue
		}
		bytes, err := simapi.AppendFrame(nil, call)
		if err != nil {
			return true
		}
		if _, err := to.Write(bytes); err != nil {
			return true
		}
		if answers.Next(answer) != nil {
			return true
		}
		if b.reply != nil && !b.reply(answer) {
			return false
		}
		bytes, _ = simapi.AppendFrame(nil, answer)
		if b.little {
			binary.LittleEndian.PutUint32(bytes, binary.BigEndian.Uint32(bytes))
		}
		if _, err := conn.Write(bytes); err != nil {
			return true
		}
	}
}

// change decodes a body, changes it, and encodes it again.
func change[M proto.Message](f *simapi.Frame, m M, edit func(M)) bool {
	if f.GetStatus().GetCode() == simapi.Code_OK && proto.Unmarshal(f.GetBody(), m) == nil {
		edit(m)
		f.Body, _ = proto.Marshal(m)
	}
	return true
}

// each changes all states of get_actors_states, as if they were the simulator's own.
func each(edit func(state *simapi.ActorState)) *between {
	return &between{reply: func(f *simapi.Frame) bool {
		if f.GetMethod() != simapi.Method_GET_ACTORS_STATES {
			return true
		}
		return change(f, &simapi.GetActorsStatesReply{}, func(r *simapi.GetActorsStatesReply) {
			for _, s := range r.GetState() {
				s.Estimated = nil
				edit(s)
			}
		})
	}}
}

// forgive replies OK where the simulator refused a call.
func forgive(m simapi.Method, code simapi.Code) *between {
	return &between{reply: func(f *simapi.Frame) bool {
		if f.GetMethod() == m && (f.GetStatus().GetCode() == code ||
			f.GetStatus().GetCode() == simapi.Code_OK) {
			f.Status = &simapi.Status{}
		}
		return true
	}}
}

// on changes the replies of one method.
func on[M proto.Message](m simapi.Method, reply M, edit func(M)) *between {
	return &between{reply: func(f *simapi.Frame) bool {
		if f.GetMethod() != m {
			return true
		}
		fresh := reply.ProtoReflect().New().Interface().(M)
		return change(f, fresh, edit)
	}}
}

// wrong returns a small simulator for each mistake.
func wrong() map[string]func() (*reference, stack, *between) {
	whole := stack{cdr: []byte{0, 1, 0, 0, 3, 0, 0, 0, 'o', 'k', 0}}
	ways := map[string]func() (*reference, stack, *between){}
	with := func(id string, f func() *between) {
		ways[id] = func() (*reference, stack, *between) { return &reference{}, whole, f() }
	}
	inside := func(id string, f func(*reference)) {
		ways[id] = func() (*reference, stack, *between) {
			w := &reference{}
			f(w)
			return w, whole, &between{}
		}
	}
	with("SA01", func() *between {
		return on(simapi.Method_GET_ACTORS_STATES, &simapi.GetActorsStatesReply{},
			func(r *simapi.GetActorsStatesReply) { r.State = r.State[:1] })
	})
	with("SA02", func() *between {
		return on(simapi.Method_WAIT_STEP, &simapi.WaitStepReply{},
			func(r *simapi.WaitStepReply) { r.SimTimeMs -= 15 })
	})
	inside("SA03", func(w *reference) { w.perQuery = true })
	silent := func(m simapi.Method, only func(*simapi.Frame) bool) func() *between {
		return func() *between {
			return &between{request: func(f *simapi.Frame) bool {
				return f.GetMethod() != m || !only(f)
			}}
		}
	}
	with("SA04", silent(simapi.Method_START_STEP, func(*simapi.Frame) bool { return true }))
	with("SA05", silent(simapi.Method_WAIT_STEP, func(f *simapi.Frame) bool {
		var r simapi.WaitStep
		return proto.Unmarshal(f.GetBody(), &r) == nil && r.GetMaxWaitMs() == 50
	}))
	with("SA06", func() *between {
		wanted := 0.0
		b := on(simapi.Method_INIT, &simapi.InitReply{}, func(r *simapi.InitReply) {
			if wanted > 0 {
				r.SimulationStepSizeMs = wanted
			}
		})
		b.request = func(f *simapi.Frame) bool {
			if f.GetMethod() != simapi.Method_INIT {
				return true
			}
			return change(f, &simapi.Init{}, func(r *simapi.Init) {
				wanted, r.SimulationStepSizeMs = r.SimulationStepSizeMs, 0
			})
		}
		return b
	})
	inside("SA07", func(w *reference) { w.drifts = true })
	with("SA08", func() *between {
		return each(func(s *simapi.ActorState) { *s.Position.Yaw *= 180 / math.Pi })
	})
	with("SA09", func() *between {
		return each(func(s *simapi.ActorState) { *s.Position.Yaw *= -1 })
	})
	with("SA10", func() *between {
		return each(func(s *simapi.ActorState) { *s.Speed.X *= 3.6; *s.Speed.Y *= 3.6 })
	})
	with("SA11", func() *between {
		return each(func(s *simapi.ActorState) {
			sin, cos := math.Sincos(s.Position.GetYaw())
			*s.Position.X -= 1.35 * cos
			*s.Position.Y -= 1.35 * sin
		})
	})
	with("SA12", func() *between {
		heights := map[string]float64{"check c": 1.5, "check b": 2.4, "check a": 3.8}
		return each(func(s *simapi.ActorState) { *s.Position.Z = heights[s.GetActorId()] / 2 })
	})
	with("SA13", func() *between {
		return each(func(s *simapi.ActorState) {
			*s.Speed.X, *s.Speed.Y = math.Hypot(*s.Speed.X, *s.Speed.Y), 0
		})
	})
	with("SA14", func() *between {
		return each(func(s *simapi.ActorState) { *s.Position.X += 500; *s.Position.Y -= 200 })
	})
	with("SA15", func() *between { return each(func(s *simapi.ActorState) { s.Position.Y = nil }) })
	with("SA16", func() *between {
		return forgive(simapi.Method_DESTROY_ACTOR, simapi.Code_UNKNOWN_ACTOR)
	})
	with("SA17", func() *between {
		return on(simapi.Method_WAIT_STEP, &simapi.WaitStepReply{},
			func(r *simapi.WaitStepReply) { r.SimTimeMs /= 1000 })
	})
	with("SA18", func() *between {
		return &between{reply: func(f *simapi.Frame) bool {
			if f.GetMethod() == simapi.Method_SET_XY_TRAJECTORY &&
				strings.Contains(f.GetStatus().GetMessage(), "(SA18)") {
				f.Status = &simapi.Status{}
			}
			return true
		}}
	})
	with("SA19", func() *between {
		return on(simapi.Method_GET_ACTORS_STATES, &simapi.GetActorsStatesReply{},
			func(r *simapi.GetActorsStatesReply) {
				if r.GetSimTimeMs() == 960 {
					*r.State[0].Position.X += 30
				}
			})
	})
	with("SA20", func() *between {
		b := on(simapi.Method_WAIT_STEP, &simapi.WaitStepReply{},
			func(r *simapi.WaitStepReply) { r.Events = nil })
		events := b.reply
		b.reply = func(f *simapi.Frame) bool {
			if f.GetMethod() == simapi.Method_SET_DYNAMIC_MOVE {
				f.Status.Info = nil
			}
			return events(f)
		}
		return b
	})
	with("SA21", func() *between {
		return forgive(simapi.Method_SET_EGO_DESTINATION, simapi.Code_INVALID)
	})
	with("SA22", func() *between {
		return forgive(simapi.Method_GET_ACTORS_STATES, simapi.Code_WRONG_STATE)
	})
	inside("SA23", func(w *reference) { w.sizeless = true })
	with("SA24", func() *between {
		return on(simapi.Method_GET_ACTORS_STATES, &simapi.GetActorsStatesReply{},
			func(r *simapi.GetActorsStatesReply) {
				slices.SortFunc(r.State, func(a, b *simapi.ActorState) int {
					return int(a.GetActorId()[6]) - int(b.GetActorId()[6])
				})
			})
	})
	inside("SA25", func(w *reference) { w.noisy = true })
	with("SA26", func() *between {
		var steps atomic.Int32
		return &between{reply: func(f *simapi.Frame) bool {
			return f.GetMethod() != simapi.Method_WAIT_STEP || steps.Add(1) < 40
		}}
	})
	with("SA27", func() *between { return &between{little: true} })
	ways["SA28"] = func() (*reference, stack, *between) {
		return &reference{}, stack{cdr: []byte{0, 1, 0, 0, 2, 0, 0, 0, 'o', 'k'}}, &between{}
	}
	inside("SA29", func(w *reference) { w.collide = inEachStep })
	with("SA30", func() *between {
		return &between{reply: func(f *simapi.Frame) bool {
			if f.GetMethod() == simapi.Method_CREATE_ACTOR {
				f.Status = &simapi.Status{Code: simapi.Code_NOT_SUPPORTED}
			}
			return true
		}}
	})
	return ways
}

func run(t *testing.T, w *reference, k stack, b *between, patience time.Duration) check.Result {
	t.Helper()
	var reported finding.List
	server := simapi.NewServer(simapi.Config{Name: "reference", Simulator: w, SUT: k})
	definitions, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	result := check.Run(t.Context(),
		check.Options{Dial: check.TCP(b.serve(t, server)), Patience: patience,
			Found: func(f finding.Finding) { reported = append(reported, f) },
			Message: func(m *simapi.Message) error {
				definition, err := definitions.Message(m.GetType())
				require.NoError(t, err)
				return definitions.Verify(definition, m.GetCdr())
			}})
	require.ElementsMatch(t, result.Findings, reported, "each finding is reported once")
	return result
}

// TestRun_ReportsFindingsAsTheyAreMade checks that a finding is reported before the probes that
// follow.
func TestRun_ReportsFindingsAsTheyAreMade(t *testing.T) {
	w, k, b := wrong()["SA06"]()
	server := simapi.NewServer(simapi.Config{Name: "reference", Simulator: w, SUT: k})
	dial, before, after := check.TCP(b.serve(t, server)), 0, 0
	result := check.Run(t.Context(), check.Options{Patience: time.Minute,
		Dial: func(ctx context.Context, name string, role simapi.Role) (*simapi.Client, error) {
			after++
			return dial(ctx, name, role)
		},
		Found: func(finding.Finding) { before, after = before+after, 0 }})
	require.Len(t, result.Findings, 1)
	require.Positive(t, before)
	require.Positive(t, after, "connections of the probes that follow")
}

// TestRun_FindsEachMistake checks that each mistake is reported with its id, and no other mistake
// is reported.
func TestRun_FindsEachMistake(t *testing.T) {
	ways := wrong()
	for _, m := range check.Mistakes {
		require.Contains(t, ways, m.ID)
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			w, k, b := ways[m.ID]()
			patience := time.Minute
			if m.ID == "SA04" || m.ID == "SA05" { // replies that never arrive
				patience = 3 * time.Second
			}
			result := run(t, w, k, b, patience)
			require.Len(t, result.Findings, 1, "%s: %v", m.What, result.Findings)
			require.Equal(t, m.ID, result.Findings[0].ID, "%v", result.Findings)
			require.Equal(t, m.Remedy, result.Findings[0].Remedy)
			t.Log(result.Findings[0])
		})
	}
	require.Len(t, ways, 30)
}

// TestRun_PassesAGoodSimulator checks that a simulator without mistakes passes all checks and that
// no check is left out.
func TestRun_PassesAGoodSimulator(t *testing.T) {
	result := run(t, &reference{}, stack{cdr: []byte{0, 1, 0, 0, 1, 0, 0, 0, 0}}, &between{},
		time.Minute)
	require.Empty(t, result.Findings)
	require.Empty(t, result.Skipped)
	require.Equal(t, "reference", result.Simulator)
	result, err := check.Simulator(t.Context(),
		simapi.Config{Name: "alone", Simulator: &reference{}})
	require.NoError(t, err)
	require.Empty(t, result.Findings)
	require.Equal(t, []string{"set_ego_destination: the simulator does not support it",
		"get_messages: the simulator does not support it"}, result.Skipped)
}

// TestRun_Contacts checks what is found about the collisions that a simulator reports.
func TestRun_Contacts(t *testing.T) {
	for mistake, text := range map[collide]string{
		inEachStep:   `the same contact is reported again at 780 ms`,
		late:         `a collision at 820 ms; the bodies touch at 740 ms`,
		afterTheStep: `a collision at 860 ms is reported by the step from 740 to 760 ms`,
		nameless:     `a collision of ["check standing"]; the actors that touch are ["check c"`,
	} {
		result, err := check.Simulator(t.Context(),
			simapi.Config{Name: "it", Simulator: &reference{collide: mistake}})
		require.NoError(t, err)
		require.Len(t, result.Findings, 1)
		require.Equal(t, "SA29", result.Findings[0].ID)
		require.Contains(t, result.Findings[0].Message, text)
	}
	result, err := check.Simulator(t.Context(),
		simapi.Config{Name: "it", Simulator: &reference{collide: never}})
	require.NoError(t, err)
	require.Empty(t, result.Findings)
	require.Contains(t, result.Skipped,
		"collisions: the simulator reports none, so the director has to detect them")
}

// TestRun_StepsOfOtherServers checks servers of other implementations that state steps that do not
// fit. The check must neither accept the steps nor divide by them.
func TestRun_StepsOfOtherServers(t *testing.T) {
	for _, stated := range []*simapi.InitReply{{SimulationStepSizeMs: 7}, {SimulationStepSizeMs: 0},
		{SimulationStepSizeMs: -20}, {SimulationStepSizeMs: math.NaN()},
		{SimulationStepSizeMs: 20, Capabilities: &simapi.Capabilities{FixedStepMs: 7}},
		{SimulationStepSizeMs: 20, Capabilities: &simapi.Capabilities{FixedStepMs: 10}}} {
		b := on(simapi.Method_INIT, &simapi.InitReply{}, func(r *simapi.InitReply) {
			r.SimulationStepSizeMs = stated.GetSimulationStepSizeMs()
			r.Capabilities = stated.GetCapabilities()
		})
		result := run(t, &reference{}, stack{}, b, time.Minute)
		require.Len(t, result.Findings, 1, "%v", result.Findings)
		require.Equal(t, "SA06", result.Findings[0].ID)
	}
}

// TestRun_NoSimulator checks an address at which no server listens.
func TestRun_NoSimulator(t *testing.T) {
	result := check.Run(t.Context(), check.Options{Dial: check.TCP("127.0.0.1:1")})
	require.Len(t, result.Findings, 1)
	require.Contains(t, fmt.Sprint(result.Findings[0]),
		"start the simulator, or correct the address")
	require.Len(t, result.Skipped, 8)
}

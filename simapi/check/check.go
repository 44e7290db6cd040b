// Package check finds mistakes that integrators make when they connect any simulator to the
// simulator support API. It makes calls to the simulator, as a test director would, and identifies
// each mistake by an id, SA01 to SA30; [Mistakes] lists them.
//
//	result := check.Run(ctx, check.Options{Dial: check.TCP("127.0.0.1:7788")})
//	for _, f := range result.Findings { fmt.Println(f) }
//
// In a Go test of a simulator:
//
//	result := check.Simulator(t.Context(), simapi.Config{Name: "mine", Simulator: mine})
//	require.Empty(t, result.Findings)
//
// No simulation may be in progress. The check runs about ten short simulations, each with its own
// connection, on flat ground around the origin or around Options.At. Calls that the simulator does
// not support are listed as skipped.
//
// Types: [Options], [Result], [Mistake].
package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/simapi"
)

// Options configure a check.
type Options struct {
	// Dial connects a party.
	Dial func(ctx context.Context, name string, role simapi.Role) (*simapi.Client, error)
	// At is the place and direction of the actors: x, y, yaw.
	At [3]float64
	// Map is loaded if it has a path.
	Map *simapi.MapInfo
	// Ground is the height of the road; nil leaves the height of actors on hills unchecked.
	Ground simapi.Ground
	// Message judges a message of the system under test. It returns an error that wraps
	// [ErrUndefined] for a message without a definition. nil leaves messages unchecked.
	Message func(*simapi.Message) error
	// Patience is the longest time for a call that must be answered at once; 0 means 3 s.
	Patience time.Duration
	// Found receives each finding when it is made; the order is that of the probes, which is always
	// the same. It may be nil.
	Found func(finding.Finding)
}

// ErrUndefined is the kind of error for messages without a definition.
var ErrUndefined = errors.New("no definition")

// Result is the outcome of a check.
type Result struct {
	Simulator string       // its name and version
	Findings  finding.List // in the order of the ids
	Skipped   []string     // checks that were not possible, with reasons
}

// TCP connects to a server.
func TCP(address string) func(context.Context, string, simapi.Role) (*simapi.Client, error) {
	return func(ctx context.Context, name string, role simapi.Role) (*simapi.Client, error) {
		return simapi.Dial(ctx, address, name, role)
	}
}

// Simulator checks a simulator over TCP on this machine.
func Simulator(ctx context.Context, cfg simapi.Config) (Result, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Result{}, err
	}
	server := simapi.NewServer(cfg)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	result := Run(ctx, Options{Dial: TCP(l.Addr().String())})
	return result, errors.Join(server.Close(), <-served)
}

// checker collects the findings of the probes.
type checker struct {
	Options
	result Result
	found  map[string]bool
	dead   bool // nothing more can be checked
	// whether any actor was created and any step was made: a check without them says nothing
	created, stepped bool
}

// probes lists the parts of the check in order.
var probes = []struct {
	name string
	run  func(*checker, context.Context)
}{
	{"greeting", (*checker).greet}, {"order of calls", (*checker).order},
	{"steps", (*checker).ratio}, {"actors", (*checker).actors},
	{"moves", (*checker).moves}, {"two parties", (*checker).parties},
	{"a drive", (*checker).drives}, {"a contact", (*checker).contact},
	{"the system under test", (*checker).sut},
}

// Run performs the check. It ends early if the simulator becomes unreachable or fails to perform a
// step.
func Run(ctx context.Context, o Options) Result {
	if o.Patience == 0 {
		o.Patience = 3 * time.Second
	}
	c := &checker{Options: o, found: map[string]bool{}}
	for _, p := range probes {
		if c.dead || ctx.Err() != nil {
			c.result.Skipped = append(c.result.Skipped, p.name+": the check has ended before")
			continue
		}
		p.run(c, ctx)
	}
	if ctx.Err() == nil && len(c.result.Findings) == 0 && (!c.created || !c.stepped) {
		c.report("SA30", "check", "no actor could be created, or no step made: %s",
			strings.Join(c.result.Skipped, "; "))
	}
	slices.SortStableFunc(c.result.Findings, func(a, b finding.Finding) int {
		return strings.Compare(a.ID, b.ID)
	})
	return c.result
}

// report adds a finding, but only the first one for each id.
func (c *checker) report(id, call, format string, args ...any) {
	if c.found[id] {
		return
	}
	c.found[id] = true
	if id == "SA04" { // every probe would find it again
		c.dead = true
	}
	f := finding.Finding{ID: id, Severity: finding.Error, Place: fault.At(call),
		Message: fmt.Sprintf(format, args...)}
	for _, m := range Mistakes {
		if m.ID == id {
			f.Remedy = m.Remedy
		}
	}
	c.result.Findings = append(c.result.Findings, f)
	if c.Found != nil {
		c.Found(f)
	}
}

func (c *checker) skip(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(c.result.Skipped, text) {
		c.result.Skipped = append(c.result.Skipped, text)
	}
}

var idInText = regexp.MustCompile(`\((SA\d+)[,)]`)

// failed judges an error of a call that should have succeeded. It reports whether there was one.
func (c *checker) failed(call string, err error) bool {
	switch code := simapi.CodeOf(err); {
	case err == nil:
		return false
	case code == simapi.Code_NOT_SUPPORTED:
		c.skip("%s: the simulator does not support it", call)
	case idInText.MatchString(err.Error()): // the simulator's own server states the fault
		c.report(idInText.FindStringSubmatch(err.Error())[1], call, "%v", err)
	case code == simapi.Code_INVALID && stateCall[call]:
		c.report("SA15", call, "%v", err)
	case code == simapi.Code_PARTY_LOST:
		c.dead = true
		c.report("SA26", call, "the simulator has closed the connection: %v", err)
	case code == simapi.Code_TIMEOUT:
		c.report("SA05", call, "%v", err)
	default:
		c.report("call", call, "a call that is legal has failed: %v", err)
	}
	return true
}

var stateCall = map[string]bool{"get_actors_states": true, "wait_step": true}

// refused judges the answer to a call that must be refused with one of the given codes.
func (c *checker) refused(id, call, what string, err error, codes ...simapi.Code) {
	code := simapi.CodeOf(err)
	switch {
	case code == simapi.Code_NOT_SUPPORTED:
		c.skip("%s: the simulator does not support it", call)
	case code == simapi.Code_TIMEOUT && call == "start_step":
		c.report("SA04", call, "%v", err)
	case code == simapi.Code_PARTY_LOST, code == simapi.Code_TIMEOUT:
		c.failed(call, err)
	case !slices.Contains(codes, code):
		answer := "was accepted"
		if err != nil {
			answer = "was refused with: " + err.Error()
		}
		c.report(id, call, "%s %s; expected %s", what, answer, codes[0].Error())
	}
}

// patient limits the time for a call that must be answered at once.
func (c *checker) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.Patience)
}

// session is one connection that leads to a simulation.
type session struct {
	*simapi.Client
	own float64 // the simulator's step
}

// The director's step in all simulations of the check.
const stepMs = 20

// open connects a director.
func (c *checker) open(ctx context.Context) (*session, bool) {
	client, err := c.Dial(ctx, "gosmp check", simapi.Role_SSP)
	for begin := time.Now(); simapi.CodeOf(err) == simapi.Code_DUPLICATE &&
		time.Since(begin) < c.Patience; {
		// until the server notices that the previous connection was closed
		time.Sleep(time.Millisecond)
		client, err = c.Dial(ctx, "gosmp check", simapi.Role_SSP)
	}
	if c.failed("hello", err) {
		c.dead = true
		return nil, false
	}
	c.result.Simulator = client.Simulator()
	return &session{Client: client}, true
}

func (c *checker) close(s *session) { _ = s.Close() } // its findings were reported

// init starts a simulation as soon as the previous one has ended.
func (c *checker) init(ctx context.Context, s *session, r *simapi.Init) bool {
	r.MapInfo = c.Map
	reply, err := s.Init(ctx, r)
	for begin := time.Now(); simapi.CodeOf(err) == simapi.Code_WRONG_STATE &&
		time.Since(begin) < c.Patience; {
		time.Sleep(time.Millisecond)
		reply, err = s.Init(ctx, r)
	}
	if c.failed("init", err) {
		return false
	}
	if _, _, err := simapi.StepRatio(r, reply); err != nil {
		c.report("SA06", "init", "steps that do not fit were accepted: %v", err)
		return false
	}
	s.own = reply.GetSimulationStepSizeMs()
	if want, got := c.Map.GetSha256(), reply.GetMapInfo().GetSha256(); want != "" && got != "" &&
		want != got {
		c.report("SA14", "init",
			"the simulator has loaded a map with sha256 %s, the director has one with %s", got,
			want)
	}
	return !c.failed("launch_simulator", s.LaunchSimulator(ctx))
}

// start makes the calls before the first step.
func (c *checker) start(ctx context.Context, s *session) bool {
	return !c.failed("start_simulation", s.StartSimulation(ctx, &simapi.StartSimulation{})) &&
		!c.failed("wait_start_simulation", s.WaitStartSimulation(ctx,
			&simapi.WaitStartSimulation{}))
}

// step performs a step and judges the time at its end.
func (c *checker) step(ctx context.Context, s *session, to float64) (*simapi.WaitStepReply, bool) {
	short, stop := c.patient(ctx)
	err := s.StartStep(short, &simapi.StartStep{RequestedSimTimeMs: to})
	stop()
	if simapi.CodeOf(err) == simapi.Code_TIMEOUT {
		c.report("SA04", "start_step",
			"no answer in %v; expected one at once, before the step is made", c.Patience)
		return nil, false
	}
	if c.failed("start_step", err) {
		return nil, false
	}
	reply, err := s.WaitStep(ctx, &simapi.WaitStep{MaxWaitMs: 10000})
	if c.failed("wait_step", err) {
		return nil, false
	}
	c.stepped = true
	c.time("wait_step", reply.GetSimTimeMs(), to)
	return reply, true
}

// time judges a time that the simulator reports.
func (c *checker) time(call string, got, want float64) {
	if off := got - want; off < 1e-3 && off > -1e-3 {
		return
	}
	for unit, factor := range map[string]float64{"seconds": 1000, "microseconds": 1e-3} {
		if ratio := got * factor / want; ratio > 0.999 && ratio < 1.001 {
			c.report("SA17", call, "the time is %v, and %v ms were requested: these are %s", got,
				want, unit)
			return
		}
	}
	c.report("SA02", call, "the time reached is %v ms, and %v ms were requested", got, want)
}

func (c *checker) create(ctx context.Context, s *session, list ...*simapi.CreateActor) bool {
	for _, r := range list {
		reply, err := s.CreateActor(ctx, r)
		if c.failed("create_actor", err) {
			return false
		}
		if d := reply.GetDescription(); d.GetLength() <= 0 || d.GetWidth() <= 0 ||
			d.GetHeight() <= 0 {
			c.report("SA23", "create_actor", "the sizes of %q are %v, %v, %v m", r.GetActorId(),
				d.GetLength(), d.GetWidth(), d.GetHeight())
		}
		c.created = true
	}
	return true
}

package simapi

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/timebase"
)

// API is the version that both sides of a connection must use.
const API = "gosmp.simapi/1"

// Config configures a server.
type Config struct {
	Name      string        // name and version of the simulator, for reports
	Simulator Simulator     // nil: the server has only the SUT side
	SUT       SUT           // nil: calls of the SUT side are declined
	Idle      time.Duration // the longest time without a call on a connection; 0: 15 minutes
	Token     string        // required of parties that connect remotely; "": none
}

// Server runs one simulation for its parties. Several goroutines can use its methods; only one at a
// time calls the simulator and the system under test.
type Server struct {
	config Config
	ctx    context.Context
	cancel context.CancelFunc
	turn   chan struct{} // holds one element while the simulator or the system under test works
	others chan struct{} // the same while a party that no step needs waits for the turn or has it

	received, decoded, replies *room // for long requests and replies

	mu      sync.Mutex // guards everything below; never held while the simulator works
	closing bool
	phase   State // Connected, Initialised, Launched or Running: what all parties share
	owner   *party
	parties []*party // in the order of hello
	links   map[*link]bool
	working string // what the simulator is doing, for reports
	since   time.Time
	run     *simulation
}

// simulation is the state between init and end_simulation.
type simulation struct {
	ctx      context.Context
	cancel   context.CancelFunc
	init     *Init
	required []string
	scale    timebase.Scale // of the director's steps
	own      timebase.Grid  // the simulator's step
	ratio    int64          // simulator steps in one of the director
	any      bool           // steps may end at any time
	now      timebase.Time
	steps    uint64
	made     int64 // simulator steps in the director's last step
	ready    bool  // the simulator has started
	failed   error // error of the simulator; only end_simulation follows
	lost     []*Party
	starting bool      // a goroutine is starting the simulator
	stepping bool      // a goroutine is making a step
	begun    time.Time // start of the step
	events   []*Event  // events of the last step
	notices  []*Event  // events for the next step
	given    []*Property
	actors   actors
}

// NewServer creates a server. Close ends it.
func NewServer(cfg Config) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	return &Server{config: cfg, ctx: ctx, cancel: cancel, turn: make(chan struct{}, 1),
		others: make(chan struct{}, 1),
		phase:  Connected, links: map[*link]bool{}, run: &simulation{},
		received: newRoom(mostReceived), decoded: newRoom(mostDecoded),
		replies: newRoom(mostReplies)}
}

// Close ends all connections and the simulation. It waits until the simulator has returned, for at
// most 10 s.
func (v *Server) Close() error {
	v.mu.Lock()
	v.closing = true
	links := v.links
	v.links = map[*link]bool{}
	all := slices.Clone(v.parties)
	v.mu.Unlock()
	for k := range links {
		k.close()
	}
	for _, p := range all {
		v.leave(p)
	}
	v.cancel()
	ctx, stop := context.WithTimeout(context.Background(), defaultWait)
	defer stop()
	if err := v.takeTurn(ctx, "close"); err != nil {
		return err
	}
	<-v.turn
	return nil
}

// join adds a party, after its hello.
func (v *Server) join(h *Hello, remote bool) (*party, error) {
	place := fault.At("hello")
	rules := gate.Rules{Token: v.config.Token}
	switch {
	case remote && !rules.Knows(h.GetToken()):
		return nil, fault.New(Code_INVALID, place, "another token, or none", "the server's").
			WithHint("connect to TOKEN@HOST:PORT")
	case !sameVersion(h.GetApi()):
		return nil, fault.New(Code_VERSION, place, fmt.Sprintf("%q", h.GetApi()),
			fmt.Sprintf("%q", API))
	case h.GetName() == "":
		return nil, fault.New(Code_INVALID, place, "no name", "a name, which reports will use")
	case len(h.GetName()) > longestName:
		return nil, tooLongName(place, h.GetName())
	case !everyone.has(h.GetRole()):
		return nil, fault.New(Code_INVALID, place, "role "+h.GetRole().Word(),
			"ssp, dsp or observer")
	}
	if remote {
		v.awaitName(h.GetName())
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closing {
		return nil, fault.New(Code_PARTY_LOST, place, "a server that is closing", "")
	}
	if v.find(h.GetName()) != nil {
		return nil, fault.New(Code_DUPLICATE, place, fmt.Sprintf("a second party named %q",
			h.GetName()), "one connection for each name").
			WithHint("close the other connection, or choose another name")
	}
	p := &party{name: h.GetName(), role: h.GetRole(), state: v.phase, remote: remote,
		wall: time.Now(), changed: make(chan struct{}, 1)}
	v.parties = append(v.parties, p)
	v.run.lost = slices.DeleteFunc(v.run.lost, func(l *Party) bool { return l.GetName() == p.name })
	v.notify()
	return p, nil
}

// farewell is the time in which the server notices that a party has closed its connection.
const farewell = time.Second

// awaitName waits for the party of this name to leave, because a party that connects again may be
// faster than the server notices the end of its previous connection.
func (v *Server) awaitName(name string) {
	const pause = 5 * time.Millisecond
	for end := time.Now().Add(farewell); time.Now().Before(end); time.Sleep(pause) {
		v.mu.Lock()
		free := v.closing || v.find(name) == nil
		v.mu.Unlock()
		if free {
			return
		}
	}
}

// leave removes a party. Waits of others end if the simulation needs the party. Without the party
// that called init, there is no simulation.
func (v *Server) leave(p *party) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := slices.Index(v.parties, p)
	if k < 0 {
		return
	}
	v.parties = slices.Delete(v.parties, k, k+1)
	gone := p.report(time.Now())
	if slices.Contains(v.run.required, p.name) || v.owner == p {
		v.run.lost = append(v.run.lost, gone)
		for _, other := range v.parties {
			if other.waiting {
				other.cut = slices.Clone(v.run.lost)
			}
		}
	}
	if v.owner == p {
		v.owner = nil
		v.run.cancel()
		go v.abandon()
	}
	if p.waiting { // notify can no longer reach it
		p.cut = []*Party{gone}
		p.wake()
	}
	v.notify()
}

// abandon ends everything that the owner started, as soon as the simulator returns from its current
// work.
func (v *Server) abandon() {
	v.turn <- struct{}{}
	defer func() { <-v.turn }()
	v.cleanUp()
}

// settle ends a simulation whose owner has just gone, so that another party can begin the next one
// at once.
func (v *Server) settle(ctx context.Context) error {
	v.mu.Lock()
	orphan := v.owner == nil && v.phase > Connected
	v.mu.Unlock()
	if !orphan {
		return nil
	}
	if err := v.takeTurn(ctx, Method_INIT.Word()); err != nil {
		return err
	}
	defer func() { <-v.turn }()
	v.cleanUp()
	return nil
}

// cleanUp ends a simulation whose owner is gone. The caller must hold the turn.
func (v *Server) cleanUp() {
	v.mu.Lock()
	phase, orphan := v.phase, v.owner == nil && v.phase > Connected
	v.mu.Unlock()
	if !orphan {
		return
	}
	ctx, stop := context.WithTimeout(v.ctx, defaultWait)
	defer stop()
	if phase == Running {
		_, _ = v.endSimulation(ctx, &EndSimulation{}) // no client is left to receive the error
	}
	if phase >= Launched && v.config.Simulator != nil {
		v.clear(ctx)
		_ = v.guard(func() error { return v.config.Simulator.TerminateSimulator(ctx) }) // the same
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.run = &simulation{lost: v.run.lost}
	v.phase = Connected
	for _, p := range v.parties {
		p.started = false
		if !p.waiting {
			p.state = Connected
		}
	}
	v.notify()
}

// notify wakes up all waits.
func (v *Server) notify() {
	for _, p := range v.parties {
		p.wake()
	}
}

func (v *Server) find(name string) *party {
	for _, p := range v.parties {
		if p.name == name {
			return p
		}
	}
	return nil
}

// takeTurn waits until the simulator returns from its current work.
func (v *Server) takeTurn(ctx context.Context, call string) error {
	return v.take(ctx, v.turn, call)
}

// take waits until it can put an element into the turn, or into others.
func (v *Server) take(ctx context.Context, turn chan struct{}, call string) error {
	select {
	case turn <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(defaultWait)
	defer timer.Stop()
	select {
	case turn <- struct{}{}:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	late := v.simulatorParty()
	return &LateError{Code: Code_TIMEOUT, Late: []*Party{late},
		Text: fmt.Sprintf("%s: the simulator %q has been busy with %s for %.1f s", call,
			v.config.Name, v.working, late.GetSilentMs()/1000)}
}

// simulatorParty returns the simulator as a late party.
func (v *Server) simulatorParty() *Party {
	return &Party{Name: v.config.Name, Role: Role_SIMULATOR, LastTimeMs: Ms(v.run.now),
		SilentMs: time.Since(v.since).Seconds() * 1000}
}

// guard calls the vendor's code, and turns a panic there into an error.
func (v *Server) guard(f func() error) (err error) {
	defer v.recovered(&err)
	return f()
}

// recovered turns a panic into an error; call it with defer.
func (v *Server) recovered(err *error) {
	if r := recover(); r != nil {
		*err = fault.New(Code_INTERNAL, fault.At(v.config.Name), fmt.Sprintf("a panic: %v", r), "")
	}
}

func sameVersion(api string) bool { return api == API }

// replyFor returns a reply of the method's type.
func replyFor(m Method) proto.Message { return table[m].reply.ProtoReflect().New().Interface() }

package simapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// party is one connection. The server's lock guards it.
type party struct {
	name    string
	role    Role
	state   State
	remote  bool
	waiting bool     // a wait is in progress
	cut     []*Party // parties that left during the wait
	last    [3]Method
	calls   int
	time    timebase.Time // the time of the last call
	wall    time.Time
	target  timebase.Time // the end of the step it started
	// it called start_step or start_simulation, and the step or start has not begun
	started bool
	changed chan struct{} // receives an element when something happens that could end a wait
	timer   *time.Timer   // for its waits
	answers answers
}

// answers holds the replies to the calls of a step, which a party reads before its next call.
type answers struct {
	empty  Empty
	step   WaitStepReply
	states GetActorsStatesReply
	whole  StepReply
}

// wake makes the party check whether its wait is over. The server's lock must be held.
func (p *party) wake() {
	select {
	case p.changed <- struct{}{}:
	default: // has not yet seen the last change
	}
}

// report returns the public part of the party.
func (p *party) report(now time.Time) *Party {
	r := &Party{Name: p.name, Role: p.role, LastTimeMs: Ms(p.time),
		SilentMs: now.Sub(p.wall).Seconds() * 1000}
	if p.calls > 0 {
		r.LastCall = p.last[(p.calls-1)%len(p.last)]
	}
	return r
}

// note remembers a call.
func (p *party) note(m Method, now timebase.Time) {
	p.last[p.calls%len(p.last)] = m
	p.calls++
	p.time, p.wall = now, time.Now()
}

// history lists the calls before the latest one, oldest first.
func (p *party) history() string {
	var words []string
	for k := max(0, p.calls-len(p.last)); k < p.calls; k++ {
		words = append(words, p.last[k%len(p.last)].Word())
	}
	if len(words) == 0 {
		return "there were no calls before"
	}
	return "the calls before were " + strings.Join(words, ", ")
}

// permit reports whether the party may make the call now.
func (p *party) permit(m Method) error {
	if !m.known() {
		return fault.New(Code_NOT_SUPPORTED, fault.At(fmt.Sprintf("method %d", int32(m))), "", "")
	}
	if !table[m].by.has(p.role) {
		return fault.New(Code_NOT_SUPPORTED, fault.At(m.Word()), "a call by role "+p.role.Word(),
			"a call by role "+table[m].by.String())
	}
	if _, legal := m.After(p.state); !legal {
		return fault.New(Code_WRONG_STATE, fault.At(m.Word()),
			fmt.Sprintf("state %s of %q", p.state, p.name), "one of the calls "+legalIn(p.state)).
			WithHint(p.history())
	}
	return nil
}

// admits reports whether a party may make a call now, before its request is decoded: that of a call
// that is refused could be long.
func (v *Server) admits(p *party, m Method) error {
	if m == Method_INIT && director.has(p.role) { // it ends what a director that is gone began
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return p.permit(m)
}

// deliver passes on a reply while the simulator cannot change it.
type deliver func(reply proto.Message) error

// call makes one call of a party. deliver is not called if there is an error.
func (v *Server) call(ctx context.Context, p *party, m Method, request proto.Message,
	to deliver) (info []string, err error) {
	if m == Method_INIT {
		if err := v.settle(ctx); err != nil {
			return nil, err
		}
	}
	v.mu.Lock()
	if err := p.permit(m); err != nil {
		v.mu.Unlock()
		return nil, err
	}
	p.note(m, v.run.now)
	switch r := request.(type) {
	case *StartStep:
		err := v.startStep(p, r)
		v.mu.Unlock()
		if err != nil {
			return nil, err
		}
		return nil, to(&p.answers.empty)
	case *WaitStep:
		v.mu.Unlock()
		return nil, v.waitStep(ctx, p, r, to)
	case *WaitStartSimulation:
		v.mu.Unlock()
		return nil, v.waitStart(ctx, p, r, to)
	case *Step:
		v.mu.Unlock()
		return v.stepAtOnce(ctx, p, r, to)
	}
	needed := director.has(p.role) || v.isRequired(p)
	v.mu.Unlock()
	if !needed { // however many they are, a step waits for only one of them
		if err := v.take(ctx, v.others, m.Word()); err != nil {
			return nil, err
		}
		defer func() { <-v.others }()
	}
	if err := v.takeTurn(ctx, m.Word()); err != nil {
		return nil, err
	}
	defer func() { <-v.turn }()
	return v.inTurn(ctx, p, m, request, to)
}

// inTurn makes a call for which the simulator must be idle.
func (v *Server) inTurn(ctx context.Context, p *party, m Method, request proto.Message,
	to deliver) (info []string, err error) {
	v.mu.Lock()
	before := p.state
	err = p.permit(m) // check again, because other parties may have made calls meanwhile
	v.working, v.since = m.Word(), time.Now()
	v.mu.Unlock()
	if err != nil {
		return nil, err
	}
	reply, info, err := v.guardedHandle(ctx, p, request)
	if err != nil {
		return info, inCall(m, err)
	}
	info = append(info, v.notes()...)
	v.mu.Lock()
	after, _ := m.After(before)
	v.enter(p, m, after)
	v.mu.Unlock()
	return info, to(reply)
}

// guardedHandle calls handle; like guard, it turns a panic into an error.
func (v *Server) guardedHandle(ctx context.Context, p *party, request proto.Message) (
	reply proto.Message, info []string, err error) {
	defer v.recovered(&err)
	return v.handle(ctx, p, request)
}

// enter moves a party, or all of them, to the state after a call.
func (v *Server) enter(p *party, m Method, after State) {
	switch m {
	case Method_INIT, Method_LAUNCH_SIMULATOR, Method_TERMINATE_SIMULATOR, Method_END_SIMULATION:
		v.phase = after
		for _, other := range v.parties {
			other.state, other.started = after, false
		}
		v.notify()
	case Method_START_SIMULATION:
		p.state = after
	}
}

// inCall adds the call to an error that does not name one.
func inCall(m Method, err error) error {
	if strings.HasPrefix(err.Error(), m.Word()) {
		return err
	}
	return fmt.Errorf("%s: %w", m.Word(), err)
}

// String lists the roles.
func (r roles) String() string {
	var words []string
	for _, role := range []Role{Role_SSP, Role_DSP, Role_OBSERVER} {
		if r.has(role) {
			words = append(words, role.Word())
		}
	}
	return strings.Join(words, " or ")
}

func (r roles) has(role Role) bool { return role >= 0 && r&(1<<role) != 0 }

// legalIn lists the calls that are legal in a state, for error messages.
func legalIn(s State) string {
	var words []string
	for _, m := range Methods() {
		if _, ok := m.After(s); ok {
			words = append(words, m.Word())
		}
	}
	return strings.Join(words, ", ")
}

// missing lists the required parties that do not satisfy ok, including parties that never said
// hello.
func (v *Server) missing(ok func(*party) bool) (late []*Party) {
	now := time.Now()
	for _, name := range v.run.required {
		switch p := v.find(name); {
		case p == nil:
			late = append(late, &Party{Name: name})
		case !ok(p):
			late = append(late, p.report(now))
		}
	}
	return late
}

// isRequired reports whether steps need the party.
func (v *Server) isRequired(p *party) bool { return slices.Contains(v.run.required, p.name) }

package simapi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/timebase"
)

// actors holds the actors of a simulation. Only the holder of the turn may use it.
type actors struct {
	ground       Ground
	scale        *timebase.Scale // the scale of the steps
	list         []*actor        // in the order of creation
	byID         map[string]*actor
	destroyed    map[string]bool
	destinations map[string]timebase.Time
	states       []*ActorState // the states of the last answer
	own          []*actor      // created by the simulator, in the order of their appearance
	ownByID      map[string]*actor
	kept         kept
}

// actor is the server's state of an actor.
type actor struct {
	id        string
	ego       bool
	number    int
	estimator Estimator
	seen      bool // in the answer that is being created
	wanted    bool // in that answer
	mover     Method
	moved     timebase.Time
	cost      int
	params    map[string]int // the memory that each takes, as a part of cost
	plans     []plan
}

func (a *actors) reset(g Ground, run *simulation) {
	*a = actors{ground: g, scale: &run.scale, byID: map[string]*actor{},
		ownByID: map[string]*actor{}, destroyed: map[string]bool{},
		destinations: map[string]timebase.Time{}}
}

// find returns an actor, or an error that lists similar names.
func (a *actors) find(id string) (*actor, error) {
	if found := a.byID[id]; found != nil {
		return found, nil
	}
	e := fault.New(Code_UNKNOWN_ACTOR, fault.At("actor_id"), quoted(id), "an actor that exists")
	switch {
	case a.destroyed[id]:
		e.Found += ", which has been destroyed"
	case len(a.list) == 0:
		e.Hint = "there are no actors; create_actor makes one"
	default:
		e.Hint = similar.Hint(id, a.ids())
	}
	return nil, e
}

func (a *actors) ids() []string {
	ids := make([]string, len(a.list))
	for k, x := range a.list {
		ids[k] = x.id
	}
	return ids
}

// yields reports whether the simulator hands over one of its own actors to the director.
func (v *Server) yields(id string) bool {
	s, is := v.config.Simulator.(Yielder)
	return is && s.Yields(id)
}

// create creates an actor.
func (v *Server) create(ctx context.Context, r *CreateActor) (reply *CreateActorReply,
	info []string, err error) {
	all := &v.run.actors
	id := r.GetActorId()
	yields := v.yields(id)
	if all.byID[id] != nil || !yields && (all.destroyed[id] || all.ownByID[id] != nil) {
		e := fault.New(Code_DUPLICATE, fault.At("actor_id"), quoted(id), "an identity that is new")
		if all.destroyed[id] {
			e.Hint = "the actor of this name has been destroyed; identities are not used again"
		}
		return nil, nil, e
	}
	if info, err = checkCreate(r); err != nil {
		return nil, nil, err
	}
	one := &actor{id: r.GetActorId(), ego: r.GetEgo(), number: len(all.list), moved: -1}
	cost := one.costOf(r)
	if err := all.kept.admit("actor_id", cost); err != nil {
		return nil, nil, err
	}
	created := false
	defer func() { // also if the simulator panics
		if !created {
			all.kept.bytes -= cost
		}
	}()
	one.cost = cost
	one.estimator.Ground, one.estimator.Scale = all.ground, all.scale
	if state := r.GetState(); state != nil { // the first position of the actor's path
		if _, _, err := one.estimator.Complete(v.run.now, state); err != nil {
			return nil, nil, err
		}
	}
	// Nothing may fail after this call: the simulator would have an actor that the server does not
	// know.
	reply = &CreateActorReply{}
	err = v.simulator(func(s Simulator) (err error) {
		reply.Description, err = s.CreateActor(ctx, r)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if reply.Description == nil {
		reply.Description = proto.CloneOf(r.GetDescription())
	}
	all.list, all.byID[one.id] = append(all.list, one), one
	delete(all.destroyed, one.id) // if the actor was given back before
	if before := all.ownByID[one.id]; before != nil {
		all.own = slices.DeleteFunc(all.own, func(a *actor) bool { return a == before })
		delete(all.ownByID, one.id)
	}
	created = true
	return reply, info, nil
}

// setParams sets parameters of an actor, which the simulator keeps.
func (v *Server) setParams(ctx context.Context, r *SetActorParams) error {
	one, err := v.run.actors.find(r.GetActorId())
	if err != nil {
		return err
	}
	fresh, more := one.paramsWith(r.GetParameters())
	kept := &v.run.actors.kept
	if err := kept.admit("parameters", more); err != nil {
		return err
	}
	done := false
	defer func() { // also if the simulator panics
		if !done {
			kept.bytes -= more
		}
	}()
	if err := v.simulator(func(s Simulator) error { return s.SetActorParams(ctx, r) }); err != nil {
		return err
	}
	if one.params == nil {
		one.params = fresh
	} else {
		maps.Copy(one.params, fresh)
	}
	one.cost += more
	done = true
	return nil
}

func (v *Server) destroy(ctx context.Context, id string) error {
	all := &v.run.actors
	one, err := all.find(id)
	if err != nil {
		return err
	}
	if err := v.simulator(func(s Simulator) error { return s.DestroyActor(ctx, id) }); err != nil {
		return err
	}
	all.list = slices.DeleteFunc(all.list, func(a *actor) bool { return a == one })
	delete(all.byID, id)
	all.destroyed[id] = true
	all.kept.forget(one)
	return nil
}

// clear destroys the actors left behind by a simulation that was never started.
func (v *Server) clear(ctx context.Context) {
	for _, a := range v.run.actors.list {
		// the simulator is terminated next
		_ = v.guard(func() error { return v.config.Simulator.DestroyActor(ctx, a.id) })
	}
	v.run.actors.reset(v.run.actors.ground, v.run)
}

// states requests all states from the simulator, completes them, and returns the requested ones in
// the order of creation.
func (v *Server) states(ctx context.Context, now timebase.Time, wanted []string, own bool) (
	[]*ActorState, error) {
	all := &v.run.actors
	for _, a := range all.list {
		a.seen, a.wanted = false, len(wanted) == 0
	}
	for _, id := range wanted {
		a, err := all.find(id)
		if err != nil {
			return nil, err
		}
		a.wanted = true
	}
	if v.config.Simulator == nil {
		return nil, v.simulator(nil)
	}
	given, err := v.config.Simulator.ActorsStates(ctx)
	if err != nil {
		return nil, err
	}
	all.states = all.states[:0]
	for _, state := range given {
		if err := v.complete(now, state); err != nil {
			return nil, err
		}
	}
	for _, a := range all.list {
		switch {
		case !a.seen:
			return nil, fault.New(Code_INTERNAL, fault.At(v.config.Name), "no state of "+
				quoted(a.id), fmt.Sprintf("the states of all %d actors (SA01)", len(all.list)))
		case a.wanted:
			all.states = append(all.states, &a.estimator.state)
		}
	}
	if own && len(wanted) == 0 {
		if err := v.meet(ctx, now); err != nil {
			return nil, err
		}
		for _, a := range all.own {
			all.states = append(all.states, &a.estimator.state)
		}
	}
	return all.states, nil
}

// complete estimates the missing values of a state.
func (v *Server) complete(now timebase.Time, state *ActorState) error {
	a := v.run.actors.byID[state.GetActorId()]
	if a == nil || a.seen {
		return fault.New(Code_INTERNAL, fault.At(v.config.Name), "a state of "+
			quoted(state.GetActorId()), "one state of each actor that exists (SA16, SA24)")
	}
	a.seen = true
	return v.estimate(a, now, state)
}

// estimate completes a state, and reports jumps.
func (v *Server) estimate(a *actor, now timebase.Time, state *ActorState) error {
	_, jumped, err := a.estimator.Complete(now, state)
	if err != nil {
		return err
	}
	if jumped {
		v.notice(&Event{Kind: EventJump, ActorId: []string{a.id},
			TimeMs: v.run.scale.Milliseconds(now),
			Message: fmt.Sprintf("%s has jumped: it is farther from its last place than %v m/s "+
				"would carry it (SA19)", quoted(a.id), fastest)})
	}
	return nil
}

// notice adds an event to the next answer of wait_step.
func (v *Server) notice(e *Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.run.notices) < mostNotices {
		v.run.notices = append(v.run.notices, e)
	}
}

// The kinds of events that the server adds to the simulator's own.
const (
	EventJump = "jump" // an actor is at a place it cannot have reached
	// two kinds of move for one actor at one time; the last one applies.
	EventTwoMoves  = "two_moves"
	EventDropped   = "dropped"   // points of a trajectory lie in the past
	EventExhausted = "exhausted" // an actor reached the end of its trajectory
	EventUnknown   = "unknown"   // a key that the simulator does not know
	EventArrived   = "arrived"   // an actor reached its destination
	EventCollision = "collision" // two actors touch
	EventOffRoad   = "off_road"  // an actor left the road
	EventSeparated = "separated" // a collision ended
	EventLimit     = "limited"   // a command exceeds what the vehicle can do
	EventNoRoute   = "no_route"  // a destination cannot be reached
	EventAppeared  = "appeared"  // the simulator itself created an actor
	EventGone      = "gone"      // an actor created by the simulator no longer exists
)

// move passes on one of the moves; the last one applies.
func (v *Server) move(ctx context.Context, request proto.Message) (info []string, err error) {
	var id string
	mover := Method_SET_DYNAMIC_MOVE
	var act func(Simulator) error
	switch r := request.(type) {
	case *SetXyTrajectory:
		id, mover = r.GetActorId(), Method_SET_XY_TRAJECTORY
		act = func(s Simulator) error { return s.SetXYTrajectory(ctx, r) }
		info, err = checkTrajectory(r, v.run.now, v.run.own)
	case *SetExternalController:
		id, mover = r.GetActorId(), Method_SET_EXTERNAL_CONTROLLER
		act = func(s Simulator) error { return s.SetExternalController(ctx, r) }
		if r.GetTarget() != nil {
			err = checkPoint("target", r.GetTarget())
		}
	case *SetDynamicMove:
		id = r.GetActorId()
		act = func(s Simulator) error { return v.drive(ctx, s, r) }
		info, err = checkControls(r, v.run.now)
	case *SetEgoControl:
		id = r.GetActorId()
		d := &SetDynamicMove{ActorId: id, StartTimeMs: v.run.ms(),
			Controls: []*ActorControls{r.GetControls()}}
		act = func(s Simulator) error { return v.drive(ctx, s, d) }
		info, err = checkControls(d, v.run.now)
		info = append(info,
			"set_ego_control is deprecated; set_dynamic_move does the same for every vehicle")
	}
	a, unknown := v.run.actors.find(id)
	switch {
	case unknown != nil:
		return nil, unknown
	case err != nil:
		return nil, err
	}
	undo, err := v.run.actors.kept.planned(a, v.run.now, planOf(request))
	if err != nil {
		return nil, err
	}
	moved := false
	defer func() { // also if the simulator panics
		if !moved {
			undo()
		}
	}()
	if err := v.simulator(act); err != nil {
		return nil, err
	}
	moved = true
	return append(info, v.twoMoves(a, mover)...), nil
}

// twoMoves reports a second kind of move at the same time.
func (v *Server) twoMoves(a *actor, mover Method) (info []string) {
	if a.moved == v.run.now && a.mover != mover {
		text := fmt.Sprintf("%s has two kinds of move at %s, %s and %s; the last one rules (SA20)",
			quoted(a.id), inMs(v.run.now), a.mover.Word(), mover.Word())
		v.notice(&Event{Kind: EventTwoMoves, ActorId: []string{a.id}, TimeMs: v.run.ms(),
			Message: text})
		info = append(info, text)
	}
	a.mover, a.moved = mover, v.run.now
	return info
}

// drive passes controls to the simulator. Controls of the ego vehicle go through the system under
// test, which may change them.
func (v *Server) drive(ctx context.Context, s Simulator, r *SetDynamicMove) error {
	r = proto.CloneOf(r)
	for _, c := range r.GetControls() {
		if c.GetBrake() > 0 {
			c.Throttle = 0 // the brake wins
		}
	}
	if a := v.run.actors.byID[r.GetActorId()]; a.ego && v.config.SUT != nil {
		if err := v.config.SUT.Override(ctx, r); err != nil {
			return err
		}
		if _, err := checkControls(r, v.run.now); err != nil {
			return fmt.Errorf("the system under test has overridden the controls: %w", err)
		}
	}
	return s.SetDynamicMove(ctx, r)
}

func quoted(id string) string { return strconv.Quote(id) }

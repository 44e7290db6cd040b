package simapi

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// meet requests the actors created by the simulator itself, and reports which ones appeared and
// disappeared.
func (v *Server) meet(ctx context.Context, now timebase.Time) error {
	s, is := v.config.Simulator.(Populated)
	if !is {
		return nil
	}
	list, err := s.OwnStates(ctx)
	if err != nil {
		return err
	}
	all := &v.run.actors
	for _, a := range all.own {
		a.seen = false
	}
	for _, state := range list {
		a := all.ownByID[state.GetActorId()]
		switch {
		case a == nil:
			if a, err = v.welcome(now, state); err != nil {
				return err
			}
		case a.seen:
			return v.twice(state.GetActorId())
		}
		a.seen = true
		if err := v.estimate(a, now, state); err != nil {
			return err
		}
	}
	all.own = slices.DeleteFunc(all.own, func(a *actor) bool {
		if !a.seen {
			delete(all.ownByID, a.id)
			v.notice(&Event{Kind: EventGone, ActorId: []string{a.id},
				TimeMs: v.run.scale.Milliseconds(now)})
		}
		return !a.seen
	})
	return nil
}

// welcome records an actor created by the simulator.
func (v *Server) welcome(now timebase.Time, state *ActorState) (*actor, error) {
	all, id := &v.run.actors, state.GetActorId()
	if id == "" || all.byID[id] != nil {
		return nil, v.twice(id)
	}
	a := &actor{id: id, moved: -1}
	a.estimator.Ground, a.estimator.Scale = all.ground, all.scale
	all.own, all.ownByID[id] = append(all.own, a), a
	v.notice(&Event{Kind: EventAppeared, ActorId: []string{id},
		TimeMs: v.run.scale.Milliseconds(now), Description: state.GetDescription()})
	return a, nil
}

// twice returns the error for a simulator whose own actors have no name, or a name that is already
// taken.
func (v *Server) twice(id string) error {
	return &Error{Place: fault.At(v.config.Name), Kind: Code_INTERNAL,
		Found:    fmt.Sprintf("an actor %q of the simulator itself", id),
		Expected: "a name that no other actor has"}
}

// put sets the state of an actor at the end of the next step.
func (v *Server) put(ctx context.Context, r *SetActorState) ([]string, error) {
	id := r.GetState().GetActorId()
	a, err := v.run.actors.find(id)
	if err != nil {
		return nil, err
	}
	if err := checkState(id, r.GetState()); err != nil {
		return nil, err
	}
	err = v.simulator(func(s Simulator) error {
		if p, is := s.(Placer); is {
			return p.SetActorState(ctx, r)
		}
		return Code_NOT_SUPPORTED
	})
	if err != nil {
		return nil, err
	}
	return v.twoMoves(a, Method_SET_ACTOR_STATE), nil
}

// groundTruth requests an OSI message.
func (v *Server) groundTruth(ctx context.Context, r *GetGroundTruth) (reply *GetGroundTruthReply,
	err error) {
	if id := r.GetActorId(); id != "" && v.run.actors.ownByID[id] == nil {
		if _, err := v.run.actors.find(id); err != nil {
			return nil, err
		}
	}
	err = v.simulator(func(s Simulator) (err error) {
		w, is := s.(Witness)
		if !is {
			return Code_NOT_SUPPORTED
		}
		reply, err = w.GroundTruth(ctx, r)
		return err
	})
	if err == nil {
		reply.SimTimeMs = v.run.ms()
	}
	return reply, err
}

// notes returns the simulator's notes about the last call.
func (v *Server) notes() []string {
	if n, is := v.config.Simulator.(Noter); is {
		return n.Notes()
	}
	return nil
}

// stepAtOnce performs start_step, wait_step and get_actors_states in one call.
func (v *Server) stepAtOnce(ctx context.Context, p *party, r *Step, to deliver) (info []string,
	err error) {
	if info, err = v.putAll(ctx, r.GetSet()); err != nil {
		return info, inCall(Method_STEP, err)
	}
	v.mu.Lock()
	err = v.startStep(p, &StartStep{RequestedSimTimeMs: r.GetRequestedSimTimeMs()})
	v.mu.Unlock()
	if err != nil {
		return info, inCall(Method_STEP, err)
	}
	reply := &p.answers.whole
	reply.State = nil
	err = v.waitStep(ctx, p, &WaitStep{MaxWaitMs: r.GetMaxWaitMs()}, func(m proto.Message) error {
		w := m.(*WaitStepReply)
		reply.SimTimeMs, reply.Steps, reply.Events = w.GetSimTimeMs(), w.GetSteps(), w.GetEvents()
		return nil
	})
	if err != nil {
		return info, inCall(Method_STEP, err)
	}
	if err := v.takeTurn(ctx, Method_STEP.Word()); err != nil {
		return info, err
	}
	defer func() { <-v.turn }()
	if r.GetStates() {
		err = v.guard(func() (err error) {
			reply.State, err = v.states(ctx, v.run.now, nil, true)
			return err
		})
		if err != nil {
			return info, inCall(Method_STEP, err)
		}
	}
	return info, to(reply)
}

// putAll makes the set_actor_state calls at the start of a step.
func (v *Server) putAll(ctx context.Context, list []*SetActorState) (info []string, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	if err := v.takeTurn(ctx, Method_STEP.Word()); err != nil {
		return nil, err
	}
	defer func() { <-v.turn }()
	err = v.guard(func() error {
		for _, r := range list {
			said, err := v.put(ctx, r)
			if err != nil {
				return err
			}
			info = append(info, said...)
		}
		return nil
	})
	return append(info, v.notes()...), err
}

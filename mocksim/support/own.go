package support

import (
	"cmp"
	"context"
	"fmt"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/simapi"
	"gosmp/timebase"
)

// capabilities returns the capabilities of the mock simulator.
func capabilities() *simapi.Capabilities {
	return &simapi.Capabilities{OwnActors: true, Method: []simapi.Method{
		simapi.Method_SET_ACTOR_PARAMS, simapi.Method_SET_WEATHER, simapi.Method_SET_TIME_OF_DAY,
		simapi.Method_SIM_COMMAND, simapi.Method_SET_XY_TRAJECTORY, simapi.Method_SET_DYNAMIC_MOVE,
		simapi.Method_SET_EXTERNAL_CONTROLLER, simapi.Method_SET_ACTOR_STATE,
		simapi.Method_GET_GROUND_TRUTH}}
}

// stateOf returns the state of an actor.
func stateOf(v mocksim.View) *simapi.ActorState {
	a := v.State()
	return &simapi.ActorState{ActorId: v.Name(), Position: coords(a.Position, a.Orientation),
		Speed: coords(a.Velocity, a.Rate), Acceleration: coords(a.Acceleration, a.Turning),
		Estimated: estimated(a.Estimated), Controls: ControlsOf(&a)}
}

// OwnStates returns the states of the traffic.
func (s *Simulator) OwnStates(context.Context) ([]*simapi.ActorState, error) {
	s.own = s.own[:0]
	if s.w == nil || s.scene == nil && s.w.Len() == len(s.ids) {
		return s.own, nil
	}
	for k := range s.w.Len() {
		v := s.w.At(k)
		if s.mine[v.Name()] {
			continue
		}
		state := stateOf(v)
		state.Description = describe(v)
		s.own = append(s.own, state)
	}
	return s.own, nil
}

// next returns the end of the director's next step.
func (s *Simulator) next() timebase.Time {
	director := s.scale.With(s.period)
	if k, is := director.Index(s.w.Time()); is {
		return director.Point(k + 1)
	}
	return s.w.Time() + s.period.Step()
}

// SetActorState moves an actor to the place given by the director. Values that the request omits
// come from the road and from the positions of the actor.
func (s *Simulator) SetActorState(_ context.Context, r *simapi.SetActorState) error {
	id := r.GetState().GetActorId()
	if err := s.w.Take(id); err != nil {
		return coded(err)
	}
	u := mocksim.Update{Time: s.next(), Ground: true}
	var none frames.Orientation
	for _, g := range [...]struct {
		c        *simapi.Coord6Dof
		v        *frames.Vector
		o        *frames.Orientation
		at, turn mocksim.Parts
	}{{r.GetState().GetPosition(), &u.Position, &u.Orientation, mocksim.PartX, mocksim.PartRoll},
		{r.GetState().GetSpeed(), &u.Velocity, &u.Rate, mocksim.PartVelocityX,
			mocksim.PartRollRate},
		{r.GetState().GetAcceleration(), &u.Acceleration, &none, mocksim.PartAccelerationX, 0}} {
		if g.c == nil {
			continue
		}
		for k, f := range [...]struct{ from, to *float64 }{{g.c.X, &g.v.X}, {g.c.Y, &g.v.Y},
			{g.c.Z, &g.v.Z}, {g.c.Roll, &g.o.Roll}, {g.c.Pitch, &g.o.Pitch}, {g.c.Yaw, &g.o.Yaw}} {
			if f.from == nil {
				continue
			}
			if *f.to = *f.from; k < 3 {
				u.Given |= g.at << k
			} else {
				u.Given |= g.turn << (k - 3)
			}
		}
	}
	if c := r.GetState().GetControls(); c != nil {
		u.Controls, u.Steering = ParseControls(c), c.GetSteeringWheelAngle()/SteeringRatio
		u.Given |= mocksim.PartControls | mocksim.PartSteering
	}
	return s.moved(id, s.w.Put(id, &u))
}

// GroundTruth returns the world as an OSI message. A message needs a host vehicle; if the request
// names none, it is the first actor.
func (s *Simulator) GroundTruth(_ context.Context, r *simapi.GetGroundTruth) (
	*simapi.GetGroundTruthReply, error) {
	reply := &simapi.GetGroundTruthReply{}
	if s.w.Len() == 0 {
		return nil, fmt.Errorf("%w: get_ground_truth: found no actor, "+
			"expected one as the viewpoint",
			simapi.Code_INVALID)
	}
	host := cmp.Or(r.GetActorId(), s.w.At(0).Name())
	for k := range s.w.Len() {
		v := s.w.At(k)
		reply.Identity = append(reply.Identity, &simapi.Identity{ActorId: v.Name(), Id: v.ID()})
	}
	m, err := s.maker(host, r.GetStatic())
	if err != nil {
		return nil, coded(err)
	}
	reply.GroundTruth, err = m.GroundTruth()
	return reply, coded(err)
}

// maker returns a maker of messages about the world; static content is computed once.
func (s *Simulator) maker(host string, static bool) (*truth.Maker, error) {
	k, o := 0, truth.Options{Host: host, Static: truth.Never}
	if static {
		k, o.Static = 1, truth.Every
	}
	if s.makers[k] == nil {
		m, err := truth.New(s.w, o)
		if err != nil {
			return nil, err
		}
		s.makers[k] = m
	}
	return s.makers[k].For(host, 0, 0), nil
}

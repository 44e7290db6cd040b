package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/portable"
	"gosmp/simapi"
)

// The drive: an actor that swerves along a sine, for two seconds of simulation time.
const (
	driveSteps = 100
	ahead      = 10 // steps of the director in a trajectory: 200 ms
	driveSpeed = 10.0
	amplitude  = 1.5
	wave       = 2 * math.Pi / 16
)

// place returns the required position and direction of the actor.
func (c *checker) place(seconds float64) (x, y, yaw float64) {
	u := driveSpeed * seconds
	w := amplitude * portable.Sin(wave*u)
	sin, cos := portable.Sincos(c.At[2])
	return c.At[0] + float64(u*cos) - float64(w*sin), c.At[1] + float64(u*sin) + float64(w*cos),
		c.At[2] + portable.Atan(amplitude*wave*portable.Cos(wave*u))
}

// row holds the answers of the simulator at one time.
type row struct {
	seconds float64
	states  []*simapi.ActorState // in the order of the answer
	query   int                  // the number of earlier queries
}

// drives performs the same drive twice, judges the first and compares the second with it.
func (c *checker) drives(ctx context.Context) {
	first, ok := c.drive(ctx)
	if !ok {
		return
	}
	c.judge(first)
	second, ok := c.drive(ctx)
	if !ok {
		return
	}
	for k := range first {
		if text := differ(first[k].states, second[k].states); text != "" && !c.found["SA07"] &&
			!c.found["SA03"] {
			c.report("SA25", "get_actors_states",
				"at %.0f ms of a second run with the same seed: %s", first[k].seconds*1000, text)
			return
		}
	}
}

// drive runs one simulation.
func (c *checker) drive(ctx context.Context) (rows []row, ok bool) {
	s, ok := c.open(ctx)
	if !ok {
		return nil, false
	}
	defer c.close(s)
	kinds := c.kinds()
	if !c.init(ctx, s, &simapi.Init{StepSizeMs: stepMs, Seed: 7}) || !c.create(ctx, s, kinds...) ||
		!c.start(ctx, s) {
		return nil, false
	}
	queries := 0
	for k := range driveSteps {
		if k%ahead == 0 && c.failed("set_xy_trajectory", s.SetXYTrajectory(ctx,
			c.trajectory(kinds[0].GetActorId(), k, s.own))) {
			return nil, false
		}
		if _, ok := c.step(ctx, s, float64(k+1)*stepMs); !ok {
			return nil, false
		}
		if k%11 == 5 {
			continue // a director may skip a query
		}
		r := row{seconds: float64(k+1) * stepMs / 1000, query: queries}
		if r.states, ok = c.states(ctx, s, kinds, float64(k+1)*stepMs); !ok {
			return nil, false
		}
		queries++
		if k%7 == 3 { // or ask twice
			again, ok := c.states(ctx, s, kinds, float64(k+1)*stepMs)
			if !ok {
				return nil, false
			}
			queries++
			c.moved(r, again)
		}
		rows = append(rows, r)
	}
	return rows, c.hold(ctx, s, kinds)
}

// trajectory returns the points of the next steps, one for each step of the simulator.
func (c *checker) trajectory(id string, k int, own float64) *simapi.SetXyTrajectory {
	r := &simapi.SetXyTrajectory{ActorId: id, StartTimeMs: float64(k) * stepMs,
		EndTimeMs: float64(k+ahead) * stepMs}
	n := int(math.Round(ahead * stepMs / own))
	for j := range n + 1 {
		x, y, yaw := c.place(r.GetStartTimeMs()/1000 + float64(j)*own/1000)
		r.Polyline = append(r.Polyline, simapi.Pose(x, y, yaw))
	}
	return r
}

// states asks for all states, and judges the form of the answer.
func (c *checker) states(ctx context.Context, s *session, kinds []*simapi.CreateActor,
	now float64) ([]*simapi.ActorState, bool) {
	reply, err := s.GetActorsStates(ctx, &simapi.GetActorsStates{})
	if c.failed("get_actors_states", err) {
		return nil, false
	}
	c.time("get_actors_states", reply.GetSimTimeMs(), now)
	var ids, missing []string
	for _, state := range reply.GetState() {
		ids = append(ids, state.GetActorId())
		c.whole(state)
	}
	inOrder := true
	for k, r := range kinds {
		if !slices.Contains(ids, r.GetActorId()) {
			missing = append(missing, r.GetActorId())
		} else if k < len(ids) {
			inOrder = inOrder && ids[k] == r.GetActorId()
		}
	}
	switch {
	case len(missing) > 0:
		c.report("SA01", "get_actors_states", "no states of %q", missing)
		return nil, false
	case len(ids) > len(kinds):
		c.report("SA16", "get_actors_states", "states of %q, there are %d actors", ids, len(kinds))
		return nil, false
	case !inOrder:
		c.report("SA24", "get_actors_states",
			"the states came as %q, which is not the order of creation", ids)
	}
	list := make([]*simapi.ActorState, len(kinds))
	for k, r := range kinds {
		list[k] = proto.CloneOf(reply.GetState()[slices.Index(ids, r.GetActorId())])
	}
	return list, true
}

// whole judges one state.
func (c *checker) whole(state *simapi.ActorState) {
	parts := map[string]*simapi.Coord6Dof{"position": state.GetPosition(),
		"speed": state.GetSpeed()}
	for name, m := range parts {
		if (m != nil || name == "position") && (m == nil || m.X == nil || m.Y == nil) {
			c.report("SA15", "get_actors_states", "%s of %q has no x or y", name,
				state.GetActorId())
		}
		for _, v := range []float64{m.GetX(), m.GetY(), m.GetZ(), m.GetRoll(), m.GetPitch(),
			m.GetYaw()} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				c.report("SA15", "get_actors_states", "%s of %q holds %v", name,
					state.GetActorId(), v)
			}
		}
	}
}

// moved compares two answers at one time.
func (c *checker) moved(r row, again []*simapi.ActorState) {
	text := differ(r.states, again)
	if text == "" || c.found["SA03"] { // this mistake explains the difference
		return
	}
	before, after := c.point(r.states[0].GetPosition()), c.point(again[0].GetPosition())
	if before >= 0 && after > before &&
		again[1].GetPosition().GetX() == r.states[1].GetPosition().GetX() {
		c.report("SA03", "get_actors_states",
			"a second query at %.0f ms has moved the actor by %d points of its trajectory",
			r.seconds*1000, after-before)
		return
	}
	c.report("SA07", "get_actors_states", "two queries at %.0f ms differ: %s", r.seconds*1000, text)
}

// point returns the number of the step at whose end an actor should be at this point, or -1 if
// there is none.
func (c *checker) point(p *simapi.Coord6Dof) int {
	for k := range 2 * driveSteps {
		x, y, _ := c.place(float64(k) * stepMs / 1000)
		if portable.Hypot(p.GetX()-x, p.GetY()-y) < 0.01 {
			return k
		}
	}
	return -1
}

// differ describes the largest difference between two answers; it returns "" if there is none.
func differ(a, b []*simapi.ActorState) (text string) {
	largest := 0.0
	for k := range a {
		left, right := [3]*simapi.Coord6Dof{a[k].GetPosition(), a[k].GetSpeed(),
			a[k].GetAcceleration()},
			[3]*simapi.Coord6Dof{b[k].GetPosition(), b[k].GetSpeed(), b[k].GetAcceleration()}
		for g, group := range [3]string{"position", "speed", "acceleration"} {
			x, y := numbers(left[g]), numbers(right[g])
			for n, axis := range [6]string{"x", "y", "z", "roll", "pitch", "yaw"} {
				if d := math.Abs(x[n] - y[n]); d > largest {
					largest = d
					text = fmt.Sprintf("%s.%s of %q is %v and %v", group, axis, a[k].GetActorId(),
						x[n], y[n])
				}
			}
		}
	}
	return text
}

func numbers(m *simapi.Coord6Dof) [6]float64 {
	return [6]float64{m.GetX(), m.GetY(), m.GetZ(), m.GetRoll(), m.GetPitch(), m.GetYaw()}
}

// hold performs two steps beyond the end of the trajectory, where the actor must stand still.
func (c *checker) hold(ctx context.Context, s *session, kinds []*simapi.CreateActor) bool {
	var places [2][]*simapi.ActorState
	for k := range places {
		now := float64(driveSteps+k+1) * stepMs
		if _, ok := c.step(ctx, s, now); !ok {
			return false
		}
		var ok bool
		if places[k], ok = c.states(ctx, s, kinds, now); !ok {
			return false
		}
	}
	a, b := places[0][0].GetPosition(), places[1][0].GetPosition()
	if d := math.Sqrt(float64((a.GetX()-b.GetX())*(a.GetX()-b.GetX())) +
		float64((a.GetY()-b.GetY())*(a.GetY()-b.GetY()))); d > 1e-3 && !c.found["SA07"] &&
		!c.found["SA03"] {
		c.report("SA18", "set_xy_trajectory",
			"after the end of its trajectory the actor moves %v m in a step; it has to stay at "+
				"the last point", d)
	}
	return true
}

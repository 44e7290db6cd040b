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

// The drive through another actor, which stands on the way.
const (
	contactSteps = 110
	standingAt   = 12.0
)

// contact drives an actor through another one, and judges the collisions that are reported.
func (c *checker) contact(ctx context.Context) {
	s, ok := c.open(ctx)
	if !ok {
		return
	}
	defer c.close(s)
	moving, standing := c.pair()
	if !c.init(ctx, s, &simapi.Init{StepSizeMs: stepMs}) {
		return
	}
	between := 0.0 // the distance of the middles when they touch
	for _, r := range []*simapi.CreateActor{moving, standing} {
		reply, err := s.CreateActor(ctx, r)
		if c.failed("create_actor", err) {
			return
		}
		between += reply.GetDescription().GetLength() / 2
	}
	if !c.start(ctx, s) ||
		c.failed("set_xy_trajectory", s.SetXYTrajectory(ctx, c.through(moving, s.own))) {
		return
	}
	expected := (standingAt - between) / driveSpeed * 1000
	touching, count := false, 0
	for k := 1.0; k <= contactSteps; k++ {
		reply, ok := c.step(ctx, s, k*stepMs)
		if !ok {
			return
		}
		for _, e := range reply.GetEvents() {
			switch e.GetKind() {
			case simapi.EventCollision:
				if !third(e, moving, standing) {
					c.collision(e, k*stepMs, expected, touching)
					touching, count = true, count+1
				}
			case simapi.EventSeparated:
				touching = touching && third(e, moving, standing)
			}
		}
	}
	if count == 0 {
		c.skip("collisions: the simulator reports none, so the director has to detect them")
	}
}

// third reports whether an event also concerns an actor that the check did not create: a simulator
// may have its own traffic, such as the entities of a scenario.
func third(e *simapi.Event, own ...*simapi.CreateActor) bool {
	return len(e.GetActorId()) > 1 && slices.ContainsFunc(e.GetActorId(), func(id string) bool {
		return !slices.ContainsFunc(own, func(a *simapi.CreateActor) bool {
			return a.GetActorId() == id
		})
	})
}

// pair returns the two actors.
func (c *checker) pair() (moving, standing *simapi.CreateActor) {
	moving = c.kinds()[0]
	standing = proto.CloneOf(moving)
	sin, cos := portable.Sincos(c.At[2])
	standing.ActorId = "check standing"
	standing.State.Position = simapi.Pose(c.At[0]+float64(standingAt*cos),
		c.At[1]+float64(standingAt*sin), c.At[2])
	return moving, standing
}

// through returns a straight trajectory that leads through the standing actor.
func (c *checker) through(moving *simapi.CreateActor, own float64) *simapi.SetXyTrajectory {
	r := &simapi.SetXyTrajectory{ActorId: moving.GetActorId(), EndTimeMs: contactSteps * stepMs}
	sin, cos := portable.Sincos(c.At[2])
	n := int(math.Round(contactSteps * stepMs / own))
	for j := range n + 1 {
		way := driveSpeed * float64(j) * own / 1000
		r.Polyline = append(r.Polyline, simapi.Pose(c.At[0]+float64(way*cos),
			c.At[1]+float64(way*sin), c.At[2]))
	}
	return r
}

// collision judges an event in the step that ends at now. The bodies touch at the expected time.
func (c *checker) collision(e *simapi.Event, now, expected float64, touching bool) {
	moving, standing := c.pair()
	both := []string{moving.GetActorId(), standing.GetActorId()}
	ids := slices.Sorted(slices.Values(e.GetActorId()))
	at := e.GetTimeMs()
	var text string
	switch {
	case !slices.Equal(ids, slices.Sorted(slices.Values(both))):
		text = fmt.Sprintf("a collision of %q; the actors that touch are %q", e.GetActorId(), both)
	case touching:
		text = fmt.Sprintf("the same contact is reported again at %.6g ms", at)
	case !(at > now-stepMs-1e-3 && at < now+1e-3):
		text = fmt.Sprintf("a collision at %.6g ms is reported by the step from %.6g to %.6g ms",
			at, now-stepMs, now)
	case math.Abs(at-expected) > stepMs+1e-3 && !c.displaced():
		text = fmt.Sprintf("a collision at %.6g ms; the bodies touch at %.6g ms", at, expected)
	default:
		return
	}
	c.report("SA29", "wait_step", "%s", text)
}

// displaced reports whether actors were found elsewhere than requested, which also changes the time
// of a contact.
func (c *checker) displaced() bool {
	return slices.ContainsFunc([]string{"SA02", "SA03", "SA07", "SA09", "SA10", "SA11", "SA14",
		"SA17", "SA18", "SA19"}, func(id string) bool { return c.found[id] })
}

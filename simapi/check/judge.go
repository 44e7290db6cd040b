package check

import (
	"math"
	"slices"

	"gosmp/internal/portable"
	"gosmp/simapi"
)

// given reports whether the simulator itself provides a field.
func given(state *simapi.ActorState, group, field string) bool {
	return !slices.Contains(state.GetEstimated(), group) && !slices.Contains(state.GetEstimated(),
		group+"."+field)
}

// judge compares a drive with the request.
func (c *checker) judge(rows []row) {
	if c.found["SA15"] {
		return // there is nothing to compare
	}
	c.positions(rows)
	c.heights(rows)
	c.angles(rows)
	c.speeds(rows)
}

// offset is the displacement of the moving actor from its place, in the axes of the world and in
// the axes of its body.
type offset struct{ x, y, along, aside float64 }

// positions finds a pattern in the distances from the trajectory.
func (c *checker) positions(rows []row) {
	var list []offset
	far, worst := 0, 0.0
	for _, r := range rows {
		x, y, yaw := c.place(r.seconds)
		p := r.states[0].GetPosition()
		dx, dy := p.GetX()-x, p.GetY()-y
		sin, cos := portable.Sincos(yaw)
		list = append(list, offset{dx, dy, float64(dx*cos) + float64(dy*sin),
			float64(dy*cos) - float64(dx*sin)})
		if d := math.Sqrt(float64(dx*dx) + float64(dy*dy)); d > 0.01 {
			far, worst = far+1, math.Max(worst, d)
		}
	}
	if far == 0 || c.found["SA03"] || c.found["SA07"] || c.found["SA02"] {
		return
	}
	world := spread(list, func(o offset) (float64, float64) { return o.x, o.y })
	body := spread(list, func(o offset) (float64, float64) { return o.along, o.aside })
	factor, scaled := c.scale(rows)
	switch {
	case far <= 3:
		c.report("SA19", "get_actors_states",
			"the actor jumps by %.1f m within a step, %d times in the drive", worst, far)
	case scaled:
		c.report("SA10", "get_actors_states", "positions are %v times those of the trajectory",
			factor)
	case c.mirrored(rows):
		c.report("SA09", "get_actors_states", "y is the negative of that of the trajectory")
	case world.size < 0.05*world.mean():
		c.report("SA14", "get_actors_states", "all positions are off by (%.3f, %.3f) m", world.x,
			world.y)
	case body.size < 0.05*body.mean():
		c.report("SA11", "get_actors_states",
			"the reference point lies %.2f m ahead of the middle of the bounding box and "+
				"%.2f m to the left", body.x, body.y)
	case c.byQuery(rows):
		c.report("SA03", "get_actors_states",
			"the place of the actor follows the number of queries, not the time")
	default:
		c.report("SA18", "set_xy_trajectory", "the actor is up to %.2f m from its trajectory",
			worst)
	}
}

// middle is a mean vector with the spread around it.
type middle struct{ x, y, size float64 }

func (m middle) mean() float64 { return math.Sqrt(float64(m.x*m.x) + float64(m.y*m.y)) }

func spread(list []offset, of func(offset) (float64, float64)) (m middle) {
	for _, o := range list {
		x, y := of(o)
		m.x, m.y = m.x+x/float64(len(list)), m.y+y/float64(len(list))
	}
	for _, o := range list {
		x, y := of(o)
		m.size = math.Max(m.size, math.Sqrt(float64((x-m.x)*(x-m.x))+float64((y-m.y)*(y-m.y))))
	}
	return m
}

// units lists the factors by which a number in a wrong unit is too large.
var units = []float64{100, 1000, 3.6, 0.01, 0.001, 1 / 3.6}

func unitOf(ratio float64) (factor float64, found bool) {
	for _, u := range units {
		if math.Abs(ratio/u-1) < 0.05 {
			return u, true
		}
	}
	return 0, false
}

// scale compares the length of the path with the length of the trajectory.
func (c *checker) scale(rows []row) (factor float64, found bool) {
	first, last := rows[0], rows[len(rows)-1]
	x0, y0, _ := c.place(first.seconds)
	x1, y1, _ := c.place(last.seconds)
	p, q := first.states[0].GetPosition(), last.states[0].GetPosition()
	return unitOf(portable.Hypot(q.GetX()-p.GetX(), q.GetY()-p.GetY()) / portable.Hypot(x1-x0,
		y1-y0))
}

// mirrored reports whether the actor swerves to the other side.
func (c *checker) mirrored(rows []row) bool {
	sin, cos := portable.Sincos(c.At[2])
	var got, want []float64
	for _, r := range rows {
		x, y, _ := c.place(r.seconds)
		p := r.states[0].GetPosition()
		want = append(want, float64((y-c.At[1])*cos)-float64((x-c.At[0])*sin))
		got = append(got, float64((p.GetY()-c.At[1])*cos)-float64((p.GetX()-c.At[0])*sin))
	}
	return correlation(got, want) < -0.8
}

// byQuery reports whether positions depend on the number of queries.
func (c *checker) byQuery(rows []row) bool {
	for _, r := range rows {
		x, y, _ := c.place(float64(r.query+1) * stepMs / 1000)
		if p := r.states[0].GetPosition(); portable.Hypot(p.GetX()-x, p.GetY()-y) > 0.3 {
			return false
		}
	}
	return true
}

// heights compares z with half the height of the actors, and with the road.
func (c *checker) heights(rows []row) {
	half, kinds := true, c.kinds()
	for k, state := range rows[0].states {
		half = half && given(state, "position", "z") &&
			math.Abs(state.GetPosition().GetZ()-c.road(
				state)-kinds[k].GetDescription().GetHeight()/2) < 0.05
	}
	if half {
		c.report("SA12", "get_actors_states",
			"z is half the height of each actor: the middle of its box, not the ground")
		return
	}
	if c.Ground == nil {
		return
	}
	for _, r := range rows {
		if d := r.states[0].GetPosition().GetZ() - c.road(r.states[0]); math.Abs(d) > 0.2 {
			c.report("SA12", "get_actors_states", "at %.0f ms the actor is %.2f m above the road",
				r.seconds*1000, d)
			return
		}
	}
}

func (c *checker) road(state *simapi.ActorState) float64 {
	if c.Ground == nil {
		return 0
	}
	p := state.GetPosition()
	z, _, _, _ := c.Ground.At(p.GetX(), p.GetY(), p.GetYaw(), state.GetActorId())
	return z
}

// angles compares yaw with the direction of the trajectory.
func (c *checker) angles(rows []row) {
	var got, want, gotRate, wantRate []float64
	against, offset := 0.0, 0.0
	for k, r := range rows {
		if !given(r.states[0], "position", "yaw") {
			return
		}
		_, _, yaw := c.place(r.seconds)
		got, want = append(got, r.states[0].GetPosition().GetYaw()), append(want, yaw)
		if math.Abs(got[k]) > 2*math.Pi+1e-6 {
			c.report("SA08", "get_actors_states",
				"yaw is %v rad, more than a full turn: are these degrees?", got[k])
			return
		}
		if k > 0 {
			gotRate, wantRate = append(gotRate, got[k]-got[k-1]), append(wantRate,
				want[k]-want[k-1])
		}
		if d := math.Remainder(got[k]-want[k], 2*math.Pi); math.Abs(d) > 0.5 {
			against, offset = against+1, d
		}
	}
	if c.found["SA09"] || c.found["SA03"] || c.found["SA07"] {
		return
	}
	if correlation(gotRate, wantRate) < -0.8 {
		c.report("SA09", "get_actors_states",
			"yaw turns to the right where the path turns to the left")
		return
	}
	if against > 50 { // one second
		c.report("SA08", "get_actors_states",
			"yaw is %.2f rad off the direction of motion for more than a second", offset)
	}
}

// speeds compares speeds with the distance between two steps.
func (c *checker) speeds(rows []row) {
	var ratios, directions, ways []float64
	for k := 1; k < len(rows); k++ {
		a, b := rows[k-1], rows[k]
		if !given(b.states[0], "speed", "x") || b.states[0].GetSpeed() == nil {
			return
		}
		dx, dy := b.states[0].GetPosition().GetX()-a.states[0].GetPosition().GetX(),
			b.states[0].GetPosition().GetY()-a.states[0].GetPosition().GetY()
		v := b.states[0].GetSpeed()
		measured := portable.Hypot(dx, dy) / (b.seconds - a.seconds)
		if measured < 0.1 {
			continue
		}
		ratios = append(ratios, portable.Hypot(v.GetX(), v.GetY())/measured)
		directions, ways = append(directions, portable.Atan2(v.GetY(), v.GetX())),
			append(ways, portable.Atan2(dy, dx))
	}
	if len(ratios) == 0 {
		return
	}
	slices.Sort(ratios)
	if factor, found := unitOf(ratios[len(ratios)/2]); found {
		c.report("SA10", "get_actors_states", "speeds are %.4g times those that the positions show",
			factor)
	}
	if extent(directions) < 0.05 && extent(ways) > 0.5 {
		c.report("SA13", "get_actors_states",
			"speeds always have the direction %.2f rad while the actor turns: they are "+
				"in its own axes", directions[0])
	}
}

func extent(list []float64) float64 { return slices.Max(list) - slices.Min(list) }

// correlation returns Pearson's correlation, or 0 if one side is constant.
func correlation(a, b []float64) float64 {
	n := float64(len(a))
	var ma, mb, ab, aa, bb float64
	for k := range a {
		ma, mb = ma+a[k]/n, mb+b[k]/n
	}
	for k := range a {
		ab += float64((a[k] - ma) * (b[k] - mb))
		aa += float64((a[k] - ma) * (a[k] - ma))
		bb += float64((b[k] - mb) * (b[k] - mb))
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

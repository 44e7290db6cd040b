package entities

import (
	"fmt"
	"math"

	"gosmp/internal/fault"
	"gosmp/mocksim/seat"
	"gosmp/scenario"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// instant is the tolerance for the end of a duration, in s, because sums of steps are not exact.
const instant = 1e-9

// same is the tolerance for two values that differ only by rounding.
const same = 1e-9

// paced is an action that sets speeds.
type paced struct{ common }

// Domains returns the longitudinal domain.
func (p *paced) Domains() storyboard.Domain { return storyboard.Longitudinal }

// release ends an action's control of the speed.
func (c *common) release(a longitudinal) {
	if c.b.long == a {
		c.b.long = nil
	}
}

// speedAction is SpeedAction.
type speedAction struct {
	paced
	dynamics
	value      float64
	reference  *body // nil: absolute
	factor     bool
	continuous bool
	change     motion.Transition
	elapsed    float64
	covered    float64 // distance since the start of the change, m
}

func newSpeed(c common) (storyboard.Action, error) {
	a := &speedAction{paced: paced{c}}
	var err error
	if a.dynamics, err = readDynamics(c.e.Child("SpeedActionDynamics")); err != nil {
		return nil, err
	}
	target := c.e.Child("SpeedActionTarget")
	if x := target.Child("AbsoluteTargetSpeed"); x != nil {
		a.value = position.Number(x, "value", 0)
		return a, nil
	}
	x := target.Child("RelativeTargetSpeed")
	if x == nil {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.Place(), "no target speed",
			"AbsoluteTargetSpeed or RelativeTargetSpeed")
	}
	a.value, a.factor = position.Number(x, "value", 0), x.Value("speedTargetValueType") == "factor"
	a.continuous = position.True(x, "continuous", false)
	a.reference, err = c.other(x, "entityRef")
	return a, err
}

// initial returns the speed actions of Init.
func initial(s *scenario.Scenario) map[*scenario.Element]bool {
	actions := map[*scenario.Element]bool{}
	if e := s.Root.Path("Storyboard", "Init"); e != nil {
		e.Walk(func(e *scenario.Element) bool {
			if e.Type == "SpeedAction" {
				actions[e] = true
			}
			return true
		})
	}
	return actions
}

// target returns the wanted speed at this time.
func (a *speedAction) target() float64 {
	switch {
	case a.reference == nil:
		return a.value
	case a.factor:
		return a.reference.speed * a.value
	}
	return a.reference.speed + a.value
}

// limited clamps v to the speeds that the entity can reach.
func (b *body) limited(v float64) float64 { return min(max(v, -b.limits.Speed), b.limits.Speed) }

// Start starts the change of speed.
func (a *speedAction) Start(_ float64, report func(storyboard.Note)) error {
	w, b := a.w, a.b
	if r := a.reference; r != nil {
		at := a.e.Path("SpeedActionTarget", "RelativeTargetSpeed").PlaceOf("entityRef")
		switch err := r.present(at); {
		case err == nil:
		case w.initial[a.e]: // entities that refer to each other in a circle do not all exist yet
			w.awaited = append(w.awaited, awaited{r, at})
		default:
			return err
		}
	}
	wanted := a.target()
	led := b.order(storyboard.Longitudinal, a.extent(seat.Action{Order: seat.OrderSpeed,
		Speed: wanted}, wanted-b.speed))
	w.report, a.done, a.elapsed = report, led, 0
	if led { // its driver decides
		return nil
	}
	x := &a.change
	*x = motion.Transition{Shape: a.shape, From: b.speed, To: b.limited(wanted)}
	if x.To != wanted {
		w.tell(b, "limited", fmt.Sprintf("speed %.4g m/s to %.4g m/s", wanted, x.To))
	}
	if math.Abs(x.To-x.From) < same { // already there, apart from rounding
		x.From = x.To
	}
	if x.Duration = a.duration(x.To - x.From); a.dimension == byDistance && x.Duration > 0 {
		x.Duration = motion.DistanceDuration(x.From, x.To, x.Duration)
	}
	if x.Duration == 0 {
		b.speed = x.To
		w.show(b, 0)
		if a.done = !a.continuous; a.done {
			return nil
		}
	}
	a.stretch()
	_, a.covered = x.Both(0)
	b.long = a
	return nil
}

// stretch lengthens a change as much as the entity's limits require.
func (a *speedAction) stretch() {
	x := &a.change
	limit := a.b.limits.Acceleration
	if x.To < x.From {
		limit = a.b.limits.Deceleration
	}
	peak := x.Shape.PeakSlope() * math.Abs(x.To-x.From) / x.Duration
	if x.Duration > 0 && peak > limit+1e-9 {
		x.Duration *= peak / limit
		a.w.tell(a.b, "limited", fmt.Sprintf("acceleration %.4g m/s2 to %.4g m/s2: %.4g s", peak,
			limit, x.Duration))
	}
}

func (a *speedAction) depends() bool { return a.continuous }

// pace continues the change.
func (a *speedAction) pace(h float64) float64 {
	b, x := a.b, &a.change
	if a.continuous {
		return a.track(h)
	}
	a.elapsed += h
	speed, covered := x.Both(a.elapsed)
	way := covered - a.covered
	b.speed, a.covered = speed, covered
	if a.elapsed >= x.Duration-instant {
		b.speed, a.done = x.To, true
		a.release(a)
	}
	return way
}

// track follows the speed of the reference: first following the shape, which takes longer if the
// limits demand it, then as the limits allow.
func (a *speedAction) track(h float64) float64 {
	b, x := a.b, &a.change
	v := b.speed
	if a.reference != b { // its own speed at the start counts
		x.To = b.limited(a.target())
	}
	if a.dimension == byRate && a.elapsed < x.Duration {
		x.Duration = a.duration(x.To - x.From)
	}
	next, shaped := x.To, a.elapsed+h < x.Duration
	if shaped {
		next = x.At(a.elapsed + h)
	}
	wanted := next - v
	next = min(max(next, v-float64(b.limits.Deceleration*h)), v+float64(b.limits.Acceleration*h))
	b.speed = next
	if passed := next - v; shaped && wanted != passed { // the limits stretch the shape
		a.elapsed += h * passed / wanted
	} else {
		a.elapsed += h
	}
	return (v + next) / 2 * h
}

// Stop ends the change at the current speed.
func (a *speedAction) Stop() { a.release(a) }

// speedProfile is SpeedProfileAction.
type speedProfile struct {
	paced
	reference *body
	entries   []motion.ProfileEntry
	shifted   []motion.ProfileEntry
	limits    motion.Limits
	follow    bool
	profile   motion.Profile
	elapsed   float64
}

func newSpeedProfile(c common) (storyboard.Action, error) {
	a := &speedProfile{paced: paced{c}, follow: c.e.Value("followingMode") == "follow",
		limits: constraints(c.e.Child("DynamicConstraints")).Smaller(c.b.limits)}
	for _, x := range c.e.All("SpeedProfileEntry") {
		a.entries = append(a.entries, motion.ProfileEntry{Speed: position.Number(x, "speed", 0),
			Time: position.Number(x, "time", -1)})
	}
	if len(a.entries) == 0 {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.Place(), "no entries",
			"a SpeedProfileEntry")
	}
	if c.e.Value("entityRef") != "" {
		var err error
		if a.reference, err = c.other(c.e, "entityRef"); err != nil {
			return nil, err
		}
	}
	a.shifted = make([]motion.ProfileEntry, len(a.entries))
	return a, nil
}

// Start computes the profile.
func (a *speedProfile) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done, a.elapsed = report, false, 0
	if r := a.reference; r != nil {
		if err := r.present(a.e.PlaceOf("entityRef")); err != nil {
			return err
		}
	}
	copy(a.shifted, a.entries)
	for k := range a.shifted {
		if a.reference != nil {
			a.shifted[k].Speed += a.reference.speed
		}
		a.shifted[k].Speed = min(max(a.shifted[k].Speed, -a.limits.Speed), a.limits.Speed)
	}
	a.profile.Make(a.shifted, a.b.speed, a.b.acceleration, a.limits, a.follow)
	if a.profile.Limited {
		a.w.tell(a.b, "limited", "a speed profile that the entity cannot follow in time")
	}
	if v, _ := a.profile.At(0); v != a.b.speed {
		a.b.speed = v
		a.w.show(a.b, 0)
	}
	a.b.long = a
	return nil
}

func (a *speedProfile) depends() bool { return false }

func (a *speedProfile) pace(h float64) float64 {
	way := a.profile.Way(a.elapsed, a.elapsed+h)
	a.elapsed += h
	a.b.speed, _ = a.profile.At(a.elapsed)
	if a.elapsed >= a.profile.Duration()-instant {
		a.b.speed, _ = a.profile.At(a.profile.Duration() + 1)
		a.done = true
		a.release(a)
	}
	return way
}

// Stop ends the profile.
func (a *speedProfile) Stop() { a.release(a) }

// system is a coordinate system of an action or a condition.
type system uint8

const (
	ofEntity system = iota
	ofRoad
	ofTrajectory
	ofWorld
)

// readSystem reads coordinateSystem. A lane has the coordinate system of its road.
func readSystem(e *scenario.Element) (system, error) {
	switch name := e.Value("coordinateSystem"); name {
	case "", "entity":
		return ofEntity, nil
	case "road", "lane":
		return ofRoad, nil
	case "trajectory":
		return ofTrajectory, nil
	case "world":
		return ofWorld, nil
	default:
		return 0, fault.New(storyboard.ErrUnsupported, e.PlaceOf("coordinateSystem"), name,
			"entity, lane, road, trajectory or world")
	}
}

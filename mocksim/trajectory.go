package mocksim

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Point is a point of a trajectory. X and Y are mandatory; of the other fields, only the ones in
// Given are used.
type Point struct {
	X, Y, Z, Roll, Pitch, Yaw float64
	Given                     Fields // of FieldZ, FieldRoll, FieldPitch and FieldYaw
}

// Trajectory holds the planned positions of an actor in the near future. Its points lie between
// Start and End at equal intervals: from Start if there is one more point than simulation steps,
// from Start plus a step if there are as many points as steps, or otherwise spread over the whole
// time.
type Trajectory struct {
	Start, End timebase.Time
	Points     []Point
	Cubic      bool // Catmull-Rom between the points; otherwise straight lines
}

// Note describes anything a call did beyond the request; it is empty if there is nothing to report.
type Note string

// track is a trajectory in use: points with their times.
type track struct {
	times  []timebase.Time
	points []Point
	cubic  bool
	done   bool // exhaustion has been reported
}

// SetTrajectory makes an actor follow a trajectory. From its start, a newer trajectory replaces the
// older one; points in the past are dropped. A trajectory that lies entirely in the past fails with
// [ErrTime].
func (w *World) SetTrajectory(name string, t Trajectory) (Note, error) {
	const call = "set_xy_trajectory"
	a := w.find(name)
	if a == nil {
		return "", w.unknown(call, name)
	}
	place := call + " " + name
	if err := t.check(place); err != nil {
		return "", err
	}
	times, note := t.spread(w.spacing())
	if last := times[len(times)-1]; last < w.now || last == w.now && t.Start != t.End {
		return "", fault.New(ErrTime, fault.At(place+".end_time"), t.End.String(),
			fmt.Sprintf("a time after now, %s", w.now)).
			WithHint("times are counted from the start of the simulation")
	}
	points := slices.Clone(t.Points)
	dropped := sort.Search(len(times), func(k int) bool { return times[k] >= w.now })
	if dropped > 0 && len(times)-dropped > 0 {
		dropped-- // the point before now is needed for the interpolation
	}
	if passed := sort.Search(len(times), func(k int) bool {
		return times[k] >= w.now
	}); passed > 0 {
		note = join(note, fmt.Sprintf("%d of %d points have passed", passed, len(points)))
	}
	fresh := track{times: times[dropped:], points: points[dropped:], cubic: t.Cubic}
	if fresh.times[0] > w.now {
		w.bridge(a, &fresh)
	}
	w.stale = w.stale || a.railed()
	a.place = View{a}.Place()
	a.mode, a.track = byTrajectory, fresh
	a.samples.restart()
	return note, nil
}

func join(a Note, b string) Note {
	if a == "" {
		return Note(b)
	}
	return a + "; " + Note(b)
}

func (t *Trajectory) check(place string) error {
	if len(t.Points) == 0 {
		return invalid(place+".polyline", "no points", "at least one")
	}
	if t.End < t.Start {
		return fault.New(ErrTime, fault.At(place+".end_time"), t.End.String(),
			fmt.Sprintf("not before start_time, %s", t.Start))
	}
	names := []string{"x", "y", "z", "roll", "pitch", "yaw"}
	for k := range t.Points {
		p := &t.Points[k]
		if err := finite(fmt.Sprintf("%s.polyline[%d]", place, k), names, p.X, p.Y, p.Z, p.Roll,
			p.Pitch, p.Yaw); err != nil {
			return err
		}
	}
	return nil
}

// spacing returns the time between steps: the step of the grid, unless the last step had a
// different length.
func (w *World) spacing() timebase.Grid {
	if w.step == w.o.Grid.Step() {
		return w.o.Grid
	}
	return timebase.EveryRational(w.step.Exactly())
}

// lasts reports whether a time has the length of n steps. It may be rounded to microseconds.
func lasts(span timebase.Time, step timebase.Grid, n int64) bool {
	off := span - step.Point(0, n)
	return !step.IsZero() && -timebase.Microsecond <= off && off <= timebase.Microsecond
}

// spread assigns times to the points; step is the simulation step, or zero if unknown.
func (t *Trajectory) spread(step timebase.Grid) ([]timebase.Time, Note) {
	n := int64(len(t.Points))
	times := make([]timebase.Time, n)
	span := t.End - t.Start
	lead := int64(0) // steps from the start to the first point
	if lasts(span, step, n) {
		lead = 1
	}
	switch {
	case lead == 1 || n > 1 && lasts(span, step, n-1):
		scale := timebase.NewScale(t.Start.Exactly(), step)
		for k := range times {
			times[k] = scale.Point(int64(k) + lead)
		}
		return times, ""
	case n == 1:
		times[0] = t.End
		return times, ""
	}
	for k := range times {
		times[k] = t.Start + timebase.Time(math.Round(float64(span)*float64(k)/float64(n-1)))
	}
	if !step.IsZero() {
		return times, Note(fmt.Sprintf("%d points for %s at steps of %s: spread from start to end",
			n, span, step.Step()))
	}
	return times, ""
}

// bridge leads from the current state to a trajectory that starts later: along the rest of the
// previous trajectory, or else at constant velocity.
func (w *World) bridge(a *actor, next *track) {
	begin := next.times[0]
	var times []timebase.Time
	var points []Point
	if a.mode == byTrajectory {
		for k, t := range a.track.times {
			if t < begin && (k+1 == len(a.track.times) || a.track.times[k+1] > w.now) {
				times, points = append(times, t), append(points, a.track.points[k])
			}
		}
	}
	if len(times) == 0 {
		s := &a.state
		times = append(times, w.now)
		points = append(points, Point{X: s.Position.X, Y: s.Position.Y, Yaw: s.Orientation.Yaw,
			Given: 0})
	}
	if last := times[len(times)-1]; last <= w.now && begin > w.now+w.step && a.state.Speed != 0 {
		w.pending = append(w.pending, Event{Time: w.now, Kind: Hole, Actor: a.name})
	}
	next.times = append(times, next.times...)
	next.points = append(points, next.points...)
}

// at returns the point at a time, and whether the time lies after the end.
func (t *track) at(now timebase.Time) (p Point, ended bool) {
	n := len(t.times)
	k := sort.Search(n, func(k int) bool { return t.times[k] > now })
	if k == 0 {
		return t.points[0], false
	}
	if k == n {
		return t.points[n-1], now > t.times[n-1]
	}
	share := float64(now-t.times[k-1]) / float64(t.times[k]-t.times[k-1])
	if share == 0 {
		return t.points[k-1], false
	}
	if t.cubic && n > 2 {
		return t.spline(k, share), false
	}
	return between(&t.points[k-1], &t.points[k], share), false
}

// between interpolates linearly, and angles along the shorter arc.
func between(a, b *Point, share float64) Point {
	lerp := func(x, y float64) float64 { return x + float64(share*(y-x)) }
	turn := func(x, y float64) float64 {
		return frames.WrapAngle(x + float64(share*frames.WrapAngle(y-x)))
	}
	return Point{lerp(a.X, b.X), lerp(a.Y, b.Y), lerp(a.Z, b.Z),
		turn(a.Roll, b.Roll), turn(a.Pitch, b.Pitch), turn(a.Yaw, b.Yaw), a.Given & b.Given}
}

// spline interpolates x, y and z by Catmull-Rom, with slopes for unequal intervals, and angles
// linearly.
func (t *track) spline(k int, share float64) Point {
	p := between(&t.points[k-1], &t.points[k], share)
	t1, t2 := t.times[k-1].Seconds(), t.times[k].Seconds()
	value := func(get func(*Point) float64) float64 {
		slope := func(i int) float64 {
			before, after := max(i-1, 0), min(i+1, len(t.points)-1)
			return (get(&t.points[after]) - get(&t.points[before])) /
				(t.times[after] - t.times[before]).Seconds()
		}
		return hermite(get(&t.points[k-1]), get(&t.points[k]), float64(slope(k-1)*(t2-t1)),
			float64(slope(k)*(t2-t1)), share)
	}
	p.X = value(func(q *Point) float64 { return q.X })
	p.Y = value(func(q *Point) float64 { return q.Y })
	p.Z = value(func(q *Point) float64 { return q.Z })
	return p
}

// hermite returns the value at x of the cubic with the values a and b and the slopes u and v at 0
// and 1.
func hermite(a, b, u, v, x float64) float64 {
	return a + float64(x*(u+float64(x*(float64(3*(b-a))-float64(2*u)-v+
		float64(x*(float64(2*(a-b))+u+v))))))
}

// samples holds the last three positions of an actor with their times, from which its motion is
// estimated.
type samples struct {
	n     int
	times [3]timebase.Time
	x, y  [3]float64
	yaw   [3]float64 // unwrapped
	z     [3]float64
}

func (s *samples) restart() { s.n = 0 }

// add appends a sample; a second sample at the same time replaces the first one.
func (s *samples) add(t timebase.Time, x, y, z, yaw float64) {
	if s.n > 0 && s.times[s.n-1] == t {
		s.n--
	}
	if s.n == 3 {
		copy(s.times[:], s.times[1:])
		copy(s.x[:], s.x[1:])
		copy(s.y[:], s.y[1:])
		copy(s.z[:], s.z[1:])
		copy(s.yaw[:], s.yaw[1:])
		s.n = 2
	}
	if s.n > 0 {
		yaw = s.yaw[s.n-1] + frames.WrapAngle(yaw-s.yaw[s.n-1])
	}
	s.times[s.n], s.x[s.n], s.y[s.n], s.z[s.n], s.yaw[s.n] = t, x, y, z, yaw
	s.n++
}

// last estimates the first and second derivatives at the latest sample: from the parabola through
// three samples or the line through two. They are 0 if there is only one sample.
func (s *samples) last(v *[3]float64) (first, second float64) {
	switch s.n {
	case 2:
		return (v[1] - v[0]) / (s.times[1] - s.times[0]).Seconds(), 0
	case 3:
		_, d2, second := s.differences(v)
		return d2 + second*(s.times[2]-s.times[1]).Seconds()/2, second
	}
	return 0, 0
}

// middle is like last for the second of three samples.
func (s *samples) middle(v *[3]float64) (first, second float64) {
	d1, d2, second := s.differences(v)
	h1, h2 := (s.times[1] - s.times[0]).Seconds(), (s.times[2] - s.times[1]).Seconds()
	return (float64(d1*h2) + float64(d2*h1)) / (h1 + h2), second
}

func (s *samples) differences(v *[3]float64) (d1, d2, second float64) {
	h1, h2 := (s.times[1] - s.times[0]).Seconds(), (s.times[2] - s.times[1]).Seconds()
	d1, d2 = (v[1]-v[0])/h1, (v[2]-v[1])/h2
	return d1, d2, 2 * (d2 - d1) / (h1 + h2)
}

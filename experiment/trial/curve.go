package trial

import (
	"math"
	"slices"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/timebase"
)

// Bounds of the curves in a report.
const (
	maxCurves  = 24
	maxBuckets = 600
)

// Curve is the course of a variable for the report: the extremes in buckets of equal length, which
// grows so that memory is bounded.
type Curve struct {
	Name, Unit string
	Every      int // rows per bucket
	Rows       int // rows in the last bucket
	Buckets    []Bucket
	signal     *cosim.Signal
}

// Bucket is a span of time with the extreme values in it.
type Bucket struct {
	Start     timebase.Time
	Low, High float64
	Last      float64
}

// follow adds a curve, unless there is already one of that name, or there are too many.
func (t *Trial) follow(name string, s *cosim.Signal) {
	known := slices.ContainsFunc(t.curves, func(c *Curve) bool { return c.Name == name })
	if !known && len(t.curves) < maxCurves && !s.Variable.Kind.IsBlob() {
		t.curves = append(t.curves, &Curve{Name: name, Unit: s.Variable.Unit, Every: 1, signal: s})
	}
}

// restartCurves lets the curves of vehicles start with what machines have set at the start. The
// variables of the vehicles have these values only after the first step.
func (t *Trial) restartCurves() {
	if t.world == nil || !t.world.changed {
		return
	}
	for _, c := range t.curves {
		if x, ok := t.world.initial(c.Name); ok && len(c.Buckets) == 1 && c.Rows == 1 {
			c.Buckets[0] = Bucket{c.Buckets[0].Start, x, x, x}
		}
	}
}

// initial returns the current value of an output of a vehicle, such as ego.speed.
func (p *world) initial(name string) (x float64, ok bool) {
	owner, variable, _ := experiment.CutOwner(name, func(owner string) bool {
		return slices.Contains(p.vehicles, owner)
	})
	v, err := p.Actor(owner)
	if err != nil {
		return 0, false
	}
	for _, o := range outputs {
		if o.name == variable {
			x, ok = o.of(v.State()), true
		}
	}
	return x, ok && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// add adds the current value. Values that are not finite cannot be drawn.
func (c *Curve) add(now timebase.Time) {
	r := reading{signal: c.signal}
	r.look()
	v := r.number()
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if n := len(c.Buckets); n > 0 && c.Rows < c.Every {
		b := &c.Buckets[n-1]
		b.Low, b.High, b.Last = min(b.Low, v), max(b.High, v), v
		c.Rows++
		return
	}
	if len(c.Buckets) == maxBuckets {
		c.join()
	}
	c.Buckets, c.Rows = append(c.Buckets, Bucket{now, v, v, v}), 1
}

// join merges each pair of buckets into one.
func (c *Curve) join() {
	half := c.Buckets[:0]
	for k := 0; k+1 < len(c.Buckets); k += 2 {
		a, b := c.Buckets[k], c.Buckets[k+1]
		half = append(half, Bucket{a.Start, min(a.Low, b.Low), max(a.High, b.High), b.Last})
	}
	c.Buckets, c.Every = half, 2*c.Every
}

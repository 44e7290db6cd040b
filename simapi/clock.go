package simapi

import (
	"math"

	"gosmp/timebase"
)

// ms returns the current time in the API's form: k times the director's step, rounded only once.
func (r *simulation) ms() float64 { return r.scale.Milliseconds(r.now) }

// target returns the end of a step to the requested time: the nearest multiple of the director's
// step, or the next one, or any time, as agreed in init.
func (r *simulation) target(requested timebase.Time) timebase.Time {
	k, _ := r.scale.Index(r.now)
	h := r.scale.Grid().Seconds() * float64(timebase.Second)
	n := int64(1)
	if r.init.GetFreeStep() {
		n = max(int64(math.Round(float64(requested-r.now)/h)), 1)
	}
	target := r.scale.Point(k + n)
	if r.any && requested > r.now && !near(requested, target) {
		return requested
	}
	return target
}

// reach records the end of a step. If it is not a multiple of the step, steps count from there.
func (r *simulation) reach(t timebase.Time) {
	r.now = t
	if _, is := r.scale.Index(t); !is {
		r.scale = timebase.NewScale(t.Exactly(), r.scale.Grid())
	}
}

// substeps returns the number of simulator steps in one step of the director. None of them is
// longer than the simulator's own step.
func (r *simulation) substeps(s timebase.Span) int64 {
	n := float64(s.End-s.Start) / float64(timebase.Second) / r.own.Seconds()
	return max(int64(math.Ceil(n-1e-6)), 1)
}

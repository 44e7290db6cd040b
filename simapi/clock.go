package simapi

import (
	"math"

	"gosmp/timebase"
)

// ms returns the present time as the API writes it: k times the step of the director, rounded once.
func (r *simulation) ms() float64 { return r.scale.Milliseconds(r.now) }

// target returns the end of a step that is to lead to a time: the nearest multiple of the
// director's step, or the next one, or any time, as init has agreed.
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

// reach notes the end of a step. Steps count from there if it is no multiple of them.
func (r *simulation) reach(t timebase.Time) {
	r.now = t
	if _, is := r.scale.Index(t); !is {
		r.scale = timebase.NewScale(t.Exactly(), r.scale.Grid())
	}
}

// substeps returns the number of the simulator's steps in one of the director: none of them is
// longer than its own.
func (r *simulation) substeps(s timebase.Span) int64 {
	n := float64(s.End-s.Start) / float64(timebase.Second) / r.own.Seconds()
	return max(int64(math.Ceil(n-1e-6)), 1)
}

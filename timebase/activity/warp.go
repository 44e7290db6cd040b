package activity

import (
	"fmt"

	"gosmp/timebase"
)

// TimeWarp emits the spans and stamps of another trigger, shifted in time, for an activity that
// works for an earlier or later time than its input.
//
// It can close a loop. A controller at time t that needs the state of the model at t-h is triggered
// by And(Warp(state, h), input); a [ManualTrigger] in an Or with the warp gives it its first span,
// for which there is no state yet.
type TimeWarp struct {
	triggerCore
	input part
	by    timebase.Duration
	end   timebase.Time // end of the newest span emitted
	began bool
}

// Warp creates a trigger for the time of input plus by; a negative value means earlier. Spans
// outside the range of Time are cut or omitted.
func Warp(input Trigger, by timebase.Duration) *TimeWarp {
	w := &TimeWarp{input: partOf(input), by: by}
	w.triggerCore = combine("warp", []Trigger{input})
	return w
}

// SetWarp changes the shift. After a shift back, the spans continue where the newest one ended,
// because emitted time is not emitted again.
func (w *TimeWarp) SetWarp(by timebase.Duration) {
	w.node.enter()
	defer w.node.leave()
	w.by = by
}

func (w *TimeWarp) part() part { return w }

// shiftTime returns t plus by, limited to the range of Time.
func shiftTime(t timebase.Time, by timebase.Duration) timebase.Time {
	sum := t + by
	switch {
	case by > 0 && sum < t:
		return timebase.EndOfTime
	case by < 0 && sum > t:
		return -timebase.EndOfTime
	}
	return sum
}

func (w *TimeWarp) accept(_ int, s timebase.Span) {
	to := timebase.Span{Start: shiftTime(s.Start, w.by), End: shiftTime(s.End, w.by)}
	if s.IsStamp() {
		if to.Start-w.by == s.Start {
			w.emit(to)
		}
		return
	}
	if w.began {
		to.Start = max(to.Start, w.end)
	}
	if to.Empty() {
		return
	}
	w.end, w.began = to.End, true
	w.emit(to)
}

func (w *TimeWarp) reset() { w.began = false }

func (w *TimeWarp) String() string {
	input := "nothing"
	if w.input != nil {
		input = w.input.String()
	}
	return fmt.Sprintf("Warp(%s, %v)", input, w.by)
}

func (w *TimeWarp) waiting(from timebase.Time) string {
	return w.input.waiting(shiftTime(from, -w.by)) + fmt.Sprintf(" (shifted by %v)", w.by)
}

func (w *TimeWarp) save(e *encoder) {
	e.time(w.by)
	e.time(w.end)
	e.bool(w.began)
}

func (w *TimeWarp) load(d *decoder) { w.by, w.end, w.began = d.time(), d.time(), d.bool() }

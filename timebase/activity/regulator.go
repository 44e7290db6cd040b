package activity

import (
	"fmt"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// regulatorBurst limits the number of periods into which one span of the input is resampled,
// because spans may be endless.
const regulatorBurst = 1 << 16

// Regulator resamples the spans of another trigger to a fixed period, for an activity that is
// slower or faster than its input.
//
// The periods lie on the grid offset + k*period. A plain regulator ([Regulate]) emits a period when
// the input has covered it completely; a greedy one ([RegulateGreedy]) emits the whole period as
// soon as the input touches it. Where the input begins or resumes inside a period, and where a gap
// cuts one off, the span is shorter. Spans follow each other without gaps as long as the input
// does. Events have no length to resample, so they are left out and reported as [RegulatorInput].
type Regulator struct {
	triggerCore
	input          part
	period, offset timebase.Time
	greedy         bool
	began, warned  bool
	done           timebase.Time // everything earlier has been emitted, or is a gap
	covered        timebase.Time // end of the input so far
}

// Regulate creates a regulator that waits until a period is covered.
func Regulate(input Trigger, offset, period timebase.Duration) *Regulator {
	return regulate(input, offset, period, false)
}

// RegulateGreedy creates a regulator that emits a period as soon as the input touches it.
func RegulateGreedy(input Trigger, offset, period timebase.Duration) *Regulator {
	return regulate(input, offset, period, true)
}

func regulate(input Trigger, offset, period timebase.Duration, greedy bool) *Regulator {
	r := &Regulator{input: partOf(input), period: period, offset: offset, greedy: greedy}
	if r.triggerCore = combine("regulator", []Trigger{input}); len(r.inputs) > 0 {
		if err := badPeriod(r.String(), period); err != nil {
			r.node.mistake(err)
		}
	}
	return r
}

func badPeriod(where string, period timebase.Duration) error {
	if period > 0 {
		return nil
	}
	return fault.New(ErrSpec, fault.At(where), "period "+period.String(),
		"a period longer than 0 s")
}

// SetPeriod changes the grid. The span in progress ends at the next point of the new grid, so it
// connects the two grids.
func (r *Regulator) SetPeriod(offset, period timebase.Duration) error {
	if err := badPeriod(r.String(), period); err != nil {
		return err
	}
	r.node.enter()
	defer r.node.leave()
	r.offset, r.period = offset, period
	return nil
}

func (r *Regulator) part() part { return r }

func (r *Regulator) accept(_ int, s timebase.Span) {
	if s.IsStamp() {
		if !r.warned {
			r.warned = true
			r.node.report(
				RegulatorInput,
				r.String(),
				"an event at %v has no length to resample; trigger on a stream instead",
				s.Start,
			)
		}
		return
	}
	if !r.began {
		r.began, r.done, r.covered = true, s.Start, s.Start
	}
	if s.Start > r.covered { // a gap: the span in progress stays short
		if r.done < r.covered {
			r.give(r.covered)
		}
		r.done = max(r.done, s.Start)
	}
	r.covered = max(r.covered, s.End)
	r.giveCovered()
}

func (r *Regulator) giveCovered() {
	for burst := 0; r.done < r.covered; burst++ {
		end := gridAfter(r.done, r.offset, r.period)
		if end > r.covered && !r.greedy {
			return
		}
		if burst == regulatorBurst {
			r.node.report(
				RegulatorInput,
				r.String(),
				"the input covers more than %d periods at once, up to %v; the rest is left out",
				regulatorBurst,
				r.covered,
			)
			r.done = r.covered
			return
		}
		r.give(end)
	}
}

func (r *Regulator) give(end timebase.Time) {
	s := timebase.Span{Start: r.done, End: end}
	r.done = end
	r.emit(s)
}

// gridAfter returns the first point of offset + k*period later than t, or EndOfTime.
func gridAfter(t, offset, period timebase.Time) timebase.Time {
	past := (t - offset) % period
	if past < 0 {
		past += period
	}
	if t > timebase.EndOfTime-(period-past) {
		return timebase.EndOfTime
	}
	return t - past + period
}

func (r *Regulator) reset() { r.began = false }

func (r *Regulator) String() string {
	kind := "Regulate"
	if r.greedy {
		kind = "RegulateGreedy"
	}
	input := "nothing"
	if r.input != nil {
		input = r.input.String()
	}
	return fmt.Sprintf("%s(%s, %v from %v)", kind, input, r.period, r.offset)
}

func (r *Regulator) waiting(from timebase.Time) string {
	if !r.began {
		return "the regulator has input, and for that until " + r.input.waiting(from)
	}
	return fmt.Sprintf(
		"the input of the regulator goes past %v (it has come to %v), and for that until %s",
		max(r.done, r.covered, from),
		r.covered,
		r.input.waiting(from),
	)
}

package timebase

import (
	"context"
	"fmt"
)

// behindLimit is the lag, on the clock, above which a run has fallen behind.
const behindLimit = 100 * Millisecond

// Pace holds a run back to the speed of a clock, and measures how far the run is behind it. Its
// zero value, with a speed, is ready for use.
type Pace struct {
	Speed float64 // simulated seconds per second of the clock; 0 holds nothing back
	Clock TimeSource
	// Behind is called when the run falls behind, once until a Reset. It may be nil.
	Behind func(Delay)

	begun       bool
	start, zero Time // of the run and of the clock, where they meet
	ready, at   Time // the same for the last instant at which the run was not late
	points      int64
	woken       Duration // how late the wait for that instant ended
	lag         Lag
	told        bool
}

// Lag states how far a run was behind the clock, in seconds of the clock. It is part of the JSON
// output of commands.
type Lag struct {
	Largest float64 `json:"largest"`
	At      float64 `json:"at"` // simulated time of the largest lag, s
	Last    float64 `json:"last"`
}

// String describes the lag in words.
func (l Lag) String() string {
	return fmt.Sprintf("at most %.3g s behind the clock, at %.6g s; %.3g s at the end", l.Largest,
		l.At, l.Last)
}

// Delay describes why a run has fallen behind the clock.
type Delay struct {
	Time  Time     // of the run
	Lag   Duration // on the clock
	Steps int64    // since the run was last in time
	// Simulated is the length of these steps, and Taken the time of the clock that they took.
	Simulated, Taken Duration
	// Woken is the part of the lag with which a wait ended too late.
	Woken Duration
	// Slowest is the part of the run that took most of the time, and Share its share; "" if this is
	// unknown.
	Slowest string
	Share   float64
}

// Possible returns the speed that the steps have reached.
func (d *Delay) Possible() float64 { return float64(d.Simulated) / float64(d.Taken) }

// String describes the delay with its reason and its remedy.
func (d Delay) String() string {
	text := fmt.Sprintf("the run is %.3g s behind the clock at %.6g s: ", d.Lag.Seconds(),
		d.Time.Seconds())
	if 2*d.Woken >= d.Lag {
		return text + fmt.Sprintf("gosmp was suspended or got no processor, so that it was "+
			"resumed %.3g s too late; if it was not suspended, end other programs, or raise its "+
			"priority", d.Woken.Seconds())
	}
	step, end := "one step of", ""
	if d.Steps > 1 {
		step, end = fmt.Sprintf("the last %d steps, together", d.Steps), ","
	}
	text += fmt.Sprintf("%s %.3g s%s took %.3g s of the clock", step, d.Simulated.Seconds(),
		end, d.Taken.Seconds())
	if d.Slowest != "" {
		text += fmt.Sprintf(", %.0f %% of it in %s", 100*d.Share, d.Slowest)
	}
	if d.Steps == 1 {
		return text + "; if this goes on, choose a lower speed or longer steps"
	}
	return text + fmt.Sprintf("; choose a speed below %.2g, longer steps, or a smaller "+
		"simulation, or end other programs", d.Possible())
}

// Begin lets the run, at an instant, go with the clock from now on, unless it does already. It
// reports whether this is a new beginning.
func (p *Pace) Begin(at Time) bool {
	if p.begun || p.Speed == 0 {
		return false
	}
	if p.Clock == nil {
		p.Clock = SystemTime()
	}
	p.begun, p.start, p.zero = true, at, p.Clock.Now()
	p.inTime(at, p.zero, 0)
	return true
}

// Pause stops the clock of the run until the next Begin.
func (p *Pace) Pause() { p.begun = false }

// Reset is like Pause, and forgets the lag of the run, so that Behind may be called again.
func (p *Pace) Reset() { p.begun, p.lag, p.told = false, Lag{}, false }

// Wait waits until the clock reaches an instant of the run or the context ends. It reports whether
// the run was in time.
func (p *Pace) Wait(ctx context.Context, at Time) (inTime bool) {
	if p.Speed == 0 {
		return true
	}
	p.Begin(at)
	due := EndOfTime
	if d := float64(at-p.start) / p.Speed; d < float64(EndOfTime-p.zero) {
		due = p.zero + Time(d)
	}
	p.points++
	for {
		now := p.Clock.Now()
		switch {
		case now < due && ctx.Err() == nil:
			inTime = true
			p.Clock.Wait(ctx.Done(), due-now, nil)
		case now < due:
			p.lag.Last = 0
			return true
		default:
			if inTime || now == due {
				inTime = true
				p.inTime(at, due, now-due)
			}
			p.note(at, now-due, now)
			return inTime
		}
	}
}

func (p *Pace) inTime(at, due Time, woken Duration) {
	p.at, p.ready, p.woken, p.points = at, due, woken, 0
}

// note records a lag.
func (p *Pace) note(at Time, late Duration, now Time) {
	p.lag.Last = late.Seconds()
	if p.lag.Last > p.lag.Largest {
		p.lag.Largest, p.lag.At = p.lag.Last, at.Seconds()
	}
	if late <= behindLimit || p.told || p.Behind == nil {
		return
	}
	p.told = true
	p.Behind(Delay{Time: at, Lag: late, Steps: p.points, Simulated: at - p.at,
		Taken: now - p.ready - p.woken, Woken: p.woken})
}

// Lag returns how far the run was behind the clock.
func (p *Pace) Lag() Lag { return p.lag }

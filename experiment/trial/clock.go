package trial

import (
	"fmt"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// byTimeout marks a trial that ended at its timeout.
const byTimeout = "timeout"

// defaultTimeout is the timeout of a trial whose description has none.
const defaultTimeout = 3600 * timebase.Second

func (t *Trial) initialTimeout() timebase.Duration {
	if d := t.description.Timeout; d != nil {
		v, err := timebase.FromSeconds(d.Seconds)
		if err != nil { // beyond the largest time
			return timebase.EndOfTime
		}
		return v
	}
	if t.options.Default > 0 {
		return t.options.Default
	}
	return defaultTimeout
}

// timeoutClock returns the clock on which the timeout is measured.
func (t *Trial) timeoutClock() string {
	if t.description.Timeout == nil {
		return experiment.ClockSimulation
	}
	return t.description.Timeout.In(t.paced)
}

// inReal reports whether the timeout is measured in real time.
func (t *Trial) inReal() bool { return t.timeoutClock() == experiment.ClockReal }

func (t *Trial) clock() timebase.Time {
	if t.options.Clock == nil {
		t.options.Clock = timebase.SystemTime()
	}
	return t.options.Clock.Now()
}

// Extend makes the timeout longer, up to the end of time.
func (t *Trial) Extend(by timebase.Duration) {
	t.elapsed = false
	t.timeout += min(by, timebase.EndOfTime-t.timeout)
	t.log(fmt.Sprintf("timeout extended to %v s", t.timeout.Seconds()))
}

// Now returns the simulated time.
func (t *Trial) Now() timebase.Time {
	if t.engine == nil {
		return 0
	}
	return t.engine.Now()
}

// seconds returns the simulated time in seconds.
func (t *Trial) seconds() float64 {
	if t.engine == nil {
		return 0
	}
	return t.engine.Result().Seconds(t.Now())
}

// timedOut ends the trial at its timeout. Before that, machines receive the event sim.timeout and
// may extend the time.
func (t *Trial) timedOut() bool {
	passed := t.Now()
	if t.inReal() {
		passed = t.real + t.clock() - t.since
	}
	limit := t.timeout
	if passed < limit {
		return false
	}
	if err := t.tell(scxml.Event{Name: "sim.timeout"}); err != nil {
		t.log("sim.timeout: " + err.Error())
	}
	if t.timeout > limit || t.ended() {
		return t.timeout <= limit
	}
	t.endedBy = byTimeout
	return true
}

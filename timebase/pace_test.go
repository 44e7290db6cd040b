package timebase_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

const ms = timebase.Millisecond

// tape is a clock that a test sets.
type tape struct {
	now, late timebase.Time // late is how much too late each wait ends
	waits     int
}

func (t *tape) Now() timebase.Time { return t.now }

func (t *tape) Wait(_ <-chan struct{}, d timebase.Duration, _ <-chan struct{}) {
	t.waits++
	t.now += d + t.late
}

// paced is a run in steps of 20 ms that notes its delays.
type paced struct {
	timebase.Pace
	clock *tape
	at    timebase.Time
	told  []string
}

func newPaced(speed float64) *paced {
	p := &paced{clock: &tape{}}
	p.Pace = timebase.Pace{Speed: speed, Clock: p.clock,
		Behind: func(d timebase.Delay) { p.told = append(p.told, d.String()) }}
	p.Begin(0)
	return p
}

// steps performs steps that take a time of the clock.
func (p *paced) steps(n int, takes timebase.Duration) {
	for range n {
		p.at += 20 * ms
		p.clock.now += takes
		p.Wait(context.Background(), p.at)
	}
}

func TestPace_SaysWhyARunIsBehind(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(p *paced)
		told string
		lag  timebase.Lag
	}{
		"in time": {func(p *paced) { p.steps(100, 20*ms) }, "", timebase.Lag{}},
		"a little": {func(p *paced) { p.steps(3, ms); p.steps(1, 119*ms) }, "",
			timebase.Lag{Largest: 0.099, At: 0.08, Last: 0.099}},
		"made up for": {func(p *paced) { p.steps(3, ms); p.steps(1, 119*ms); p.steps(9, 0) }, "",
			timebase.Lag{Largest: 0.099, At: 0.08}},
		"slow steps": {func(p *paced) { p.steps(3, ms); p.steps(11, 30*ms) },
			"the run is 0.11 s behind the clock at 0.28 s: the last 11 steps, together 0.22 s, " +
				"took 0.33 s of the clock; choose a speed below 0.67, longer steps, or a " +
				"smaller simulation, or end other programs",
			timebase.Lag{Largest: 0.11, At: 0.28, Last: 0.11}},
		"one slow step": {func(p *paced) { p.steps(3, ms); p.steps(1, 170*ms); p.steps(9, ms) },
			"the run is 0.15 s behind the clock at 0.08 s: one step of 0.02 s took 0.17 s of " +
				"the clock; if this goes on, choose a lower speed or longer steps",
			timebase.Lag{Largest: 0.15, At: 0.08}},
		"woken late": {func(p *paced) { p.clock.late = 200 * ms; p.steps(1, ms); p.steps(1, ms) },
			"the run is 0.2 s behind the clock at 0.02 s: gosmp was suspended or got no " +
				"processor, so that it was resumed 0.2 s too late; if it was not suspended, end " +
				"other programs, or raise its priority",
			timebase.Lag{Largest: 0.2, At: 0.02, Last: 0.181}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPaced(1)
			c.do(p)
			require.Equal(t, c.lag, p.Lag())
			if c.told == "" {
				require.Empty(t, p.told)
			} else {
				require.Equal(t, []string{c.told}, p.told)
			}
		})
	}
}

// A pause is no lag, and the lag from before it counts.
func TestPace_Pause(t *testing.T) {
	p := newPaced(2)
	p.steps(1, 60*ms)
	p.Pause()
	p.clock.now += timebase.Second
	p.Begin(p.at)
	p.steps(1, ms)
	require.Equal(t, timebase.Lag{Largest: 0.05, At: 0.02}, p.Lag())
	require.Equal(t, 1, p.clock.waits)
	p.Reset()
	require.Equal(t, timebase.Lag{}, p.Lag())
}

func TestPace_ExtremeSpeeds(t *testing.T) {
	for speed, waits := range map[float64]int{0: 0, 1e-300: 1, 1e300: 0} {
		p := newPaced(speed)
		p.steps(1, 0)
		require.Equal(t, waits, p.clock.waits)
	}
}

func TestLag_InWords(t *testing.T) {
	require.Equal(t, "at most 0.11 s behind the clock, at 0.28 s; 0 s at the end",
		timebase.Lag{Largest: 0.11, At: 0.28}.String())
}

package cosim

import (
	"context"

	"gosmp/timebase"
)

// pace limits a simulation to the speed of a clock.
type pace struct {
	clock timebase.TimeSource
	speed float64
	begin timebase.Time
	start timebase.Time
}

// newPace starts a pace that maps the simulation time start to the current time.
func newPace(s *Spec, start timebase.Time) *pace {
	p := &pace{clock: s.Clock, speed: s.Speed, start: start}
	if p.clock == nil {
		p.clock = timebase.SystemTime()
	}
	p.begin = p.clock.Now()
	return p
}

// wait waits until the clock reaches t, and returns the delay by then.
func (p *pace) wait(ctx context.Context, t timebase.Time) timebase.Time {
	if p.speed == 0 {
		return 0
	}
	due := p.begin + timebase.Time(float64(t-p.start)/p.speed)
	for {
		left := due - p.clock.Now()
		if left <= 0 || ctx.Err() != nil {
			return max(0, -left)
		}
		p.clock.Wait(ctx.Done(), left, nil)
	}
}

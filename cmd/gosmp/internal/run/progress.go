package run

import (
	"fmt"
	"math"
	"os"

	"gosmp/bridge/flow"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/internal/quantity"
	"gosmp/run"
	"gosmp/timebase"
)

// observe shows progress, unless the call log goes to standard error.
func (r *session) observe(s *run.Simulation) error {
	if r.log == os.Stderr && r.command.LogCalls {
		return nil
	}
	return r.console.ShowProgress(s)
}

// ShowProgress shows the progress of a run. It is meant for the field Observe of its options.
func (c *Console) ShowProgress(s *run.Simulation) error {
	p := c.newProgress(s.Spec)
	p.peers = s.BridgeCounts
	s.Engine.Observe(p)
	return nil
}

// progress shows the progress of a run. On a terminal, it updates a line at most five times a
// second; elsewhere, such as in the log of a batch system, it prints a line each minute.
type progress struct {
	show        func(line string)
	every       timebase.Time
	width       int
	start, stop timebase.Time
	clock       timebase.TimeSource
	begin, last timebase.Time
	rows        int
	peers       func() *flow.Counts // of a bridge to a DDS domain; nil without a bridge
}

// How often progress is shown.
const (
	onTerminal = 200 * timebase.Millisecond
	inLog      = 60 * timebase.Second
)

func (c *Console) newProgress(spec cosim.Spec) *progress {
	p := &progress{
		show:  c.status,
		every: onTerminal,
		width: cli.AnimationWidth(os.Stderr),
		start: spec.Start,
		stop:  spec.Stop,
		clock: timebase.SystemTime(),
	}
	if p.width == 0 {
		p.show, p.every, p.width = c.note, inLog, math.MaxInt
	}
	return p
}

// Begin starts the clock.
func (p *progress) Begin(*cosim.Result) error {
	p.begin = p.clock.Now()
	p.last = p.begin
	return nil
}

// Row shows the progress when it is due.
func (p *progress) Row(t timebase.Time, _ cosim.Row) error {
	now := p.clock.Now()
	p.rows++
	if now-p.last < p.every {
		return nil
	}
	p.last = now
	line := progressLine(t-p.start, p.stop-p.start, now-p.begin, p.rows) + p.domain()
	if len(line) >= p.width {
		line = line[:max(0, p.width-1)]
	}
	p.show(line)
	return nil
}

// domain describes the participants in a bridge's domain and the number of lost messages.
func (p *progress) domain() string {
	if p.peers == nil {
		return ""
	}
	c := p.peers()
	if c == nil {
		return ""
	}
	return fmt.Sprintf("  %s, %d lost", quantity.Of(c.Peers, "peer"), c.Dropped+c.Late+c.Missed)
}

// End clears the line.
func (p *progress) End(*cosim.Result) error {
	p.show("")
	return nil
}

// progressLine formats the progress, the speed and the remaining time.
func progressLine(done, all, passed timebase.Time, rows int) string {
	part := float64(done) / float64(all)
	speed := float64(done) / float64(max(passed, 1))
	left := timebase.Time(float64(passed) * (1 - part) / max(part, 1e-9))
	return fmt.Sprintf(
		"%3.0f %%  %.3f of %.3f s  %.4g times real time  %.4g steps/s  %s to go",
		100*part,
		done.Seconds(),
		all.Seconds(),
		speed,
		float64(rows)/passed.Seconds(),
		duration(left),
	)
}

// duration formats a duration for people.
func duration(t timebase.Time) string {
	s := int64(t / timebase.Second)
	switch {
	case s >= 3600:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	case s >= 60:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d s", s)
}

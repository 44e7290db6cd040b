package run

import (
	"fmt"
	"math"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/timebase"
)

// observe adds everything that watches the run.
func (r *Simulation) observe() error {
	c := r.Command
	names := c.OutputVariable
	if len(names) == 0 {
		names = r.outputNames()
	}
	for _, name := range names {
		p, v, err := r.find("--output-variable", name)
		if err != nil {
			return err
		}
		r.signals = append(r.signals, r.Engine.Watch(p.Name+"."+v.Name).SetLabel(name))
	}
	r.hash = cosim.NewHash(r.signals...)
	r.Engine.Observe(r.hash)
	if c.OutputFile != "" {
		f, err := r.create("--output-file", c.OutputFile)
		if err != nil {
			return err
		}
		r.recorder = cosim.NewRecorder(f, r.signals...)
		r.Engine.Observe(r.recorder)
	}
	if err := r.observeMessages(); err != nil {
		return err
	}
	if err := r.observeTrace(); err != nil {
		return err
	}
	if c.Graph != "" {
		if c.Graph == cli.StandardOutput && (c.JSON || c.OutputFile == cli.StandardOutput) {
			return cli.Unexpected("--graph", "standard output, which something else is written to", "the name of a file")
		}
		r.Engine.Observe(graphFile{r})
	}
	if err := r.observeBridge(); err != nil {
		return err
	}
	if c.Plot != "" {
		if err := r.observePlot(); err != nil {
			return err
		}
	}
	r.ObserveProgress()
	return nil
}

// ObserveProgress logs what happens, and shows a line of progress.
func (r *Simulation) ObserveProgress() {
	r.Engine.Observe(notes{r})
	if p := r.newProgress(); p != nil {
		r.Engine.Observe(p)
	}
}

func (r *Simulation) observeMessages() error {
	for _, text := range r.Command.OutputMessages {
		p, v, file, err := r.Named("--output-messages", text)
		if err != nil {
			return err
		}
		name := r.System.Label(p, v.Name)
		s := r.Engine.Watch(p.Name + "." + v.Name)
		if !s.Variable.Kind.IsBlob() {
			return cli.Unexpected("--output-messages", name+" of type "+s.Variable.Kind.String(), "a text or a binary variable")
		}
		f, err := r.create("--output-messages", file)
		if err != nil {
			return err
		}
		r.Engine.Observe(cosim.NewMessages(f, s))
	}
	return nil
}

// progress shows how far a run is: on a terminal at most five times a second in one line, elsewhere, as
// in the log of a batch system, in a line each minute.
type progress struct {
	show        func(line string)
	every       timebase.Time
	width       int
	start, stop timebase.Time
	clock       timebase.TimeSource
	begin, last timebase.Time
	rows        int
}

// How often progress is shown.
const (
	onTerminal = 200 * timebase.Millisecond
	inLog      = 60 * timebase.Second
)

// newProgress returns nil if the call log goes to standard error.
func (r *Simulation) newProgress() *progress {
	if r.log == os.Stderr && r.Command.LogCalls {
		return nil
	}
	p := &progress{show: r.console.status, every: onTerminal, width: cli.TerminalWidth(os.Stderr), start: r.Spec.Start, stop: r.Spec.Stop, clock: timebase.SystemTime()}
	if p.width == 0 {
		p.show, p.every, p.width = r.console.note, inLog, math.MaxInt
	}
	return p
}

// Begin starts the clock.
func (p *progress) Begin(*cosim.Result) error {
	p.begin = p.clock.Now()
	p.last = p.begin
	return nil
}

// Row shows a line when it is time to.
func (p *progress) Row(t timebase.Time, _ cosim.Row) error {
	now := p.clock.Now()
	p.rows++
	if now-p.last < p.every {
		return nil
	}
	p.last = now
	p.show(progressLine(t-p.start, p.stop-p.start, now-p.begin, p.rows, p.width))
	return nil
}

// End clears the line.
func (p *progress) End(*cosim.Result) error {
	p.show("")
	return nil
}

// progressLine formats the progress, the speed and the time to go.
func progressLine(done, all, passed timebase.Time, rows, width int) string {
	part := float64(done) / float64(all)
	speed := float64(done) / float64(max(passed, 1))
	left := timebase.Time(float64(passed) * (1 - part) / max(part, 1e-9))
	line := fmt.Sprintf("%3.0f %%  %.3f of %.3f s  %.4g times real time  %.4g steps/s  %s to go", 100*part, done.Seconds(), all.Seconds(), speed,
		float64(rows)/passed.Seconds(), duration(left))
	if len(line) >= width {
		line = line[:max(0, width-1)]
	}
	return line
}

// duration is a time for people.
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

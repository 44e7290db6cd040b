package main

import (
	"fmt"
	"io"
	"os"

	"gosmp/cosim"
	"gosmp/timebase"
)

// observe adds everything that watches the run.
func (r *fmuRun) observe() error {
	c := r.command
	names, err := r.recorded()
	if err != nil {
		return err
	}
	for _, name := range names {
		r.signals = append(r.signals, r.engine.Watch(r.name+"."+name).SetLabel(name))
	}
	r.hash = cosim.NewHash(r.signals...)
	r.engine.Observe(r.hash)
	if c.OutputFile != "" {
		f, err := r.create("--output-file", c.OutputFile)
		if err != nil {
			return err
		}
		r.recorder = cosim.NewRecorder(f, r.signals...)
		r.engine.Observe(r.recorder)
	}
	if err := r.observeMessages(); err != nil {
		return err
	}
	if err := r.observeTrace(); err != nil {
		return err
	}
	if c.Plot != "" {
		if err := r.observePlot(); err != nil {
			return err
		}
	}
	if c.ToState != "" {
		r.engine.Observe(&stateSaver{r})
	}
	if p := r.newProgress(); p != nil {
		r.engine.Observe(p)
	}
	return nil
}

// recorded are the names of what is recorded: those of the user, else all outputs.
func (r *fmuRun) recorded() ([]string, error) {
	var names []string
	if given := r.command.OutputVariable; len(given) > 0 {
		for _, name := range given {
			if _, _, err := r.named("--output-variable", name+"=x"); err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		return names, nil
	}
	for _, v := range r.instance.Variables() {
		if v.Role == cosim.Output {
			names = append(names, v.Name)
		}
	}
	return names, nil
}

func (r *fmuRun) observeMessages() error {
	for _, text := range r.command.OutputMessages {
		name, file, err := r.named("--output-messages", text)
		if err != nil {
			return err
		}
		s := r.engine.Watch(r.name + "." + name)
		if !s.Variable.Kind.IsBlob() {
			return unexpected("--output-messages", name+" of type "+s.Variable.Kind.String(), "a text or a binary variable")
		}
		f, err := r.create("--output-messages", file)
		if err != nil {
			return err
		}
		r.engine.Observe(cosim.NewMessages(f, s))
	}
	return nil
}

// stateSaver saves the state at the end, before the FMU is terminated.
type stateSaver struct{ r *fmuRun }

// Begin does nothing.
func (s *stateSaver) Begin(*cosim.Result) error { return nil }

// Row saves at the last point.
func (s *stateSaver) Row(t timebase.Time, row cosim.Row) error {
	if t < s.r.spec.Stop && row != cosim.AtEnd {
		return nil
	}
	state, err := s.r.instance.State()
	if err != nil {
		return err
	}
	return writeFile(s.r.command.ToState, func(w io.Writer) error {
		_, err := w.Write(state)
		return err
	})
}

// End does nothing.
func (s *stateSaver) End(*cosim.Result) error { return nil }

// progress shows on a terminal how far a run is, at most five times a second.
type progress struct {
	console     *console
	width       int
	start, stop timebase.Time
	clock       timebase.TimeSource
	begin, last timebase.Time
	rows        int
}

const progressEvery = 200 * timebase.Millisecond

// newProgress is nil if nobody would see it.
func (r *fmuRun) newProgress() *progress {
	width := terminalWidth(os.Stderr)
	if width == 0 || r.log == os.Stderr && r.command.LogCalls {
		return nil
	}
	return &progress{console: r.console, width: width, start: r.spec.Start, stop: r.spec.Stop, clock: timebase.SystemTime()}
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
	if now-p.last < progressEvery {
		return nil
	}
	p.last = now
	p.console.status(progressLine(t-p.start, p.stop-p.start, now-p.begin, p.rows, p.width))
	return nil
}

// End clears the line.
func (p *progress) End(*cosim.Result) error {
	p.console.status("")
	return nil
}

// progressLine says how far, how fast, and how long to go.
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

package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// ErrCommand reports a command that cannot be understood.
var ErrCommand = errors.New("unknown command")

// Command is a command of a user during a run.
type Command struct {
	Do       string            // pause, resume, step, reset, extend, save or stop
	Steps    int               // for step
	Duration timebase.Duration // for extend
	File     string            // for save
}

// Commands lists the forms that [ParseCommand] understands.
const Commands = "pause, resume, step [NUMBER], reset, extend SECONDS, save FILE, stop"

const maxCommandSteps = 1_000_000_000

// ParseCommand reads a command as a user writes it.
func ParseCommand(line string) (Command, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	c, rest := Command{Do: word, Steps: 1}, strings.TrimSpace(rest)
	wrong := fault.New(ErrCommand, fault.At("command"), fmt.Sprintf("%q", line), Commands)
	switch word {
	case "pause", "resume", "reset", "stop":
		if rest != "" {
			return c, wrong
		}
	case "step":
		if n, err := strconv.Atoi(rest); err == nil && n > 0 && n <= maxCommandSteps {
			c.Steps = n
		} else if rest != "" {
			return c, wrong
		}
	case "extend":
		v, err := decimal.Float(rest, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return c, wrong
		}
		if c.Duration, err = timebase.FromSeconds(v); err != nil {
			return c, wrong
		}
	case "save":
		if c.File = rest; rest == "" {
			return c, wrong
		}
	default:
		return c, wrong
	}
	return c, nil
}

// turn performs one turn of a run: a command if there is one, otherwise a step. While the trial is
// paused, it only takes commands.
func (t *Trial) turn(ctx context.Context) (more bool, err error) {
	if t.state == Started {
		select {
		case c, open := <-t.options.Commands:
			return t.obey(ctx, c, open)
		default:
			return t.advance(ctx)
		}
	}
	if t.options.Commands == nil {
		return true, t.Start()
	}
	select {
	case c, open := <-t.options.Commands:
		return t.obey(ctx, c, open)
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// advance performs a step. At the timeout, a user who can give commands is asked whether to extend
// it, and the trial is paused until the answer.
func (t *Trial) advance(ctx context.Context) (more bool, err error) {
	more, err = t.Step(ctx)
	if more || err != nil || t.endedBy != byTimeout || t.options.Commands == nil {
		return more, err
	}
	t.endedBy, t.elapsed = "", true
	t.log(fmt.Sprintf("the timeout of %v s has elapsed: extend SECONDS, or stop",
		t.timeout.Seconds()))
	return true, t.Pause()
}

// obey executes a command. An impossible command is logged, and the trial continues.
func (t *Trial) obey(ctx context.Context, c Command, open bool) (more bool, err error) {
	switch {
	case !open:
		t.options.Commands = nil
		if t.elapsed { // standard input has ended, so no answer can come
			t.endedBy = byTimeout
			return false, t.Stop(ctx)
		}
		return true, nil
	case t.elapsed && (c.Do == "resume" || c.Do == "step"):
		t.log(c.Do + ": the timeout has elapsed: extend SECONDS, or stop")
		return true, nil
	}
	more = true
	switch c.Do {
	case "pause":
		err = t.Pause()
	case "resume":
		err = t.Start()
	case "reset":
		err = t.Reset(ctx)
	case "extend":
		asked := t.elapsed
		if t.Extend(c.Duration); asked && t.state == Paused {
			err = t.Start()
		}
	case "save":
		err = t.save(ctx, c.File)
	case "step":
		if t.state == Paused {
			err = t.Start()
		}
		for k := 0; k < c.Steps && more && err == nil && t.state == Started; k++ {
			more, err = t.advance(ctx)
		}
		if t.state != Started {
			return more, err
		}
		if more && err == nil {
			err = t.Pause()
		}
	case "stop":
		switch {
		case t.elapsed:
			t.endedBy = byTimeout
		case t.endedBy == "":
			t.endedBy = stopped
		}
		if t.state == Started {
			return false, nil
		}
		return false, t.Stop(ctx)
	}
	if err != nil && t.cause != nil { // it ended the trial
		return false, err
	}
	if err != nil {
		t.log(c.Do + ": " + err.Error())
	}
	return more, nil
}

func (t *Trial) save(ctx context.Context, file string) error {
	b, err := t.AppendState(ctx, nil)
	if err == nil && t.options.Save != nil {
		err = t.options.Save(file, b)
	}
	if err == nil {
		t.log("saved " + file)
	}
	return err
}

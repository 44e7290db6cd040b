package run

import (
	"context"
	"errors"
	"os"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/run"
	"gosmp/timebase"
)

// togetherTime is the time within which a second signal counts as the same one, because some
// programs send a signal both to a process and to its group.
const togetherTime = 300 * timebase.Millisecond

// GraceTime is how long FMUs may take to end after SIGTERM or SIGHUP. Programs send these signals,
// so there may be no user to send a second one.
const GraceTime = 5 * time.Second

// interrupted is the error of a run that a signal ended.
type interrupted struct{ signal os.Signal }

func (e *interrupted) Error() string { return "interrupted (" + e.signal.String() + ")" }

// EndInterrupted ends the process by the signal that ended a run, after printing the error. It
// returns if no signal did.
func EndInterrupted(err error) {
	var by *interrupted
	if errors.As(err, &by) {
		cli.Report(os.Stderr, err)
		cli.EndBy(by.signal)
	}
}

// Interrupts ends a run by signals: the first signal cancels its context, a second one kills its
// FMUs. The FMUs are also killed GraceTime after a signal that does not come from the keyboard.
type Interrupts struct {
	Context context.Context
	cancel  context.CancelCauseFunc
	signals chan os.Signal
	done    chan struct{}
	watched chan struct{}
}

// NewInterrupts returns interrupts that do not handle signals until Watch is called.
func NewInterrupts() *Interrupts {
	i := &Interrupts{
		signals: make(chan os.Signal, 2),
		done:    make(chan struct{}),
		watched: make(chan struct{}),
	}
	i.Context, i.cancel = context.WithCancelCause(context.Background())
	return i
}

// Watch starts handling signals, unless it has already been called. kill ends the FMUs.
func (i *Interrupts) Watch(kill func()) {
	cli.NotifyEnding(i.signals)
	go func() {
		defer close(i.watched)
		var first timebase.Time
		clock, come := timebase.SystemTime(), false
		var late <-chan time.Time
		for {
			select {
			case s := <-i.signals:
				switch {
				case !come:
					come, first = true, clock.Now()
					i.cancel(&interrupted{s})
					if s != os.Interrupt {
						late = time.After(GraceTime)
					}
				case clock.Now()-first > togetherTime:
					kill()
				}
			case <-late:
				kill()
			case <-i.done:
				return
			}
		}
	}()
}

// Stop ends the handling of signals that Watch started.
func (i *Interrupts) Stop() {
	cli.StopNotifying(i.signals)
	close(i.done)
	<-i.watched
	i.cancel(nil)
}

// Until handles signals until the end of a run.
func (i *Interrupts) Until(s *run.Simulation) {
	i.Watch(s.Kill)
	s.Engine.Observe(ending{i})
}

// ending is an observer that stops the handling of signals at the end of a run.
type ending struct{ *Interrupts }

// Begin does nothing.
func (ending) Begin(*cosim.Result) error { return nil }

// Row does nothing.
func (ending) Row(timebase.Time, cosim.Row) error { return nil }

// End stops the handling of signals.
func (e ending) End(*cosim.Result) error {
	e.Stop()
	return nil
}

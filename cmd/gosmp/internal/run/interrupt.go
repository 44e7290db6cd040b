package run

import (
	"context"
	"os"
	"os/signal"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/run"
	"gosmp/timebase"
)

// togetherTime is how long a signal may come after another and still be the same one: some programs
// send it to a process and its group.
const togetherTime = 300 * timebase.Millisecond

// GraceTime is how long FMUs may take to end after SIGTERM or SIGHUP, which programs send: there
// may be nobody to send a second signal.
const GraceTime = 5 * time.Second

// interrupted is the end of a run by a signal.
type interrupted struct{ signal os.Signal }

func (e *interrupted) Error() string { return "interrupted (" + e.signal.String() + ")" }

// Interrupts end a run by signals: the first one ends its context, a second one its FMUs at once.
// So does GraceTime after a signal that does not come from the keyboard.
type Interrupts struct {
	Context context.Context
	cancel  context.CancelCauseFunc
	signals chan os.Signal
	done    chan struct{}
	watched chan struct{}
}

// NewInterrupts leaves signals alone before Watch.
func NewInterrupts() *Interrupts {
	i := &Interrupts{
		signals: make(chan os.Signal, 2),
		done:    make(chan struct{}),
		watched: make(chan struct{}),
	}
	i.Context, i.cancel = context.WithCancelCause(context.Background())
	return i
}

// Watch begins, once, to take signals. kill ends the FMUs.
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

// Stop leaves signals alone again, after Watch.
func (i *Interrupts) Stop() {
	signal.Stop(i.signals)
	close(i.done)
	<-i.watched
	i.cancel(nil)
}

// Until watches until the end of a run.
func (i *Interrupts) Until(s *run.Simulation) {
	i.Watch(s.Kill)
	s.Engine.Observe(ending{i})
}

// ending leaves signals alone at the end of a run.
type ending struct{ *Interrupts }

// Begin does nothing.
func (ending) Begin(*cosim.Result) error { return nil }

// Row does nothing.
func (ending) Row(timebase.Time, cosim.Row) error { return nil }

// End leaves signals alone.
func (e ending) End(*cosim.Result) error {
	e.Stop()
	return nil
}

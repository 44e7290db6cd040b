package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// NotifyEnding relays to a channel the signals that would end the process: Ctrl-C, SIGTERM and
// SIGHUP. It omits signals that the process ignores, as nohup and shells arrange for background
// processes. [StopNotifying] must follow.
func NotifyEnding(signals chan<- os.Signal) {
	notified.Add(1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
}

// StopNotifying ends NotifyEnding for a channel.
func StopNotifying(signals chan<- os.Signal) {
	signal.Stop(signals)
	notified.Add(-1)
}

// notified counts the channels of NotifyEnding, and kept those of KeepHandlers.
var notified, kept atomic.Int32

// KeepHandlers keeps the handlers of the signals of [NotifyEnding] installed until the process
// ends, for processes that execute many commands: installing and removing them takes several
// switches of threads. A signal that no command receives ends the process as usual.
func KeepHandlers() {
	signals := make(chan os.Signal, 1)
	NotifyEnding(signals)
	kept.Add(1)
	go func() {
		for s := range signals {
			if notified.Load() == kept.Load() {
				EndBy(s)
			}
		}
	}()
}

// ended is the cause of a context that a signal has canceled.
type ended struct{ signal os.Signal }

func (e *ended) Error() string { return "interrupted (" + e.signal.String() + ")" }

// Unwrap returns the error of a context that was canceled without a cause.
func (e *ended) Unwrap() error { return context.Canceled }

// Ended returns the signal that canceled a context of [UntilEnded], or nil.
func Ended(ctx context.Context) os.Signal {
	var by *ended
	if errors.As(context.Cause(ctx), &by) {
		return by.signal
	}
	return nil
}

// UntilEnded returns a context that any signal of [NotifyEnding] cancels. Further signals have no
// effect until stop is called.
func UntilEnded() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	NotifyEnding(signals)
	go func() {
		select {
		case s := <-signals:
			cancel(&ended{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		StopNotifying(signals)
		cancel(nil)
	}
}

// CleaningUp runs work that would leave something incomplete if it were interrupted. A signal that
// would end the process cancels the context of work instead; once work has returned, the process
// ends as the signal would have ended it.
func CleaningUp(work func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	NotifyEnding(signals)
	come := make(chan os.Signal, 1)
	go func() {
		select {
		case s := <-signals:
			come <- s
			cancel()
		case <-ctx.Done():
		}
	}()
	err := work(ctx)
	late := time.After(grace(err))
	select {
	case s := <-come:
		EndBy(s)
	default:
	}
	select {
	case s := <-come:
		EndBy(s)
	case <-late:
	}
	StopNotifying(signals)
	return err
}

// Shield is like CleaningUp, with a context of the caller, unless signals are already handled. The
// command sets it as the shield of package wholefile, so that no signal leaves an unfinished file.
func Shield(ctx context.Context, work func(ctx context.Context) error) error {
	if notified.Load() > kept.Load() {
		return work(ctx)
	}
	return CleaningUp(func(ended context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(ended, func() { cancel(ended.Err()) })()
		return work(ctx)
	})
}

// grace is how long a signal may still be on its way. Terminals send Ctrl-C to a whole process
// group, so a called program may end before this process has received the signal.
func grace(err error) time.Duration {
	called := (*exec.ExitError)(nil)
	switch {
	case !errors.As(err, &called):
		return 0
	case called.Exited(): // programs that clean up exit with a code
		return 300 * time.Millisecond
	}
	return 2 * time.Second
}

// EndBy ends the process by a signal, so that the shell sees which one.
func EndBy(s os.Signal) {
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		time.Sleep(time.Second) // the signal is on its way
	}
	code := 1
	if number, ok := s.(syscall.Signal); ok {
		code = 128 + int(number) // on platforms where a process cannot signal itself
	}
	os.Exit(code)
}

package timebase

import "time"

// TimeSource provides real time to anything that runs in real time, such as a wall clock.
// [SystemTime] is the usual source; tests have their own.
type TimeSource interface {
	// Now returns the time elapsed since some fixed instant. It never goes backwards. It is called
	// from several goroutines if the node is parallel.
	Now() Time
	// Wait returns when d has elapsed, done is closed, or wake can be received from, whichever
	// comes first. It may return early.
	Wait(done <-chan struct{}, d Duration, wake <-chan struct{})
}

// SystemTime returns the time source of the computer, counting from this call.
func SystemTime() TimeSource { return systemTime{time.Now()} }

type systemTime struct{ zero time.Time }

// Now implements TimeSource.
func (s systemTime) Now() Time { return Time(time.Since(s.zero)) }

// Wait implements TimeSource.
func (s systemTime) Wait(done <-chan struct{}, d Duration, wake <-chan struct{}) {
	timer := time.NewTimer(time.Duration(d))
	defer timer.Stop()
	select {
	case <-done:
	case <-wake:
	case <-timer.C:
	}
}

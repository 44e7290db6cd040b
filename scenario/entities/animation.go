package entities

import (
	"math"

	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// animation is AnimationAction, or a change of a light that the standard does not define. OSI
// cannot represent either of them, so their only effect is to take time.
type animation struct {
	common
	takes, ends float64 // s
	what        string
	domain      storyboard.Domain
}

func newAnimation(c common) (storyboard.Action, error) {
	a := &animation{common: c, takes: position.Number(c.e, "animationDuration", 0),
		what: "an animation", domain: storyboard.Animation}
	if position.True(c.e, "loop", false) {
		a.takes = math.Inf(1)
	}
	return a, nil
}

// Domains returns the domain of animations; user-defined lights have none.
func (a *animation) Domains() storyboard.Domain { return a.domain }

// Start starts the clock of the animation.
func (a *animation) Start(now float64, report func(storyboard.Note)) error {
	a.w.report = report
	a.done, a.ends = false, now+a.takes
	a.w.tell(a.b, "not shown", a.what+" that takes its time, and is in no message")
	return nil
}

// Ended reports whether the animation has finished.
func (a *animation) Ended() bool { return a.done || a.w.now >= a.ends-instant }

// Stop ends the animation.
func (a *animation) Stop() { a.done = true }

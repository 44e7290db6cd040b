package activity

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/timebase"
)

// Why explains why the activity is not running or when it runs next: whether it is switched on,
// what its trigger needs, and which writers are missing.
func (a *Activity) Why() string {
	a.node.enter()
	defer a.node.leave()
	return a.why()
}

func (a *Activity) why() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v at %v: ", a, a.node.now)
	if a.everRan {
		fmt.Fprintf(&b, "ran %d times, last for %v. ", a.cycles, a.last)
	} else {
		b.WriteString("never ran. ")
	}
	b.WriteString(a.reason())
	return b.String()
}

func (a *Activity) reason() string {
	if err := a.node.Err(); err != nil {
		return "The node cannot run: " + err.Error()
	}
	a.node.sealIfSound()
	switch {
	case a.closed:
		return "It has been closed."
	case !a.node.clocked:
		return "The node has no clock yet."
	case a.err != nil && a.spec.Critical && len(a.windows) > 0:
		return fmt.Sprintf("It failed and is safe: %v. SwitchWork lets it work again.", a.err)
	case a.err != nil:
		return fmt.Sprintf("It failed and was switched off: %v. SwitchOn lets it run again.", a.err)
	case a.behind > 0:
		return fmt.Sprintf(
			"It is scheduled %d times in manager %d and waits for its turn.",
			a.behind,
			a.manager,
		)
	case len(a.windows) == 0:
		return "It is not switched on."
	}
	text, from := a.switching()
	if g := a.guard; g != nil && g.failing {
		text += fmt.Sprintf(
			"Its input has failed for %d periods, and the safe callback runs. ",
			g.missed,
		)
	}
	if a.spec.Critical &&
		!slices.ContainsFunc(a.working, func(w window) bool { return w.span.End > a.node.now }) {
		text += "It takes its safe callback until it is switched to work. "
	}
	return text + "Next when " + a.trigger.waiting(from) + "."
}

// switching returns when the activity is on, and the earliest start of its next span.
func (a *Activity) switching() (text string, from timebase.Time) {
	w := a.windows[len(a.windows)-1].span
	for i := range a.windows {
		if a.windows[i].span.End > a.node.now {
			w = a.windows[i].span
			break
		}
	}
	from = -timebase.EndOfTime
	if w.Start > a.node.now {
		text, from = fmt.Sprintf("It is switched on from %v on. ", w.Start), w.Start
	}
	switch {
	case w.End <= a.node.now:
		text += fmt.Sprintf(
			"It has been switched off since %v, and runs only for what comes late for "+
				"the time before. ",
			w.End,
		)
	case w.End != timebase.EndOfTime:
		text += fmt.Sprintf("It is switched off from %v on. ", w.End)
	}
	return text, from
}

package activity

import (
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Cycle is one activation of an activity.
type Cycle struct {
	// Span is the logical time to work for, cut to the time for which the activity is switched on;
	// for an event it is a stamp.
	Span timebase.Span
	// First is set in the first cycle after a switch-on and, for a critical activity, in the first
	// cycle after a switch to work. Last is set in the cycle that reaches the instant of a
	// switch-off, or of a critical activity's switch from work to safe.
	First, Last bool
	// Safe is set in a safe callback.
	Safe bool
	// Behind is the number of further cycles of this activity that are already due.
	Behind int
	// Missed is the number of periods without input; it is set in safe callbacks that are called
	// because input is missing.
	Missed int
}

// Callback does the work of an activity. An error or a panic switches the activity off and is
// reported as [ActivityFailed].
type Callback func(Cycle) error

// Priority selects the manager that runs an activity, and the activity's importance within it.
type Priority struct {
	// 0 is the lowest, a plain queue; numbers out of range are clamped, which is reported as
	// PriorityClamped
	Manager int
	Order   int // higher runs earlier; each tick of age is worth 100. Manager 0 ignores it
}

// orderPerTick is the priority that an activation gains with each tick of age.
const orderPerTick = 100

// Spec holds everything that an activity needs, apart from being switched on.
type Spec struct {
	Priority Priority
	Trigger  Trigger
	Work     Callback
	Safe     Safe // optional
	// Critical marks an activity that can do harm, such as an output to a machine. It works only
	// for the time for which it is switched to work, see [Activity.SwitchWork]. For all other time
	// during which it is on, its trigger calls Safe.Work, which must be given; Safe.On is then
	// optional. If a work callback fails, the activity becomes safe instead of being switched off.
	Critical bool
	Limits   TimingLimits // optional
}

// Activity runs its callback when its trigger emits time and it is switched on.
type Activity struct {
	node    *Node
	name    string
	module  *Module
	spec    Spec
	manager int
	queue   *manager // with that number
	special bool     // no cycle is plain, see plain
	trigger part
	guard   *guard
	rank    int

	windows       []window // on-times, in order; the last one may be open
	working       []window // the work times of a critical activity, likewise
	watch         timingWatch
	scheduled     timebase.Span // newest span scheduled for work
	everScheduled bool
	everRan       bool
	last          timebase.Span // span of the newest cycle
	behind        int           // items in the manager's queue
	cycles        uint64
	closed        bool
	err           error
	trace         uint64
	stats         Stats
}

// window is a time for which an activity is switched on.
type window struct {
	span  timebase.Span
	begun bool // the first cycle has run
}

// Activity creates an activity, still switched off. Its name must be unique within the module.
func (m *Module) Activity(name string, spec Spec) *Activity {
	n := m.node
	a := &Activity{
		node:    n,
		module:  m,
		name:    m.name + "/" + name,
		spec:    spec,
		trigger: partOf(spec.Trigger),
	}
	if m.build(a.String()) != nil {
		return a
	}
	if err := a.check(name); err != nil {
		n.mistake(err)
	}
	a.manager = min(max(spec.Priority.Manager, 0), len(n.managers)-1)
	a.queue = &n.managers[a.manager]
	a.special = spec.Critical || n.spec.Trace || n.spec.Timing != nil
	if a.manager != spec.Priority.Manager {
		n.report(
			PriorityClamped,
			a.String(),
			"manager %d does not exist, there are 0 to %d; manager %d is used",
			spec.Priority.Manager,
			len(n.managers)-1,
			a.manager,
		)
	}
	a.watch.limited = spec.Limits.watched()
	if spec.Safe.On != nil {
		a.guard = &guard{act: a, on: partOf(spec.Safe.On)}
	}
	n.acts = append(n.acts, a)
	return a
}

// check returns an error if the specification is unusable.
func (a *Activity) check(name string) error {
	bad := func(found, want string) error {
		return fault.New(ErrSpec, fault.At(a.String()), found, want)
	}
	s := &a.spec
	switch {
	case badName(name) != "":
		return fault.New(ErrName, fault.At(a.String()), badName(name), "")
	case slices.ContainsFunc(a.node.acts, func(o *Activity) bool { return o.name == a.name }):
		return fault.New(ErrName, fault.At(a.String()), "another activity of that name",
			"one per module and name")
	case s.Work == nil:
		return bad("no Work callback", "one")
	case a.checkTrigger(a.trigger) != nil:
		return a.checkTrigger(a.trigger)
	case s.Critical && s.Safe.Work == nil:
		return bad("a critical activity without Safe.Work", "one")
	case (s.Safe.Work == nil) != (s.Safe.On == nil) && !s.Critical:
		return bad("a Safe with half of Work and On", "both or none")
	case s.Limits.bad() != "":
		return bad(s.Limits.bad(), "no negative number")
	case s.Safe.On != nil && a.checkTrigger(partOf(s.Safe.On)) != nil:
		return a.checkTrigger(partOf(s.Safe.On))
	case s.Safe.Periods < 0:
		return bad(fmt.Sprintf("Safe.Periods %d", s.Safe.Periods), "1 or more, or 0 for 1")
	}
	return nil
}

// unwired returns the name of a combination that has no parts and can therefore never emit
// anything.
func unwired(t part) string {
	inputs := t.trigger().inputs
	switch t.(type) {
	case *andTrigger, *orTrigger:
		if len(inputs) == 0 {
			return t.String() + " of nothing"
		}
	case *Regulator, *TimeWarp:
		if len(inputs) == 0 {
			return t.String()
		}
	}
	for _, in := range inputs {
		if s := unwired(in); s != "" {
			return s
		}
	}
	return ""
}

// String returns the activity's kind and name.
func (a *Activity) String() string { return "activity " + a.name }

// Err returns the error that switched the activity off, or made a critical one safe, or nil.
func (a *Activity) Err() error {
	a.node.enter()
	defer a.node.leave()
	return a.err
}

// Cycles returns the number of calls of the work and safe callbacks.
func (a *Activity) Cycles() uint64 {
	a.node.enter()
	defer a.node.leave()
	return a.cycles
}

// cut returns the part of s that lies in w; a stamp lies in w either entirely or not at all.
func (w *window) cut(s timebase.Span) (timebase.Span, bool) {
	if w.span.Start <= s.Start && s.Start < s.End && s.End <= w.span.End {
		return s, true
	}
	if s.IsStamp() {
		return s, w.span.Contains(s.Start)
	}
	s = s.Intersect(w.span)
	return s, !s.Empty()
}

// accept schedules s, cut to the times for which the activity is on.
func (a *Activity) accept(_ int, s timebase.Span) {
	if a.guard != nil {
		var ok bool
		if s, ok = a.guard.admit(s); !ok {
			return
		}
	}
	for len(a.windows) > 0 && a.windows[0].span.End <= s.Start && a.behind == 0 {
		a.windows = slices.Delete(a.windows, 0, 1)
	}
	for len(a.working) > 0 && a.working[0].span.End <= s.Start && a.behind == 0 {
		a.working = slices.Delete(a.working, 0, 1)
	}
	if w := a.windows; len(w) == 1 && w[0].span.Start <= s.Start &&
		s.End < w[0].span.End { // nothing to cut
		a.pausedUntil(&w[0], s.Start)
		a.scheduled, a.everScheduled = s, true
		a.queue.push(a, s, 0)
		return
	}
	for i := range a.windows {
		if part, ok := a.windows[i].cut(s); ok {
			a.pausedUntil(&a.windows[i], part.Start)
			a.scheduled, a.everScheduled = part, true
			a.queue.push(a, part, 0)
		}
	}
}

// pausedUntil declares a break in the streams that ended with the activity's newest cycle when a
// new window begins at t. Data that does not connect because a module did not run is not an error.
func (a *Activity) pausedUntil(w *window, t timebase.Time) {
	if w.begun || !a.everRan || a.behind > 0 {
		return
	}
	for _, c := range a.node.channels {
		for _, e := range c.entries {
			if e.module == a.module.name && e.kind == Stream && e.began && e.end <= a.last.End &&
				e.end < t {
				e.stopped = true
			}
		}
	}
}

// cycle turns the first part of s for which the activity is on into a cycle. It returns false if
// there is none, because the activity was switched off in the meantime. The cycle is passed by
// address and filled in field by field, because copying a struct right after its fields were
// written is slow.
func (a *Activity) cycle(s timebase.Span, c *Cycle) bool {
	for i := range a.windows {
		w := &a.windows[i]
		part, inside := w.cut(s)
		if !inside {
			continue
		}
		c.Span, c.First, c.Last, c.Behind, c.Safe = part, !w.begun, part.End == w.span.End,
			a.behind, c.Missed > 0
		w.begun = true
		if a.spec.Critical && !c.Safe {
			a.choose(c)
		}
		return true
	}
	return false
}

// run calls the callback for one scheduled item, once for each part of it for which the activity is
// on.
func (a *Activity) run(it *item) {
	a.behind--
	s := it.span
	c := Cycle{Missed: it.missed}
	for a.cycle(s, &c) {
		a.runCycle(&c)
		if s.Start = c.Span.End; s.Empty() {
			return
		}
	}
}

func (a *Activity) runCycle(c *Cycle) {
	a.cycles++
	a.last, a.everRan = c.Span, true
	if a.node.spec.Trace {
		a.traceCycle(c)
	}
	var err error
	if a.node.spec.Timing == nil {
		err = a.call(c)
	} else {
		err = a.measured(c)
	}
	if err != nil {
		a.fail(c.Span, a.spec.Critical && !c.Safe, err)
	}
}

// fail ends a cycle with an error: an activity that worked and is critical becomes safe, any other
// is switched off.
func (a *Activity) fail(s timebase.Span, becomesSafe bool, err error) {
	a.err = err
	consequence := "switched off"
	if becomesSafe {
		a.working = a.working[:0]
		consequence = "safe until it is switched to work"
	} else {
		a.windows = a.windows[:0]
	}
	a.node.report(ActivityFailed, a.String(), "cycle %v: %v; the activity is %s", s, err,
		consequence)
}

// call runs the work or the safe callback and converts a panic to an error. Meanwhile, other
// managers may use the node if it runs them in threads.
func (a *Activity) call(c *Cycle) (err error) {
	a.node.leave()
	defer func() {
		a.node.enter()
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	work := a.spec.Work
	if c.Safe {
		work = a.spec.Safe.Work
	}
	return work(
		Cycle{
			Span:   c.Span,
			First:  c.First,
			Last:   c.Last,
			Behind: c.Behind,
			Safe:   c.Safe,
			Missed: c.Missed,
		},
	) // field by field, see cycle
}

package storyboard

import (
	"gosmp/scenario"
)

// Board is a running storyboard. Only one goroutine may use it.
type Board struct {
	scenario   *scenario.Scenario
	world      World
	options    Options
	root       *Element
	elements   []*Element // in the order of the document
	actions    []*Element // actions of Init first
	init       []entry
	conditions []*Condition
	timers     []*timer // durations that conditions require
	values     *values
	signals    *signals
	clock      timeOfDay
	report     func(Note)

	now    float64
	pass   int // the number of the evaluation
	cursor int // index of the element being visited
	number int // number of transitions so far
	exit   string
	left   []Wait // elements waiting when the storyboard stopped
}

// EndOfStoryboard is the prefix of the cause given for elements that stop because the storyboard
// stops.
const EndOfStoryboard = "end of the storyboard"

// Root returns the storyboard itself.
func (b *Board) Root() *Element { return b.root }

// Elements returns all elements in document order, starting with the storyboard itself.
func (b *Board) Elements() []*Element { return b.elements }

// Init returns the actions of Init in document order.
func (b *Board) Init() (list []*Element) {
	for _, a := range b.actions {
		if a.init {
			list = append(list, a)
		}
	}
	return list
}

// Conditions returns all conditions in document order; the conditions of the storyboard's stop
// trigger come last.
func (b *Board) Conditions() []*Condition { return b.conditions }

// Now returns the time of the last evaluation, in s.
func (b *Board) Now() float64 { return b.now }

// Ended reports whether the storyboard has stopped, because of its StopTrigger or a
// CustomCommandAction.
func (b *Board) Ended() bool { return b.root.status == Complete }

// Exit returns "exitSuccess" or "exitFailure" after a CustomCommandAction of that type, or else "".
func (b *Board) Exit() string { return b.exit }

// Finished reports whether all stories are complete and no action of Init is running, so that only
// the storyboard's StopTrigger can still fire.
func (b *Board) Finished() bool {
	for _, a := range b.actions {
		if a.status == Running {
			return false
		}
	}
	return b.root.done()
}

// Start performs Init at time 0 and evaluates the storyboard for the first time. It returns an
// error if an action is impossible in the current state.
func (b *Board) Start() error {
	b.now, b.pass, b.cursor = 0, 1, -1
	if err := b.initialize(); err != nil {
		return err
	}
	b.begin(b.root)
	for _, story := range b.root.children {
		b.enter(story)
	}
	return b.evaluate()
}

// Step moves the world to a time, in s, and evaluates the storyboard at that time.
func (b *Board) Step(to float64) error {
	if err := b.world.Advance(b.now, to, b.report); err != nil {
		return err
	}
	b.now = to
	b.pass++
	b.cursor = -1
	return b.evaluate()
}

func (b *Board) evaluate() error {
	b.signals.advance(b)
	b.tick()
	b.settleActions()
	if err := b.visit(b.root); err != nil {
		return err
	}
	b.tick()
	return nil
}

// settleActions ends the actions that have reached their goal.
func (b *Board) settleActions() {
	for _, a := range b.actions {
		if a.status == Running && a.reached() {
			b.finish(a)
		}
	}
}

// visit performs the part of a pass that concerns one element.
func (b *Board) visit(e *Element) error {
	if e.status != Standby && e.status != Running {
		return nil
	}
	b.cursor = e.index
	if e.stop != nil && e.stop.fires(b) {
		cause := "stop trigger: "
		if e == b.root {
			cause = EndOfStoryboard + ": "
		}
		b.stop(e, cause+e.stop.reason())
		return nil
	}
	if e.status == Standby && (e.start == nil || e.start.fires(b)) {
		if err := b.launch(e); err != nil {
			return err
		}
	}
	if e.Kind == Event {
		return nil
	}
	for _, c := range e.children {
		if err := b.visit(c); err != nil || e.status == Complete {
			return err
		}
	}
	return nil
}

// enter prepares an element when its parent has started.
func (b *Board) enter(e *Element) {
	if e.limit == 0 { // it is never executed
		e.close()
		b.change(e, NoTransition, Complete, "")
		return
	}
	if e.Kind == Act || e.Kind == Event {
		b.change(e, NoTransition, Standby, "")
		return
	}
	b.begin(e)
	for _, c := range e.children {
		b.enter(c)
	}
	b.settle(e)
}

// begin sets an element to running.
func (b *Board) begin(e *Element) {
	e.reset()
	e.executions++
	b.change(e, StartTransition, Running, e.start.reason())
}

// launch starts an element that was in standby.
func (b *Board) launch(e *Element) error {
	if e.Kind == Event {
		return b.launchEvent(e)
	}
	b.begin(e)
	for _, c := range e.children {
		b.enter(c)
	}
	b.settle(e)
	return nil
}

func (b *Board) launchEvent(e *Element) error {
	for _, sibling := range e.parent.children {
		if sibling == e || sibling.status != Running {
			continue
		}
		if e.priority == "skip" {
			b.skip(e, "while "+sibling.Name+" runs")
			return nil
		}
		if e.priority == "override" || e.priority == "overwrite" {
			b.stop(sibling, "overridden by "+e.Name)
		}
	}
	mask := e.start.triggering()
	b.begin(e)
	for _, a := range e.children {
		if e.status != Running { // stopped by one of its own actions
			return nil
		}
		if err := b.launchAction(a, mask); err != nil {
			return err
		}
	}
	b.settle(e)
	return nil
}

// skip uses up one execution of an event. The parent element continues, because a sibling is
// running.
func (b *Board) skip(e *Element, cause string) {
	e.executions++
	status := Standby
	if e.executions >= e.limit {
		status = Complete
		e.close()
	}
	b.change(e, SkipTransition, status, cause)
}

// settle ends an element if everything in it is complete.
func (b *Board) settle(e *Element) {
	if e != nil && e.Kind != Storyboard && e.status == Running && e.done() {
		b.finish(e)
	}
}

// finish ends an element normally.
func (b *Board) finish(e *Element) {
	status := Complete
	if (e.Kind == Event || e.Kind == ManeuverGroup) && e.executions < e.limit {
		status = Standby
	}
	b.change(e, EndTransition, status, "")
	if status == Complete {
		b.settle(e.parent)
	}
}

// stop ends an element and everything in it.
func (b *Board) stop(e *Element, cause string) {
	if e == b.root {
		b.left = b.Waits()
	}
	b.halt(e, cause)
	b.settle(e.parent)
}

func (b *Board) halt(e *Element, cause string) {
	if e.Kind == Storyboard {
		for _, a := range b.actions {
			if a.init {
				b.halt(a, cause)
			}
		}
	}
	for _, c := range e.children {
		b.halt(c, cause)
	}
	switch e.status {
	case Standby, Running:
		for _, r := range e.runs {
			r.halt()
		}
		b.change(e, StopTransition, Complete, cause)
	default:
		e.status = Complete
	}
}

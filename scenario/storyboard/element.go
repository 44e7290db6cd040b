package storyboard

import (
	"strings"

	"gosmp/internal/fault"
)

// Kind is the type of an element of the storyboard.
type Kind uint8

// The kinds of elements, from the top.
const (
	Storyboard Kind = iota
	Story
	Act
	ManeuverGroup
	Maneuver
	Event
	ActionElement
)

// kindNames are spelled as in StoryboardElementType.
var kindNames = [...]string{"storyboard", "story", "act", "maneuverGroup", "maneuver", "event",
	"action"}

// String returns the name of the kind, as in StoryboardElementType.
func (k Kind) String() string { return kindNames[k] }

// Status is the state of an element as a level.
type Status uint8

// The states of an element.
const (
	Idle Status = iota // before its parent has started
	Standby
	Running
	Complete
)

var statusNames = [...]string{"idle", "standbyState", "runningState", "completeState"}

// String returns the name of the state, as in StoryboardElementState.
func (s Status) String() string { return statusNames[s] }

// Transition is a transition between states.
type Transition uint8

// The transitions. NoTransition is the change to standby when the parent starts.
const (
	NoTransition Transition = iota
	StartTransition
	EndTransition
	StopTransition
	SkipTransition
	transitions
)

var transitionNames = [transitions]string{"", "startTransition", "endTransition", "stopTransition",
	"skipTransition"}

// String returns the name of the transition, as in StoryboardElementState.
func (t Transition) String() string { return transitionNames[t] }

// Element is an element of the storyboard: the storyboard itself, a story, and so on down to an
// action.
type Element struct {
	Kind  Kind
	Name  string
	Path  string // the names starting with the story, separated by ::
	Place fault.Place

	parent     *Element
	children   []*Element
	index      int // the position in document order
	status     Status
	happened   [transitions]moment
	executions int
	limit      int // the maximum number of executions of an event or a maneuver group
	priority   string
	start      *trigger
	stop       *trigger
	runs       []*run // of an action
	init       bool   // an action of Init
}

// moment says when a transition last happened.
type moment struct {
	pass   int // number of the evaluation, starting at 1; 0: never
	number int // its number among all transitions
	cursor int // the index of the element that was being visited
}

// Status returns the current state.
func (e *Element) Status() Status { return e.status }

// Executions returns how many executions of an event or a maneuver group have started or been
// skipped, not counting earlier executions of its parent.
func (e *Element) Executions() int { return e.executions }

// Parent returns the enclosing element; or nil for the storyboard.
func (e *Element) Parent() *Element { return e.parent }

// Children returns the elements directly inside the element.
func (e *Element) Children() []*Element { return e.children }

// String returns the kind and the path: "event CutIn::Act::Group::Maneuver::Event".
func (e *Element) String() string {
	if e.Kind == Storyboard {
		return "storyboard"
	}
	return e.Kind.String() + " " + e.Path
}

// names returns what a reference to the element may state: its name, or the end of its path.
func (e *Element) names() []string {
	list := []string{e.Name}
	for path, more := e.Path, true; more; _, path, more = strings.Cut(path, "::") {
		if path != e.Name {
			list = append(list, path)
		}
	}
	return list
}

// isWithin reports whether the element is scope or lies in it.
func (e *Element) isWithin(scope *Element) bool {
	for e != nil && e != scope {
		e = e.parent
	}
	return e == scope
}

// done reports whether everything in the element is complete.
func (e *Element) done() bool {
	for _, c := range e.children {
		if c.status != Complete {
			return false
		}
	}
	return true
}

// close completes everything in an element that has no executions left.
func (e *Element) close() {
	for _, c := range e.children {
		c.status = Complete
		c.close()
	}
}

// reset resets everything below an element before the element starts again.
func (e *Element) reset() {
	for _, c := range e.children {
		c.status, c.executions = Idle, 0
		c.start.reset()
		c.reset()
	}
}

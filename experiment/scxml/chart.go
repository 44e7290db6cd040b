package scxml

import "gosmp/internal/fault"

// Chart is a statechart, read and compiled. It never changes: any number of machines in any number
// of goroutines can run it. States holds all states in document order; the first is the scxml
// element itself.
type Chart struct {
	File     string // as passed to Parse, for messages
	Name     string // attribute name
	Language Language
	Late     bool // binding="late"
	States   []*State
	Scripts  []*Script // global scripts, in document order

	config  Config
	element *Element
	byID    map[string]*State
	invokes []*Invoke // all, in document order
	sum     uint64    // checksum of the text, which identifies the chart of a saved state
}

// Kind is the kind of a state.
type Kind uint8

// The kinds of states. A Compound is a state element with child states; an Atomic state has none.
const (
	Root Kind = iota // the scxml element
	Atomic
	Compound
	Parallel
	Final
	History
)

var kindNames = [...]string{"scxml", "atomic state", "compound state", "parallel", "final",
	"history"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// State is a state of a chart, or the chart's root.
type State struct {
	ID          string // generated on loading for states without an id; "" only for the root
	Named       bool   // the id was given by the author
	Kind        Kind
	Deep        bool // history of type deep
	Parent      *State
	Children    []*State      // states, parallels and finals, in document order
	Histories   []*State      // history children
	Initial     *Transition   // how a Root or Compound is entered by default; never nil there
	Transitions []*Transition // in document order; a history's transition is its default
	OnEntry     []Block
	OnExit      []Block
	Data        []*Data
	Invokes     []*Invoke
	DoneData    *Payload // of a final state, or nil
	Position    Position

	element       *Element
	index, last   int    // place in document order; the descendants are (index, last]
	doneEvent     string // "done.state.ID"
	history       int    // index of a history's value in a machine
	initialExists bool   // the author wrote an initial attribute or element
}

// Transition is a transition, including the transition of an initial or history element.
type Transition struct {
	Source     *State
	Events     []string // descriptors without a trailing ".*" or "."; "*" matches every event
	Cond       *Expression
	Targets    []*State
	Internal   bool
	Content    Block
	Position   Position
	element    *Element
	order      int  // index among the chart's transitions
	eventless  bool // no event attribute
	wildcard   bool // one of Events is "*"
	unresolved bool // a target does not exist
}

// Block is executable content that ends at its first error: one onentry or onexit element, or the
// content of a transition.
type Block []Action

// Action is one of Raise, Log, If, ForEach, Assign, Script, Send and Cancel.
type Action interface{ node() *Element }

type action struct{ element *Element }

func (a action) node() *Element { return a.element }

// Source returns the element of an action.
func Source(a Action) *Element { return a.node() }

type (
	// Raise puts an internal event into the machine's own queue.
	Raise struct {
		action
		Event string
	}
	// Log reports a value to the observer.
	Log struct {
		action
		Label string
		Expr  *Expression
	}
	// If executes the first branch whose condition holds.
	If struct {
		action
		Branches []Branch
	}
	// Branch is an if, elseif or else; an else has no condition.
	Branch struct {
		Cond    *Expression
		Content Block
		element *Element
	}
	// ForEach executes its content once for each item of a copy of an array.
	ForEach struct {
		action
		Array       *Expression
		Item, Index *Expression // variables; Index may be nil
		Content     Block
	}
	// Assign sets a location.
	Assign struct {
		action
		Location *Expression
		Value    *Given
	}
	// Script runs statements.
	Script struct {
		action
		Code *Expression
	}
	// Cancel drops a delayed event.
	Cancel struct {
		action
		SendID Text
	}
	// Send sends an event.
	Send struct {
		action
		Event, Target, Type, Delay Text
		ID                         string
		IDLocation                 *Expression
		Payload                    Payload
		External                   *External
	}
)

// Text is an attribute that has two forms: a text, or an expression that yields one. The zero value
// means that it is absent.
type Text struct {
	Given bool
	Value string
	Expr  *Expression
}

// Payload is the data that namelist, param and content elements pass to an event or to an invoked
// machine.
type Payload struct {
	Params  []Param // namelist first, then param elements
	Content *Given
}

// Param is a name with the expression for its value. Location is set if the expression is a
// location that finalize may set.
type Param struct {
	Name     string
	Expr     *Expression
	Location *Expression
	element  *Element
}

// Given is a value that the chart states: an expression, inline text or elements, or a file named
// by src. On loading, inline text is parsed as JSON, or else as XML, or else as a string with
// normalized white space (X18).
type Given struct {
	Expr    *Expression
	Src     string
	Value   Value
	Chart   *Chart // content of an invoke: the chart inside
	element *Element
	err     error // the src file could not be read
}

// Data is a variable with its initial value; Value is nil if it has none.
type Data struct {
	ID       string
	Value    *Given
	variable *Expression
	element  *Element
}

// Invoke starts another machine while its state is active, or reads a channel (Register).
type Invoke struct {
	Type, Src   Text
	ID          string
	IDLocation  *Expression
	Payload     Payload
	AutoForward bool
	Finalize    Block
	HasFinalize bool
	Register    *Register // of a registerEvent element; then nothing else is set
	State       *State
	element     *Element
	index       int // index among the chart's invokes
}

// Register is a registerEvent element of an NRP experiment: each datum on a topic raises an event.
type Register struct{ Event, Topic, DataClass string }

// External is a send to the outside world of a type defined by the NRP extension: a Message or a
// ServiceRequest.
type External struct {
	Service  bool
	DataType string // data_type of a Message, service_type of a ServiceRequest
	Blocking bool
}

// Expression is an expression, location or script of the data model, compiled on loading. Err
// states why it does not parse; such an expression fails when it is evaluated, not on loading.
type Expression struct {
	Text     string
	Role     Role
	Code     Code
	Err      error
	Position Position
	element  *Element
}

// State returns the state with the given id, or nil.
func (c *Chart) State(id string) *State { return c.byID[id] }

// Root returns the scxml element.
func (c *Chart) Root() *State { return c.States[0] }

// Element returns the root element of the chart's document.
func (c *Chart) Element() *Element { return c.element }

func (c *Chart) place(p Position, object string) fault.Place {
	return fault.Place{File: c.File, Line: p.Line, Column: p.Column, Object: object}
}

// IsDescendant reports whether the state is inside another one; a state is not its own descendant.
func (q *State) IsDescendant(of *State) bool { return of.index < q.index && q.index <= of.last }

// Element returns the element of the state.
func (q *State) Element() *Element { return q.element }

// String returns the id, or "scxml" for the root.
func (q *State) String() string {
	if q.Kind == Root {
		return "scxml"
	}
	return q.ID
}

// Eventless reports whether the transition is taken without an event.
func (t *Transition) Eventless() bool { return t.eventless }

// Element returns the element of the transition, or the element of the state for an initial
// attribute or a first child.
func (t *Transition) Element() *Element { return t.element }

// matches implements nameMatch of Appendix D: a descriptor matches an event whose name begins with
// the same parts.
func (t *Transition) matches(name string) bool {
	if t.wildcard {
		return true
	}
	for _, d := range t.Events {
		if MatchEvent(d, name) {
			return true
		}
	}
	return false
}

// MatchEvent reports whether one event descriptor, without a trailing "*" or ".", matches the name
// of an event: "a.b" matches "a.b" and "a.b.c", but not "a.bc" (X10).
func MatchEvent(descriptor, name string) bool {
	if descriptor == "*" {
		return true
	}
	n := len(descriptor)
	return len(name) >= n && name[:n] == descriptor && (len(name) == n || name[n] == '.')
}

// Element returns the element of the invoke.
func (i *Invoke) Element() *Element { return i.element }

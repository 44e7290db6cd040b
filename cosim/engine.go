package cosim

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/timebase"
)

// Algorithm determines which values participants use in a step.
type Algorithm uint8

const (
	// Sequential is Gauss-Seidel: participants step one after another, and each receives the values
	// that earlier participants have produced in this step.
	Sequential Algorithm = iota
	// Parallel is Jacobi: participants step at the same time, all with the values of the last
	// communication point. Each connection lags by one step. The results do not depend on the
	// number of threads.
	Parallel
)

var algorithmNames = [...]string{"sequential", "parallel"}

// String returns "sequential" or "parallel".
func (a Algorithm) String() string { return algorithmNames[a] }

// Spec describes a run.
type Spec struct {
	Start, Stop timebase.Time // Stop may be EndOfTime
	Step        Grid          // the base step; participants may have multiples of it
	// From and Until are Start and Stop as the user stated them, such as 1/3 s. Participants
	// receive them unrounded. They are used if they round to Start and Stop, and need not be set if
	// Start and Stop are exact.
	From, Until timebase.Rational
	Algorithm   Algorithm
	// Threads of Parallel; 0 means GOMAXPROCS. With 1, steps do not overlap with either algorithm.
	Threads int
	// Rollback saves the state of every participant at each point, so that a discarded step can be
	// retried with half its length. All participants must be Restorers.
	Rollback bool
	// Speed is the number of simulated seconds per second; 0 means as fast as possible.
	Speed float64
	Clock timebase.TimeSource // for Speed; nil means timebase.SystemTime()
	// Behind is called once, when the run falls behind the clock; it may be nil.
	Behind func(timebase.Delay)
}

// Result describes the outcome of a run. It is updated during the run.
type Result struct {
	Spec      Spec
	Reached   timebase.Time
	Steps     int64  // completed communication steps
	Events    int64  // of participants
	EndedBy   string // the participant that ended the run before the stop time
	Shortened bool   // the last step was shorter than the others
	// the last step would have been too short for a participant, so the run ended before its stop
	// time
	Early bool
	Order []string // in which participants step, or are called if they step concurrently
	Rates []Rate   // of the participants, in the same order
	Links []Link   // the graph: all connections, in the order of Connect
	// connections that lag by a step because they close a cycle; empty in Parallel, where all lag
	Cuts  []string
	Loops []Loop        // of the initialization
	Notes []string      // for the user: loops that did not converge, messages of different versions
	Lag   *timebase.Lag // nil without Spec.Speed
	Cause error         // the error that ended the run; nil if it was completed
	scale timebase.Scale
}

// Rate is the step size of a participant.
type Rate struct {
	Participant string
	Multiple    int64   // base steps in one of its own steps
	Step        float64 // seconds
}

// Link is a connection of the graph.
type Link struct {
	From, To string // participant.variable
	Lags     bool   // the value arrives one step later
	// Extrapolated means that the value changes linearly within a step; see [Slope].
	Extrapolated bool
	// Initial means that the value sets a parameter, during initialization only.
	Initial bool
}

// Loop is a set of connections whose values depend on each other during initialization.
type Loop struct {
	Connections []string // formatted as from = to
	Rounds      int      // of iteration
	Settled     bool     // the last round changed nothing
}

// RunError is an error of a participant, with its time.
type RunError struct {
	Participant string
	Time        timebase.Time // where the failed step began
	Seconds     float64       // the same instant, as the participant received it
	Step        int64         // its number, from 1; 0 before the first one
	Cause       error
}

// Error returns participant, time and cause in one line.
func (e *RunError) Error() string {
	if e.Step == 0 {
		return fmt.Sprintf("%s: %v", e.Participant, e.Cause)
	}
	return fmt.Sprintf("%s: at %s s, step %d: %v", e.Participant, string(appendFloat(nil, e.Seconds,
		64)), e.Step, e.Cause)
}

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Cause }

// Engine runs participants. Create it with [New], then call Add, Connect, Watch, Drive and Observe.
// Then either call Run, or Start, Step any number of times, and Finish.
type Engine struct {
	spec        Spec
	members     []*member
	connections []Connection
	signals     []*Signal
	controls    []*Control
	observers   []Observer
	order       []*member // participants in the order of their steps
	sources     []*member
	fed         timebase.Time // the time of the values of the sources
	feeding     sync.Mutex    // for the sources, within a step of Parallel
	stages      []stage       // of the initialization
	errs        []error       // of Add, Connect, Watch and Drive
	result      Result
	phase       phase
	point       int64 // the number of the last communication point
	trial       int   // how often the current step has been halved
	stepping    bool
	lastRow     Row
	lastTime    timebase.Time
	agenda      agenda
	courses     []Course
	ahead       bool // Continue has been called
	team        *team
	job         func(k int)     // the method work as a value, created once
	ctx         context.Context // of the current step; used by job
	span        timebase.Span   // as ctx
	pace        timebase.Pace
	scale       *timebase.Scale
}

// New creates an engine without participants.
func New(s Spec) *Engine {
	e := &Engine{spec: s, pace: timebase.Pace{Speed: s.Speed, Clock: s.Clock}}
	if e.pace.Clock == nil {
		e.pace.Clock = timebase.SystemTime()
	}
	if s.Speed > 0 {
		e.result.Lag = &timebase.Lag{}
	}
	if s.Behind != nil {
		e.pace.Behind = e.behind
	}
	e.job = e.work
	return e
}

// Add adds a participant that uses the base step. Start reports mistakes in Add, Connect, Watch and
// Drive.
func (e *Engine) Add(name string, p Participant) { e.AddEvery(name, p, Grid{}) }

// AddEvery adds a participant with its own step, which must be a multiple of the base step. The
// participant uses the values at the beginning of its step, and its outputs hold until its step
// ends.
func (e *Engine) AddEvery(name string, p Participant, step Grid) {
	e.add(&member{name: name, participant: p, variables: p.Variables(), traits: p.Traits(),
		step: step, every: 1})
}

// AddSource adds a source that provides values for inputs.
func (e *Engine) AddSource(name string, s Source) {
	e.add(&member{name: name, source: s, variables: s.Variables()})
}

func (e *Engine) add(m *member) {
	if m.name == "" || e.member(m.name) != nil {
		e.errs = append(e.errs, fault.New(ErrName, fault.Place{}, fmt.Sprintf("%q", m.name),
			"a name different from all other participants"))
	}
	m.byName = make(map[string]int, len(m.variables))
	for k := range m.variables {
		m.byName[m.variables[k].Name] = k
	}
	m.number = len(e.members)
	e.members = append(e.members, m)
}

func (e *Engine) member(name string) *member {
	for _, m := range e.members {
		if m.name == name {
			return m
		}
	}
	return nil
}

// Connect connects an output to an input, both as participant.variable.
func (e *Engine) Connect(from, to string) { e.ConnectAs(Connection{From: from, To: to}) }

// ConnectAs is like Connect, with conversions and other options.
func (e *Engine) ConnectAs(c Connection) { e.connections = append(e.connections, c) }

// Watch lets observers read a variable.
func (e *Engine) Watch(name string) *Signal {
	s := &Signal{}
	m, k, err := e.find(name)
	if err != nil {
		e.errs = append(e.errs, err)
		return s
	}
	s.Participant, s.Variable, s.owner, s.number = m.name, m.variables[k], m, k
	e.signals = append(e.signals, s)
	return s
}

// Observe adds an observer.
func (e *Engine) Observe(o Observer) { e.observers = append(e.observers, o) }

// Result returns the result of the run so far.
func (e *Engine) Result() *Result { return &e.result }

// find looks up a variable by participant.variable; both names may contain dots.
func (e *Engine) find(name string) (*member, int, error) {
	for k, c := range name {
		if c != '.' {
			continue
		}
		if m := e.member(name[:k]); m != nil {
			if n, ok := m.byName[name[k+1:]]; ok {
				return m, n, nil
			}
		}
	}
	return nil, 0, fault.New(ErrName, fault.Place{}, fmt.Sprintf("%q", name),
		"participant.variable"+e.near(name))
}

// near suggests names that differ only in case or in a few characters.
func (e *Engine) near(name string) string {
	var all []string
	for _, m := range e.members {
		for k := range m.variables {
			all = append(all, m.name+"."+m.variables[k].Name)
		}
	}
	if list := similar.Names(name, all); len(list) > 0 {
		return ", such as " + strings.Join(list, ", ")
	}
	return ""
}

// threads returns the number of threads on which participants step.
func (e *Engine) threads() int {
	n := e.spec.Threads
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if e.spec.Algorithm == Sequential {
		n = 1
	}
	return min(n, len(e.order))
}

// wrap adds participant and time to an error.
func (m *member) wrap(e *Engine, err error) error {
	if err == nil {
		return nil
	}
	var done *RunError
	if errors.As(err, &done) {
		return err
	}
	step := e.result.Steps + 1
	if !m.entered || e.result.Steps == 0 && !e.stepping {
		step = 0
	} else if !e.stepping {
		step--
	}
	return &RunError{Participant: m.name, Time: m.now, Seconds: e.result.Seconds(m.now), Step: step,
		Cause: err}
}

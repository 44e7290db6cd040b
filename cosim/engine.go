package cosim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// at is the place of something without a file.
func at(object string) fault.Place { return fault.At(object) }

// Spec says what is run.
type Spec struct {
	Start, Stop timebase.Time // Stop may be EndOfTime
	Step        Grid
	// Rollback keeps a state of every participant at each point, so that a discarded step can be tried with half its length. All
	// participants have to be Restorers.
	Rollback bool
	// Speed is how many seconds of simulation pass in a second; 0 means as fast as possible.
	Speed float64
	Clock timebase.TimeSource // for Speed; nil means timebase.SystemTime()
}

// Result says what came of a run. It grows while it runs.
type Result struct {
	Spec      Spec
	Reached   timebase.Time
	Steps     int64    // communication steps that were done
	Events    int64    // of participants
	EndedBy   string   // the participant that ended the run before the stop time
	Shortened bool     // the last step was shorter than the others
	Early     bool     // the last step would have been too short for a participant: the run ended before its stop time
	Order     []string // in which participants step
	Cuts      []string // connections that lag by a step, since they close a cycle
	Late      timebase.Time
	Cause     error // what ended the run; nil if it came to its end
}

// RunError is an error of a participant, with when it happened.
type RunError struct {
	Participant string
	Time        timebase.Time // where the failed step began
	Step        int64         // its number, from 1; 0 before the first one
	Cause       error
}

// Error is participant, time and cause in one line.
func (e *RunError) Error() string {
	if e.Step == 0 {
		return fmt.Sprintf("%s: %v", e.Participant, e.Cause)
	}
	return fmt.Sprintf("%s: at %s s, step %d: %v", e.Participant, string(appendFloat(nil, e.Time.Seconds(), 64)), e.Step, e.Cause)
}

// Unwrap is the cause.
func (e *RunError) Unwrap() error { return e.Cause }

// member is a participant in an engine, or a source.
type member struct {
	name        string
	participant Participant
	source      Source
	variables   []Variable
	traits      Traits
	byName      map[string]int
	inputs      []int
	outputs     []int
	in, out     *Frame
	links       []*link // into it
	feeds       bool    // there are links from it
	entered     bool
	failed      bool
	now         timebase.Time
}

// Signal is a variable that somebody reads at each row.
type Signal struct {
	Participant string
	Variable    Variable
	label       string
	owner       int
	number      int
	frame       *Frame
	port        Port
}

// Name is participant.variable.
func (s *Signal) Name() string { return s.Participant + "." + s.Variable.Name }

// Label is what observers call the signal: what SetLabel has said, else participant.variable.
func (s *Signal) Label() string {
	if s.label != "" {
		return s.label
	}
	return s.Name()
}

// SetLabel gives the signal another name for observers and returns it.
func (s *Signal) SetLabel(label string) *Signal {
	s.label = label
	return s
}

// Cells are the elements of a signal of a plain kind; see [Frame].
func (s *Signal) Cells() []uint64 { return s.frame.Cells[s.port.Offset : s.port.Offset+s.port.Size] }

// Blobs are the elements of a text or a binary.
func (s *Signal) Blobs() [][]byte { return s.frame.Blobs[s.port.Offset : s.port.Offset+s.port.Size] }

// Engine runs participants. Make it by [New], then Add, Connect, Watch and Observe, then Run, once.
type Engine struct {
	spec        Spec
	members     []*member
	connections []Connection
	signals     []*Signal
	observers   []Observer
	order       []*member // participants in the order of their steps
	sources     []*member
	result      Result
	cycles      [][]*member // sets of participants that depend on each other, in order
	errs        []error     // of Add, Connect and Watch
	trial       int         // how often the current step was halved
	stepping    bool
	lastRow     Row
	lastTime    timebase.Time
}

// New makes an engine without participants.
func New(s Spec) *Engine { return &Engine{spec: s} }

// Add adds a participant. Mistakes in Add, Connect and Watch are reported by Run.
func (e *Engine) Add(name string, p Participant) {
	e.add(&member{name: name, participant: p, variables: p.Variables(), traits: p.Traits()})
}

// AddSource adds a source of values for inputs.
func (e *Engine) AddSource(name string, s Source) {
	e.add(&member{name: name, source: s, variables: s.Variables()})
}

func (e *Engine) add(m *member) {
	if m.name == "" || e.member(m.name) != nil {
		e.errs = append(e.errs, &Error{Kind: ErrName, Found: fmt.Sprintf("%q", m.name), Expected: "a name that no other participant has"})
	}
	m.byName = make(map[string]int, len(m.variables))
	for k := range m.variables {
		m.byName[m.variables[k].Name] = k
	}
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

// ConnectAs is Connect with a conversion of units.
func (e *Engine) ConnectAs(c Connection) { e.connections = append(e.connections, c) }

// Watch makes a variable readable for observers.
func (e *Engine) Watch(name string) *Signal {
	s := &Signal{}
	m, k, err := e.find(name)
	if err != nil {
		e.errs = append(e.errs, err)
		return s
	}
	s.Participant, s.Variable, s.owner, s.number = m.name, m.variables[k], slices.Index(e.members, m), k
	e.signals = append(e.signals, s)
	return s
}

// Observe adds an observer.
func (e *Engine) Observe(o Observer) { e.observers = append(e.observers, o) }

// find looks participant.variable up; both may contain dots.
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
	return nil, 0, &Error{Kind: ErrName, Found: fmt.Sprintf("%q", name), Expected: "participant.variable" + e.near(name)}
}

// near suggests names that differ in case or in few characters.
func (e *Engine) near(name string) string {
	var all []string
	for _, m := range e.members {
		for k := range m.variables {
			all = append(all, m.name+"."+m.variables[k].Name)
		}
	}
	if list := Near(name, all); len(list) > 0 {
		return ", such as " + strings.Join(list, ", ")
	}
	return ""
}

// Run runs the simulation and closes all participants. The result is there also with an error, which wraps that of ctx, is a
// [RunError] or says what is wrong with the run; then nothing was started.
func (e *Engine) Run(ctx context.Context) (*Result, error) {
	e.result = Result{Spec: e.spec, Reached: e.spec.Start}
	err := e.prepare()
	if err == nil {
		err = e.simulate(ctx)
	}
	e.result.Cause = err
	for _, m := range e.order {
		if m.entered && !m.failed {
			err = firstOf(err, m.wrap(e, m.participant.Stop(context.WithoutCancel(ctx))))
		}
	}
	e.result.Cause = err
	for _, o := range e.observers {
		err = firstOf(err, o.End(&e.result))
	}
	for _, m := range e.members {
		if m.participant != nil {
			err = firstOf(err, m.wrap(e, m.participant.Close()))
		}
	}
	e.result.Cause = err
	return &e.result, err
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// wrap adds who and when to an error of a participant.
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
	return &RunError{Participant: m.name, Time: m.now, Step: step, Cause: err}
}

// prepare checks everything that can be checked before something is started.
func (e *Engine) prepare() error {
	if err := errors.Join(e.errs...); err != nil {
		return err
	}
	if err := e.check(); err != nil {
		return err
	}
	links, err := e.resolve()
	if err != nil {
		return err
	}
	e.arrange(links)
	return e.bind(links)
}

func (e *Engine) check() error {
	s := &e.spec
	switch {
	case s.Step.IsZero():
		return &Error{Kind: ErrSpec, Place: at("step size"), Found: "none", Expected: "seconds from 1e-9 to 1e9"}
	case s.Stop < s.Start:
		return &Error{Kind: ErrSpec, Place: at("stop time"), Found: s.Stop.String(), Expected: "not before the start at " + s.Start.String()}
	case s.Speed < 0:
		return &Error{Kind: ErrSpec, Place: at("speed"), Found: fmt.Sprint(s.Speed), Expected: "a positive number"}
	}
	for _, m := range e.members {
		if m.participant != nil && s.Rollback && !m.traits.Restores {
			return &Error{Kind: ErrSpec, Place: at(m.name), Found: "a participant that cannot restore a state",
				Expected: "one that can", Hint: "run without rollback"}
		}
	}
	return nil
}

// resolve makes links of connections.
func (e *Engine) resolve() ([]*link, error) {
	var links []*link
	taken := map[string]string{}
	for _, c := range e.connections {
		from, output, err := e.find(c.From)
		if err != nil {
			return nil, err
		}
		to, input, err := e.find(c.To)
		if err != nil {
			return nil, err
		}
		if other := taken[c.To]; other != "" {
			return nil, &Error{Kind: ErrConnection, Place: at(c.From + " = " + c.To), Found: "a second connection, the first one is from " + other,
				Expected: "one for each input"}
		}
		taken[c.To] = c.From
		l := &link{from: slices.Index(e.members, from), to: slices.Index(e.members, to), output: output, input: input, connection: c}
		if err := l.fit(&from.variables[output], &to.variables[input]); err != nil {
			return nil, err
		}
		links = append(links, l)
		to.links = append(to.links, l)
	}
	return links, nil
}

// bind asks every participant for its frames and completes links and signals.
func (e *Engine) bind(links []*link) error {
	for _, l := range links {
		from, to := e.members[l.from], e.members[l.to]
		from.outputs, to.inputs = with(from.outputs, l.output), with(to.inputs, l.input)
		from.feeds = true
	}
	for _, s := range e.signals {
		m := e.members[s.owner]
		m.outputs = with(m.outputs, s.number)
	}
	for _, m := range e.members {
		var err error
		if m.source != nil {
			m.out, err = m.source.Bind(m.outputs)
		} else {
			m.in, m.out, err = m.participant.Bind(m.inputs, m.outputs)
		}
		if err != nil {
			return m.wrap(e, err)
		}
	}
	for _, l := range links {
		from, to := e.members[l.from], e.members[l.to]
		l.out, l.in = from.out, to.in
		l.fromAt, l.toAt = l.out.Ports[slices.Index(from.outputs, l.output)].Offset, l.in.Ports[slices.Index(to.inputs, l.input)].Offset
	}
	for _, s := range e.signals {
		m := e.members[s.owner]
		s.frame = m.out
		s.port = m.out.Ports[slices.Index(m.outputs, s.number)]
	}
	return nil
}

func with(list []int, n int) []int {
	if slices.Contains(list, n) {
		return list
	}
	return append(list, n)
}

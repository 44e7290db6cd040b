package cosim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gosmp/internal/fault"
)

// prepare performs all checks that are possible before any participant is started.
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
	if err := e.arrange(links); err != nil {
		return err
	}
	if err := e.bind(links); err != nil {
		return err
	}
	e.gather()
	e.schedule()
	e.embark()
	e.refine()
	e.stages = e.plan(links)
	e.team = newTeam(e.threads())
	return nil
}

func (e *Engine) check() error {
	s := &e.spec
	switch {
	case s.Step.IsZero():
		return fault.New(ErrSpec, fault.At("step size"), "none", "seconds from 1e-9 to 1e9")
	case s.Stop < s.Start:
		return fault.New(ErrSpec, fault.At("stop time"), s.Stop.String(),
			"not before the start at "+
				s.Start.String())
	case s.Speed < 0:
		return fault.New(ErrSpec, fault.At("speed"), fmt.Sprint(s.Speed), "a positive number")
	case s.Algorithm > Parallel:
		return fault.New(ErrSpec, fault.At("algorithm"), fmt.Sprint(uint8(s.Algorithm)),
			"Sequential or Parallel")
	}
	for _, m := range e.members {
		if m.participant == nil {
			continue
		}
		if s.Rollback && !m.traits.Restores {
			return fault.New(ErrSpec, fault.At(m.name), "a participant that cannot restore a state",
				"one that can").WithHint("run without rollback")
		}
		if err := m.setRate(s.Step); err != nil {
			return err
		}
	}
	return nil
}

// setRate determines the participant's step in base steps.
func (m *member) setRate(base Grid) error {
	m.every = 1
	if !m.step.IsZero() {
		times, whole := base.In(m.step)
		if !whole {
			return fault.New(ErrSpec, fault.At(m.name),
				fmt.Sprintf("a step of %v s", m.step.Seconds()),
				fmt.Sprintf("a multiple of the base step of %v s", base.Seconds()))
		}
		m.every = times
	}
	own, fixed := base.Times(m.every), m.traits.FixedStep
	if _, whole := fixed.In(own); !fixed.IsZero() && !whole {
		return fault.New(ErrSpec, fault.At(m.name), fmt.Sprintf("a step of %v s", own.Seconds()),
			fmt.Sprintf("a multiple of its own fixed step of %v s", fixed.Seconds()))
	}
	return nil
}

// resolve converts connections to links.
func (e *Engine) resolve() ([]*link, error) {
	var links []*link
	taken := e.driven()
	for _, c := range e.connections {
		from, output, err := e.find(c.From)
		if err != nil {
			return nil, err
		}
		to, input, err := e.find(c.To)
		if err != nil {
			return nil, err
		}
		l := &link{from: from, to: to, output: output, input: input, connection: c}
		note, err := l.fit(&from.variables[output], &to.variables[input])
		if err != nil {
			return nil, err
		}
		if note != "" {
			e.result.Notes = append(e.result.Notes, note)
		}
		if other := taken.add(l); other != "" {
			return nil, fault.New(ErrConnection, fault.At(l.name()),
				"a second connection, the first one is from "+other, "one for each input")
		}
		links = append(links, l)
		to.links = append(to.links, l)
	}
	return links, nil
}

// inflows holds the sources of each variable that has any: one for the whole variable, or one each
// for some of its elements.
type inflows map[node]*inflow

type inflow struct {
	whole    string         // the source of the whole variable
	any      string         // the first source of an element
	elements map[int]string // their sources
}

// driven returns the variables that the user of the engine sets.
func (e *Engine) driven() inflows {
	taken := inflows{}
	for _, c := range e.controls {
		taken[node{c.owner, c.number, true}] = &inflow{whole: "outside"}
	}
	return taken
}

// add records a link. If its destination already has a source, add returns that source.
func (t inflows) add(l *link) (other string) {
	into, from := node{l.to, l.input, true}, end(l.connection.From, l.connection.FromIndices)
	f := t[into]
	whole := len(l.connection.ToIndices) == 0
	switch {
	case f == nil && whole:
		t[into] = &inflow{whole: from}
		return ""
	case f == nil:
		t[into] = &inflow{any: from, elements: map[int]string{l.toAt: from}}
		return ""
	case f.whole != "" || whole:
		return cmp.Or(f.whole, f.any)
	case f.elements[l.toAt] != "":
		return f.elements[l.toAt]
	}
	f.elements[l.toAt] = from
	return ""
}

// bind binds every participant and completes links, signals and controls.
func (e *Engine) bind(links []*link) error {
	e.use(links)
	for _, m := range e.members {
		if err := m.bind(); err != nil {
			return m.wrap(e, err)
		}
	}
	at := portNumbers{}
	for _, l := range links {
		l.out, l.in = l.from.shown, l.to.in
		l.fromAt += at.port(l.out, l.output).Offset
		l.toPort = at.number(l.in, l.input)
		l.toAt += l.in.Ports[l.toPort].Offset
		l.sendSlopes()
		if l.to.variables[l.input].Continuous {
			l.jumper, _ = l.from.source.(jumper)
		}
		if l.connection.Extrapolation == Slope {
			l.extrapolate()
		}
		if l.line != nil {
			l.line.scale = e.scale
		}
	}
	e.noteHeld(links)
	for _, s := range e.signals {
		s.frame = s.owner.shown
		s.port = at.port(s.frame, s.number)
	}
	for _, c := range e.controls {
		c.frame = c.owner.in
		c.port = at.port(c.frame, c.number)
	}
	return nil
}

// use determines the inputs and outputs of each participant that are in use, in the order of
// their first use.
func (e *Engine) use(links []*link) {
	seen := map[node]bool{}
	first := func(n node) bool {
		again := seen[n]
		seen[n] = true
		return !again
	}
	read := func(m *member, output int) {
		if first(node{m, output, false}) {
			m.outputs = append(m.outputs, output)
		}
	}
	set := func(m *member, input int) {
		if first(node{m, input, true}) {
			m.inputs = append(m.inputs, input)
		}
	}
	for _, l := range links {
		read(l.from, l.output)
		set(l.to, l.input)
	}
	for _, s := range e.signals {
		read(s.owner, s.number)
	}
	for _, c := range e.controls {
		set(c.owner, c.number)
	}
}

// sendSlopes also transfers slopes, if the producer is a source that has them, the consumer uses
// them, and no conversion applies.
func (l *link) sendSlopes() {
	to := &l.to.variables[l.input]
	l.slopes = l.from.source != nil && l.out.Slopes != nil && l.to.traits.Slopes && to.Continuous &&
		!to.Held && to.Kind == Float64 && l.convert == nil
	if l.slopes && l.in.Slopes == nil {
		l.in.Slopes = make([]float64, len(l.in.Cells))
	}
}

func (m *member) bind() (err error) {
	if m.source != nil {
		m.out, err = m.source.Bind(m.outputs)
		m.shown = m.out
		return err
	}
	m.in, m.out, err = m.participant.Bind(m.inputs, m.outputs)
	m.shown = m.out
	if m.every > 1 && err == nil {
		m.shown = &Frame{Ports: m.out.Ports, Cells: slices.Clone(m.out.Cells),
			Blobs: slices.Clone(m.out.Blobs), Slopes: slices.Clone(m.out.Slopes)}
	}
	return err
}

// portNumbers finds the ports of variables in frames. An FMU may have a hundred thousand outputs,
// so the list of ports is not searched for each of them.
type portNumbers map[*Frame]map[int]int

func (p portNumbers) number(f *Frame, variable int) int {
	of := p[f]
	if of == nil {
		of = make(map[int]int, len(f.Ports))
		for k := len(f.Ports) - 1; k >= 0; k-- { // the first port of a variable counts
			of[f.Ports[k].Variable] = k
		}
		p[f] = of
	}
	return of[variable]
}

// port returns the port of a variable that is in the frame.
func (p portNumbers) port(f *Frame, variable int) Port { return f.Ports[p.number(f, variable)] }

package cosim

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	loops   = 100  // rounds of a loop during initialization
	settled = 1e-9 // relative change of a float that counts as no change
)

// stage is a part of the initialization; it consists of participants whose inputs are known, and of
// loops.
type stage struct {
	members []*member
	loops   []*loop
}

// loop is a set of variables that depend on each other.
type loop struct {
	members []*member // in the order of steps
	outputs []output
	links   []string
	before  []values // of the members, in the previous round
}

type output struct {
	member int // in loop.members
	port   Port
}

// graph holds the variables that take part in the initialization, and the predecessors of each.
type graph struct {
	nodes  []node
	number map[node]int
	// for an input, the producers of its links; for an output, inputs of its participant
	before [][]int
}

// node is an input or an output of a participant.
type node struct {
	member   *member
	variable int
	input    bool
}

func (g *graph) node(n node) int {
	k, found := g.number[n]
	if !found {
		k = len(g.nodes)
		g.number[n] = k
		g.nodes, g.before = append(g.nodes, n), append(g.before, nil)
	}
	return k
}

// newGraph builds the graph of links, and of the direct dependencies of outputs on inputs.
func newGraph(members []*member, links []*link) *graph {
	g := &graph{number: map[node]int{}}
	for _, l := range links {
		to := g.node(node{l.to, l.input, true})
		if l.from.source == nil {
			from := g.node(node{l.from, l.output, false})
			g.before[to] = append(g.before[to], from)
		}
	}
	for _, m := range members {
		for _, o := range m.outputs {
			k, feeds := g.number[node{m, o, false}]
			if !feeds {
				continue
			}
			for _, i := range m.causes(o) {
				if n, connected := g.number[node{m, i, true}]; connected {
					g.before[k] = append(g.before[k], n)
				}
			}
		}
	}
	return g
}

// causes lists the inputs on which an output may depend directly, connected or not.
func (m *member) causes(output int) []int {
	d, states := m.participant.(Depender)
	if !states {
		return m.inputs
	}
	inputs, known := d.Depends(output)
	if !known {
		return m.inputs
	}
	return inputs
}

// plan determines the stages of the initialization: a variable belongs to the stage after its
// predecessors. Variables that depend on themselves form a loop.
func (e *Engine) plan(links []*link) (stages []stage) {
	g := newGraph(e.order, links)
	level, loop := make([]int, len(g.nodes)), make([]int, len(g.nodes))
	at := func(k int) *stage {
		for len(stages) <= k {
			stages = append(stages, stage{})
		}
		return &stages[k]
	}
	for number, set := range strong(g.before) {
		top := 0
		for _, k := range set {
			loop[k] = number + 1
		}
		for _, k := range set {
			for _, b := range g.before[k] {
				if g.nodes[k].input && loop[b] != loop[k] {
					top = max(top, level[b]+1)
				} else {
					top = max(top, level[b])
				}
			}
		}
		for _, k := range set {
			level[k] = top
		}
		s := at(top)
		if len(set) > 1 {
			s.loops = append(s.loops, e.newLoop(g, set, links, loop))
			continue
		}
		if m := g.nodes[set[0]].member; !slices.Contains(s.members, m) {
			s.members = append(s.members, m)
		}
	}
	for k := range stages {
		e.sortByOrder(stages[k].members)
	}
	return stages
}

func (e *Engine) sortByOrder(list []*member) {
	slices.SortFunc(list, func(a, b *member) int {
		return slices.Index(e.order, a) - slices.Index(e.order, b)
	})
}

// newLoop creates a loop from a set of nodes that all have the same entry in numbers.
func (e *Engine) newLoop(g *graph, set []int, links []*link, numbers []int) *loop {
	l := &loop{}
	for _, k := range set {
		if m := g.nodes[k].member; !slices.Contains(l.members, m) {
			l.members = append(l.members, m)
		}
	}
	e.sortByOrder(l.members)
	l.before = make([]values, len(l.members))
	at := portNumbers{}
	for _, k := range set {
		if n := g.nodes[k]; !n.input {
			l.outputs = append(l.outputs, output{slices.Index(l.members, n.member),
				at.port(n.member.out, n.variable)})
		}
	}
	for _, c := range links {
		from, feeds := g.number[node{c.from, c.output, false}]
		if feeds && numbers[from] == numbers[set[0]] &&
			numbers[g.number[node{c.to, c.input, true}]] == numbers[set[0]] {
			l.links = append(l.links, c.name())
		}
	}
	return l
}

// initialize calls Enter of all participants, propagates values along the connections, repeats
// loops until nothing changes, and leaves the initialization.
func (e *Engine) initialize(ctx context.Context) error {
	for _, m := range e.order {
		m.now, m.fedAt = e.spec.Start, e.spec.Start
		if err := m.participant.Enter(ctx, e.setup(m)); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
		m.entered = true
	}
	if err := e.feed(e.spec.Start); err != nil {
		return err
	}
	for k := range e.stages {
		if err := e.stage(ctx, &e.stages[k]); err != nil {
			return err
		}
	}
	for _, m := range e.order {
		if err := m.fetch(); err != nil {
			return m.wrap(e, err)
		}
		if err := m.participant.Leave(ctx); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
		m.show()
	}
	return nil
}

// setup returns what a participant receives before its first step.
func (e *Engine) setup(m *member) Setup {
	s := Setup{Name: m.name, Start: e.spec.Start, Stop: e.spec.Stop, Step: e.spec.Step,
		KeepState: e.spec.Rollback}
	s.Scale = *e.scale
	if m.every > 1 {
		s.Step = s.Step.Times(m.every)
		s.Scale = s.Scale.With(s.Step)
	}
	return s
}

func (e *Engine) stage(ctx context.Context, s *stage) error {
	for _, m := range s.members {
		if err := e.exchange(ctx, m); err != nil {
			return err
		}
	}
	for _, l := range s.loops {
		if err := e.settle(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// exchange sets the inputs of a participant during initialization and reads its outputs. An input
// whose producer has not been read yet keeps its start value.
func (e *Engine) exchange(ctx context.Context, m *member) error {
	for _, l := range m.links {
		if l.from.source != nil || l.from.asked {
			if err := l.copy(); err != nil {
				return m.wrap(e, err)
			}
		}
	}
	m.asked = true
	if err := m.participant.Exchange(ctx); err != nil {
		m.failed = true
		return m.wrap(e, err)
	}
	m.show()
	return nil
}

// settle repeats the exchange for a loop. The standard does not define the result for a loop
// without a solution: the last values are used, and the result names the loop.
func (e *Engine) settle(ctx context.Context, l *loop) error {
	report := Loop{Connections: l.links}
	for report.Rounds < loops && !report.Settled {
		for k, m := range l.members {
			l.before[k].take(m.out)
		}
		for _, m := range l.members {
			if err := e.exchange(ctx, m); err != nil {
				return err
			}
		}
		report.Rounds++
		// in the first round, some outputs have not been read yet
		report.Settled = report.Rounds > 1 && !l.changed()
	}
	e.result.Loops = append(e.result.Loops, report)
	if !report.Settled {
		e.result.Notes = append(e.result.Notes,
			fmt.Sprintf("the values of a loop still change after %d "+
				"iterations of the initialization: %s",
				report.Rounds, strings.Join(l.links, ", ")))
	}
	return nil
}

// changed reports whether the last round has changed an output of the loop.
func (l *loop) changed() bool {
	for _, o := range l.outputs {
		now, before := l.members[o.member].out, &l.before[o.member]
		for k := o.port.Offset; k < o.port.Offset+o.port.Size; k++ {
			if o.port.Kind.IsBlob() {
				if !bytes.Equal(now.Blobs[k], before.blobs[k]) {
					return true
				}
			} else if !near(o.port.Kind, now.Cells[k], before.cells[k]) {
				return true
			}
		}
	}
	return false
}

func near(k Kind, a, b uint64) bool {
	if a == b || k != Float64 {
		return a == b
	}
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	return math.Abs(x-y) <= settled*max(math.Abs(x), math.Abs(y))
}

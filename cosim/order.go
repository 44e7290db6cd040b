package cosim

import (
	"fmt"
	"slices"

	"gosmp/internal/fault"
)

// arrange orders the participants for stepping: producers before consumers. A set of participants
// that depend on each other starts with the one that was added first; links that then point
// backwards are cut. Links to parameters do not count because they apply only during
// initialization. The receiver of a lagging link precedes its producer.
func (e *Engine) arrange(links []*link) error {
	for _, m := range e.members {
		if m.source != nil {
			e.sources = append(e.sources, m)
		}
	}
	for _, set := range e.components() {
		e.place(set)
	}
	position := make([]int, len(e.members))
	for k, m := range e.order {
		position[m.number] = k
		e.result.Order = append(e.result.Order, m.name)
		e.result.Rates = append(e.result.Rates, Rate{m.name, m.every, e.setup(m).Step.Seconds()})
	}
	for _, l := range links {
		switch {
		case l.initial:
			l.lags = false
		case l.from.source != nil:
			l.lags = false
			if !slices.Contains(l.to.feeders, l.from) {
				l.to.feeders = append(l.to.feeders, l.from)
			}
		case e.spec.Algorithm == Sequential:
			l.lags = position[l.from.number] >= position[l.to.number]
		default:
			l.lags = true
		}
		if l.lags && e.spec.Algorithm == Sequential {
			e.result.Cuts = append(e.result.Cuts, l.name())
		}
		e.result.Links = append(e.result.Links,
			Link{end(l.connection.From, l.connection.FromIndices), end(l.connection.To,
				l.connection.ToIndices), l.lags, false, l.initial})
		if err := e.onTime(l); err != nil {
			return err
		}
	}
	return nil
}

// onTime refuses a link whose values cannot arrive in the required step, or a link that would skip
// or repeat values although every value counts.
func (e *Engine) onTime(l *link) error {
	t := l.connection.Timing
	if l.from.variables[l.output].Portions && !l.initial && l.from.every != l.to.every {
		return fault.New(ErrSpec, fault.At(l.name()),
			fmt.Sprintf("steps of %v s and %v s", e.setup(l.from).Step.Seconds(),
				e.setup(l.to).Step.Seconds()),
			"the same step for both, because each value covers one step")
	}
	if l.initial || l.from.source != nil || t == AsOrdered || l.lags == (t == Lagging) {
		return nil
	}
	err := fault.New(ErrSpec, fault.At(l.name()), "a step order in which it lags",
		"its values in the step in which they are computed")
	switch {
	case t == Lagging:
		err.Found, err.Expected = "a step order in which it does not lag",
			"its values one step later"
		err.Hint = "the other connections contradict this order"
	case e.spec.Algorithm == Parallel:
		err.Found = "the algorithm parallel, with which all connections lag by a step"
		err.Hint = "use the algorithm sequential"
	}
	return err
}

// place appends a set of participants to the order: consumers after their producers in the set,
// unless there is a cycle.
func (e *Engine) place(set []*member) {
	left := slices.Clone(set)
	ready := func(m *member) bool {
		for _, other := range left {
			for _, l := range other.links {
				if before, after := l.sequence(); after == m && before != m &&
					slices.Contains(left, before) {
					return false
				}
			}
		}
		return true
	}
	for len(left) > 0 {
		k := max(0, slices.IndexFunc(left, ready))
		e.order = append(e.order, left[k])
		left = slices.Delete(left, k, k+1)
	}
}

// sequence returns which participant of a link steps first, as far as cycles allow; nil if the link
// does not affect the order.
func (l *link) sequence() (first, second *member) {
	switch {
	case l.initial:
		return nil, nil
	case l.connection.Timing == Lagging && l.from.source == nil:
		return l.to, l.from
	}
	return l.from, l.to
}

// components returns the sets of participants that depend on each other, producers first. Within a
// set they are in the order of Add.
func (e *Engine) components() (sets [][]*member) {
	before := make([][]int, len(e.members))
	for _, m := range e.members {
		for _, l := range m.links {
			if first, second := l.sequence(); first != nil {
				before[second.number] = append(before[second.number], first.number)
			}
		}
	}
	for _, component := range strong(before) {
		var set []*member
		for _, k := range component {
			if m := e.members[k]; m.participant != nil {
				set = append(set, m)
			}
		}
		if len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

// strong returns the strongly connected components of a graph (Tarjan), predecessors first; before
// lists the predecessors of each node. Within a component the numbers are in ascending order.
func strong(before [][]int) (components [][]int) {
	index, low := make([]int, len(before)), make([]int, len(before))
	open := make([]bool, len(before))
	var stack []int
	count := 0
	var visit func(n int)
	visit = func(n int) {
		count++
		index[n], low[n], open[n] = count, count, true
		stack = append(stack, n)
		for _, b := range before[n] {
			if index[b] == 0 {
				visit(b)
				low[n] = min(low[n], low[b])
			} else if open[b] {
				low[n] = min(low[n], index[b])
			}
		}
		if low[n] != index[n] {
			return
		}
		k := slices.Index(stack, n)
		component := slices.Clone(stack[k:])
		stack = stack[:k]
		for _, c := range component {
			open[c] = false
		}
		slices.Sort(component)
		components = append(components, component)
	}
	for n := range before {
		if index[n] == 0 {
			visit(n)
		}
	}
	return components
}

package cosim

import "slices"

// arrange puts the participants in the order of their steps: producers before consumers. A set of participants that depend on each other
// is entered at the one that was added first; links that then lead backwards are cuts.
func (e *Engine) arrange(links []*link) {
	for _, m := range e.members {
		if m.source != nil {
			e.sources = append(e.sources, m)
		}
	}
	placed := map[*member]bool{}
	ready := func(m *member, within []*member) bool {
		return !slices.ContainsFunc(m.links, func(l *link) bool {
			from := e.members[l.from]
			return from != m && from.source == nil && !placed[from] && (within == nil || slices.Contains(within, from))
		})
	}
	place := func(m *member) {
		placed[m] = true
		e.order = append(e.order, m)
		e.result.Order = append(e.result.Order, m.name)
	}
	for _, set := range e.components() {
		if len(set) > 1 {
			e.cycles = append(e.cycles, set)
		}
		for left := slices.Clone(set); len(left) > 0; {
			k := max(0, slices.IndexFunc(left, func(m *member) bool { return ready(m, set) }))
			place(left[k])
			left = slices.Delete(left, k, k+1)
		}
	}
	for _, l := range links {
		from, to := e.members[l.from], e.members[l.to]
		if from.source == nil && slices.Index(e.order, from) >= slices.Index(e.order, to) {
			e.result.Cuts = append(e.result.Cuts, l.connection.From+" = "+l.connection.To)
		}
	}
}

// components are the sets of participants that depend on each other, producers first (Tarjan); within a set in the order of Add.
func (e *Engine) components() [][]*member {
	var (
		index, low = map[*member]int{}, map[*member]int{}
		on         = map[*member]bool{}
		stack      []*member
		sets       [][]*member
		visit      func(m *member)
	)
	visit = func(m *member) {
		index[m], low[m], on[m] = len(index)+1, len(index)+1, true
		stack = append(stack, m)
		for _, l := range m.links {
			from := e.members[l.from]
			if from.source != nil {
				continue
			}
			if index[from] == 0 {
				visit(from)
				low[m] = min(low[m], low[from])
			} else if on[from] {
				low[m] = min(low[m], index[from])
			}
		}
		if low[m] != index[m] {
			return
		}
		k := slices.Index(stack, m)
		set := slices.Clone(stack[k:])
		stack = stack[:k]
		for _, s := range set {
			on[s] = false
		}
		slices.SortFunc(set, func(a, b *member) int { return slices.Index(e.members, a) - slices.Index(e.members, b) })
		sets = append(sets, set)
	}
	for _, m := range e.members {
		if m.participant != nil && index[m] == 0 {
			visit(m)
		}
	}
	return sets
}

// Near lists up to three of the names that are like name: equal but for case, or at most two characters off.
func Near(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	for _, n := range names {
		if d := distance(name, n); d <= 2 && 2*d <= min(len(name), len(n)) {
			list = append(list, candidate{n, d})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.distance - b.distance })
	var near []string
	for _, c := range list[:min(3, len(list))] {
		near = append(near, c.name)
	}
	return near
}

// distance is how many characters have to be changed, added or left out to make b of a; a change of case counts nothing.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for k := range len(b) {
			change := before
			if lower(a[i]) != lower(b[k]) {
				change++
			}
			before = row[k+1]
			row[k+1] = min(change, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

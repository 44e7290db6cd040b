package ssp

// Loops returns the sets of components that depend on each other through connections, each in the
// order of the files. A component that is connected to itself also counts as a set. Connections to
// parameters do not count because they apply only before the first step.
func (s *System) Loops() [][]string {
	number := map[string]int{}
	for k, c := range s.Components {
		number[c.Name] = k
	}
	next := make([][]int, len(s.Components))
	self := make([]bool, len(s.Components))
	for _, c := range s.Connections {
		if c.Initial {
			continue
		}
		from, to := number[c.From.Component], number[c.To.Component]
		next[from] = append(next[from], to)
		self[from] = self[from] || from == to
	}
	t := &tarjan{next: next, index: make([]int, len(next)), low: make([]int, len(next)),
		on: make([]bool, len(next)), set: make([]int, len(next))}
	for k := range next {
		t.visit(k)
	}
	members := make([][]string, t.sets)
	for k, c := range s.Components {
		members[t.set[k]] = append(members[t.set[k]], c.Name)
	}
	var loops [][]string
	done := make([]bool, t.sets)
	for k := range s.Components {
		set := t.set[k]
		if done[set] {
			continue
		}
		done[set] = true
		if len(members[set]) > 1 || self[k] {
			loops = append(loops, members[set])
		}
	}
	return loops
}

// tarjan finds strongly connected components.
type tarjan struct {
	next       [][]int
	index, low []int
	on         []bool
	set        []int
	stack      []int
	count      int
	sets       int
}

// visit walks through everything that can be reached from a component, without recursion, because
// systems may be long chains.
func (t *tarjan) visit(root int) {
	if t.index[root] != 0 {
		return
	}
	type frame struct{ at, edge int }
	frames := []frame{{root, 0}}
	t.enter(root)
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if f.edge < len(t.next[f.at]) {
			to := t.next[f.at][f.edge]
			f.edge++
			switch {
			case t.index[to] == 0:
				t.enter(to)
				frames = append(frames, frame{to, 0})
			case t.on[to]:
				t.low[f.at] = min(t.low[f.at], t.index[to])
			}
			continue
		}
		at := f.at
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			above := frames[len(frames)-1].at
			t.low[above] = min(t.low[above], t.low[at])
		}
		t.leave(at)
	}
}

func (t *tarjan) enter(k int) {
	t.count++
	t.index[k], t.low[k], t.on[k] = t.count, t.count, true
	t.stack = append(t.stack, k)
}

func (t *tarjan) leave(k int) {
	if t.low[k] != t.index[k] {
		return
	}
	for {
		top := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.on[top], t.set[top] = false, t.sets
		if top == k {
			break
		}
	}
	t.sets++
}

package check

import (
	"slices"
	"strings"

	"gosmp/experiment/scxml"
)

// paths is a set of parts of a value by their paths, "" for the value itself.
type paths map[string]bool

// known describes which data exists according to a chart's text: a part is certain if it is never
// undefined or null.
type known struct {
	checker *checker
	// variables of the chart; true if they have a value from the beginning
	valued  map[string]bool
	certain map[string]paths             // by variable
	places  map[*scxml.Expression]*place // of the expressions in transitions
	// by descriptor: the parts common to the data of all such events created by the chart
	carried map[string]paths
}

// place is a place in a transition.
type place struct {
	transition *scxml.Transition
	asked      []string // values tested by the conditions before it, such as "_event.data"
}

// Bounds on the recorded facts, so that the cost of a check is proportional to the length of a
// chart.
const (
	maxParts = 100 // of a value
	maxPath  = 200 // bytes of a path
	maxDepth = 16  // of a value
	maxAsked = 50  // of a place
)

// newKnown scans the chart once.
func (c *checker) newKnown() *known {
	k := &known{c, map[string]bool{}, map[string]paths{}, map[*scxml.Expression]*place{},
		map[string]paths{}}
	for _, q := range c.chart.States {
		for _, d := range q.Data {
			id := strings.TrimSpace(d.ID)
			k.valued[id] = d.Value != nil && !c.chart.Late
			if k.valued[id] {
				k.certain[id] = k.partsOf(d.Value)
			}
		}
	}
	k.forget()
	k.events(c.chart, "", "#_internal")
	k.doneEvents()
	for _, t := range c.transitions {
		at := &place{transition: t}
		k.places[t.Cond] = at
		k.locate(t.Content, k.behind(at, t.Cond))
	}
	return k
}

// locate records the places of the expressions in a block.
func (k *known) locate(b scxml.Block, at *place) {
	for _, a := range b {
		switch a := a.(type) {
		case *scxml.If:
			within := at
			for _, branch := range a.Branches {
				k.places[branch.Cond] = within
				within = k.behind(within, branch.Cond)
				k.locate(branch.Content, within)
			}
		case *scxml.ForEach:
			k.places[a.Array] = at
			k.locate(a.Content, at)
		default:
			scxml.ExpressionsOf(a, func(x *scxml.Expression) { k.places[x] = at })
		}
	}
}

// behind returns the place after a condition. Everything that the condition tests exists there, or
// the other branch is taken intentionally.
func (k *known) behind(at *place, cond *scxml.Expression) *place {
	asks := k.checker.factsOf(cond).Asks
	if len(asks) == 0 || len(at.asked)+len(asks) > maxAsked {
		return at
	}
	return &place{at.transition, slices.Concat(at.asked, asks)}
}

// partsOf returns the parts that a value definitely has.
func (k *known) partsOf(g *scxml.Given) paths {
	found := paths{}
	switch {
	case g == nil:
	case g.Expr != nil:
		for _, part := range k.checker.factsOf(g.Expr).Parts {
			found.add(part)
		}
	default:
		var x any
		if g.Value.Decode(&x) == nil {
			found.addAll(x, "", maxDepth)
		}
	}
	return found
}

func (p paths) add(path string) {
	if len(p) < maxParts && len(path) <= maxPath {
		p[path] = true
	}
}

func (p paths) addAll(x any, path string, depth int) {
	if x == nil || depth == 0 {
		return
	}
	p.add(path)
	fields, _ := x.(map[string]any)
	for _, name := range sortedKeys(fields) {
		if len(p) == maxParts {
			return
		}
		p.addAll(fields[name], strings.TrimPrefix(path+"."+name, "."), depth-1)
	}
}

func sortedKeys(fields map[string]any) (names []string) {
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// forget drops everything that assign, foreach, scripts, ids or results from machines may change.
func (k *known) forget() {
	c := k.checker
	changing := c.functions(func(f *scxml.Function) bool { return f.Changes })
	c.each(func(x *scxml.Expression, f *scxml.Facts) {
		if x.Role == scxml.Statements || f.Changes || anyOf(f.Calls, changing) {
			for _, name := range slices.Concat(f.Uses, f.Declares) {
				k.drop(name, nil)
			}
		}
	})
	c.chart.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			switch a := a.(type) {
			case *scxml.Assign:
				k.drop(c.factsOf(a.Location).Path, k.partsOf(a.Value))
			case *scxml.ForEach:
				k.drop(strings.TrimSpace(a.Item.Text), nil)
			case *scxml.Send:
				k.drop(c.factsOf(a.IDLocation).Path, nil)
			}
		})
	})
	for _, q := range c.chart.States {
		for _, i := range q.Invokes {
			k.drop(c.factsOf(i.IDLocation).Path, nil)
			for _, p := range i.Payload.Params {
				k.drop(c.factsOf(p.Location).Path, nil)
			}
		}
	}
}

// drop forgets what is known about a path, except the parts of its new value.
func (k *known) drop(path string, value paths) {
	if before, _, found := strings.Cut(path, "[]"); found { // any part of it
		path, value = before, paths{"": true}
	}
	variable, at, _ := strings.Cut(path, ".")
	for part := range k.certain[variable] {
		rest, is := strings.CutPrefix(part, at)
		if is && (at == "" || rest == "" || rest[0] == '.') && !value[strings.TrimPrefix(rest,
			".")] {
			delete(k.certain[variable], part)
		}
	}
}

// events records which parts exist in the data of events that a chart raises or sends to one of the
// targets.
func (k *known) events(chart *scxml.Chart, targets ...string) {
	chart.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			switch a := a.(type) {
			case *scxml.Raise:
				if slices.Contains(targets, "#_internal") {
					k.carry(a.Event, paths{})
				}
			case *scxml.Send:
				if a.Target.Expr == nil && slices.Contains(targets, a.Target.Value) {
					k.carry(a.Event.Value, k.payload(&a.Payload))
				}
			}
		})
	})
}

// doneEvents records which parts exist in the data of done events and of events from inner
// machines.
func (k *known) doneEvents() {
	for _, q := range k.checker.chart.States {
		switch {
		case q.Kind == scxml.Parallel:
			k.carry("done.state."+q.ID, paths{})
		case q.Kind == scxml.Final && q.Parent.Kind != scxml.Root:
			k.carry("done.state."+q.Parent.ID, k.doneData(q))
		}
		for _, i := range q.Invokes {
			g := i.Payload.Content
			if g == nil || g.Chart == nil {
				k.carry("done.invoke."+i.ID, paths{})
				continue
			}
			k.events(g.Chart, "#_parent")
			for _, end := range g.Chart.Root().Children {
				if end.Kind == scxml.Final {
					k.carry("done.invoke."+i.ID, k.doneData(end))
				}
			}
		}
	}
}

func (k *known) doneData(q *scxml.State) paths {
	if q.DoneData == nil {
		return paths{}
	}
	return k.payload(q.DoneData)
}

// payload describes the data of an event.
func (k *known) payload(p *scxml.Payload) paths {
	if p.Content != nil || len(p.Params) == 0 {
		return k.partsOf(p.Content)
	}
	found := paths{"": true}
	for _, param := range p.Params {
		for _, part := range k.checker.factsOf(param.Expr).Parts {
			found.add(strings.TrimSuffix(param.Name+"."+part, "."))
		}
	}
	return found
}

// carry records another source of an event. Parts that all sources have are certain.
func (k *known) carry(event string, data paths) {
	if isLong(event) {
		return
	}
	for _, descriptor := range prefixes(event) {
		before, ok := k.carried[descriptor]
		if !ok {
			k.carried[descriptor] = data
			continue
		}
		both := paths{}
		for part := range before {
			if data[part] {
				both[part] = true
			}
		}
		k.carried[descriptor] = both
	}
}

// carries reports whether the data of all events that a transition takes has a part.
func (k *known) carries(t *scxml.Transition, part string) bool {
	for _, d := range t.Events {
		own, made := k.carried[d]
		outside := part == "" && (matches(k.checker.options.Objects, d) ||
			scxml.MatchEvent("error", d))
		if made && !own[part] || !made && !outside {
			return false
		}
		if !outside && matches(k.checker.options.Events, d) {
			return false
		}
	}
	return len(t.Events) > 0
}

// matches reports whether a descriptor matches any of the given events; "a.*" stands for a family.
func matches(events []string, d string) bool {
	return slices.ContainsFunc(events, func(e string) bool {
		family, is := strings.CutSuffix(e, ".*")
		return scxml.MatchEvent(d, family) || is && scxml.MatchEvent(family, d)
	})
}

// mayBeUndefined returns the shortest variable, or part of a variable, that may be undefined
// although an expression reads a part of it, which is an error. It returns "" if there is none.
func (k *known) mayBeUndefined(x *scxml.Expression, f *scxml.Facts) (shortest string) {
	for _, path := range f.Members {
		if (shortest == "" || len(path) < len(shortest)) && !k.isThere(path, x) {
			shortest = path
		}
	}
	return shortest
}

// isThere reports whether a path, a part of which is read by an expression, exists according to the
// chart or does not belong to the chart.
func (k *known) isThere(path string, x *scxml.Expression) bool {
	at := k.places[x]
	variable, part, isPart := strings.Cut(strings.ReplaceAll(path, "[]", ".[]"), ".")
	hasValue, own := k.valued[variable]
	switch {
	case at != nil && slices.Contains(at.asked, path):
		return true
	case variable == "_event":
		return k.inEvent(x, at, part, isPart)
	}
	return !own || hasValue && !isPart || k.certain[variable][part]
}

// inEvent reports whether a part of _event, or _event itself, definitely exists.
func (k *known) inEvent(x *scxml.Expression, at *place, part string, isPart bool) bool {
	eventless := at != nil && at.transition.Eventless()
	data, isData := strings.CutPrefix(part, "data")
	switch {
	case !isPart: // other code runs only with an event
		return !eventless || x != at.transition.Cond
	case part == "name" || part == "type":
		return true
	case isData && (data == "" || data[0] == '.') && at != nil:
		return k.carries(at.transition, strings.TrimPrefix(data, "."))
	}
	return false
}

package check

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/finding"
)

// names is a set of event names that answers both questions about descriptors without searching the
// whole set. Its prefixes hold each name and all of its leading parts.
type names struct {
	prefixes map[string]bool
	families []string // "error" for all names that begin with "error."
	any      bool     // everything is in the set
}

func (n *names) add(name string) {
	if name == "" {
		return
	}
	if family, ok := strings.CutSuffix(name, ".*"); ok {
		n.families = append(n.families, family)
	}
	if name == "*" || isLong(name) {
		n.any = true
		return
	}
	for _, prefix := range prefixes(name) {
		n.prefixes[prefix] = true
	}
}

// maxNameParts bounds the number of parts of an event name that can be compared with others. A
// longer name is treated as matching any name.
const maxNameParts = 50

func isLong(name string) bool { return strings.Count(name, ".") >= maxNameParts }

// prefixes lists a name and all of its leading parts, which are the descriptors that match it.
func prefixes(name string) (list []string) {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		list = append(list, name[:end])
	}
	return list
}

// matched reports whether a descriptor matches a name of the set.
func (n *names) matched(descriptor string) bool {
	if n.any || descriptor == "*" || n.prefixes[descriptor] {
		return true
	}
	for _, family := range n.families {
		if scxml.MatchEvent(family, descriptor) || scxml.MatchEvent(descriptor, family) {
			return true
		}
	}
	return false
}

// descriptors is the set of event descriptors in the transitions of a chart.
type descriptors map[string]bool

func (d descriptors) take(name string) bool {
	if d["*"] || isLong(name) {
		return true
	}
	return slices.ContainsFunc(prefixes(name), func(prefix string) bool { return d[prefix] })
}

// awaited returns the events that the transitions of a chart match.
func awaited(chart *scxml.Chart) descriptors {
	d := descriptors{}
	for _, q := range chart.States {
		for _, t := range q.Transitions {
			for _, e := range t.Events {
				d[e] = true
			}
		}
	}
	return d
}

// events compares the awaited names with the names that can come (SX22, SX23). If names are
// computed, the findings are doubtful, and a single note replaces them (X38).
func (c *checker) events() {
	before := len(c.list)
	c.unmatched()
	c.unprovided()
	if c.computed == nil || len(c.list) == before {
		return
	}
	c.list = c.list[:before]
	c.add(SX22, finding.Note, c.computed.Position,
		fmt.Sprintf(
			"<%s> may compute the name of an event or a target: SX22 and SX23 are not checked",
			c.computed.Name), "")
}

// computes returns an element that may compute an event name or a target, or nil.
func computes(chart *scxml.Chart) (found *scxml.Element) {
	if len(chart.Scripts) > 0 {
		return scxml.Source(chart.Scripts[0])
	}
	chart.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			if found != nil {
				return
			}
			switch a := a.(type) {
			case *scxml.Script:
				found = scxml.Source(a)
			case *scxml.Send:
				if a.Event.Expr != nil || a.Target.Expr != nil {
					found = scxml.Source(a)
				}
			}
		})
	})
	return found
}

// unprovided checks SX22. It needs all events from outside: a list or, for an invoked chart, the
// events that the enclosing chart sends.
func (c *checker) unprovided() {
	if c.options.Events == nil {
		return
	}
	made, ok := c.made()
	if !ok {
		return
	}
	for _, t := range c.transitions {
		for _, d := range t.Events {
			if !made.matched(d) {
				c.blind(SX22, t.Element().At("event"),
					fmt.Sprintf("the event %q is never raised, sent or provided", d),
					"correct the name, or raise it")
			}
		}
	}
}

// made returns the set of events that can come; ok is false if an invoked machine may send any
// event.
func (c *checker) made() (made *names, ok bool) {
	made = c.named()
	for _, name := range []string{"error.execution", "error.communication", "error.platform",
		"done.state", "done.invoke"} {
		made.add(name)
		made.add(name + ".*")
	}
	return made, c.family.sendTo(c.chart, made, map[*scxml.Chart]bool{})
}

// named returns the set of events that the chart raises and sends or that come from outside.
func (c *checker) named() *names {
	made := &names{prefixes: map[string]bool{}}
	for _, name := range c.options.Events {
		made.add(name)
	}
	for _, r := range c.raises {
		made.add(r.Event)
	}
	for _, s := range c.sends {
		made.add(s.Event.Value)
	}
	return made
}

func sends(chart *scxml.Chart) (list []*scxml.Send) {
	chart.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			if s, ok := a.(*scxml.Send); ok {
				list = append(list, s)
			}
		})
	})
	return list
}

// unmatched checks SX23: it finds events that the machine raises or sends and that are taken by
// neither this machine, nor the one that invoked it, nor one that it invokes.
func (c *checker) unmatched() {
	own := awaited(c.chart)
	const remedy = "correct the name, or add a transition"
	for _, r := range c.raises {
		if r.Event != "" && !own.take(r.Event) {
			c.warn(SX23, scxml.Source(r).At("event"),
				fmt.Sprintf("no transition handles the event %q raised here", r.Event),
				remedy)
		}
	}
	forwarded := c.forwards()
	for _, s := range c.sends {
		if s.External != nil || !scxml.IsChartProcessor(s.Type.Value) || s.Type.Expr != nil ||
			s.Event.Value == "" {
			continue
		}
		var taken bool
		switch target := s.Target.Value; target {
		case "#_internal":
			taken = own.take(s.Event.Value)
		case "":
			taken = forwarded || own.take(s.Event.Value)
		case "#_parent":
			taken = c.heard(s.Event.Value)
		default:
			taken = c.takenByInvoked(strings.TrimPrefix(target, "#_"), s.Event.Value)
		}
		if !taken {
			c.warn(SX23, scxml.Source(s).At("event"),
				fmt.Sprintf("no transition handles the event %q sent here", s.Event.Value),
				remedy)
		}
	}
}

// takenByInvoked reports whether an invoked machine may take an event, because the machine is
// unknown, has a transition for the event, or forwards it.
func (c *checker) takenByInvoked(id, event string) bool {
	inner := c.family.invoked[c.invokes[id]]
	if inner == nil {
		return true
	}
	if c.innerTakes[inner] == nil {
		c.innerTakes[inner] = awaited(inner)
		if forwards(inner) {
			c.innerTakes[inner]["*"] = true
		}
	}
	return c.innerTakes[inner].take(event)
}

func (c *checker) forwards() bool { return forwards(c.chart) }

// forwards reports whether a chart forwards its events to a machine that it invokes.
func forwards(chart *scxml.Chart) bool {
	for _, q := range chart.States {
		for _, i := range q.Invokes {
			if i.AutoForward {
				return true
			}
		}
	}
	return false
}

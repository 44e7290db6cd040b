package check

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/finding"
)

// events compares the names that are awaited with those that can come (SX22, SX23).
func (c *checker) events() {
	if c.computed != nil {
		c.add(SX22, finding.Note, c.computed.Position, "the name of an event or a target is computed here: SX22 and SX23 are not checked", "")
		return
	}
	c.unmatched()
	if c.options.Events == nil {
		return
	}
	made := c.made()
	for _, t := range c.transitions {
		for _, d := range t.Events {
			if !slices.ContainsFunc(made, func(name string) bool { return canMatch(d, name) }) {
				c.warn(SX22, t.Element().At("event"), fmt.Sprintf("the event %q is never raised, sent or provided", d), "correct the name, or raise it")
			}
		}
	}
}

// made lists the events that can come; one that ends in "." stands for all that begin with it.
func (c *checker) made() []string {
	made := append([]string{"error.", "done."}, c.options.Events...)
	for _, r := range c.raises {
		made = append(made, r.Event)
	}
	for _, s := range c.sends {
		made = append(made, s.Event.Value)
	}
	for _, q := range c.chart.States {
		for _, i := range q.Invokes {
			if i.Register != nil {
				made = append(made, i.Register.Event)
			} else if g := i.Payload.Content; g == nil || g.Chart == nil {
				return append(made, ".") // a machine that is not known here may send anything
			} else {
				g.Chart.Contents(func(_ *scxml.State, b scxml.Block) {
					b.Actions(func(a scxml.Action) {
						if s, ok := a.(*scxml.Send); ok {
							made = append(made, s.Event.Value)
						}
					})
				})
			}
		}
	}
	return made
}

func canMatch(descriptor, name string) bool {
	if name == "." {
		return true
	}
	if family, ok := strings.CutSuffix(name, "."); ok {
		return scxml.MatchEvent(family, descriptor) || scxml.MatchEvent(descriptor, family)
	}
	return scxml.MatchEvent(descriptor, name)
}

// unmatched finds events that the machine makes for itself and that no transition takes.
func (c *checker) unmatched() {
	taken := func(name string) bool {
		for _, t := range c.transitions {
			if slices.ContainsFunc(t.Events, func(d string) bool { return scxml.MatchEvent(d, name) }) {
				return true
			}
		}
		return false
	}
	for _, r := range c.raises {
		if !taken(r.Event) {
			c.warn(SX23, scxml.Source(r).At("event"), fmt.Sprintf("no transition takes the event %q that is raised here", r.Event), "correct the name, or add a transition")
		}
	}
	forwarded := c.forwards()
	for _, s := range c.sends {
		own := s.Target.Value == "" || s.Target.Value == "#_internal"
		if own && s.External == nil && scxml.IsChartProcessor(s.Type.Value) && s.Type.Expr == nil && s.Event.Value != "" && !forwarded && !taken(s.Event.Value) {
			c.warn(SX23, scxml.Source(s).At("event"), fmt.Sprintf("no transition takes the event %q that is sent here", s.Event.Value), "correct the name, or add a transition")
		}
	}
}

func (c *checker) forwards() bool {
	return slices.ContainsFunc(c.chart.States, func(q *scxml.State) bool {
		return slices.ContainsFunc(q.Invokes, func(i *scxml.Invoke) bool { return i.AutoForward })
	})
}

// references finds ids of sends, invokes and states that do not exist (SX28), and unknown types
// (SX11).
func (c *checker) references() {
	c.checkCancels()
	for _, s := range c.sends {
		e := scxml.Source(s)
		if id, ok := strings.CutPrefix(s.Target.Value, "#_"); ok && id != "internal" && id != "parent" && !strings.HasPrefix(id, "scxml_") && !c.invokes(id) {
			c.warn(SX28, e.At("target"), fmt.Sprintf("no invoke has the id %q", id), "correct the id, or give an invoke this one")
		}
		if s.External == nil && s.Type.Expr == nil && !scxml.IsChartProcessor(s.Type.Value) && !slices.Contains(c.options.Processors, s.Type.Value) {
			c.add(scxml.SX11, finding.Error, e.At("type"), fmt.Sprintf("the send type %q is not supported", s.Type.Value), "leave it out to send to a statechart")
		}
	}
	for _, t := range c.transitions {
		for _, d := range t.Events {
			c.doneEvent(t, d)
		}
	}
}

func (c *checker) checkCancels() {
	for _, x := range c.cancels {
		known := x.SendID.Expr != nil || slices.ContainsFunc(c.sends, func(s *scxml.Send) bool { return s.ID == x.SendID.Value })
		if !known {
			c.warn(SX28, scxml.Source(x).At("sendid"), fmt.Sprintf("no send has the id %q", x.SendID.Value), "correct the id, or give the send this one")
		}
	}
}

// invokes reports whether an invoke can have the id; one without an id gets STATE.n.
func (c *checker) invokes(id string) bool {
	return slices.ContainsFunc(c.chart.States, func(q *scxml.State) bool {
		return slices.ContainsFunc(q.Invokes, func(i *scxml.Invoke) bool {
			return i.ID == id || i.ID == "" && (strings.HasPrefix(id, q.String()) || !q.Named)
		})
	})
}

// doneEvent checks a descriptor such as done.state.ID.
func (c *checker) doneEvent(t *scxml.Transition, d string) {
	if id, ok := strings.CutPrefix(d, "done.state."); ok {
		q := c.chart.State(id)
		if q == nil || q.Kind != scxml.Compound && q.Kind != scxml.Parallel || !hasFinal(q) {
			c.warn(SX28, t.Element().At("event"), fmt.Sprintf("%q never comes: no state of that name has a final state inside", d), "correct the id, or add a <final>")
		}
	}
	if id, ok := strings.CutPrefix(d, "done.invoke."); ok && !c.invokes(id) {
		c.warn(SX28, t.Element().At("event"), fmt.Sprintf("%q never comes: no invoke has that id", d), "correct the id, or give an invoke this one")
	}
}

// hasFinal reports whether a state can be done: a final child, or for a parallel regions that all
// can.
func hasFinal(q *scxml.State) bool {
	if q.Kind == scxml.Parallel {
		return !slices.ContainsFunc(q.Children, func(child *scxml.State) bool { return !hasFinal(child) })
	}
	return slices.ContainsFunc(q.Children, func(child *scxml.State) bool { return child.Kind == scxml.Final })
}

// errors is SX31: what goes wrong should be seen.
func (c *checker) errors() {
	for _, t := range c.transitions {
		if slices.ContainsFunc(t.Events, func(d string) bool { return d == "*" || d == "error" || strings.HasPrefix(d, "error.") }) {
			return
		}
	}
	if at, why := c.canFail(); why != "" {
		c.warn(SX31, at, why+" can raise an error event, and no transition takes one", `add <transition event="error" …> to a state around all others`)
	}
}

// canFail finds what can fail however correct the chart is: what depends on others.
func (c *checker) canFail() (scxml.Position, string) {
	for _, s := range c.sends {
		if s.External != nil || s.Target.Expr != nil || s.Target.Value != "" && s.Target.Value != "#_internal" && s.Target.Value != "#_parent" || s.Delay.Expr != nil {
			return scxml.Source(s).Position, "this send"
		}
	}
	for _, q := range c.chart.States {
		for _, i := range q.Invokes {
			if i.Register != nil || i.Src.Given || i.Payload.Content != nil && i.Payload.Content.Chart == nil {
				return i.Element().Position, "this " + i.Element().Name
			}
		}
	}
	return scxml.Position{}, ""
}

// sources finds charts to invoke that are not there, and types of invoke that are unknown.
func (c *checker) sources() {
	for _, q := range c.chart.States {
		for _, i := range q.Invokes {
			if i.Register != nil || i.Type.Expr != nil {
				continue
			}
			e := i.Element()
			if !scxml.IsChartType(i.Type.Value) {
				c.add(scxml.SX11, finding.Error, e.At("type"), fmt.Sprintf("the invoke type %q is not supported", i.Type.Value), "leave it out to invoke a statechart")
				continue
			}
			if i.Src.Given && i.Src.Expr == nil {
				if _, err := c.load(i.Src.Value); err != nil {
					c.add(scxml.SX12, finding.Error, e.At("src"), fmt.Sprintf("the chart %q cannot be read: %v", i.Src.Value, err), "correct src, or put the file there")
				}
			}
		}
	}
}

func (c *checker) load(src string) ([]byte, error) {
	if c.options.Config.Load == nil {
		return nil, nil // nothing can be said
	}
	return c.options.Config.Load(src)
}

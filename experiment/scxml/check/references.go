package check

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/finding"
)

// references finds ids of sends, invokes and states that do not exist (SX28), and unknown types
// (SX11).
func (c *checker) references() {
	c.checkCancels()
	ids := c.invokeNames()
	for _, s := range c.sends {
		e := scxml.Source(s)
		if id, ok := strings.CutPrefix(s.Target.Value, "#_"); ok && id != "internal" &&
			id != "parent" && !strings.HasPrefix(id, "scxml_") && !ids.has(id) {
			c.warn(SX28, e.At("target"), fmt.Sprintf("no invoke has the id %q", id),
				"correct the id, or add an invoke with it")
		}
		if s.External == nil && s.Type.Expr == nil && !scxml.IsChartProcessor(s.Type.Value) &&
			!c.knows(s.Type.Value) {
			c.add(scxml.SX11, finding.Error, e.At("type"),
				fmt.Sprintf("the send type %q is not supported", s.Type.Value),
				"omit it to send to a statechart")
		}
	}
	c.services()
	c.doneEvents(ids)
}

// doneEvents finds transitions for done events that are never raised, neither by the interpreter
// nor by the chart, which may raise and send events of any name.
func (c *checker) doneEvents(ids *invokeNames) {
	made, done := c.named(), c.doneStates()
	for _, t := range c.transitions {
		for _, d := range t.Events {
			if made.matched(d) {
				continue
			}
			if id, ok := strings.CutPrefix(d, "done.state."); ok && !done.matched(id) {
				c.blind(SX28, t.Element().At("event"),
					fmt.Sprintf("%q never occurs: no state with this name contains a final state",
						d), "correct the id, or add a <final>")
			}
			if id, ok := strings.CutPrefix(d, "done.invoke."); ok && !ids.has(id) &&
				!ids.names.matched(id) {
				c.blind(SX28, t.Element().At("event"),
					fmt.Sprintf("%q never occurs: no invoke has this id", d),
					"correct the id, or add an invoke with it")
			}
		}
	}
}

// services finds requests for services that do not exist.
func (c *checker) services() {
	for _, s := range c.sends {
		if c.options.Services == nil || s.External == nil || !s.External.Service ||
			s.Target.Expr != nil || slices.Contains(c.options.Services, s.Target.Value) {
			continue
		}
		c.add(scxml.SX11, finding.Error, scxml.Source(s).At("target"),
			fmt.Sprintf("there is no service %q", s.Target.Value), "expected "+
				strings.Join(c.options.Services, " or "))
	}
}

func (c *checker) knows(processor string) bool {
	return slices.Contains(c.options.Processors, processor)
}

func (c *checker) checkCancels() {
	known := map[string]bool{}
	for _, s := range c.sends {
		known[s.ID] = true
	}
	for _, x := range c.cancels {
		if x.SendID.Expr == nil && !known[x.SendID.Value] {
			c.warn(SX28, scxml.Source(x).At("sendid"), fmt.Sprintf("no send has the id %q",
				x.SendID.Value), "correct the id, or add a send with it")
		}
	}
}

// invokeNames holds the ids that invokes have or may receive: an invoke without an id is given
// STATE.n.
type invokeNames struct {
	names  names
	exact  map[string]*scxml.Invoke
	states []string // of invokes without an id
	any    bool     // of states without an id that have such an invoke
}

func (c *checker) invokeNames() *invokeNames {
	ids := &invokeNames{names: names{prefixes: map[string]bool{}}, exact: c.invokes}
	for _, q := range c.chart.States {
		for _, i := range q.Invokes {
			switch {
			case i.ID != "":
				ids.names.add(i.ID)
			case q.Named || q.Kind == scxml.Root:
				if n := len(ids.states); n == 0 || ids.states[n-1] != q.String() {
					ids.states = append(ids.states, q.String())
				}
			default:
				ids.any = true
			}
		}
	}
	ids.any = ids.any || len(ids.states) > maxGenerated
	return ids
}

// maxGenerated bounds the comparison with ids generated at run time.
const maxGenerated = 100

func (n *invokeNames) has(id string) bool {
	if n.any || n.exact[id] != nil {
		return true
	}
	for _, state := range n.states {
		if strings.HasPrefix(id, state) {
			return true
		}
	}
	return false
}

// doneStates returns the set of ids of states that can be done.
func (c *checker) doneStates() *names {
	found := &names{prefixes: map[string]bool{}}
	done := map[*scxml.State]bool{}
	for k := len(c.chart.States) - 1; k >= 0; k-- { // children before their parents
		q := c.chart.States[k]
		done[q] = q.Kind == scxml.Parallel
		for _, child := range q.Children {
			switch {
			case q.Kind == scxml.Parallel:
				done[q] = done[q] && done[child]
			case child.Kind == scxml.Final:
				done[q] = true
			}
		}
		if done[q] {
			found.add(q.ID)
		}
	}
	return found
}

// sources finds unknown invoke types.
func (c *checker) sources() {
	for _, q := range c.chart.States {
		for _, i := range q.Invokes {
			if i.Register != nil || i.Type.Expr != nil {
				continue
			}
			if !scxml.IsChartType(i.Type.Value) {
				c.add(scxml.SX11, finding.Error, i.Element().At("type"),
					fmt.Sprintf("the invoke type %q is not supported", i.Type.Value),
					"omit it to invoke a statechart")
			}
		}
	}
}

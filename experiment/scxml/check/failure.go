package check

import (
	"cmp"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
)

// errors checks SX31, because errors should not go unnoticed. If no transition takes error events,
// it reports the first place in the chart that can raise one.
func (c *checker) errors() {
	for _, t := range c.transitions {
		if slices.ContainsFunc(t.Events, func(d string) bool {
			return d == "*" || d == "error" || strings.HasPrefix(d, "error.")
		}) {
			return
		}
	}
	var found []risk
	c.riskySends(&found)
	c.riskyInvokes(&found)
	c.riskyCode(&found)
	if len(found) == 0 {
		return
	}
	r := slices.MinFunc(found, func(a, b risk) int {
		return cmp.Or(cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Column, b.at.Column))
	})
	c.warn(SX31, r.at, r.what+" can raise an error event, but no transition handles it",
		`add <transition event="error" …> to a state around all others`)
}

// risk is something that fails when other parts fail or when data is not as expected.
type risk struct {
	at   scxml.Position
	what string
}

// riskySends finds sends whose receiver may be gone, and computed names, targets and delays. Known
// send types other than SCXML's own are left out, because their owner reports failures.
func (c *checker) riskySends(found *[]risk) {
	for _, s := range c.sends {
		t := s.Target.Value
		elsewhere := t != "" && t != "#_internal" && t != "#_parent"
		computed := s.Target.Expr != nil || s.Event.Expr != nil || s.Type.Expr != nil ||
			s.Delay.Expr != nil
		unknown := !scxml.IsChartProcessor(s.Type.Value) && !c.knows(s.Type.Value)
		if s.External != nil || elsewhere || computed || unknown {
			*found = append(*found, risk{scxml.Source(s).Position, "this send"})
		}
	}
}

// riskyInvokes finds invokes of charts that are not inside this one, and channels.
func (c *checker) riskyInvokes(found *[]risk) {
	for _, q := range c.chart.States {
		for _, i := range q.Invokes {
			g := i.Payload.Content
			if i.Register != nil || i.Src.Given || i.Type.Expr != nil || g == nil ||
				g.Chart == nil {
				*found = append(*found, risk{i.Element().Position, "this " + i.Element().Name})
			}
		}
	}
}

// riskyCode finds expressions and scripts that read a part of a value that may be undefined, that
// throw, or that call a function of the chart that does either. Eventless conditions are covered by
// SX27.
func (c *checker) riskyCode(found *[]risk) {
	if c.analyzer == nil {
		return
	}
	eventless := c.eventlessConditions()
	throwing := c.functions(func(f *scxml.Function) bool { return f.Fails })
	c.each(func(x *scxml.Expression, f *scxml.Facts) {
		switch path := c.known.mayBeUndefined(x, f); {
		case eventless[x]:
		case f.Fails || anyOf(f.Calls, throwing):
			*found = append(*found, risk{x.Position, "this code"})
		case path != "":
			*found = append(*found, risk{x.Position, "reading a part of " + path +
				", which may be undefined,"})
		}
	})
}

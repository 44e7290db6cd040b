package activity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// rig is a node on a virtual clock with one module, and its reports.
type rig struct {
	t       *testing.T
	node    *Node
	module  *Module
	clock   *VirtualClock
	reports []Diagnostic
}

const tick = timebase.Millisecond

// span returns a span given in ticks.
func span(from, to timebase.Time) timebase.Span {
	return timebase.Span{Start: from * tick, End: to * tick}
}

func newRig(t *testing.T, spec NodeSpec) *rig {
	t.Helper()
	r := &rig{t: t}
	spec.OnDiagnostic = func(d Diagnostic) { r.reports = append(r.reports, d) }
	r.node = NewNode(spec)
	r.module = r.node.Module("test")
	return r
}

// start puts the node on a clock at 0.
func (r *rig) start() *rig {
	r.t.Helper()
	c, err := NewVirtualClock(r.node, 0)
	require.NoError(r.t, err)
	r.clock = c
	return r
}

// to advances the clock to the given tick.
func (r *rig) to(t timebase.Time) {
	r.t.Helper()
	require.NoError(r.t, r.clock.AdvanceTo(t*tick))
}

// record creates an activity that is switched on and records its spans.
func (r *rig) record(name string, trigger Trigger) *[]timebase.Span {
	var spans []timebase.Span
	r.module.Activity(name, Spec{Trigger: trigger, Work: func(c Cycle) error {
		spans = append(spans, c.Span)
		return nil
	}}).SwitchOn(0)
	return &spans
}

func (r *rig) found() []Finding {
	all := []Finding{}
	for _, d := range r.reports {
		all = append(all, d.Finding)
	}
	return all
}

// spansOf returns spans from pairs of ticks.
func spansOf(ticks ...timebase.Time) []timebase.Span {
	all := []timebase.Span{}
	for i := 0; i < len(ticks); i += 2 {
		all = append(all, span(ticks[i], ticks[i+1]))
	}
	return all
}

func stampsOf(ticks ...timebase.Time) []timebase.Span {
	all := []timebase.Span{}
	for _, t := range ticks {
		all = append(all, timebase.Stamp(t*tick))
	}
	return all
}

func writeAll(t *testing.T, w *StreamWriter[int], spans []timebase.Span) {
	t.Helper()
	for i, s := range spans {
		require.NoError(t, w.Write(s, i))
	}
}

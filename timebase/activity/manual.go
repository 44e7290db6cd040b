package activity

import (
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// ManualTrigger emits the spans that the program requests, such as a start value for a loop, an
// operator's keystroke, or the steps of another program. As with tokens, only callbacks of one
// manager may pull it.
type ManualTrigger struct {
	alarmCore
	pulled []timebase.Span // in this round
	end    timebase.Time   // end of the newest one
	began  bool
}

// ManualTrigger creates a trigger that the program pulls. Its name is unique among the alarms of
// the module.
func (m *Module) ManualTrigger(name string) *ManualTrigger {
	t := &ManualTrigger{}
	t.add(m, "manual trigger", name, t)
	return t
}

// Pull emits a span, or the stamp of an event. In a callback, this happens after the round,
// otherwise at once. It fails with [timebase.ErrSpan] when s ends before it starts, and with
// [ErrOrder] when it starts before the newest one ended.
func (t *ManualTrigger) Pull(s timebase.Span) error {
	n := t.node
	n.enter()
	defer n.leave()
	if t.closed {
		return closedError(t.String())
	}
	if s.End < s.Start {
		return fault.New(timebase.ErrSpan, fault.At(t.String()), s.String(),
			"an end that is not before the start")
	}
	if t.began && s.Start < t.end {
		return fault.New(ErrOrder, fault.At(t.String()), s.String(),
			"time from "+t.end.String()+" on")
	}
	t.end, t.began = s.End, true
	if n.inRound {
		n.mu.Lock()
		if len(t.pulled) == 0 {
			n.pulled, n.asked = append(n.pulled, t), true
		}
		n.mu.Unlock()
		t.pulled = append(t.pulled, s)
		return nil
	}
	if n.changed && !n.running {
		n.seal()
	}
	t.fired++
	t.emit(s)
	return nil
}

// pullAll emits the spans pulled by the callbacks of a round, in the order of names.
func (n *Node) pullAll() {
	slices.SortFunc(n.pulled, func(a, b *ManualTrigger) int { return a.rank - b.rank })
	for _, t := range n.pulled {
		for _, s := range t.pulled {
			t.fired++
			t.emit(s)
		}
		t.pulled = t.pulled[:0]
	}
	n.pulled = n.pulled[:0]
}

func (t *ManualTrigger) start(timebase.Time) {}

// fire does nothing: a manual trigger is never due by itself.
func (t *ManualTrigger) fire() {}

func (t *ManualTrigger) String() string { return "trigger " + t.name + " by hand" }

func (t *ManualTrigger) waiting(timebase.Time) string { return "trigger " + t.name + " is pulled" }

func (t *ManualTrigger) save(e *encoder) {
	t.saveCore(e)
	e.time(t.end)
	e.bool(t.began)
}

func (t *ManualTrigger) load(d *decoder) {
	t.loadCore(d)
	t.end, t.began = d.time(), d.bool()
	d.check(t.due == timebase.EndOfTime, "a manual trigger that is due by itself")
}

package examine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"gosmp/importer/worker/probe"
)

// mostCalls is the number of lines that the calls of a program may take without being shortened.
const mostCalls = 30

// evidence determines whether a script shows that a rule is refuted, so that operations that are
// not needed for it can be found by omitting them.
type evidence struct {
	keep []int // operations that are needed
	// shown reports whether a run of a shorter script shows the fault, and describes it.
	// at returns the new position of an operation that is needed.
	shown func(r *run, at func(k int) int) (note string, ok bool)
	// Two passes of the same calls are compared: operations after first, and after first + twin.
	// They are omitted in pairs. twin is 0 if there are no passes.
	first, twin int
}

// shortener looks for a short script that still shows a fault.
type shortener struct {
	x    *exam
	o    *outcome
	e    *evidence
	kept []bool
	runs int
	end  time.Time
}

// shorten omits operations from the script of a refutation for as long as the FMU still shows the
// fault, if the calls of its program would take many lines: first calls that only read, and then
// any others.
func (x *exam) shorten(o *outcome) {
	const longest = 5 * time.Second
	if o.play == nil || o.run == nil || o.at < 0 || o.at >= len(o.play.ops) ||
		o.play.callLines(o.at) <= mostCalls {
		return
	}
	h := &shortener{x: x, o: o, e: o.evidence, end: time.Now().Add(longest)}
	if h.e == nil {
		h.e = x.usualEvidence(o)
	}
	whole := h.e != nil // anything may be omitted
	if h.e == nil {
		if h.e = o.sameAnswer(); h.e == nil {
			return
		}
	}
	last := o.play.endOfLoops(o.at)
	h.kept = make([]bool, len(o.play.ops))
	for k := range h.kept {
		h.kept[k] = k <= last
	}
	best := h.try()
	if best == nil {
		return
	}
	if next := h.without([][]int{o.play.otherReads(last, append(slices.Clone(h.e.keep),
		o.at))}); next != nil {
		best = next
	}
	if whole && best.lines() > mostCalls {
		best = h.further(best, last)
	}
	if !h.late() && h.run() == nil { // chance decides whether it shows the fault
		return
	}
	o.play, o.at, o.note = best.play, best.at, best.note
}

// further omits any operations from the best script up to now, and returns the best one.
func (h *shortener) further(best *shortScript, last int) *shortScript {
	o := h.o
	units := o.play.units(last, append(slices.Clone(h.e.keep), o.at), h.e)
	gone := func(unit []int) bool {
		return !slices.ContainsFunc(unit, func(k int) bool { return h.kept[k] })
	}
	units = slices.DeleteFunc(units, gone)
	for _, group := range o.play.alike(units) {
		if next := h.without(group); next != nil {
			best = next
			units = slices.DeleteFunc(units, gone)
		}
	}
	for size := (len(units) + 1) / 2; size > 0; size /= 2 {
		for from := 0; from < len(units); {
			to := min(from+size, len(units))
			if next := h.without(units[from:to]); next != nil {
				best = next
				units = slices.Delete(units, from, to)
				continue
			}
			from = to
		}
	}
	for size := 2; size <= 8 && best.lines() > mostCalls; size++ {
		for from := 0; from+size <= len(units); {
			if next := h.without(units[from : from+size]); next != nil {
				best = next
				units = slices.Delete(units, from, from+size)
				continue
			}
			from++
		}
	}
	return best
}

// otherReads returns the calls up to the given last one that read variables of another type than
// the operations to keep, and are no operations to keep themselves.
func (p *play) otherReads(last int, keep []int) (list []int) {
	for k := range last + 1 {
		o := &p.ops[k]
		if isGet(o) && !p.stays(k) && !slices.ContainsFunc(keep, func(n int) bool {
			return p.ops[n].Code == o.Code
		}) {
			list = append(list, k)
		}
	}
	return list
}

// shortScript is a script that shows the fault.
type shortScript struct {
	play *play
	at   int
	note string
}

// callLines returns the number of lines of the calls in a program up to and including one of them.
func (p *play) callLines(at int) int {
	list, _ := p.body(at)
	return lineCount(list)
}

func (b *shortScript) lines() int { return b.play.callLines(b.at) }

// without omits operations; nil, with no effect, if the fault is then not shown.
func (h *shortener) without(units [][]int) *shortScript {
	before := slices.Clone(h.kept)
	for _, unit := range units {
		for _, k := range unit {
			h.kept[k] = false
		}
	}
	best := h.try()
	if best == nil {
		h.kept = before
	}
	return best
}

// try runs the operations that are kept; nil if they do not show the fault, or if all runs together
// have taken too long.
func (h *shortener) try() *shortScript {
	const mostRuns = 400
	if h.runs >= mostRuns || time.Now().After(h.end) || h.late() {
		return nil
	}
	return h.run()
}

// late reports whether the examination is over.
func (h *shortener) late() bool {
	return time.Now().After(h.x.deadline) || h.x.ctx.Err() != nil
}

// run is like try, however long it takes.
func (h *shortener) run() *shortScript {
	q, at, ok := h.o.play.subset(h.kept)
	if !ok {
		return nil
	}
	h.runs++
	a := &attempt{x: h.x, s: h.x.s}
	note, ok := h.e.shown(a.playWith(q, h.o.run.options), func(k int) int { return at[k] })
	if !ok {
		return nil
	}
	return &shortScript{q, at[h.o.at], note}
}

// endOfLoops returns an operation, or the last one of the loop around it.
func (p *play) endOfLoops(at int) int {
	depth := 0
	for k := range p.ops {
		switch p.ops[k].Code {
		case probe.Loop:
			depth++
		case probe.Next:
			depth--
		}
		if k >= at && depth == 0 {
			return k
		}
	}
	return len(p.ops) - 1
}

// usualEvidence returns the evidence of a refutation that is a crash, a call that fails, or a value
// that differs from a life alone; nil for other refutations.
func (x *exam) usualEvidence(o *outcome) *evidence {
	before := o.run
	status := before.Records[o.at].Status
	switch {
	case before.Crashed() && o.at == before.Last:
		return &evidence{shown: func(r *run, at func(k int) int) (string, bool) {
			return "", r.Crashed() && r.end() == before.end() && r.Last == at(o.at)
		}}
	case before.Stopped == o.at:
		return &evidence{shown: func(r *run, at func(k int) int) (string, bool) {
			k := at(o.at)
			return r.describe(k), !r.Crashed() && r.Stopped == k && r.Records[k].Status == status
		}}
	}
	if slices.ContainsFunc(o.play.ops, func(o probe.Op) bool { return o.Code == probe.Twins }) {
		return nil
	}
	k := slices.IndexFunc(before.readings, func(g reading) bool {
		return slices.Contains(g.ops, o.at)
	})
	if k < 0 {
		return nil
	}
	g := before.readings[k]
	g.groups, g.triples, g.fetches = g.groups[slices.Index(g.ops, o.at):][:1], nil, nil
	const rounding = 1e-9
	tolerance := 0.0
	if _, large := x.unlikeAlone(before, o.at, g, rounding); large {
		tolerance = rounding
	}
	return &evidence{shown: func(r *run, at func(k int) int) (string, bool) {
		return x.unlikeAlone(r, at(o.at), g, tolerance)
	}}
}

// sameAnswer returns the evidence of a refutation by what a call answers, returns or logs: it does
// the same. It is nil if that does not show the fault, and only says which calls that read do not
// matter: without others, the call may do the same for another reason.
func (o *outcome) sameAnswer() *evidence {
	before, op := o.run.Records[o.at], &o.play.ops[o.at]
	answers := o.play.wrong[o.at] || before.Status != 0 || len(before.Out) > 0 ||
		before.Flags != 0 || o.run.speaks(o.at) || strings.HasSuffix(op.Code, "DoStep")
	measured := o.at+1 < len(o.play.ops) && o.play.ops[o.at+1].Code == probe.Measure
	if o.run.Crashed() || !answers || measured { // the measurement after the call shows it
		return nil
	}
	return &evidence{shown: func(r *run, at func(k int) int) (string, bool) {
		k := at(o.at)
		now := r.Records[k]
		same := now.Runs == before.Runs && now.Status == before.Status &&
			now.Flags == before.Flags && bytes.Equal(now.Out, before.Out) &&
			fmt.Sprint(now.Y) == fmt.Sprint(before.Y) &&
			slices.Equal(r.said(k), o.run.said(o.at))
		return "", same && !r.Crashed()
	}}
}

// said returns the messages that arrived in an operation.
func (r *run) said(at int) (list []string) {
	for k := range r.Messages {
		if m := r.Messages[k]; m.Op == at {
			m.Op = 0
			list = append(list, fmt.Sprint(m))
		}
	}
	return list
}

// sameMessage returns the evidence of a refutation by a message: the FMU gives the same bytes at
// the same time.
func (o *outcome) sameMessage() *evidence {
	endOf := func(p *play, at int) (t float64) {
		for k := range at {
			if op := &p.ops[k]; bare(op.Code) == "DoStep" && op.Slot == p.ops[at].Slot {
				t = op.X[0] + op.X[1]
			}
		}
		return t
	}
	content, _ := payload(o.run.Records[o.at].Out)
	end := endOf(o.play, o.at)
	return &evidence{shown: func(r *run, at func(k int) int) (string, bool) {
		found, ok := payload(r.Records[at(o.at)].Out)
		return "", ok && !r.Crashed() && bytes.Equal(found, content) &&
			endOf(r.play, at(o.at)) == end
	}}
}

// unlikeAlone reports whether an operation reads a different value in a new process that makes only
// the calls since the instance was created or last reset. The relative difference must be larger
// than a tolerance.
func (x *exam) unlikeAlone(r *run, at int, g reading, tolerance float64) (string, bool) {
	p, last := r.play.alone(at)
	a := &attempt{x: x, s: x.s}
	expected := a.playWith(p, r.options)
	there, here := g, g
	there.ops, here.ops = []int{last}, []int{at}
	d := x.s.compare(expected.Result, []reading{there}, r.Result, []reading{here}, tolerance)
	if d == nil || r.Crashed() || expected.Crashed() {
		return "", false
	}
	return d.name + " is " + d.right + ", and " + d.left + " in a life alone", true
}

// alone returns the calls of the instance of an operation since it was created or last reset, and
// the position of the operation among them.
func (p *play) alone(at int) (q *play, last int) {
	slot, birth := p.ops[at].Slot, 0
	from := 0
	for k := range at {
		if o := &p.ops[k]; o.Slot == slot {
			if isBirth(o.Code) {
				birth, from = k, k+1
			}
			if bare(o.Code) == "Reset" {
				from = k + 1
			}
		}
	}
	q = &play{s: p.s, wrong: map[int]bool{}}
	for k := 0; k <= at; k++ {
		o := p.ops[k]
		if o.Code == probe.Load || k == birth || k >= from && o.Slot == slot {
			q.ops = append(q.ops, o)
		}
	}
	return q, len(q.ops) - 1
}

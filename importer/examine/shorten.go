package examine

import (
	"bytes"
	"slices"
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
// fault, if the calls of its program would take many lines.
func (x *exam) shorten(o *outcome) {
	const longest = 5 * time.Second
	if o.play == nil || o.run == nil || o.at < 0 || o.at >= len(o.play.ops) ||
		o.play.callLines(o) <= mostCalls {
		return
	}
	h := &shortener{x: x, o: o, e: o.evidence, end: time.Now().Add(longest)}
	if h.e == nil {
		h.e = x.usualEvidence(o)
	}
	if h.e == nil {
		return
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
	units := o.play.units(last, append(slices.Clone(h.e.keep), o.at), h.e)
	for _, group := range o.play.alike(units) {
		if next := h.without(group); next != nil {
			best = next
			units = slices.DeleteFunc(units, func(u []int) bool { return !h.kept[u[0]] })
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
	for size := 2; size <= 8 && best.lines(o) > mostCalls; size++ {
		for from := 0; from+size <= len(units); {
			if next := h.without(units[from : from+size]); next != nil {
				best = next
				units = slices.Delete(units, from, from+size)
				continue
			}
			from++
		}
	}
	o.play, o.at, o.note = best.play, best.at, best.note
}

// shortScript is a script that shows the fault.
type shortScript struct {
	play *play
	at   int
	note string
}

// callLines returns the number of lines of the calls in the program of an outcome.
func (p *play) callLines(o *outcome) int {
	list, _ := p.body(o.at, o.cause != "")
	return lineCount(list)
}

func (b *shortScript) lines(o *outcome) int {
	return b.play.callLines(&outcome{at: b.at, cause: o.cause})
}

// without omits operations; nil, with no effect, if the fault is then not shown.
func (h *shortener) without(units [][]int) *shortScript {
	set := func(to bool) {
		for _, unit := range units {
			for _, k := range unit {
				h.kept[k] = to
			}
		}
	}
	set(false)
	best := h.try()
	if best == nil {
		set(true)
	}
	return best
}

// try runs the operations that are kept; nil if they do not show the fault.
func (h *shortener) try() *shortScript {
	const mostRuns = 400
	if now := time.Now(); h.runs >= mostRuns || now.After(h.end) || now.After(h.x.deadline) ||
		h.x.ctx.Err() != nil {
		return nil
	}
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

package examine

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/decimal"
	"gosmp/internal/finding"
)

// valuesOf judges the values read in a life: texts, and the limits of outputs.
func (a *attempt) valuesOf(r *run) {
	texts, outside := true, false
	var infinite func()
	for k := range r.readings {
		list, ok := r.readings[k].cells(r.Result)
		if !ok {
			break
		}
		for _, c := range list {
			if c.v == nil {
				if isUnreadable(c.bytes) {
					a.s.dead[c.name] = true // for D5
				}
				continue
			}
			if c.v.size == 0 && texts {
				texts = a.textIsGood(r, c)
			}
			if c.v.size == 0 && !texts {
				a.s.dead[c.name] = true
			}
			if !outside {
				outside = a.isOutside(r, &r.readings[k], c)
			}
			if infinite == nil {
				infinite = a.notFinite(r, &r.readings[k], c)
			}
		}
	}
	if texts {
		a.proved("R16")
	}
	switch {
	case outside:
	case infinite != nil:
		infinite()
	default:
		a.proved("V20")
	}
}

// textsOf can refute R16 by a life with changing inputs; only the plain life proves it.
func (a *attempt) textsOf(r *run) {
	for k := range r.readings {
		list, ok := r.readings[k].cells(r.Result)
		if !ok {
			return
		}
		for _, c := range list {
			if c.v != nil && c.v.size == 0 && !a.textIsGood(r, c) {
				return
			}
		}
	}
}

// limitsOf can refute V20 by a life with changing inputs; only the plain life proves it.
func (a *attempt) limitsOf(r *run) {
	var infinite func()
	for k := range r.readings {
		list, ok := r.readings[k].cells(r.Result)
		if !ok {
			break
		}
		for _, c := range list {
			if c.v != nil && a.isOutside(r, &r.readings[k], c) {
				return
			}
			if c.v != nil && infinite == nil {
				infinite = a.notFinite(r, &r.readings[k], c)
			}
		}
	}
	if infinite != nil {
		infinite()
	}
}

// notFinite returns a function that notes that an output is infinite or not a number; nil if it is
// finite. Some models express in this way that there is no value, so limits that are exceeded
// count more.
func (a *attempt) notFinite(r *run, at *reading, c cell) func() {
	if c.v.Causality != fmi.Output || !c.v.Type.IsFloat() {
		return nil
	}
	for k := 0; k+c.v.size <= len(c.bytes); k += c.v.size {
		if x := a.s.number(c.v, c.bytes[k:]); math.IsNaN(x) || math.IsInf(x, 0) {
			return func() {
				a.refuted("V20", r, c.op, "a finite number", "%s is %s at %s s", c.name, short(x),
					short(at.t)).as(finding.Note)
			}
		}
	}
	return nil
}

// laterLife takes the steps of the default experiment, up to a maximum number. They must work, and
// values stay within their limits.
func laterLife(a *attempt) {
	const most, limit = 200, time.Second
	s, p := a.s, a.s.newPlay()
	n := s.steps(most, s.step) - 1 // some FMUs end the simulation at the stop time
	if time.Duration(n)*a.x.stepTime() > limit || n <= a.x.n {
		return // the ordinary life already proves it
	}
	readings := p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: n, end: true})
	r := a.play(p, readings...)
	a.limitsOf(r)
	a.textsOf(r)
	if !r.Crashed() && r.Stopped >= 0 && r.Records[r.Stopped].Status == discard {
		return // a shorter step may work
	}
	if !a.fine("R2", r) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found += ", within the default experiment"
	}
}

func (a *attempt) textIsGood(r *run, c cell) bool {
	if r.Records[c.op].Flags&probe.DeadText != 0 {
		a.refuted("R16", r, c.op, "memory that stays until the next call",
			"%s is in memory that is invalid after the call has "+
				"returned: on the stack, or freed", c.name)
		return false
	}
	for _, x := range c.elements() {
		content, ok := payload(x.bytes)
		if !ok {
			a.refuted("R16", r, x.op, "an address of the value", "%s is %s", x.name, a.s.text(x))
			return false
		}
		if x.v.Type == fmi.String && !utf8.Valid(content) {
			a.refuted("R16", r, x.op, "UTF-8", "%s is %s", x.name,
				a.s.text(x)).as(finding.Warning)
			return false
		}
	}
	return true
}

// isOutside refutes V20 if an output is outside its limits, with no tolerance for integers.
func (a *attempt) isOutside(r *run, at *reading, c cell) bool {
	if c.v.size == 0 {
		return a.isTooLong(r, at, c)
	}
	for k := 0; k+c.v.size <= len(c.bytes); k += c.v.size {
		x := a.s.number(c.v, c.bytes[k:])
		if text := a.s.isNoValue(c.v, x); text != "" {
			a.refuted("V20", r, c.op, text, "%s is %s at %s s", c.name, short(x),
				short(at.t)).as(finding.Error)
			return true
		}
		if c.v.Causality != fmi.Output {
			continue
		}
		slack := 0.0
		if c.v.Type.IsFloat() {
			slack = 1e-6 * max(1, abs(x))
		}
		low, hasLow := c.v.bound(c.v.Min)
		high, hasHigh := c.v.bound(c.v.Max)
		strange := math.IsNaN(x) && (hasLow || hasHigh)
		if hasLow && x < low-slack || hasHigh && x > high+slack || strange {
			o := a.refuted("V20", r, c.op, "min "+c.v.Min+", max "+c.v.Max,
				"%s is %s at %s s", c.name, short(x), short(at.t))
			if !c.v.Type.IsFloat() {
				o.as(finding.Error)
			}
			return true
		}
	}
	return false
}

// isTooLong refutes V20 if a binary is longer than its maxSize.
func (a *attempt) isTooLong(r *run, at *reading, c cell) bool {
	most, err := strconv.ParseUint(c.v.MaxSize, 10, 64)
	if c.v.Type != fmi.Binary || err != nil {
		return false
	}
	for _, x := range c.elements() {
		if content, ok := payload(x.bytes); ok && uint64(len(content)) > most {
			a.refuted("V20", r, x.op, "at most maxSize, "+x.v.MaxSize, "%s has %d bytes at %s s",
				x.name, len(content), short(at.t)).as(finding.Error)
			return true
		}
	}
	return false
}

// isNoValue explains why x is not a value of the variable's type; empty if it is one.
func (s *subject) isNoValue(v *variable, x float64) string {
	switch v.Type {
	case fmi.Boolean:
		if x != 0 && x != 1 {
			return "true or false, 1 or 0"
		}
	case fmi.Enumeration:
		var items []string
		for _, t := range s.model.Types {
			for _, item := range t.Items {
				value, err := decimal.Float(item.Value, 64)
				if t.Name != v.DeclaredType || err != nil {
					continue
				}
				if value == x {
					return ""
				}
				items = append(items, item.Value)
			}
		}
		if len(items) > 0 {
			return "one of the items " + listed(items)
		}
	}
	return ""
}

func abs(x float64) float64 { return max(x, -x) }

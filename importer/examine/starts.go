package examine

import (
	"bytes"
	"fmt"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// startsOf judges whether the FMU has the start values that it declares, based on the values at the
// first communication point of a life in which no values were set.
func (a *attempt) startsOf(r *run, first []cell) {
	for _, c := range first {
		if c.v == nil || !a.s.keepsStart(c.v) || a.s.dead[c.name] {
			continue
		}
		start := a.s.startOf(c.v)
		if len(start) == 0 || r.Records[c.op].Flags&probe.Unwritten != 0 { // covered by S6
			continue
		}
		declared := cell{name: c.name, v: c.v, bytes: start}
		if c.v.size == 0 {
			if c.v.n != 1 {
				if !a.startsOfTexts(r, c, start) {
					return
				}
				continue
			}
			if a.s.major == 2 {
				declared.bytes = blob(bytes.TrimSuffix(start, []byte{0}))
			}
			given, _ := payload(declared.bytes)
			if found, ok := payload(c.bytes); !ok || bytes.Equal(given, found) {
				continue // R16 judges all values except texts
			}
		}
		if a.s.distance(declared, c) <= 1e-6 {
			continue
		}
		o := a.refuted("V21", r, c.op, "its start value "+a.s.text(declared), "%s is %s", c.name,
			a.s.text(c))
		if c.v.size == 0 {
			o.as(finding.Warning) // it may stand for a default known only to the FMU
		}
		return
	}
	a.proved("V21")
}

// startsOfTexts compares the elements of an array of texts or binaries with their start values, and
// returns false if this refutes V21.
func (a *attempt) startsOfTexts(r *run, c cell, start []byte) bool {
	given := start
	for _, x := range c.elements() {
		wanted, _ := payload(given)
		content, ok := payload(x.bytes)
		if !ok {
			return true // for R16
		}
		if !bytes.Equal(wanted, content) {
			a.refuted("V21", r, x.op, fmt.Sprintf("its start value %q", wanted),
				"%s is %q", x.name, content).as(finding.Warning)
			return false
		}
		given = given[min(len(given), 8+(len(wanted)+8)/8*8):] // as a setter takes them
	}
	return true
}

// keepsStart reports whether a variable keeps its start value until the environment sets it.
func (s *subject) keepsStart(v *variable) bool {
	switch v.Causality {
	case fmi.Parameter, fmi.StructuralParameter, fmi.Input:
		return true
	}
	return v.Variability == fmi.Constant
}

// constancyOf judges whether variables that are not set and cannot change by themselves remain
// constant from the first communication point on.
func (a *attempt) constancyOf(r *run, first []cell) {
	for k := range r.readings {
		list, ok := r.readings[k].cells(r.Result)
		if !ok {
			break
		}
		for n, c := range list {
			if c.v == nil || n >= len(first) || !a.s.stays(c.v) || c.name != first[n].name ||
				a.s.dead[c.name] || a.s.distance(first[n], c) == 0 {
				continue
			}
			a.s.drifting[c.name] = true
			a.refuted("V22", r, c.op, a.s.text(first[n])+", as after initialization",
				"%s is %s at %s s, although its variability is %s", c.name, a.s.text(c),
				short(r.readings[k].t), c.v.Variability)
			return
		}
	}
	a.proved("V22")
}

// stays reports whether only the environment can change a variable after initialization.
func (s *subject) stays(v *variable) bool {
	switch v.Variability {
	case fmi.Constant, fmi.Fixed:
		return true
	}
	return v.Causality == fmi.Parameter || v.Causality == fmi.Input
}

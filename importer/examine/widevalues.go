package examine

import (
	"bytes"
	"strconv"

	"gosmp/fmi"
	"gosmp/internal/finding"
)

// wideValues sets scalar inputs to large and to negative numbers, which differ from each other, and
// reads them back after a step. Models often have bounds that they do not declare: a step that is
// refused with such values is no fault, but the end of the process is.
func wideValues(a *attempt) {
	const most = 16 // inputs that are set individually
	list, tested := a.s.numbers(), false
	for _, negative := range []bool{false, true} {
		works, fits := a.keeps(list, negative)
		if !fits {
			return
		}
		tested = tested || works
		if works || len(list) == 1 {
			continue
		}
		for k := range list[:min(len(list), most)] {
			works, fits := a.keeps(list[k:k+1], negative)
			if !fits {
				return
			}
			tested = tested || works
		}
	}
	if !tested {
		a.untested("R22", "the FMU refuses large and negative values of its inputs")
		return
	}
	a.proved("R22")
}

// numbers returns the scalar inputs that are numbers and no enumerations.
func (s *subject) numbers() (list []*variable) {
	for _, v := range s.inputs() {
		if v.isNumber() && v.Type != fmi.Enumeration && v.n == 1 && len(v.Dimensions) == 0 &&
			s.settable(v, fmi.StepComplete) {
			list = append(list, v)
		}
	}
	return list
}

// keeps reports whether a step with wide values of some inputs works; fits is false if inputs do
// not keep them, or if the value of a single input ends the process.
func (a *attempt) keeps(list []*variable, negative bool) (works, fits bool) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	set := map[string][]byte{}
	p.set(0, list, func(v *variable) []byte {
		set[v.Name] = s.wide(v, negative)
		return set[v.Name]
	})
	p.step(0, s.start, s.step)
	at := p.readSome(0, list)
	p.call(0, "FreeInstance")
	r := a.play(p, at)
	switch {
	case r.Crashed() && len(list) == 1 && !r.TimedOut:
		o := a.crash("R22", r)
		o.as(finding.Warning)
		o.cause = "" // an error of the same cause is not hidden by this warning
		v := list[0]
		o.found += "; " + v.Name + " is " + s.text(cell{name: v.Name, v: v, bytes: set[v.Name]})
		return false, false
	case r.Crashed() || r.Stopped >= 0:
		return false, true
	}
	cells, _ := at.cells(r.Result)
	for _, c := range cells {
		was := cell{name: c.name, v: c.v, bytes: set[c.name]}
		switch {
		case was.bytes == nil || s.drifting[c.name]:
		case c.v.Type.IsFloat() && s.distance(was, c) <= 1e-12:
		case !c.v.Type.IsFloat() && bytes.Equal(was.bytes, c.bytes):
		default:
			a.refuted("R22", r, c.op, "the value that was set, "+s.text(was)+
				", or declared bounds", "%s is %s", c.name, s.text(c)).as(finding.Warning)
			return true, false
		}
	}
	return true, true
}

// wide returns a large or a negative number as a value of v; the nearer bound if it is outside the
// bounds.
func (s *subject) wide(v *variable, negative bool) []byte {
	x, text := float64(1000.1)+float64(v.index), ""
	if negative {
		x = -x
	}
	if !v.Type.IsFloat() {
		x, text = wideInteger(v.Type, v.index%16, negative)
	}
	if low, is := v.bound(v.Min); is && x < low {
		return s.limit(v, v.Min)
	}
	if high, is := v.bound(v.Max); is && x > high {
		return s.limit(v, v.Max)
	}
	if text == "" {
		return s.made(v, x)
	}
	value, err := v.Type.ParseValue(text)
	if err != nil {
		return nil
	}
	return s.encode(v, value)
}

// wideInteger returns a large number that cannot be mistaken for a value of another type, with the
// text of its exact value. Numbers of 64 bits are no floating-point numbers.
func wideInteger(t fmi.Type, n int, negative bool) (x float64, text string) {
	magnitudes := map[fmi.Type]int64{fmi.Int8: 100, fmi.Int16: 30_000, fmi.Int32: 1 << 30,
		fmi.Integer: 1 << 30, fmi.Int64: 1<<53 + 63}
	if m, signed := magnitudes[t]; signed {
		m -= int64(2 * n)
		if negative {
			m = -m
		}
		return float64(m), strconv.FormatInt(m, 10)
	}
	if negative {
		n += 16 // there are no negative ones: another large one
	}
	m := map[fmi.Type]uint64{fmi.UInt8: 200, fmi.UInt16: 60_000, fmi.UInt32: 4_000_000_000,
		fmi.UInt64: 1<<63 + 1<<40 + 101}[t] - uint64(2*n)
	return float64(m), strconv.FormatUint(m, 10)
}

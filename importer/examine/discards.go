package examine

import (
	"bytes"
	"encoding/binary"
	"math"

	"gosmp/importer/worker/probe"
)

// discardTrials returns the trials of steps that the FMU discards.
func discardTrials() []trial { return []trial{{rules: []string{"S7"}, make: discards}} }

// provocation is something that may make an FMU discard a step: inputs with a certain value, or a
// long step.
type provocation struct {
	input func(s *subject, v *variable) []byte
	long  float64 // the step size as a multiple of the usual one
}

func provocations() (list []provocation) {
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e300, -1e300} {
		list = append(list, provocation{long: 1, input: func(s *subject, v *variable) []byte {
			if v.size == 4 {
				return binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(x)))
			}
			return binary.NativeEndian.AppendUint64(nil, math.Float64bits(x))
		}})
	}
	for _, outside := range []float64{1, -1} {
		list = append(list, provocation{long: 1, input: func(s *subject, v *variable) []byte {
			low, hasLow := v.bound(v.Min)
			high, hasHigh := v.bound(v.Max)
			if !hasLow || !hasHigh {
				return nil
			}
			return s.made(v, float64((low+high)/2)+float64(float64(outside*(high-low))*2))
		}})
	}
	return append(list, provocation{long: 10}, provocation{long: 100}, provocation{long: 1e4})
}

// discards provokes a Discard and checks its effects: in FMI 2.0 the host can ask for the time
// reached, and in FMI 3.0 the state must be unchanged.
func discards(a *attempt) {
	s, seen := a.s, false
	for _, c := range provocations() {
		p := s.newPlay()
		p.instantiate(0, 0)
		b := s.usual()
		b.noStop = true
		if c.input != nil {
			if len(s.floats()) == 0 {
				continue
			}
			b.afterEnter = func() { // after this, nothing may be read before the next step
				p.set(0, s.floats(), func(v *variable) []byte { return c.input(s, v) })
			}
		} else if !s.variableStep {
			continue
		}
		p.initialize(0, b)
		d := a.discarded(p, c.long*s.step)
		if d == nil {
			continue
		}
		seen = true
		if !d.judge(a) {
			return
		}
	}
	if !seen {
		a.untested("S7", "the FMU has not discarded a step")
		return
	}
	a.proved("S7")
}

// discarded is a run that ends with a discarded step.
type discarded struct {
	r             *run
	step          int
	before, after []reading
	states        []int // serialized before the step, before it again, and after it
}

// discarded takes a step, and returns nil unless the FMU discards it.
func (a *attempt) discarded(p *play, h float64) *discarded {
	s := a.s
	d := &discarded{}
	serialize := func() {
		if s.major == 3 && s.canSerialize() {
			p.stateCall("Get", 0)
			d.states = append(d.states, p.stateCall("Serialize", 0))
			p.stateCall("Free", 0)
		}
	}
	if s.major == 3 {
		serialize()
		serialize()
		d.before = []reading{p.read(0, s.start)}
	}
	d.step = p.add(probe.Op{Code: s.function("DoStep"), X: [4]float64{s.start, h}})
	p.may()
	if s.major == 3 {
		d.after = []reading{p.read(0, s.start)}
		serialize()
	}
	p.call(0, "FreeInstance")
	d.r = a.play(p, append(d.before, d.after...)...)
	if d.r.Last < d.step || d.r.Records[d.step].Runs == 0 ||
		d.r.Records[d.step].Status != discard {
		return nil
	}
	return d
}

func (d *discarded) judge(a *attempt) bool {
	rec := d.r.Records[d.step]
	o := d.r.play.ops[d.step]
	if d.r.Crashed() {
		a.crash("S7", d.r)
		return false
	}
	if a.s.major == 2 {
		t, h := o.X[0], o.X[1]
		slack := float64(1e-9 * max(1, math.Abs(t), math.Abs(h)))
		switch {
		case rec.Y[2] > warning:
			a.refuted("S7", d.r, d.step, "the time of the last successful step",
				"%s, and fmi2GetRealStatus(fmi2LastSuccessfulTime) %s", d.r.describe(d.step),
				statusName(int(rec.Y[2])))
			return false
		case !(rec.Y[3] >= t-slack && rec.Y[3] <= t+h+slack):
			a.refuted("S7", d.r, d.step, "a time within the step",
				"%s, and fmi2LastSuccessfulTime is %s", d.r.describe(d.step), short(rec.Y[3]))
			return false
		}
		return true
	}
	if x := a.s.compare(d.r.Result, d.before, d.r.Result, d.after, 0); x != nil {
		a.refuted("S7", d.r, x.op, x.left+", as before the step that was discarded",
			"%s is %s after fmi3Discard", x.name, x.right)
		return false
	}
	if len(d.states) == 3 {
		out := func(k int) []byte { return d.r.Records[d.states[k]].Out }
		if bytes.Equal(out(0), out(1)) && d.r.Records[d.states[2]].Runs > 0 &&
			!bytes.Equal(out(1), out(2)) {
			a.refuted("S7", d.r, d.states[2], "the same bytes as before the step",
				"the serialized state differs after fmi3Discard")
			return false
		}
	}
	return true
}

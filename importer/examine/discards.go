package examine

import (
	"bytes"
	"encoding/binary"
	"math"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// discardTrials returns the trials of steps that the FMU discards.
func discardTrials() []trial {
	three := unless(func(s *subject) bool { return s.major == 3 }, "FMI 2.0 does not have this")
	return []trial{
		{rules: []string{"S7"}, make: discards},
		{rules: []string{"S7"}, make: discardedSets, lacks: three},
		{rules: []string{"S5"}, make: earlyReturns, lacks: three},
	}
}

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
	for _, long := range []float64{10, 100, 1e4, 1e-3, 1e-6} {
		list = append(list, provocation{long: long})
	}
	return list
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
		if !d.judge(a) || !a.goesOn(&c) {
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
	t, h := o.X[0], o.X[1]
	slack := float64(1e-9 * max(1, math.Abs(t), math.Abs(h)))
	if a.s.major == 2 {
		return d.judge2(a, t, h, slack)
	}
	if last := rec.Y[3]; last > t+slack && last <= t+2*h { // else it is not set
		a.refuted("S7", d.r, d.step, short(t)+", the beginning of the step",
			"lastSuccessfulTime is %s after %s", short(last), d.r.describe(d.step))
		return false
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

// judge2 judges what an FMU of FMI 2.0 answers about a step from t to t + h that it has discarded.
func (d *discarded) judge2(a *attempt, t, h, slack float64) bool {
	rec := d.r.Records[d.step]
	text := d.r.describe(d.step)
	ended := rec.Y[0] <= warning && rec.Y[1] != 0
	switch last := rec.Y[3]; {
	case rec.Y[2] > warning:
		a.refuted("S7", d.r, d.step, "the time of the last successful step",
			"%s, and fmi2GetRealStatus(fmi2LastSuccessfulTime) %s", text,
			statusName(int(rec.Y[2])))
	case !(last >= t-slack && last <= t+h+slack):
		a.refuted("S7", d.r, d.step, "a time within the step",
			"%s, and fmi2LastSuccessfulTime is %s", text, short(last))
	case last >= t+h-slack && !ended:
		a.refuted("S7", d.r, d.step, "OK for a whole step, or an earlier time",
			"%s, and fmi2LastSuccessfulTime is %s, the end of the step", text, short(last))
	case rec.Y[0] > warning:
		a.refuted("S7", d.r, d.step, "whether the simulation has ended",
			"%s, and fmi2GetBooleanStatus(fmi2Terminated) %s", text,
			statusName(int(rec.Y[0]))).as(finding.Warning)
	default:
		return true
	}
	return false
}

// goesOn discards a step and then takes an ordinary one: in FMI 2.0 after the state before the step
// was restored, and in FMI 3.0 directly. The values must be the same as without the discarded step.
func (a *attempt) goesOn(c *provocation) bool {
	s := a.s
	if s.major == 2 && !s.canSave() || s.events {
		return true // only such FMUs can go on; events are for other rules
	}
	walk := func(tries bool) (*run, int) {
		p := s.newPlay()
		p.live(life{begin: s.usual(), n: 1, blind: true})
		t := s.start + s.step
		if s.major == 2 {
			p.stateCall("Get", 0)
		}
		state := p.states[0]
		if c.input != nil {
			p.set(0, s.floats(), func(v *variable) []byte { return c.input(s, v) })
		}
		tried := -1
		if tries {
			tried = p.add(probe.Op{Code: s.function("DoStep"),
				X: [4]float64{t, float64(c.long * s.step)}})
			p.may()
		}
		if s.major == 2 {
			if tries {
				p.states[0] = fmu.StateAfter("fmi2DoStep", state, fmi.Discard, false)
			}
			p.stateCall("Set", 0)
			p.states[0] = state
			p.stateCall("Free", 0)
		}
		p.set(0, s.floats(), s.startOf)
		p.step(0, t, s.step)
		reading := p.read(0, t+s.step)
		p.call(0, "FreeInstance")
		return a.play(p, reading), tried
	}
	r, tried := walk(true)
	if rec := r.Records[tried]; rec.Runs == 0 || rec.Status != discard {
		return true // not discarded at this time
	}
	if !a.fine("S7", r) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found, o.unless = o.found+", after a discarded step", "R9"
		return false
	}
	without, _ := walk(false)
	d := s.compare(without.Result, without.readings, r.Result, r.readings, 0)
	if d == nil {
		return true
	}
	o := a.refuted("S7", r, d.op, d.left+", as if it had not been tried",
		"%s is %s at %s s, after a discarded step", d.name, d.right, short(d.t))
	o.unless = "R9"
	return false
}

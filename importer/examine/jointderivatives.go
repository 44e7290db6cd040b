package examine

import (
	"encoding/binary"
	"fmt"
	"math"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// jointly returns continuous outputs and inputs, scalars and arrays, whose derivatives are asked
// for in one call.
func (s *subject) jointly() (unknowns, knowns []*variable) {
	const most = 64 // elements
	room := func(list []*variable, v *variable) bool {
		g := group{variables: append(list[:len(list):len(list)], v)}
		return v.size == 8 && v.n > 0 && !v.clocked && g.values() <= most
	}
	for k := range s.variables {
		if v := &s.variables[k]; s.isDerivable(v) && room(unknowns, v) {
			unknowns = append(unknowns, v)
		}
	}
	for _, v := range s.inputs() {
		if v.Type.IsFloat() && v.Variability == fmi.Continuous && s.startOf(v) != nil &&
			s.settable(v, fmi.InitializationMode) && room(knowns, v) {
			knowns = append(knowns, v)
		}
	}
	return unknowns, knowns
}

// joint is a comparison of the derivatives of all outputs in a direction with differences along
// this direction.
type joint struct {
	unknowns, knowns group
	start            []float64 // of the knowns
	seeds, weights   []float64 // of all elements of the knowns and unknowns
	// the operations
	before, given, adjoint, again, low, near, high int
}

// jointDerivatives asks for the derivatives of several outputs and arrays by several inputs and
// arrays in one call, in two directions.
func jointDerivatives(a *attempt) {
	compared := false
	for k := range 2 {
		j := a.s.newJoint(k)
		p := a.s.newPlay()
		p.instantiate(0, 0)
		p.enter(0, a.s.usual())
		p.differ(j)
		p.leave(0)
		p.call(0, "FreeInstance")
		r := a.play(p)
		if failed := r.failsAt(); failed == j.given || failed >= 0 && failed == j.adjoint {
			a.fine("R14", r)
			return
		}
		fits, smooth := a.judgeJoint(r, j)
		if !fits {
			return
		}
		compared = compared || smooth
	}
	if compared {
		a.proved("R14")
	}
}

// jointStep is the distance of the points from the middle one, in terms of the seeds.
const jointStep = 1e-5

// newJoint returns the comparison in direction k.
func (s *subject) newJoint(k int) *joint {
	unknowns, knowns := s.jointly()
	j := &joint{unknowns: group{s.typeName(unknowns[0].Type), 8, unknowns},
		knowns: group{s.typeName(knowns[0].Type), 8, knowns}, adjoint: -1}
	for _, v := range knowns {
		j.start = append(j.start, doubles(s.startOf(v))...)
	}
	for n, x := range j.start {
		// each input moves as far as if it moved alone: other inputs may be much larger
		j.seeds = append(j.seeds, float64(weight(n, k)*max(1, math.Abs(x))))
	}
	for n := range j.unknowns.values() {
		j.weights = append(j.weights, weight(n, k+3))
	}
	return j
}

// weight returns component n of vector k: numbers between 1 and 2 that do not repeat soon.
func weight(n, k int) float64 { return 1 + float64((n*(7+2*k)+3*k)%11)/11 }

// differ appends calls that read the unknowns at four points of the direction, and the derivatives
// at the middle one.
func (p *play) differ(j *joint) {
	s := p.s
	set := func(distance float64) {
		var values []byte
		for n, x := range j.start {
			moved := float64(x + float64(distance*j.seeds[n]))
			values = binary.NativeEndian.AppendUint64(values, math.Float64bits(moved))
		}
		p.add(s.setOp(0, j.knowns, values))
	}
	get := func() int { return p.add(s.getOp(0, &j.unknowns)) }
	set(0)
	j.before = get()
	j.given = p.add(s.jointOp("GetDirectionalDerivative", j, j.seeds, len(j.weights)))
	if s.major == 3 && s.slave.Capabilities.Has("providesAdjointDerivatives") {
		j.adjoint = p.add(s.jointOp("GetAdjointDerivative", j, j.weights, len(j.seeds)))
	}
	j.again = get()
	set(-jointStep)
	j.low = get()
	set(nearby * jointStep)
	j.near = get()
	set(jointStep)
	j.high = get()
	set(0)
}

// jointOp returns the call for all unknowns and knowns, which returns n numbers.
func (s *subject) jointOp(name string, j *joint, seeds []float64, n int) probe.Op {
	e := binary.NativeEndian
	o := probe.Op{Code: s.function(name), References: j.unknowns.references(),
		Values: len(j.knowns.variables), X: [4]float64{float64(len(seeds)), float64(n)}}
	for _, r := range j.knowns.references() {
		o.Data = e.AppendUint32(o.Data, r)
	}
	for _, x := range seeds {
		o.Data2 = e.AppendUint64(o.Data2, math.Float64bits(x))
	}
	return o
}

// doubles decodes numbers of 8 bytes.
func doubles(b []byte) (list []float64) {
	for ; len(b) >= 8; b = b[8:] {
		list = append(list, math.Float64frombits(binary.NativeEndian.Uint64(b)))
	}
	return list
}

// element names element n of all variables of a group.
func (g *group) element(n int) string {
	for _, v := range g.variables {
		if n < v.n && v.n == 1 {
			return v.Name
		}
		if n < v.n {
			return fmt.Sprintf("element %d of %s", n+1, v.Name)
		}
		n -= v.n
	}
	return ""
}

// judgeJoint judges the derivatives: fits is false if they differ from differences; smooth is false
// if no output is smooth, so that none can be judged.
func (a *attempt) judgeJoint(r *run, j *joint) (fits, smooth bool) {
	out := func(at int) []float64 { return doubles(r.Records[at].Out) }
	n := len(j.weights)
	for _, at := range []int{j.low, j.before, j.near, j.high, j.given, j.again} {
		if len(out(at)) != n {
			return true, false
		}
	}
	low, middle, near, high := out(j.low), out(j.before), out(j.near), out(j.high)
	given, again := out(j.given), out(j.again)
	whole, sum, size := true, 0.0, 0.0
	for k := range n {
		if again[k] != middle[k] && !math.IsNaN(again[k]) && !math.IsNaN(middle[k]) {
			a.refuted("R14", r, j.given, short(middle[k])+", as before",
				"%s, in a call for all outputs and inputs, changes %s to %s",
				r.play.ops[j.given].Code, j.unknowns.element(k), short(again[k]))
			return false, true
		}
		expected, slack, is := points{low[k], middle[k], near[k], high[k]}.slope(jointStep)
		if !is {
			whole = false
			continue
		}
		smooth = true
		sum += float64(j.weights[k] * expected)
		size += float64(j.weights[k] * slack)
		if !(math.Abs(given[k]-expected) <= slack) {
			a.refuted("R14", r, j.given, "about "+short(expected)+", from differences",
				"%s of %s, in a call for all outputs and inputs, is %s", r.play.ops[j.given].Code,
				j.unknowns.element(k), short(given[k])).ofStatus(r, j.given)
			return false, true
		}
	}
	if j.adjoint < 0 || !whole {
		return true, smooth
	}
	found := 0.0
	for k, x := range out(j.adjoint) {
		found += float64(x * j.seeds[k])
	}
	if !(math.Abs(found-sum) <= size) {
		a.refuted("R14", r, j.adjoint, "about "+short(sum)+", from differences",
			"%s, in a call for all outputs and inputs, gives %s in the direction of the seeds",
			r.play.ops[j.adjoint].Code, short(found)).ofStatus(r, j.adjoint)
		return false, true
	}
	return true, true
}

// ofStatus softens a finding about a derivative that the FMU has returned with a warning.
func (o *outcome) ofStatus(r *run, at int) {
	if r.Records[at].Status == warning {
		o.as(finding.Warning)
	}
}

// points are values of an output at a step before a point, at it, and at a part and the whole of a
// step after it.
type points struct{ low, middle, near, high float64 }

// nearby is the part of a step after which an output is also read. The quotients of both sides
// agree for odd functions, whatever the step is.
const nearby = 0.25

// slope returns the difference quotient and the error that a derivative may have. If other
// quotients differ from it, no derivative can be judged.
func (p points) slope(step float64) (quotient, slack float64, is bool) {
	left, right := (p.middle-p.low)/step, (p.high-p.middle)/step
	inner := (p.near - p.middle) / (nearby * step)
	rough := float64(relative * max(math.Abs(left), math.Abs(right)))
	slack = rough + noise(p.middle, step)
	is = math.Abs(left-right) <= slack &&
		math.Abs(inner-right) <= rough/2+noise(p.middle, nearby*step)
	return (p.high - p.low) / (2 * step), slack, is
}

// relative is the relative difference of derivatives that counts as equal.
const relative = 1e-3

// noise returns the error of a difference quotient that rounding of a value causes.
func noise(value, step float64) float64 { return float64(1e-9*max(math.Abs(value), 1)) / step }

package examine

import (
	"encoding/binary"
	"fmt"
	"math"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
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
	step             float64
	// the operations
	before, given, adjoint, again, low, high int
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

// newJoint returns the comparison in direction k.
func (s *subject) newJoint(k int) *joint {
	unknowns, knowns := s.jointly()
	j := &joint{unknowns: group{s.typeName(unknowns[0].Type), 8, unknowns},
		knowns: group{s.typeName(knowns[0].Type), 8, knowns}, adjoint: -1}
	largest := 1.0
	for _, v := range knowns {
		j.start = append(j.start, doubles(s.startOf(v))...)
	}
	for n, x := range j.start {
		largest = max(largest, math.Abs(x))
		j.seeds = append(j.seeds, weight(n, k))
	}
	for n := range j.unknowns.values() {
		j.weights = append(j.weights, weight(n, k+3))
	}
	j.step = 1e-5 * largest
	return j
}

// weight returns component n of vector k: numbers between 1 and 2 that do not repeat soon.
func weight(n, k int) float64 { return 1 + float64((n*(7+2*k)+3*k)%11)/11 }

// differ appends calls that read the unknowns at three points of the direction, and the derivatives
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
	set(-j.step)
	j.low = get()
	set(j.step)
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
	low, middle, high, given := out(j.low), out(j.before), out(j.high), out(j.given)
	n := len(j.weights)
	if len(low) != n || len(middle) != n || len(high) != n || len(given) != n {
		return true, false
	}
	whole, sum, size := true, 0.0, 0.0
	for k := range n {
		left, right := (middle[k]-low[k])/j.step, (high[k]-middle[k])/j.step
		slack := float64(relative*max(math.Abs(left), math.Abs(right))) + noise(middle[k], j.step)
		expected := (high[k] - low[k]) / (2 * j.step)
		if !(math.Abs(left-right) <= slack) {
			whole = false
			continue
		}
		smooth = true
		sum += float64(j.weights[k] * expected)
		size += float64(j.weights[k] * slack)
		if !(math.Abs(given[k]-expected) <= slack) {
			a.refuted("R14", r, j.given, "about "+short(expected)+", from differences",
				"%s of %s, in a call for all outputs and inputs, is %s", r.play.ops[j.given].Code,
				j.unknowns.element(k), short(given[k]))
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
			r.play.ops[j.adjoint].Code, short(found))
		return false, true
	}
	return true, true
}

// relative is the relative difference of derivatives that counts as equal.
const relative = 1e-3

// noise returns the error of a difference quotient that rounding of a value causes.
func noise(value, step float64) float64 { return float64(1e-9*max(math.Abs(value), 1)) / step }

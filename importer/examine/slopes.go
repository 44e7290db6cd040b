package examine

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

func (s *subject) interpolates() bool {
	return s.major == 2 && s.slave.Capabilities.Has("canInterpolateInputs") &&
		len(s.smoothInputs()) > 0
}

func (s *subject) extrapolates() bool {
	return s.slave.Capabilities.IsPositive("maxOutputDerivativeOrder") &&
		slices.ContainsFunc(s.variables, s.isSmooth)
}

// isSmooth reports whether a variable is an output that may have a derivative.
func (s *subject) isSmooth(v variable) bool {
	return v.Causality == fmi.Output && v.Type.IsFloat() && v.size == 8 && v.n == 1 &&
		v.Variability == fmi.Continuous && !v.clocked
}

// slopes sets derivatives of inputs, and compares derivatives of outputs with their differences.
func slopes(a *attempt) {
	s := a.s
	if s.interpolates() && !a.inputSlopes() {
		return
	}
	if s.extrapolates() {
		a.outputSlopes()
		return
	}
	a.proved("C7")
}

const setsSlope = "fmi2SetRealInputDerivatives"

// inputSlopes sets derivatives of an input. The first one must be accepted; FMI 2.0 does not say up
// to which order an FMU interpolates, so that higher ones may be refused.
func (a *attempt) inputSlopes() bool {
	s := a.s
	for order := 1; order <= 3; order++ {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		v := s.smoothInputs()[0]
		for k := range min(2, a.x.n) {
			p.set(0, []*variable{v}, s.startOf)
			p.add(probe.Op{Code: setsSlope, References: []uint32{v.ValueReference},
				Data: make([]byte, 8), Data2: binary.NativeEndian.AppendUint32(nil, uint32(order))})
			p.step(0, s.sum(s.start, k), s.step)
		}
		p.end(0)
		r := a.play(p)
		if order > 1 && !r.Crashed() && r.Stopped >= 0 && p.ops[r.Stopped].Code == setsSlope {
			break
		}
		if !a.fine("C7", r) {
			a.outcomes[len(a.outcomes)-1].found += fmt.Sprintf(", with a derivative of order %d",
				order)
			return false
		}
	}
	return true
}

// mostSlopes is the highest order of derivatives of outputs that is compared: rounding errors of
// differences grow with the order.
const mostSlopes = 2

// slopeOrders returns up to which order derivatives of outputs are compared.
func (s *subject) slopeOrders() int {
	for _, c := range s.slave.Capabilities {
		if n, is := c.Value.(int64); is && c.Name == "maxOutputDerivativeOrder" {
			return int(min(n, mostSlopes))
		}
	}
	return 0
}

// slope is a call that asks for a derivative of an output after a step.
type slope struct {
	v              *variable
	step, order, n int // n is the index of the output in the readings
	at             int
}

// outputSlopes compares derivatives of outputs after steps with differences of the outputs over
// equal steps, where the outputs are smooth.
func (a *attempt) outputSlopes() {
	s := a.s
	h := s.step
	if s.variableStep {
		h = s.step / 50
	}
	p := s.newPlay()
	p.instantiate(0, 0)
	b := s.usual()
	b.inputs = 3 // so that outputs change
	p.initialize(0, b)
	var list []*variable
	const most = 8
	for k := range s.variables {
		if v := &s.variables[k]; s.isSmooth(*v) && len(list) < most {
			list = append(list, v)
		}
	}
	orders := s.slopeOrders()
	name := map[int]string{2: "GetRealOutputDerivatives", 3: "GetOutputDerivatives"}[s.major]
	var values []reading
	var slopes []slope
	t := s.start
	for k := range s.steps(2*mostSlopes+1, h) {
		p.step(0, t, h)
		t += h
		values = append(values, p.readSome(0, list))
		for order := 1; order <= orders; order++ {
			for n, v := range list {
				slopes = append(slopes, slope{v, k, order, n, p.add(probe.Op{
					Code: s.function(name), References: []uint32{v.ValueReference},
					Data2: binary.NativeEndian.AppendUint32(nil, uint32(order))})})
			}
		}
	}
	p.end(0)
	r := a.play(p, values...)
	if !a.fine("C7", r) {
		return
	}
	for _, c := range slopes {
		if !a.slopeFits(r, values, &c, h) {
			return
		}
	}
	a.proved("C7")
}

// slopeFits compares one derivative with the differences around it, if they are almost equal.
// Equal values do not count: an FMU may update its outputs only at times of its own.
func (a *attempt) slopeFits(r *run, values []reading, c *slope, h float64) bool {
	s := a.s
	var y []float64
	for k := range values {
		if list, ok := values[k].cells(r.Result); ok && c.n < len(list) {
			y = append(y, s.number(list[c.n].v, list[c.n].bytes))
		}
	}
	if c.step < c.order || c.step+c.order >= len(y) || len(r.Records[c.at].Out) < 8 {
		return true
	}
	low, high, size := math.Inf(1), math.Inf(-1), 0.0
	for from := c.step - c.order; from <= c.step; from++ {
		list := slices.Clone(y[from : from+c.order+1])
		for range c.order {
			for k := range len(list) - 1 {
				list[k] = (list[k+1] - list[k]) / h
			}
			list = list[:len(list)-1]
		}
		low, high = min(low, list[0]), max(high, list[0])
		size = max(size, math.Abs(y[from]))
	}
	const alike, near = 0.05, 0.2
	noise := float64(1e-13*size) / math.Pow(h/2, float64(c.order))
	large := max(math.Abs(low), math.Abs(high))
	if !(high-low <= float64(alike*large)) || large <= float64(10*noise) {
		return true
	}
	found := math.Float64frombits(binary.NativeEndian.Uint64(r.Records[c.at].Out))
	if slack := float64(near * large); found >= low-slack && found <= high+slack {
		return true
	}
	a.refuted("C7", r, c.at, "about "+short(low)+", from differences", "the derivative of order "+
		"%d of %s is %s", c.order, c.v.Name, short(found))
	return false
}

package cosim_test

import (
	"context"
	"math"
	"strconv"

	"gosmp/cosim"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// plant is a participant with any number of inputs u and outputs y:
//
//	x' = 1 + Σ weights·u - 0.3·x, one Euler step; y[j] = (j+1)·x + direct[j]·u[0]
type plant struct {
	weights, direct []float64
	start           float64
	refuses         timebase.Time // longer steps are discarded, 0: none
	in, out         *cosim.Frame
	ins, outs       []int
	x, saved        float64
	clock           timebase.Time
	spans           []timebase.Span
	closed          bool
}

func (p *plant) Variables() (list []cosim.Variable) {
	for k := range p.weights {
		list = append(list, cosim.Variable{Name: "u" + strconv.Itoa(k), Kind: cosim.Float64,
			Role: cosim.Input, Size: 1})
	}
	for k := range p.direct {
		list = append(list, cosim.Variable{Name: "y" + strconv.Itoa(k), Kind: cosim.Float64,
			Role: cosim.Output, Size: 1})
	}
	return list
}

func (p *plant) Traits() cosim.Traits {
	return cosim.Traits{VariableSteps: true, Restores: true, Keeps: true, Resets: true}
}

func (p *plant) Depends(variable int) (inputs []int, known bool) {
	if p.direct[variable-len(p.weights)] != 0 {
		return []int{0}, true
	}
	return nil, true
}

func (p *plant) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	p.in, p.out = cosim.NewFrame(p.Variables(), inputs), cosim.NewFrame(p.Variables(), outputs)
	p.ins, p.outs = inputs, outputs
	return p.in, p.out, nil
}

func (p *plant) u(variable int) float64 {
	for k, n := range p.ins {
		if n == variable {
			return p.in.Float(k, 0)
		}
	}
	return 0
}

func (p *plant) publish() {
	for k, n := range p.outs {
		j := n - len(p.weights)
		y := float64(float64(j+1) * p.x)
		if p.direct[j] != 0 {
			y += float64(p.direct[j] * p.u(0))
		}
		p.out.SetFloat(k, 0, y)
	}
}

func (p *plant) Enter(context.Context, cosim.Setup) error { p.x = p.start; return nil }
func (p *plant) Exchange(context.Context) error           { p.publish(); return nil }
func (p *plant) Leave(context.Context) error              { p.publish(); return nil }

func (p *plant) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if p.refuses != 0 && s.Length() > p.refuses {
		return cosim.Advance{Reached: s.Start, Discarded: true}, nil
	}
	p.spans = append(p.spans, s)
	slope := 1 - float64(0.3*p.x)
	for k, w := range p.weights {
		slope += float64(w * p.u(k))
	}
	p.x += float64(s.Length().Seconds() * slope)
	p.clock = s.End
	p.publish()
	return cosim.Advance{Reached: s.End}, nil
}

func (p *plant) Stop(context.Context) error    { return nil }
func (p *plant) Close() error                  { p.closed = true; return nil }
func (p *plant) Save(context.Context) error    { p.saved = p.x; return nil }
func (p *plant) Restore(context.Context) error { p.x = p.saved; return nil }
func (p *plant) Reset(context.Context) error   { p.x = math.NaN(); return nil }
func (p *plant) AppendState(_ context.Context, b []byte) ([]byte, error) {
	return state.AppendFloat64(b, p.x), nil
}
func (p *plant) RestoreState(_ context.Context, saved []byte) error {
	d := state.Decoder{Data: saved}
	p.x = d.Float64()
	return d.Done()
}

package cosim_test

import (
	"context"
	"fmt"
	"os"

	"gosmp/cosim"
	"gosmp/timebase"
)

// tank is a Go participant: inflow raises its level, der(level) = inflow.
type tank struct{ in, out *cosim.Frame }

var tankVariables = []cosim.Variable{
	{Name: "inflow", Kind: cosim.Float64, Role: cosim.Input, Size: 1, Continuous: true,
		Unit: "m3/s"},
	{Name: "level", Kind: cosim.Float64, Role: cosim.Output, Size: 1, Continuous: true, Unit: "m3"},
}

func (t *tank) Variables() []cosim.Variable { return tankVariables }
func (t *tank) Traits() cosim.Traits        { return cosim.Traits{VariableSteps: true} }
func (t *tank) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	t.in, t.out = cosim.NewFrame(tankVariables, inputs), cosim.NewFrame(tankVariables, outputs)
	return t.in, t.out, nil
}
func (t *tank) Enter(context.Context, cosim.Setup) error { return nil }
func (t *tank) Exchange(context.Context) error           { return nil }
func (t *tank) Leave(context.Context) error              { return nil }
func (t *tank) Stop(context.Context) error               { return nil }
func (t *tank) Close() error                             { return nil }

// Step integrates; the first port of each frame is the one that was bound first.
func (t *tank) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	t.out.SetFloat(0, 0, t.out.Float(0, 0)+t.in.Float(0, 0)*s.Length().Seconds())
	return cosim.Advance{Reached: s.End}, nil
}

// pump is a source whose value changes with time: it is on for one second.
type pump struct{ out *cosim.Frame }

var pumpVariables = []cosim.Variable{{Name: "flow", Kind: cosim.Float64, Role: cosim.Output,
	Size: 1, Unit: "m3/s"}}

func (p *pump) Variables() []cosim.Variable { return pumpVariables }
func (p *pump) Bind(outputs []int) (*cosim.Frame, error) {
	p.out = cosim.NewFrame(pumpVariables, outputs)
	return p.out, nil
}
func (p *pump) At(t timebase.Time) error {
	flow := 2.0
	if t >= timebase.Second {
		flow = 0
	}
	p.out.SetFloat(0, 0, flow)
	return nil
}

// Participants need not be FMUs: any Go type with the right methods is stepped, connected and
// observed in the same way.
func Example() {
	e := cosim.New(cosim.Spec{Stop: 1500 * timebase.Millisecond, Step: cosim.Every(0.25)})
	e.AddSource("pump", &pump{})
	e.Add("tank", &tank{})
	e.Connect("pump.flow", "tank.inflow")
	e.Observe(cosim.NewRecorder(os.Stdout, e.Watch("tank.level").SetLabel("level")))
	result, err := e.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Steps, "steps to", result.Reached.Seconds(), "s")
	// Output:
	// "time","level"
	// 0.0,0.0
	// 0.25,0.5
	// 0.5,1.0
	// 0.75,1.5
	// 1.0,2.0
	// 1.25,2.0
	// 1.5,2.0
	// 6 steps to 1.5 s
}

// lamp is an observer: it reads signals after each step.
type lamp struct{ level *cosim.Signal }

func (l lamp) Begin(*cosim.Result) error { return nil }
func (l lamp) End(*cosim.Result) error   { return nil }
func (l lamp) Row(t timebase.Time, _ cosim.Row) error {
	if level := cosim.AppendValue(nil, l.level.Variable.Kind,
		l.level.Cells()[0]); string(level) == "1.0" {
		fmt.Println("the tank is half full at", t.Seconds(), "s")
	}
	return nil
}

// An observer sees each communication point, the first one after initialization.
func ExampleObserver() {
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.25)})
	e.AddSource("pump", &pump{})
	e.Add("tank", &tank{})
	e.Connect("pump.flow", "tank.inflow")
	e.Observe(lamp{e.Watch("tank.level")})
	if _, err := e.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: the tank is half full at 0.5 s
}

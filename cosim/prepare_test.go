package cosim_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// listener is a mover whose input is declared differently.
type listener struct {
	mover
	input cosim.Variable
}

func (l *listener) Variables() []cosim.Variable {
	return append([]cosim.Variable{l.input}, l.mover.Variables()[1:]...)
}

// TestConnect_OnlySuitableInputsReceiveSlopes: the values of a table are constant within a step for
// consumers that do not use slopes, for inputs that are not continuous or are held for a step, and
// if they are converted.
func TestConnect_OnlySuitableInputsReceiveSlopes(t *testing.T) {
	input := cosim.Variable{Name: "u", Kind: cosim.Float64, Role: cosim.Input, Size: 1,
		Continuous: true}
	const steps = 4
	h := baseStep.Seconds()
	exact := 3*steps*h + steps*h*steps*h // of 3 + 2t
	stairs := 3*steps*h + h*h*steps*(steps-1)
	for name, c := range map[string]struct {
		change   func(*cosim.Variable)
		slopes   bool
		integral float64
	}{
		"suitable":      {func(*cosim.Variable) {}, true, exact},
		"without use":   {func(*cosim.Variable) {}, false, stairs},
		"discontinuous": {func(v *cosim.Variable) { v.Continuous = false }, true, stairs},
		"held":          {func(v *cosim.Variable) { v.Held = true }, true, stairs},
		"converted":     {func(*cosim.Variable) {}, true, 3.6 * stairs},
	} {
		t.Run(name, func(t *testing.T) {
			table, err := cosim.ReadTable(strings.NewReader("time,u\n0,3\n10,23\n"), "in.csv",
				[]cosim.Variable{input})
			require.NoError(t, err)
			b := &listener{mover{slopes: c.slopes}, input}
			c.change(&b.input)
			e := cosim.New(cosim.Spec{Stop: steps * baseStep, Step: cosim.Every(h)})
			e.AddSource("in", table)
			e.Add("b", b)
			link := cosim.Connection{From: "in.u", To: "b.u"}
			if name == "converted" {
				link.Conversions = []cosim.Conversion{cosim.Linear(3.6, 0)}
			}
			e.ConnectAs(link)
			x := e.Watch("b.x")
			_, err = e.Run(context.Background())
			require.NoError(t, err)
			require.InDelta(t, c.integral, math.Float64frombits(x.Cells()[0]), 1e-12)
		})
	}
}

// stepped is a block whose steps must be multiples of its own.
type stepped struct {
	block
	own cosim.Grid
}

func (s *stepped) Traits() cosim.Traits {
	return cosim.Traits{FixedStep: s.own}
}

// TestRun_FixedSteps: the step of a participant must be a multiple of its own fixed step.
func TestRun_FixedSteps(t *testing.T) {
	for own, fits := range map[float64]bool{1: true, 0.25: true, 0.3: false, 2: false} {
		e := cosim.New(spec(2))
		e.Add("a", &stepped{own: cosim.Every(own)})
		_, err := e.Run(context.Background())
		if fits {
			require.NoError(t, err, own)
			continue
		}
		require.ErrorIs(t, err, cosim.ErrSpec)
		require.ErrorContains(t, err, "a multiple of its own fixed step")
	}
}

// clerk writes the time until which it has been stepped as a text, and notes the texts that it
// reads.
type clerk struct {
	mover
	read []string
}

func (*clerk) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "in", Kind: cosim.String, Role: cosim.Input, Size: 1},
		{Name: "out", Kind: cosim.String, Role: cosim.Output, Size: 1}}
}

func (c *clerk) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	c.in, c.out = cosim.NewFrame(c.Variables(), inputs), cosim.NewFrame(c.Variables(), outputs)
	return c.in, c.out, nil
}
func (c *clerk) write(t timebase.Time) {
	if len(c.out.Ports) > 0 {
		c.out.SetBlob(0, 0, []byte(t.String()))
	}
}
func (c *clerk) Exchange(context.Context) error { c.write(0); return nil }
func (c *clerk) Leave(context.Context) error    { c.write(0); return nil }
func (c *clerk) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if len(c.in.Ports) > 0 {
		c.read = append(c.read, string(c.in.Blob(0, 0)))
	}
	c.write(s.End)
	return cosim.Advance{Reached: s.End}, nil
}

// TestRun_TextsOfLongStepsHold: others see the text of a participant with longer steps only when
// its step has ended.
func TestRun_TextsOfLongStepsHold(t *testing.T) {
	e := cosim.New(spec(6))
	reader := &clerk{}
	e.AddEvery("slow", &clerk{}, cosim.Every(3))
	e.Add("reader", reader)
	e.Connect("slow.out", "reader.in")
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	at := func(n int) string { return (timebase.Time(n) * timebase.Second).String() }
	require.Equal(t, []string{at(0), at(0), at(3), at(3), at(3), at(6)}, reader.read)
}

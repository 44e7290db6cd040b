package cosim_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// TestFit_Roles: inputs accept all sources; parameters accept calculated parameters, and other
// values only if the connection is for initialization.
func TestFit_Roles(t *testing.T) {
	for _, c := range []struct {
		from, to cosim.Role
		initial  bool
		fits     bool
	}{
		{cosim.Output, cosim.Input, false, true},
		{cosim.Output, cosim.Parameter, false, false},
		{cosim.Output, cosim.Parameter, true, true},
		{cosim.Calculated, cosim.Parameter, false, true},
		{cosim.Calculated, cosim.Parameter, true, true},
		{cosim.Output, cosim.Output, false, false},
		{cosim.Output, cosim.Output, true, false},
		{cosim.Calculated, cosim.Output, false, false},
	} {
		err := cosim.Fit(&cosim.Variable{Kind: cosim.Float64, Role: c.from, Size: 1},
			&cosim.Variable{Kind: cosim.Float64, Role: c.to, Size: 1},
			cosim.Connection{From: "a.y", To: "b.u", Initial: c.initial})
		require.Equal(t, c.fits, err == nil, "%+v", c)
		if !c.fits {
			require.ErrorContains(t, err, "found b.u is not an input, expected an input")
		}
	}
}

// TestFit_Indices: indices count from 1 to the size of their dimension.
func TestFit_Indices(t *testing.T) {
	from := &cosim.Variable{Kind: cosim.Float64, Role: cosim.Output, Size: 3}
	to := &cosim.Variable{Kind: cosim.Float64, Role: cosim.Input, Size: 1}
	for index, fits := range map[int]bool{-1: false, 0: false, 1: true, 3: true, 4: false} {
		err := cosim.Fit(from, to, cosim.Connection{From: "a.y", To: "b.u",
			FromIndices: []int{index}})
		require.Equal(t, fits, err == nil, index)
		if !fits {
			require.ErrorContains(t, err, "expected index 1 between 1 and 3")
		}
	}
}

// TestFit_DeclaredTypes: a Binary may also be connected under the type in its description.
func TestFit_DeclaredTypes(t *testing.T) {
	for _, c := range []struct {
		from, fromDeclared, to, toDeclared string
		fits                               bool
	}{
		{"a/x", "", "a/y", "", false},
		{"a/x", "a/y", "a/y", "", true},
		{"a/x", "", "a/y", "a/x", true},
		{"a/x", "a/z", "a/y", "a/z", true},
		{"a/x", "a/z", "a/y", "", false},
		{"a/x", "a/z", "a/x", "", true},
		{"a/x", "", "a/x", "a/z", true},
	} {
		err := cosim.Fit(&cosim.Variable{Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: c.from, DeclaredMIME: c.fromDeclared},
			&cosim.Variable{Kind: cosim.Binary, Role: cosim.Input, Size: 1, MIMEType: c.to,
				DeclaredMIME: c.toDeclared}, cosim.Connection{From: "a.y", To: "b.u"})
		require.Equal(t, c.fits, err == nil, "%+v", c)
	}
}

// TestConnect_MessagesArrive: the bytes of a Binary reach the input.
func TestConnect_MessagesArrive(t *testing.T) {
	e := cosim.New(spec(1))
	a, b := &messenger{}, &constant{from: cosim.Binary, to: cosim.Binary}
	a.from, a.to = cosim.Binary, cosim.Binary
	e.Add("a", a)
	e.Add("b", b)
	e.Connect("a.out", "b.in")
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("message")}, b.in.Blobs)
}

// messenger outputs a message.
type messenger struct{ constant }

func (m *messenger) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	in, out, err = m.constant.Bind(inputs, outputs)
	if len(out.Blobs) > 0 {
		out.Blobs[0] = []byte("message")
	}
	return in, out, err
}

// TestConnect_LimitsOfIntegers covers the first and the last value that a kind can represent.
func TestConnect_LimitsOfIntegers(t *testing.T) {
	minus := func(n int64) uint64 { return uint64(-n) }
	for name, c := range map[string]struct {
		from, to cosim.Kind
		value    uint64
		fits     bool
	}{
		"negative":        {cosim.Int64, cosim.Int8, minus(3), true},
		"least":           {cosim.Int64, cosim.Int8, minus(128), true},
		"below the least": {cosim.Int64, cosim.Int8, minus(129), false},
		"zero":            {cosim.UInt64, cosim.Int32, 0, true},
		"zero, unsigned":  {cosim.Int64, cosim.UInt8, 0, true},
		"most":            {cosim.Int64, cosim.UInt8, 255, true},
		"above the most":  {cosim.Int64, cosim.UInt8, 256, false},
		"huge":            {cosim.UInt64, cosim.Int64, math.MaxUint64, false},
	} {
		got, err := carryFrom(&constant{from: c.from, to: cosim.Float64, value: c.value,
			items: true}, c.to)
		if !c.fits {
			require.ErrorIs(t, err, cosim.ErrRange, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.value, got, name)
	}
	for from, to := range map[cosim.Kind]cosim.Kind{cosim.UInt8: cosim.Int8,
		cosim.Int8: cosim.UInt8, cosim.UInt32: cosim.Int32, cosim.UInt64: cosim.Int64} {
		_, err := carry(from, to, 1)
		require.ErrorIs(t, err, cosim.ErrConnection)
	}
}

// TestConnect_MappedUnsignedItems: values of a mapping between equal kinds are not examined, because
// all of them fit.
func TestConnect_MappedUnsignedItems(t *testing.T) {
	got, err := carryFrom(&constant{from: cosim.UInt64, to: cosim.Float64, value: math.MaxUint64,
		items: true}, cosim.UInt64, cosim.Mapped(cosim.Pair{From: 1, To: 2}))
	require.NoError(t, err)
	require.EqualValues(t, uint64(math.MaxUint64), got)
}

// TestExtrapolation_WithoutConversion: values that are only copied are extrapolated, too.
func TestExtrapolation_WithoutConversion(t *testing.T) {
	e := cosim.New(cosim.Spec{Stop: 4 * baseStep, Step: cosim.Every(baseStep.Seconds())})
	e.Add("a", &mover{})
	e.Add("b", &mover{slopes: true})
	e.ConnectAs(cosim.Connection{From: "a.y", To: "b.u", Extrapolation: cosim.Slope})
	x := e.Watch("b.x")
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	s := (4 * baseStep).Seconds()
	require.InDelta(t, 3*s+s*s, math.Float64frombits(x.Cells()[0]), 1e-12)
}

// TestConnect_SlopesOfTables: a consumer that uses slopes integrates a ramp of a table exactly.
func TestConnect_SlopesOfTables(t *testing.T) {
	b := &mover{slopes: true}
	table, err := cosim.ReadTable(strings.NewReader("time,u\n0,3\n10,23\n"), "in.csv",
		b.Variables()[:1])
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 4 * baseStep, Step: cosim.Every(baseStep.Seconds())})
	e.AddSource("in", table)
	e.Add("b", b)
	e.Connect("in.u", "b.u")
	x := e.Watch("b.x")
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	s := (4 * baseStep).Seconds()
	require.InDelta(t, 3*s+s*s, math.Float64frombits(x.Cells()[0]), 1e-12)
}

// jumpy records at which steps a continuous input has jumped.
type jumpy struct {
	mover
	discrete bool
	jumped   []bool
}

func (j *jumpy) Variables() []cosim.Variable {
	list := j.mover.Variables()
	list[0].Continuous = !j.discrete
	return list
}

func (j *jumpy) Traits() cosim.Traits {
	traits := j.mover.Traits()
	traits.Events = true
	return traits
}

func (j *jumpy) Event(context.Context, timebase.Time) (cosim.Advance, error) {
	return cosim.Advance{}, nil
}

func (j *jumpy) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	j.jumped = append(j.jumped, j.in.Jumped)
	return j.mover.Step(ctx, s)
}

// TestConnect_OnlyContinuousInputsJump: the engine reports jumps of continuous inputs that come from
// a table, but not changes of discrete ones, which the participant detects.
func TestConnect_OnlyContinuousInputsJump(t *testing.T) {
	for _, discrete := range []bool{false, true} {
		j := &jumpy{discrete: discrete}
		table, err := cosim.ReadTable(strings.NewReader(fmt.Sprintf(
			"time,u\n0,3\n%[1]g,3\n%[1]g,5\n", (2*baseStep).Seconds())), "in.csv",
			j.mover.Variables()[:1])
		require.NoError(t, err)
		e := cosim.New(cosim.Spec{Stop: 4 * baseStep, Step: cosim.Every(baseStep.Seconds())})
		e.AddSource("in", table)
		e.Add("b", j)
		e.Connect("in.u", "b.u")
		_, err = e.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, []bool{false, false, !discrete, false}, j.jumped)
	}
}

package fmitest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/fmitest"
)

// A Get that returns a warning has done its work: the values of every type are set. This matters
// most for strings: otherwise, the host would dereference the previous contents of its array.
func TestGet_WarningHasDoneTheWork(t *testing.T) {
	for name, get := range map[string]func(t *testing.T, c fmitest.Component) fmi.Status{
		"real": func(t *testing.T, c fmitest.Component) fmi.Status {
			x := []float64{-1}
			defer func() { require.Equal(t, []float64{20}, x) }()
			return c.GetReal([]uint32{fmitest.RealReach}, 1, x)
		},
		"integer": func(t *testing.T, c fmitest.Component) fmi.Status {
			x := []int32{-1}
			defer func() { require.Equal(t, []int32{1}, x) }()
			return c.GetInteger([]uint32{fmitest.IntegerOffset}, 1, x)
		},
		"boolean": func(t *testing.T, c fmitest.Component) fmi.Status {
			x := []int32{-1, -1}
			defer func() { require.Equal(t, []int32{1, 0}, x) }()
			return c.GetBoolean([]uint32{fmitest.BooleanEnabled, fmitest.BooleanValid}, 2, x)
		},
		"string": func(t *testing.T, c fmitest.Component) fmi.Status {
			x := []fmitest.Text{0}
			defer func() {
				require.NotZero(t, x[0])
				require.Equal(t, fmitest.InitializeWarns, x[0].String())
			}()
			return c.GetString([]uint32{fmitest.StringBehaviour}, 1, x)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := reach(t, "M")
			defer p.close()
			require.Equal(t, fmi.OK, p.behave(fmitest.InitializeWarns))
			require.Equal(t, fmi.Warning, get(t, p.c))
			require.Equal(t, fmi.OK, get(t, p.c), "once only")
			require.Len(t, p.host.Lines(), 1)
		})
	}
}

// A refused call leaves the host's memory unchanged.
func TestGet_RefusedOnesWriteNothing(t *testing.T) {
	p := reach(t, "C")
	defer p.close()
	real, boolean := 7.5, int32(7)
	require.Equal(t, fmi.Discard, p.c.GetRealStatus(fmu.DoStepStatus, &real))
	require.Equal(t, fmi.Discard, p.c.GetBooleanStatus(fmu.DoStepStatus, &boolean))
	require.Equal(t, 7.5, real)
	require.Equal(t, int32(7), boolean)

	flags, texts := []int32{7, 7}, []fmitest.Text{7, 7}
	require.Equal(t, fmi.Error, p.c.GetBoolean([]uint32{fmitest.BooleanEnabled, 99}, 2, flags))
	require.Equal(t, fmi.Error, p.c.GetString([]uint32{fmitest.StringNote, 99}, 2, texts))
	require.Equal(t, []int32{7, 7}, flags)
	require.Equal(t, []fmitest.Text{7, 7}, texts)
}

// A host may write true as any number except 0.
func TestSetBoolean_AnyNumberIsTrue(t *testing.T) {
	p := reach(t, "C")
	defer p.close()
	for value, want := range map[int32]int32{0: 0, 1: 1, 2: 1, -1: 1, 1 << 30: 1} {
		require.Equal(t, fmi.OK, p.c.SetBoolean([]uint32{fmitest.BooleanBrake}, 1, []int32{value}))
		got := []int32{7}
		require.Equal(t, fmi.OK, p.c.GetBoolean([]uint32{fmitest.BooleanBrake}, 1, got))
		require.Equal(t, want, got[0], "set to %d", value)
	}
}

// An array may have the maximum length.
func TestArrays_LimitOfTheirLength(t *testing.T) {
	const limit = 1 << 20
	for n, want := range map[uint]fmi.Status{limit: fmi.OK, limit + 1: fmi.Error} {
		p := reach(t, "C")
		require.Equal(t, want, p.c.GetReal(make([]uint32, n), n, make([]float64, n)))
		if want == fmi.Error {
			require.Contains(t, p.host.Lines()[0].Text,
				fmt.Sprintf("array length: wrong argument: found %d, expected at most %d", n,
					limit))
		}
		p.close()
	}
}

// After fmi2Fatal no call is allowed. If a host frees a state nevertheless, the state is kept,
// because other instances may still use it.
func TestFreeFMUstate_RefusedOneKeepsTheState(t *testing.T) {
	p, other := reach(t, "D"), reach(t, "C")
	defer p.close()
	defer other.close()
	s := p.saved
	require.Equal(t, fmi.Fatal, p.c.FreeFMUstate(&s))
	require.Equal(t, p.saved, s)
	require.Equal(t, fmi.OK, other.c.SetFMUstate(s))
}

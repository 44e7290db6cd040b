package fmu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
)

func TestHotPath_AllocatesNothing(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	reals, integers, booleans, strings := make([]float64, 3), make([]int32, 3), make([]bool, 3),
		make([]string, 3)
	all := refs(0, 1, 2)
	now := 0.0
	for name, call := range map[string]func() fmi.Status{
		"DoStep": func() fmi.Status {
			status := b.DoStep(now, 0.125)
			now += 0.125
			return status
		},
		"GetReal":    func() fmi.Status { return b.GetReal(all, reals) },
		"GetInteger": func() fmi.Status { return b.GetInteger(all, integers) },
		"GetBoolean": func() fmi.Status { return b.GetBoolean(all, booleans) },
		"GetString":  func() fmi.Status { return b.GetString(all, strings) },
		"SetReal":    func() fmi.Status { return b.SetReal(all[realForce:realForce+1], reals[:1]) },
		"SetInteger": func() fmi.Status {
			return b.SetInteger(all[integerGear:integerGear+1], integers[:1])
		},
		"SetBoolean": func() fmi.Status {
			return b.SetBoolean(all[booleanBrake:booleanBrake+1], booleans[:1])
		},
		"SetString": func() fmi.Status {
			return b.SetString(all[stringNote:stringNote+1], strings[2:])
		},
	} {
		reals[0] = 1
		require.Equal(t, fmi.OK, call(), name)
		require.Zero(t, testing.AllocsPerRun(100, func() { call() }), name)
	}
	require.Equal(t, fmi.StepComplete, b.State())

	s, _ := b.GetFMUstate(nil)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { b.GetFMUstate(s) }), 4.0,
		"a snapshot that is reused")
}

// BenchmarkStep measures an empty step and the three integers that a host of an OSMP sensor reads
// after it.
func BenchmarkStep(b *testing.B) {
	i := reach(b, fmi.StepComplete)
	list, values := refs(0, 1, 2), make([]int32, 3)
	b.ReportAllocs()
	k := 0
	for b.Loop() {
		if i.DoStep(float64(k)*0.02, 0.02) != fmi.OK || i.GetInteger(list, values) != fmi.OK {
			b.Fatal(i.log.Lines)
		}
		k++
	}
}

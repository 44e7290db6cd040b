package fmu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/timebase"
)

// still is a model that changes nothing.
type still struct{}

func (still) Initialize(timebase.Time) error       { return nil }
func (still) Step(timebase.Span) error             { return nil }
func (still) Reset()                               {}
func (still) Close()                               {}
func (still) AppendState(b []byte) ([]byte, error) { return b, nil }
func (still) RestoreState([]byte) error            { return nil }

// sizedStarts are the types that FMI 2.0 lacks, with their start values.
var sizedStarts = []struct {
	kind  fmi.Type
	start any
}{
	{fmi.Float32, float32(0.1)}, {fmi.Int8, int8(-128)}, {fmi.UInt8, uint8(255)},
	{fmi.Int16, int16(-7)}, {fmi.UInt16, uint16(7)}, {fmi.UInt32, uint32(math.MaxUint32)},
	{fmi.Int64, int64(math.MinInt64)}, {fmi.UInt64, uint64(math.MaxUint64)},
}

// sized returns an instance that has, for each type, a single input, a 2 x 3 array, and another
// single input.
func sized(t require.TestingT) *fmu.Instance {
	d := &fmu.Definition{ModelName: "Sized", ModelIdentifier: "Sized", GUID: guid,
		Experiment: fmu.Experiment{Stop: 1, Step: 0.1}, Variables: *fmu.NewVariables(fmi.FMI3),
		Units: []fmi.Unit{{Name: "s", S: 1}},
		New:   func(fmu.Host) fmu.Model { return still{} }}
	for _, x := range sizedStarts {
		for n, dimensions := range [][]int{nil, {2, 3}, nil} {
			d.Variables.Add(fmu.Variable{Name: fmt.Sprintf("x.%v%d", x.kind, n), Type: x.kind,
				Start: x.start, Causality: fmi.Input, Variability: fmi.Discrete,
				Dimensions: dimensions})
		}
	}
	require.NoError(t, d.Check())
	i, err := fmu.Instantiate(d, fmu.Config{Version: fmi.FMI3, InstanceName: "s", GUID: guid})
	require.NoError(t, err)
	return i
}

// requireSized sets the three variables whose references begin at first in one call, and reads the
// values back from another, restored instance.
func requireSized[T comparable](t *rapid.T, first fmi.ValueReference, start T,
	value *rapid.Generator[T], get, set func(*fmu.Instance, []fmi.ValueReference, []T) fmi.Status) {
	i, other, list := sized(t), sized(t), refs(first, first+1, first+2)
	got := make([]T, 8)
	require.Equal(t, fmi.OK, get(i, list, got))
	require.Equal(t, slices.Repeat([]T{start}, 8), got)
	values := rapid.SliceOfN(value, 8, 8).Draw(t, "values")
	require.Equal(t, fmi.OK, set(i, list, values))
	s, status := i.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, other.SetFMUstate(s))
	require.Equal(t, fmi.OK, get(other, refs(first+2, first+1, first), got))
	require.Equal(t, slices.Concat(values[7:], values[1:7], values[:1]), got)
	require.Equal(t, fmi.OK, i.Reset())
	require.Equal(t, fmi.Error, set(i, list, values[:7]), "one value too few")
	require.Equal(t, fmi.OK, i.Reset())
	require.Equal(t, fmi.Error, get(i, refs(0), got[:1]), "another type")
}

func TestSized_ValuesAndArrays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requireSized(t, 1, float32(0.1), rapid.Float32Range(-1e30, 1e30),
			(*fmu.Instance).GetFloat32, (*fmu.Instance).SetFloat32)
		requireSized(t, 4, int8(-128), rapid.Int8(), (*fmu.Instance).GetInt8,
			(*fmu.Instance).SetInt8)
		requireSized(t, 7, uint8(255), rapid.Uint8(), (*fmu.Instance).GetUInt8,
			(*fmu.Instance).SetUInt8)
		requireSized(t, 10, int16(-7), rapid.Int16(), (*fmu.Instance).GetInt16,
			(*fmu.Instance).SetInt16)
		requireSized(t, 13, uint16(7), rapid.Uint16(), (*fmu.Instance).GetUInt16,
			(*fmu.Instance).SetUInt16)
		requireSized(t, 16, uint32(math.MaxUint32), rapid.Uint32(), (*fmu.Instance).GetUInt32,
			(*fmu.Instance).SetUInt32)
		requireSized(t, 19, int64(math.MinInt64), rapid.Int64(), (*fmu.Instance).GetInt64,
			(*fmu.Instance).SetInt64)
		requireSized(t, 22, uint64(math.MaxUint64), rapid.Uint64(), (*fmu.Instance).GetUInt64,
			(*fmu.Instance).SetUInt64)
	})
}

func TestSized_Limits(t *testing.T) {
	low, high, half := -5.0, 200.0, 0.5
	for text, change := range map[string]func(v *fmu.Variable){
		"":                         func(v *fmu.Variable) { v.Min, v.Max = nil, &high },
		"250 is above the maximum": func(v *fmu.Variable) { v.Max, v.Start = &high, uint8(250) },
		"limit -5 is not a whole number of 8 bits from 0":  func(v *fmu.Variable) { v.Min = &low },
		"limit 0.5 is not a whole number of 8 bits from 0": func(v *fmu.Variable) { v.Min = &half },
		"start value 1 (int32) is not of type UInt8": func(v *fmu.Variable) {
			v.Start = int32(1)
		},
		"dimensions [0], expected lengths from 1": func(v *fmu.Variable) {
			v.Dimensions = []int{0}
		},
		"a Binary cannot be an array": func(v *fmu.Variable) {
			v.Type, v.Dimensions = fmi.Binary, []int{2}
		},
		"UInt8 cannot be continuous": func(v *fmu.Variable) {
			v.Variability = fmi.Continuous
		},
		`"m" is not declared`: func(v *fmu.Variable) { v.Unit = "m" },
		"FMI 2.0 has no type UInt8: pack the model for FMI 3.0": nil,
	} {
		d := echoDefinition()
		v := fmu.Variable{Name: "n", Type: fmi.UInt8, Causality: fmi.Input,
			Variability: fmi.Discrete, Start: uint8(1)}
		if change != nil {
			change(&v)
			d.Variables = *fmu.NewVariables(fmi.FMI3)
			d.Units = []fmi.Unit{{Name: "s", S: 1}}
		}
		d.Variables.Add(v)
		if err := d.Check(); text == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, text)
		}
	}
}

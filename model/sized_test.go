package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/state"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

// counters has numbers of every size, and arrays: each output is the input of its type plus one.
type counters struct {
	model.Stateless
	f32         [2]float32
	i8, j8      int8
	u8, v8      uint8
	i16, j16    int16
	u16, v16    uint16
	u32, v32    uint32
	i64, j64    int64
	u64, v64    uint64
	in, out     [3]float64
	flags       [2]bool
	names       [2]string
	gain, twice uint8
}

func newCounters(d *model.Declaration) model.Model {
	c := &counters{}
	one := model.Unit("1")
	model.InputArray(d, c.in[:], "in", 0.5, "", one)
	model.PlainInput(d, &c.f32[0], "f32", 0.25, "", one)
	model.PlainOutput(d, &c.f32[1], "f32Out", "", one)
	pair(d, &c.i8, &c.j8, "i8")
	pair(d, &c.u8, &c.v8, "u8")
	pair(d, &c.i16, &c.j16, "i16")
	pair(d, &c.u16, &c.v16, "u16")
	pair(d, &c.u32, &c.v32, "u32")
	pair(d, &c.i64, &c.j64, "i64")
	pair(d, &c.u64, &c.v64, "u64")
	model.OutputArray(d, c.out[:], "out", "", one)
	model.OutputArray(d, c.flags[:], "flags", "")
	model.ParameterArray(d, c.names[:], "names", "none", "")
	model.Parameter(d, &c.gain, "gain", 3, "", model.Between(1, 9))
	model.PlainOutput(d, &c.twice, "twice", "", model.Calculated("gain"))
	return c
}

func pair[T model.Scalar](d *model.Declaration, in, out *T, name string) {
	var zero T
	model.PlainInput(d, in, name, zero, "")
	model.PlainOutput(d, out, name+"Out", "")
}

func (c *counters) Setup(model.Environment) error {
	c.twice = 2 * c.gain
	return nil
}

func (c *counters) Step(timebase.Span) error {
	c.f32[1] = c.f32[0] + 1
	c.j8, c.v8, c.j16, c.v16 = c.i8+1, c.u8+1, c.i16+1, c.u16+1
	c.v32, c.j64, c.v64 = c.u32+1, c.i64+1, c.u64+1
	for k := range c.in {
		c.out[k] = c.in[k] * float64(k+1)
	}
	c.flags[1] = c.names[0] == "first" && c.names[1] == "second"
	return nil
}

var countersDefinition = model.Definition{Identifier: "Counters", New: newCounters}

func refOf(d *fmu.Definition, name string) []fmi.ValueReference {
	return []fmi.ValueReference{d.Variables.Named(name).Reference(fmi.FMI3)}
}

func TestSized_NumbersAndArraysReachTheModel(t *testing.T) {
	d := countersDefinition.FMU().Twin()
	r := modeltest.Host{}.Instantiate(t, d)
	i := r.Instance()
	require.Equal(t, fmi.OK, i.SetString(refOf(d, "names"), []string{"first", "second"}))
	require.Equal(t, fmi.OK, i.SetUInt8(refOf(d, "gain"), []uint8{4}))
	require.Equal(t, fmi.OK, i.Initialize(fmu.ExperimentSetup{}))
	twice := []uint8{0}
	require.Equal(t, fmi.OK, i.GetUInt8(refOf(d, "twice"), twice))
	require.Equal(t, []uint8{8}, twice)
	require.Equal(t, fmi.OK, i.ExitInitializationMode())

	require.Equal(t, fmi.OK, i.SetReal(refOf(d, "in"), []float64{1, 2, 3}))
	require.Equal(t, fmi.OK, i.SetInt64(refOf(d, "i64"), []int64{math.MaxInt64 - 1}))
	require.Equal(t, fmi.OK, i.SetUInt64(refOf(d, "u64"), []uint64{math.MaxUint64 - 1}))
	require.Equal(t, fmi.OK, i.SetUInt16(refOf(d, "u16"), []uint16{math.MaxUint16 - 1}))
	r.Step(0.5)
	out, flags, single := make([]float64, 3), make([]bool, 2), make([]float32, 1)
	require.Equal(t, fmi.OK, i.GetReal(refOf(d, "out"), out))
	require.Equal(t, []float64{1, 4, 9}, out)
	require.Equal(t, fmi.OK, i.GetBoolean(refOf(d, "flags"), flags))
	require.Equal(t, []bool{false, true}, flags)
	require.Equal(t, fmi.OK, i.GetFloat32(refOf(d, "f32Out"), single))
	require.Equal(t, []float32{1.25}, single)
	j, u, w := []int64{0}, []uint64{0}, []uint16{0}
	require.Equal(t, fmi.OK, i.GetInt64(refOf(d, "i64Out"), j))
	require.Equal(t, fmi.OK, i.GetUInt64(refOf(d, "u64Out"), u))
	require.Equal(t, fmi.OK, i.GetUInt16(refOf(d, "u16Out"), w))
	require.Equal(t, []any{int64(math.MaxInt64), uint64(math.MaxUint64), uint16(math.MaxUint16)},
		[]any{j[0], u[0], w[0]})
	require.Equal(t, fmi.Error, i.SetUInt8(refOf(d, "gain"), []uint8{2}), "fixed")

	r.Reset()
	require.Equal(t, fmi.Error, i.SetUInt8(refOf(d, "gain"), []uint8{10}))
}

// The limits of numbers that FMI 2.0 does not have.
func TestSized_Limits(t *testing.T) {
	var ratio float32
	var level uint16
	d := defined(func(d *model.Declaration) {
		model.PlainInput(d, &ratio, "ratio", 0, "", model.Unit("1"), model.Between(-1, 0.5))
		model.PlainInput(d, &level, "level", 7, "", model.Between(7, 9))
	})
	r := modeltest.Host{}.Instantiate(t, d.Twin())
	for value, want := range map[any]fmi.Status{
		float32(-1): fmi.OK, float32(0.5): fmi.OK, float32(0.6): fmi.Error,
		float32(-1.1): fmi.Error, float32(math.Inf(1)): fmi.Error,
		uint16(7): fmi.OK, uint16(9): fmi.OK, uint16(6): fmi.Error, uint16(10): fmi.Error,
	} {
		name := "ratio"
		if _, is := value.(uint16); is {
			name = "level"
		}
		r.Reset()
		require.Equal(t, want, r.TrySet(name, value), value)
	}
	r.Reset()
	require.Equal(t, fmi.Error, r.TrySet("ratio", float32(math.NaN())))
}

// FMI 2.0 has neither; a model with them can only be packed for FMI 3.0. Arrays of the four types
// of FMI 2.0 become single variables there.
func TestSized_InFMI2(t *testing.T) {
	require.ErrorContains(t, countersDefinition.FMU().Check(),
		`variable "i8": FMI 2.0 has no type Int8: pack the model for FMI 3.0`)

	var flags []bool
	var many [30]int8
	err := defined(func(d *model.Declaration) {
		n := model.NewSize(d, "n", 2, 1, 5, "")
		model.SizedInput(d, n, &flags, "flags", false, "")
		model.InputArray(d, many[:], "many", 0, "")
	}).Check()
	require.ErrorContains(t, err, `"n": FMI 2.0 has no type UInt64: pack the model for FMI 3.0`)
	require.ErrorContains(t, err, `"flags": FMI 2.0 has no arrays: pack the model for FMI 3.0`)
	require.ErrorContains(t, err, `"many[18]": FMI 2.0 has no type Int8`)
	require.NotContains(t, err.Error(), "many[19]")
	require.ErrorContains(t, err, "invalid definition: 12 more variables")

	var values [3]float64
	plain := defined(func(d *model.Declaration) {
		model.InputArray(d, values[:], "in", 0.5, "", model.Unit("m"))
	})
	require.NoError(t, plain.Check())
	for _, name := range []string{"in[1]", "in[2]", "in[3]"} {
		require.Equal(t, 0.5, plain.Variables.Named(name).Start)
	}
	array := plain.Twin().Variables.Named("in")
	require.Equal(t, []int{3}, array.Dimensions)
	require.Equal(t, 0.5, array.Start)

	none := defined(func(d *model.Declaration) { model.InputArray(d, values[:0], "in", 0, "") })
	require.ErrorContains(t, none.Check(), `array "in" has no elements`)
}

// skies has arrays of enumeration values whose length importers set: each output is the item after
// that of the input, from the item that the parameter names.
type skies struct {
	size              *model.Size
	first, seen, next []int32
}

func newSkies(d *model.Declaration) model.Model {
	s := &skies{size: model.NewSize(d, "n", 2, 1, 4, "", model.Tunable())}
	sky := model.Enumeration("Sky", "open", "street", "tunnel")
	model.SizedParameter(d, s.size, &s.first, "first", 1, "", sky, model.Tunable())
	model.SizedInput(d, s.size, &s.seen, "seen", 2, "", sky)
	model.SizedOutput(d, s.size, &s.next, "next", "", sky)
	return s
}

func (s *skies) Setup(model.Environment) error { return nil }

func (s *skies) Step(timebase.Span) error {
	for k := range s.next {
		s.next[k] = (s.first[k] + s.seen[k]) % 3
	}
	return nil
}

func (s *skies) Snapshot(b []byte) ([]byte, error) { return b, nil }
func (s *skies) Restore([]byte) error              { return nil }

// Arrays with a size can have the values of an enumeration, which are Int64 in FMI 3.0.
func TestSized_Enumerations(t *testing.T) {
	definition := model.Definition{Identifier: "Skies", New: newSkies}
	d := definition.FMU().Twin()
	require.NoError(t, d.Check())
	var xml strings.Builder
	require.NoError(t, modeldescription.Render(&xml, d))
	require.Contains(t, xml.String(), `<Enumeration name="seen" valueReference="3" `+
		`causality="input" variability="discrete" declaredType="Sky" start="2 2">`)
	require.ErrorContains(t, definition.FMU().Check(), "pack the model for FMI 3.0")
	r := modeltest.Host{}.Instantiate(t, d)
	i := r.Instance()
	next := func(n int) []int64 {
		list := make([]int64, n)
		require.Equal(t, fmi.OK, i.GetInt64(refOf(d, "next"), list))
		return list
	}
	require.Equal(t, fmi.OK, i.EnterConfigurationMode())
	r.Set("n", uint64(3))
	require.Equal(t, fmi.OK, i.ExitConfigurationMode())
	require.Equal(t, fmi.OK, i.SetInt64(refOf(d, "first"), []int64{0, 1, 2}))
	r.Start()
	require.Equal(t, []int64{0, 0, 0}, next(3))
	r.Step(0.1)
	require.Equal(t, []int64{2, 0, 1}, next(3), "with the start values")
	saved, now := r.Save(), r.Now()
	require.Equal(t, fmi.OK, i.SetInt64(refOf(d, "seen"), []int64{0, 0, 1}))
	r.Step(0.1)
	require.Equal(t, []int64{0, 1, 0}, next(3))

	require.Equal(t, fmi.OK, i.EnterConfigurationMode())
	r.Set("n", uint64(4))
	require.Equal(t, fmi.OK, i.ExitConfigurationMode())
	require.Equal(t, fmi.OK, i.SetInt64(refOf(d, "seen"), []int64{1, 1, 1, 1}))
	r.Step(0.1)
	require.Equal(t, []int64{1, 2, 0, 2}, next(4), "a new element has the start value")

	r.Restore(saved, now)
	require.Equal(t, []int64{2, 0, 1}, next(3))
	require.Equal(t, fmi.Error, i.SetInt64(refOf(d, "seen"), []int64{0, 3, 0}), "no item")
}

// A restored state cannot have sizes that no importer can set.
func TestSized_StatesWithWrongSizes(t *testing.T) {
	save := func(channels uint64) []byte {
		r := receiver3(t, fmu.Options3{})
		require.Equal(t, fmi.OK, r.Instance().EnterConfigurationMode())
		r.Set("channels", channels)
		require.Equal(t, fmi.OK, r.Instance().ExitConfigurationMode())
		return r.Save()
	}
	three, four := save(3), save(4)
	require.Len(t, four, len(three))
	end, found := len(three)-len(state.Seal(nil, 0)), 0
	for at := range end {
		if three[at] != 3 || four[at] != 4 {
			continue
		}
		found++
		for size, text := range map[byte]string{
			0: "channels: 0 is below the minimum 1", 6: "channels: 6 is above the maximum 5",
		} {
			r := receiver3(t, fmu.Options3{})
			data := slices.Clone(three[:end])
			data[at] = size
			s, status := r.Instance().DeSerializeFMUstate(state.Seal(data, 0))
			if status == fmi.OK {
				status = r.Instance().SetFMUstate(s)
			}
			require.Equal(t, fmi.Error, status)
			require.Contains(t, strings.Join(r.Log(), "\n"), text)
		}
	}
	require.Positive(t, found)
}

// Numbers of more than 53 bits are compared with their limits exactly.
func TestSized_LimitsOfLongNumbers(t *testing.T) {
	const most = 1 << 53
	var signed int64
	var unsigned uint64
	d := model.Definition{Identifier: "Long", New: func(d *model.Declaration) model.Model {
		model.PlainInput(d, &signed, "signed", 0, "", model.Between(-most, most))
		model.PlainInput(d, &unsigned, "unsigned", 0, "", model.Max(most))
		return &planned{}
	}}
	for value, want := range map[any]fmi.Status{
		int64(most): fmi.OK, int64(-most): fmi.OK, uint64(most): fmi.OK,
		int64(most + 1): fmi.Error, int64(-most - 1): fmi.Error, uint64(most + 1): fmi.Error,
	} {
		name := "signed"
		if _, is := value.(uint64); is {
			name = "unsigned"
		}
		r := modeltest.Host{}.Instantiate(t, d.FMU().Twin())
		require.Equal(t, want, r.TrySet(name, value), value)
	}
}

// changer changes only an array of enumeration values.
type changer struct {
	planned
	list []int32
}

func (c *changer) Step(timebase.Span) error {
	c.list[1] = 1 - c.list[1]
	return nil
}

// A changed array of enumeration values waits for Event Mode.
func TestSized_ChangedEnumerationsWait(t *testing.T) {
	d := model.Definition{Identifier: "Changer", New: func(d *model.Declaration) model.Model {
		c := &changer{}
		n := model.NewSize(d, "n", 2, 1, 3, "")
		model.SizedOutput(d, n, &c.list, "list", "", model.Enumeration("Side", "left", "right"))
		return c
	}}.FMU().Twin()
	r := modeltest.Host{Options3: fmu.Options3{EventModeUsed: true}}.Instantiate(t, d)
	i := r.Instance()
	r.Start()
	for k := range int64(3) {
		require.Equal(t, fmi.OK, i.EnterStepMode())
		o, status := i.Advance(float64(k), 1)
		require.Equal(t, fmi.OK, status)
		require.True(t, o.EventHandlingNeeded)
		require.Equal(t, fmi.OK, i.EnterEventMode())
		list := make([]int64, 2)
		require.Equal(t, fmi.OK, i.GetInt64(refOf(d, "list"), list))
		require.Equal(t, []int64{0, 1 - k%2}, list)
	}
}

// gauge sums up the elements of a parameter whose length can change between steps.
type gauge struct {
	planned
	list []float64
	sum  float64
}

func (g *gauge) Step(timebase.Span) error {
	for _, x := range g.list {
		g.sum += x
	}
	g.x = g.sum
	return nil
}

func (g *gauge) Snapshot(b []byte) ([]byte, error) { return model.AppendFloat64(b, g.sum), nil }

func (g *gauge) Restore(b []byte) error {
	d := model.StateReader{Data: b}
	g.sum = d.Float64()
	return d.Done()
}

// A state that is saved after a length has changed between steps continues as the instance does.
func TestSized_StatesAfterReconfiguration(t *testing.T) {
	d := model.Definition{Identifier: "Gauge", New: func(d *model.Declaration) model.Model {
		g := &gauge{}
		n := model.NewSize(d, "n", 2, 1, 4, "", model.Tunable())
		model.SizedParameter(d, n, &g.list, "list", 1, "", model.Unit("1"))
		model.PlainOutput(d, &g.x, "x", "", model.Unit("1"))
		return g
	}}.FMU().Twin()
	r := modeltest.Host{}.Instantiate(t, d)
	i := r.Instance()
	require.Equal(t, fmi.OK, i.SetReal(refOf(d, "list"), []float64{5, 7}))
	r.Start()
	r.Step(0.1)
	for _, n := range []uint64{1, 3} {
		require.Equal(t, fmi.OK, i.EnterConfigurationMode())
		r.Set("n", n)
		require.Equal(t, fmi.OK, i.ExitConfigurationMode())
	}
	saved, now := r.Save(), r.Now()
	r.Step(0.1)
	want := r.Get("x")
	require.Equal(t, 12+5+7+1.0, want, "a new element has the start value")
	r.Restore(saved, now)
	r.Step(0.1)
	require.Equal(t, want, r.Get("x"))
	other := modeltest.Host{}.Instantiate(t, d)
	other.Restore(saved, now)
	other.Step(0.1)
	require.Equal(t, want, other.Get("x"))
}

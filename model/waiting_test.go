package model_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

// extremes has an array of each type, which it sets to both limits of the type in each step after
// the first one, an output that is calculated before that, and a clock without messages.
type extremes struct {
	model.Stateless
	clock   *model.Clock
	refuse  bool
	count   int32
	f32     []float32
	f64     []float64
	i8      []int8
	u8      []uint8
	i16     []int16
	u16     []uint16
	i32     []int32
	u32     []uint32
	i64     []int64
	u64     []uint64
	flags   []bool
	texts   []string
	weather []int32
}

func newExtremes(d *model.Declaration) model.Model {
	x := &extremes{clock: d.Clock("refused", "ticks in steps that are discarded")}
	model.PlainInput(d, &x.refuse, "refuse", false, "discard steps")
	model.PlainOutput(d, &x.count, "count", "1 after the first step", model.Calculated())
	n := model.NewSize(d, "n", 2, 2, 3, "")
	unit := model.Unit("1")
	model.SizedOutput(d, n, &x.f32, "f32", "", unit)
	model.SizedOutput(d, n, &x.f64, "f64", "", unit)
	model.SizedOutput(d, n, &x.i8, "i8", "")
	model.SizedOutput(d, n, &x.u8, "u8", "")
	model.SizedOutput(d, n, &x.i16, "i16", "")
	model.SizedOutput(d, n, &x.u16, "u16", "")
	model.SizedOutput(d, n, &x.i32, "i32", "")
	model.SizedOutput(d, n, &x.u32, "u32", "")
	model.SizedOutput(d, n, &x.i64, "i64", "")
	model.SizedOutput(d, n, &x.u64, "u64", "")
	model.SizedOutput(d, n, &x.flags, "flags", "")
	model.SizedOutput(d, n, &x.texts, "texts", "")
	model.SizedOutput(d, n, &x.weather, "weather", "",
		model.Enumeration("Weather", "sunny", "fog", "rain"))
	return x
}

func (x *extremes) Setup(model.Environment) error { return nil }

func (x *extremes) Step(span timebase.Span) error {
	if x.refuse {
		x.count = 7
		x.clock.Tick()
		return model.ErrDiscard
	}
	if x.count = 1; span.Start == 0 {
		return nil
	}
	x.f32 = append(x.f32[:0], -math.MaxFloat32, math.SmallestNonzeroFloat32)
	x.f64 = append(x.f64[:0], -math.MaxFloat64, math.SmallestNonzeroFloat64)
	x.i8 = append(x.i8[:0], math.MinInt8, math.MaxInt8)
	x.u8 = append(x.u8[:0], 0, math.MaxUint8)
	x.i16 = append(x.i16[:0], math.MinInt16, math.MaxInt16)
	x.u16 = append(x.u16[:0], 0, math.MaxUint16)
	x.i32 = append(x.i32[:0], math.MinInt32, math.MaxInt32)
	x.u32 = append(x.u32[:0], 0, math.MaxUint32)
	x.i64 = append(x.i64[:0], math.MinInt64, math.MaxInt64)
	x.u64 = append(x.u64[:0], 0, math.MaxUint64)
	x.flags = append(x.flags[:0], true, false)
	x.texts = append(x.texts[:0], "", "𝄞 \x01\n")
	x.weather = append(x.weather[:0], rain, fog)
	return nil
}

var extremesDefinition = model.Definition{Identifier: "Extremes", New: newExtremes}

func newExtremesRig(t *testing.T) clocked {
	r := modeltest.Host{Options3: fmu.Options3{EventModeUsed: true}}.Instantiate(t,
		extremesDefinition.FMU().Twin())
	r.Start()
	require.Equal(t, fmi.OK, r.Instance().EnterStepMode())
	return clocked{r}
}

// arrays returns the values of all arrays.
func (c clocked) arrays(t *testing.T) (list []any) {
	d, i := extremesDefinition.FMU().Twin(), c.Instance()
	return []any{
		got(t, i.GetFloat32, refOf(d, "f32")), got(t, i.GetReal, refOf(d, "f64")),
		got(t, i.GetInt8, refOf(d, "i8")), got(t, i.GetUInt8, refOf(d, "u8")),
		got(t, i.GetInt16, refOf(d, "i16")), got(t, i.GetUInt16, refOf(d, "u16")),
		got(t, i.GetInteger, refOf(d, "i32")), got(t, i.GetUInt32, refOf(d, "u32")),
		got(t, i.GetInt64, refOf(d, "i64")), got(t, i.GetUInt64, refOf(d, "u64")),
		got(t, i.GetBoolean, refOf(d, "flags")), got(t, i.GetString, refOf(d, "texts")),
		got(t, i.GetInt64, refOf(d, "weather")),
	}
}

func got[T any](t *testing.T, get func([]fmi.ValueReference, []T) fmi.Status,
	refs []fmi.ValueReference) []T {
	values := make([]T, 2)
	require.Equal(t, fmi.OK, get(refs, values))
	return values
}

// settle steps, and handles the event if there is one.
func (c clocked) settle(t *testing.T, now float64) (needed bool) {
	o, status := c.Instance().Advance(now, 0.5)
	require.Equal(t, fmi.OK, status)
	if o.EventHandlingNeeded {
		require.Equal(t, fmi.OK, c.Instance().EnterEventMode())
		require.Equal(t, fmi.OK, c.Instance().EnterStepMode())
	}
	return o.EventHandlingNeeded
}

// Arrays of all types that wait for Event Mode are in the state of an instance, with all their bits.
func TestWaiting_ArraysOfAllTypes(t *testing.T) {
	c, other := newExtremesRig(t), newExtremesRig(t)
	require.True(t, c.settle(t, 0), "count changes")
	require.Equal(t, int32(1), c.Get("count"))
	before := c.arrays(t)
	o, status := c.Instance().Advance(0.5, 0.5)
	require.Equal(t, fmi.OK, status)
	require.True(t, o.EventHandlingNeeded)
	require.Equal(t, before, c.arrays(t), "in step mode")
	other.Restore(c.Save(), 1)
	require.Equal(t, before, other.arrays(t), "in step mode")
	for _, r := range []clocked{c, other} {
		require.Equal(t, fmi.OK, r.Instance().EnterEventMode())
		require.Equal(t, []any{
			[]float32{-math.MaxFloat32, math.SmallestNonzeroFloat32},
			[]float64{-math.MaxFloat64, math.SmallestNonzeroFloat64},
			[]int8{math.MinInt8, math.MaxInt8}, []uint8{0, math.MaxUint8},
			[]int16{math.MinInt16, math.MaxInt16}, []uint16{0, math.MaxUint16},
			[]int32{math.MinInt32, math.MaxInt32}, []uint32{0, math.MaxUint32},
			[]int64{math.MinInt64, math.MaxInt64}, []uint64{0, math.MaxUint64},
			[]bool{true, false}, []string{"", "𝄞 \x01\n"}, []int64{int64(rain), int64(fog)},
		}, r.arrays(t))
	}
}

// A step that is discarded takes back the ticks of its clocks and its outputs.
func TestWaiting_DiscardedStepsLeaveNoTick(t *testing.T) {
	c := newExtremesRig(t)
	require.True(t, c.settle(t, 0))
	c.Set("refuse", true)
	_, status := c.Instance().Advance(0.5, 0.5)
	require.Equal(t, fmi.Discard, status)
	require.Equal(t, int32(1), c.Get("count"))
	c.Set("refuse", false)
	require.True(t, c.settle(t, 0.5))
	require.False(t, c.settle(t, 1), "nothing changes any more")
	c.Set("refuse", true)
	_, status = c.Instance().Advance(1.5, 0.5)
	require.Equal(t, fmi.Discard, status)
	c.Set("refuse", false)
	require.False(t, c.settle(t, 1.5), "and no clock ticks")
}

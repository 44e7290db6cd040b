package cosim_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/cosim"
	"gosmp/timebase"
)

// constant has one output and one input of any kind; it exposes the value received.
type constant struct {
	from, to   cosim.Kind
	value      uint64
	mime, want string
	items      bool // the values of the output are items of an enumeration
	in, out    *cosim.Frame
}

func (c *constant) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "in", Kind: c.to, Role: cosim.Input, Size: 1, MIMEType: c.want},
		{Name: "out", Kind: c.from, Role: cosim.Output, Size: 1, MIMEType: c.mime,
			Enumeration: c.items}}
}
func (c *constant) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }
func (c *constant) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	c.in, c.out = cosim.NewFrame(c.Variables(), inputs), cosim.NewFrame(c.Variables(), outputs)
	if len(c.out.Cells) > 0 {
		c.out.Cells[0] = c.value
	}
	return c.in, c.out, nil
}
func (c *constant) Enter(context.Context, cosim.Setup) error { return nil }
func (c *constant) Exchange(context.Context) error           { return nil }
func (c *constant) Leave(context.Context) error              { return nil }
func (c *constant) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	return cosim.Advance{Reached: s.End}, nil
}
func (c *constant) Stop(context.Context) error { return nil }
func (c *constant) Close() error               { return nil }

// carry sends a value from one kind to another.
func carry(from, to cosim.Kind, value uint64, list ...cosim.Conversion) (uint64, error) {
	return carryFrom(&constant{from: from, to: cosim.Float64, value: value}, to, list...)
}

// carryFrom sends the value of a producer to an input.
func carryFrom(a *constant, to cosim.Kind, list ...cosim.Conversion) (uint64, error) {
	e := cosim.New(spec(1))
	b := &constant{from: cosim.Float64, to: to}
	e.Add("a", a)
	e.Add("b", b)
	e.ConnectAs(cosim.Connection{From: "a.out", To: "b.in", Conversions: list})
	_, err := e.Run(context.Background())
	if err != nil {
		return 0, err
	}
	return b.in.Cells[0], nil
}

func TestConnectAs_TableOfConversions(t *testing.T) {
	f64, f32 := math.Float64bits, func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	whole := func(v int64) uint64 { return uint64(v) }
	for name, c := range map[string]struct {
		from, to    cosim.Kind
		value, want uint64
		list        []cosim.Conversion
	}{
		"factor alone": {cosim.Float64, cosim.Float64, f64(3), f64(6),
			[]cosim.Conversion{cosim.Linear(2, 0)}},
		"offset alone": {cosim.Float64, cosim.Float64, f64(3), f64(4),
			[]cosim.Conversion{cosim.Linear(1, 1)}},
		"factor zero": {cosim.Float64, cosim.Float64, f64(3), f64(7),
			[]cosim.Conversion{cosim.Linear(0, 7)}},
		"unit, then linear": {cosim.Float64, cosim.Float64, f64(20), f64(586.3),
			[]cosim.Conversion{cosim.Linear(1, 273.15), cosim.Linear(2, 0)}},
		"narrow real": {cosim.Float64, cosim.Float32, f64(0.1), f32(0.1), nil},
		"scaled narrow reals": {cosim.Float32, cosim.Float32, f32(0.5), f32(1.25),
			[]cosim.Conversion{cosim.Linear(2, 0.25)}},
		"integer to real": {cosim.Int8, cosim.Float64, whole(-3), f64(-3), nil},
		"scaled integer": {cosim.UInt64, cosim.Float64, math.MaxUint64, f64(math.MaxUint64),
			[]cosim.Conversion{cosim.Linear(1, 0)}},
		"unsigned to narrow": {cosim.UInt16, cosim.Float32, 65535, f32(65535), nil},
		"widened":            {cosim.Int16, cosim.Int64, whole(-300), whole(-300), nil},
		"mapped": {cosim.Int32, cosim.Int32, whole(-1), whole(5),
			[]cosim.Conversion{cosim.Mapped(cosim.Pair{From: -1, To: 5})}},
		"not mapped": {cosim.Int32, cosim.Int64, whole(-2), whole(-2),
			[]cosim.Conversion{cosim.Mapped(cosim.Pair{From: -1, To: 5})}},
		"mapped twice": {cosim.Int32, cosim.Int32, 1, 3,
			[]cosim.Conversion{cosim.Mapped(cosim.Pair{From: 1, To: 2}),
				cosim.Mapped(cosim.Pair{From: 2, To: 3})}},
		"mapped and scaled": {cosim.Int8, cosim.Float64, whole(1), f64(2.5),
			[]cosim.Conversion{cosim.Mapped(cosim.Pair{From: 1, To: 2}), cosim.Linear(1, 0.5)}},
		"negated": {cosim.Boolean, cosim.Boolean, 77, 0,
			[]cosim.Conversion{cosim.Mapped(cosim.Pair{From: 0, To: 1}, cosim.Pair{From: 1,
				To: 0})}},
	} {
		got, err := carry(c.from, c.to, c.value, c.list...)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestConnectAs_RefusesConversionsWithoutSense(t *testing.T) {
	for want, c := range map[string]struct {
		from, to cosim.Kind
		list     []cosim.Conversion
	}{
		"found Float64, expected an integer, an enumeration or a Boolean to map": {cosim.Float64,
			cosim.Float64, []cosim.Conversion{cosim.Mapped()}},
		"found Int32, expected a floating-point kind at the end of a linear conversion": {
			cosim.Int32, cosim.Int32, []cosim.Conversion{cosim.Linear(2, 0)}},
		"found Int32, expected mappings before linear conversions": {
			cosim.Int32, cosim.Float64, []cosim.Conversion{cosim.Linear(1, 0), cosim.Mapped()}},
		"found Int8, expected mappings to values of Int8, which 200 is not": {
			cosim.Int8, cosim.Int8, []cosim.Conversion{cosim.Mapped(cosim.Pair{From: 1, To: 200})}},
		"found Boolean, expected mappings to values of Boolean, which 2 is not": {cosim.Boolean,
			cosim.Boolean, []cosim.Conversion{cosim.Mapped(cosim.Pair{From: 1, To: 2})}},
		"found Boolean, expected Int32 or a type that fits into it": {
			cosim.Boolean, cosim.Int32, nil},
		"found UInt8, expected mappings to values of UInt16, which -1 is not": {cosim.UInt8,
			cosim.UInt16, []cosim.Conversion{cosim.Mapped(cosim.Pair{From: 1, To: -1})}},
		"found Int64, expected Int32 or a type that fits into it": {
			cosim.Int64, cosim.Int32, nil},
		"found Float32, expected Int64 or a type that fits into it": {
			cosim.Float32, cosim.Int64, nil},
		"found UInt32, expected mappings to values of UInt64, which -9223372036854775808 is not": {
			cosim.UInt32, cosim.UInt64,
			[]cosim.Conversion{cosim.Mapped(cosim.Pair{From: 1, To: math.MinInt64})}},
	} {
		_, err := carry(c.from, c.to, 1, c.list...)
		require.ErrorIs(t, err, cosim.ErrConnection)
		require.ErrorContains(t, err, want)
	}
}

func TestConnect_IntegersKeepTheirValueOrAreRefused(t *testing.T) {
	kinds := []cosim.Kind{cosim.Int8, cosim.UInt8, cosim.Int16, cosim.UInt16, cosim.Int32,
		cosim.UInt32, cosim.Int64, cosim.UInt64}
	bounds := map[cosim.Kind][2]int64{cosim.Int8: {math.MinInt8, math.MaxInt8},
		cosim.UInt8: {0, math.MaxUint8}, cosim.Int16: {math.MinInt16, math.MaxInt16},
		cosim.UInt16: {0, math.MaxUint16}, cosim.Int32: {math.MinInt32, math.MaxInt32},
		cosim.UInt32: {0, math.MaxUint32}, cosim.Int64: {math.MinInt64, math.MaxInt64},
		cosim.UInt64: {0, math.MaxInt64}}
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(kinds).Draw(t, "from"), rapid.SampledFrom(kinds).Draw(t, "to")
		v := rapid.Int64Range(bounds[from][0], bounds[from][1]).Draw(t, "v")
		got, err := carry(from, to, uint64(v))
		fits := bounds[from][0] >= bounds[to][0] && bounds[from][1] <= bounds[to][1] &&
			(from != cosim.UInt64 || to == cosim.UInt64)
		require.Equal(t, fits, err == nil)
		if fits {
			require.Equal(t, v, int64(got))
		}
	})
}

// Enumerations are Int32 in FMI 2.0 and Int64 in FMI 3.0: every value that the other kind can
// represent is transferred; any other value ends the run.
func TestConnect_EnumerationsGoWhereTheirValueFits(t *testing.T) {
	bounds := map[cosim.Kind][2]int64{cosim.Int8: {math.MinInt8, math.MaxInt8},
		cosim.Int32: {math.MinInt32, math.MaxInt32}, cosim.Int64: {math.MinInt64, math.MaxInt64},
		cosim.UInt16: {0, math.MaxUint16}, cosim.UInt64: {0, math.MaxInt64}}
	kinds := []cosim.Kind{cosim.Int8, cosim.Int32, cosim.Int64, cosim.UInt16, cosim.UInt64}
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom([]cosim.Kind{cosim.Int32, cosim.Int64}).Draw(t, "from"),
			rapid.SampledFrom(kinds).Draw(t, "to")
		v := rapid.Int64Range(bounds[from][0], bounds[from][1]).Draw(t, "v")
		got, err := carryFrom(&constant{from: from, to: cosim.Float64, value: uint64(v),
			items: true}, to)
		if v < bounds[to][0] || v > bounds[to][1] {
			require.ErrorIs(t, err, cosim.ErrRange)
			require.ErrorContains(t, err,
				fmt.Sprintf("a.out = b.in: value out of range: found %d, expected a value of %s",
					v, to))
			return
		}
		require.NoError(t, err)
		require.Equal(t, v, int64(got))
	})
	_, err := carryFrom(&constant{from: cosim.UInt64, to: cosim.Float64, value: math.MaxUint64,
		items: true}, cosim.Int32)
	require.ErrorContains(t, err, "found 18446744073709551615, expected a value of Int32")
	_, err = carryFrom(&constant{from: cosim.Int64, to: cosim.Float64, items: true}, cosim.Float64)
	require.ErrorContains(t, err,
		"found an enumeration, expected an integer or an enumeration at the other end")
	_, err = carryFrom(&constant{from: cosim.Int64, to: cosim.Float64, value: 7, items: true},
		cosim.Int32, cosim.Mapped(cosim.Pair{From: 7, To: 1 << 40}))
	require.ErrorContains(t, err, "mappings to values of Int32, which 1099511627776 is not")
}

func TestConnect_MessagesFitByMIMEType(t *testing.T) {
	const osi = "application/x-open-simulation-interface; type=SensorView; version=3.7.0"
	for reader, want := range map[string]string{
		osi: "", "": "", "application/octet-stream": "",
		`application/x-open-simulation-interface;version="3.7.0";  type=SensorView`: "",
		"application/x-open-simulation-interface; type=SensorView":                  "",
		"application/x-open-simulation-interface; type=SensorView; version=3.5.0": "a.out = b.in:" +
			" messages of version 3.7.0 for a reader of version 3.5.0",
		"application/x-open-simulation-interface; type=SensorView; version=4.0.0": "impossible",
		"application/x-open-simulation-interface; type=SensorData; version=3.7.0": "impossible",
		"application/x-open-simulation-interface; type=SensorData; version=3.6.0": "impossible",
		"application/x-open-simulation-interface; type=SensorData":                "impossible",
		"application/x-something; type=SensorView; version=3.7.0":                 "impossible",
	} {
		e := cosim.New(spec(1))
		e.Add("a", &constant{from: cosim.Binary, to: cosim.Binary, mime: osi})
		e.Add("b", &constant{from: cosim.Binary, to: cosim.Binary, want: reader})
		e.Connect("a.out", "b.in")
		r, err := e.Run(context.Background())
		switch want {
		case "impossible":
			require.ErrorIs(t, err, cosim.ErrConnection, reader)
		case "":
			require.NoError(t, err, reader)
			require.Empty(t, r.Notes, reader)
		default:
			require.NoError(t, err, reader)
			require.Equal(t, []string{want}, r.Notes)
		}
	}
}

func TestConversion_String(t *testing.T) {
	require.Equal(t, "·0.001 + 273.15", cosim.Linear(0.001, 273.15).String())
	require.Equal(t, "0→1, 1→0", cosim.Mapped(cosim.Pair{To: 1}, cosim.Pair{From: 1}).String())
}

// TestMapped_Zero: 0 is a value of an unsigned kind, but -1 is not.
func TestMapped_Zero(t *testing.T) {
	for _, kind := range []cosim.Kind{cosim.UInt64, cosim.UInt8} {
		got, err := carry(cosim.UInt8, kind, 3, cosim.Mapped(cosim.Pair{From: 3, To: 0}))
		require.NoError(t, err)
		require.Zero(t, got)
		_, err = carry(cosim.UInt8, kind, 3, cosim.Mapped(cosim.Pair{From: 3, To: -1}))
		require.ErrorContains(t, err, "which -1 is not")
	}
}

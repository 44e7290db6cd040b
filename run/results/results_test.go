package results_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/run/results"
	"gosmp/timebase"
)

// clock is a participant whose outputs show the time as values of all kinds.
type clock struct{ frame *cosim.Frame }

func (*clock) Variables() []cosim.Variable {
	out := func(name string, kind cosim.Kind, shape ...int) cosim.Variable {
		v := cosim.Variable{Name: name, Kind: kind, Role: cosim.Output, Dimensions: shape, Size: 1}
		for _, n := range shape {
			v.Size *= n
		}
		return v
	}
	return []cosim.Variable{out("x", cosim.Float64), out("x.rate", cosim.Float32),
		out("gps.n", cosim.Int8), out("gps.big", cosim.UInt64), out("on", cosim.Boolean),
		out("text", cosim.String), out("m", cosim.Float64, 2, 2), out("der(a.b)", cosim.Int32),
		out("raw", cosim.Binary)}
}
func (*clock) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }
func (c *clock) Bind(_, outputs []int) (in, out *cosim.Frame, err error) {
	c.frame = cosim.NewFrame(c.Variables(), outputs)
	return cosim.NewFrame(c.Variables(), nil), c.frame, nil
}
func (c *clock) Enter(_ context.Context, s cosim.Setup) error { c.show(s.Start); return nil }
func (*clock) Exchange(context.Context) error                 { return nil }
func (*clock) Leave(context.Context) error                    { return nil }
func (*clock) Stop(context.Context) error                     { return nil }
func (*clock) Close() error                                   { return nil }
func (c *clock) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	c.show(s.End)
	return cosim.Advance{Reached: s.End}, nil
}

func (c *clock) show(t timebase.Time) {
	for k, p := range c.frame.Ports {
		switch p.Kind {
		case cosim.Float64:
			c.frame.SetFloat(k, 0, t.Seconds())
			for n := 1; n < p.Size; n++ {
				c.frame.SetFloat(k, n, t.Seconds()+float64(n))
			}
		case cosim.Float32:
			c.frame.SetInteger(k, 0, int64(math.Float32bits(float32(math.Inf(1)))))
		case cosim.UInt64:
			c.frame.SetInteger(k, 0, -1)
		case cosim.String, cosim.Binary:
			c.frame.SetBlob(k, 0, []byte("a\"\n"+t.String()))
		case cosim.Boolean:
			c.frame.SetInteger(k, 0, 1)
		default:
			c.frame.SetInteger(k, 0, -int64(t/timebase.Millisecond)/100)
		}
	}
}

// record records a second in steps of 0.1 s.
func record(t *testing.T, f results.Format, every timebase.Grid, elements bool) (*results.Recorder,
	[]byte) {
	t.Helper()
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	c := &clock{}
	e.Add("a", c)
	var signals []*cosim.Signal
	for _, v := range c.Variables() {
		signals = append(signals, e.Watch("a."+v.Name))
	}
	columns := results.Columns(signals...)
	if elements {
		columns = results.Elements(columns)
	}
	var b bytes.Buffer
	r, err := results.New(f, &b, columns, every)
	require.NoError(t, err)
	e.Observe(r)
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	return r, b.Bytes()
}

func TestRecorder_CSV(t *testing.T) {
	_, b := record(t, results.CSV, timebase.Grid{}, false)
	lines := strings.Split(string(b), "\n")
	require.Equal(t, `"time","a.x","a.x.rate","a.gps.n","a.gps.big","a.on","a.m","a.der(a.b)"`,
		lines[0])
	require.Equal(t, "0.2,0.2,inf,-2,18446744073709551615,1,0.2 1.2 2.2 3.2,-2", lines[3])
	_, b = record(t, results.CSV, timebase.Grid{}, true)
	lines = strings.Split(string(b), "\n")
	require.Contains(t, lines[0], `,"a.m[1,1]","a.m[1,2]","a.m[2,1]","a.m[2,2]",`)
	require.Contains(t, lines[3], ",0.2,1.2,2.2,3.2,")
}

// A table with its own grid contains the first row at or after each grid point.
func TestRecorder_Interval(t *testing.T) {
	for _, c := range []struct {
		every float64
		want  string
	}{{0.5, "0.0 0.5 1.0"}, {0.25, "0.0 0.3 0.5 0.8 1.0"},
		{0.1, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"},
		{2, "0.0"}, {1. / 3, "0.0 0.4 0.7 1.0"}} {
		r, b := record(t, results.CSV, cosim.Every(c.every), false)
		var times []string
		for line := range strings.Lines(string(b)) {
			at, _, _ := strings.Cut(line, ",")
			times = append(times, at)
		}
		require.Equal(t, c.want, strings.Join(times[1:], " "))
		require.EqualValues(t, len(times)-1, r.Rows)
	}
}

func TestRecorder_Parquet(t *testing.T) {
	r, b := record(t, results.Parquet, timebase.Grid{}, false)
	_, again := record(t, results.Parquet, timebase.Grid{}, false)
	require.Equal(t, b, again, "the same run gives the same bytes")
	file, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Equal(t, r.Rows, file.NumRows())
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	require.Equal(t, []string{"time", "a.x", "a.x.rate", "a.gps.n", "a.gps.big", "a.on", "a.text",
		"a.m[1,1]", "a.m[1,2]", "a.m[2,1]", "a.m[2,2]", "a.der(a.b)", "a.raw"}, names)
	rows := make([]parquet.Row, 20)
	n, err := parquet.NewReader(bytes.NewReader(b)).ReadRows(rows)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, 11, n)
	row := rows[2]
	require.Equal(t, 0.2, row[0].Double())
	require.True(t, math.IsInf(float64(row[2].Float()), 1))
	require.Equal(t, int32(-2), row[3].Int32())
	require.Equal(t, uint64(math.MaxUint64), row[4].Uint64())
	require.True(t, row[5].Boolean())
	require.Equal(t, "a\"\n0.200000000s", row[6].String())
	require.Equal(t, 3.2, row[10].Double())
}

// The official reader can read the messages, whose members follow the variable names.
func TestRecorder_MCAP(t *testing.T) {
	_, b := record(t, results.MCAP, timebase.Grid{}, false)
	reader, err := official.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	messages, err := reader.Messages()
	require.NoError(t, err)
	var third any
	count := 0
	for message := new(official.Message); ; count++ {
		schema, channel, _, err := messages.NextInto(message)
		if err == io.EOF { //nolint:errorlint // as documented
			break
		}
		require.NoError(t, err)
		require.Equal(t, "a", channel.Topic)
		require.Equal(t, "json", channel.MessageEncoding)
		require.Equal(t, "jsonschema", schema.Encoding)
		var of map[string]any
		require.NoError(t, json.Unmarshal(schema.Data, &of))
		require.Equal(t, "object", of["type"])
		if count == 2 {
			require.EqualValues(t, 200_000_000, message.LogTime)
			require.NoError(t, json.Unmarshal(message.Data, &third))
		}
	}
	require.Equal(t, 11, count)
	require.Equal(t, map[string]any{"x": 0.2, "x.rate": nil,
		"gps": map[string]any{"n": -2., "big": 18446744073709551615.}, "on": true,
		"text": "a\"\n0.200000000s", "m": []any{0.2, 1.2, 2.2, 3.2}, "der(a.b)": -2.,
		"raw": "YSIKMC4yMDAwMDAwMDBz"}, third)
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]results.Format{"-": results.CSV, "a": results.CSV,
		"a.txt": results.CSV, "a.b.Parquet": results.Parquet, "x/a.mcap": results.MCAP} {
		require.Equal(t, want, results.FormatOf(name))
	}
}

package flow_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/cosim"
	"gosmp/timebase"
)

// mirror is a participant whose outputs are its inputs; inputs that are not set keep their start
// values.
type mirror struct {
	variables []cosim.Variable
	in, out   *cosim.Frame
}

// kinds are the kinds of the variables of a mirror: inputs in_NAME and outputs out_NAME.
var kinds = []cosim.Kind{cosim.Float64, cosim.Float32, cosim.Int8, cosim.Int32, cosim.UInt64,
	cosim.Boolean, cosim.String}

func newMirror() *mirror {
	m := &mirror{}
	for _, role := range []cosim.Role{cosim.Input, cosim.Output} {
		for _, k := range kinds {
			prefix := map[cosim.Role]string{cosim.Input: "in_", cosim.Output: "out_"}[role]
			m.variables = append(m.variables, cosim.Variable{Name: prefix + k.String(), Kind: k,
				Role: role, Size: 1})
		}
	}
	m.variables = append(m.variables, cosim.Variable{Name: "in_array", Kind: cosim.Float64,
		Role: cosim.Input, Size: 3})
	for name, v := range map[string]cosim.Variable{
		"pedal": {Kind: cosim.Float64, Size: 1, Limits: &cosim.Limits{Most: 1}},
		"gear":  {Kind: cosim.Int32, Size: 1, Limits: &cosim.Limits{Least: -1, Most: 20}},
	} {
		out := v
		v.Name, v.Role, out.Name, out.Role = "in_"+name, cosim.Input, "out_"+name, cosim.Output
		m.variables = append(m.variables, v, out)
	}
	return m
}

func (m *mirror) Variables() []cosim.Variable { return m.variables }
func (m *mirror) Traits() cosim.Traits        { return cosim.Traits{} }
func (m *mirror) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	m.in, m.out = cosim.NewFrame(m.variables, in), cosim.NewFrame(m.variables, out)
	return m.in, m.out, nil
}
func (m *mirror) Enter(context.Context, cosim.Setup) error { return nil }
func (m *mirror) Exchange(context.Context) error           { return nil }
func (m *mirror) Leave(context.Context) error              { return nil }
func (m *mirror) Stop(context.Context) error               { return nil }
func (m *mirror) Close() error                             { return nil }
func (m *mirror) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	for o, to := range m.out.Ports {
		for i, from := range m.in.Ports {
			if m.variables[from.Variable].Name != strings.Replace(m.variables[to.Variable].Name,
				"out_", "in_", 1) {
				continue
			}
			if to.Kind.IsBlob() {
				m.out.SetBlob(o, 0, m.in.Blob(i, 0))
			} else {
				m.out.Cells[to.Offset] = m.in.Cells[from.Offset]
			}
		}
	}
	return cosim.Advance{Reached: s.End}, nil
}

// joined runs a mirror with a bridge for several steps of 0.1 s. Before step k, it calls send with
// k.
func joined(t *testing.T, messages string, send func(f *flow.Flow, step int)) (events []flow.Event,
	warnings []string, err error) {
	t.Helper()
	c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros2", "messages": [`+
		messages+`]}`))
	require.NoError(t, err)
	f, err := flow.Open(c, flow.Options{})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 300 * timebase.Millisecond, Step: cosim.Every(0.1)})
	e.Add("m", newMirror())
	o, err := f.Join(flow.Run{
		Watch:   func(name string) (*cosim.Signal, error) { return e.Watch("m." + name), nil },
		Drive:   func(name string) (*cosim.Control, error) { return e.Drive("m." + name), nil },
		Warn:    func(text string) { warnings = append(warnings, text) },
		Arrived: func(e flow.Event) { events = append(events, e) },
	})
	if err != nil {
		return nil, nil, err
	}
	e.Observe(o)
	require.NoError(t, e.Start(t.Context()))
	for step, more := 0, true; more; step++ {
		if send != nil {
			send(f, step)
		}
		if more, err = e.Step(t.Context()); err != nil {
			return events, warnings, err
		}
	}
	_, err = e.Finish(t.Context())
	return events, warnings, err
}

func topic(name, kind, direction, rest string) string {
	return `{"topic": "/` + name + `", "type": "` + kind + `", "direction": "` + direction +
		`", "vehicle": "sut", "event": "` + name + `_` + direction + `"` + rest + `}`
}

// A message that comes up sets inputs, and messages that go down are built from outputs, for each
// kind of variable.
func TestJoin_FieldsAndVariables(t *testing.T) {
	for kind, c := range map[cosim.Kind]struct {
		message     string
		data, later any
	}{
		cosim.Float64: {"std_msgs/Float64", 1.5, 1.5}, cosim.Float32: {"std_msgs/Float32", -0.25,
			-0.25}, cosim.Int8: {"std_msgs/Int32", -128, int64(-128)},
		cosim.Int32:   {"std_msgs/Int64", math.MinInt32, int64(math.MinInt32)},
		cosim.UInt64:  {"std_msgs/UInt64", uint64(math.MaxUint64), uint64(math.MaxUint64)},
		cosim.Boolean: {"std_msgs/Bool", true, true}, cosim.String: {"std_msgs/String", "a text",
			"a text"},
	} {
		name := kind.String()
		down, up := `, "from": {"data": "out_`+name+`"}`, `, "to": {"data": "in_`+name+`"}`
		events, warnings, err := joined(t, topic("set", c.message, "down", "")+","+topic("set",
			c.message, "up", up)+","+
			topic("state", c.message, "down", down)+","+topic("state", c.message, "up", ""),
			func(f *flow.Flow, step int) {
				if step == 1 {
					require.NoError(t, f.Emit(100*timebase.Millisecond, "set_down",
						map[string]any{"data": c.data}))
				}
			})
		require.NoError(t, err, name)
		require.Empty(t, warnings, name)
		var states []any
		for _, e := range events {
			if e.Name == "state_up" {
				states = append(states, e.Data["data"])
			}
		}
		// It is sent after 0.1 s, taken at 0.2 s, and applies in the step that ends at 0.3 s.
		require.Len(t, states, 4, name)
		require.NotEqual(t, c.later, states[2], name)
		require.Equal(t, c.later, states[3], name)
	}
}

// The stamp of a header is simulated time, and fields may be nested in messages.
func TestJoin_StampsHeaders(t *testing.T) {
	events, _, err := joined(t, topic("pose", "geometry_msgs/PoseStamped", "down",
		`, "from": {"pose.position.x": "out_Float64", "pose.orientation.w": "out_Int32"}`)+","+
		topic("pose", "geometry_msgs/PoseStamped", "up", ""), nil)
	require.NoError(t, err)
	require.Len(t, events, 4)
	require.Equal(t,
		map[string]any{"stamp": map[string]any{"sec": int64(0), "nanosec": uint64(300_000_000)},
			"frame_id": ""}, events[3].Data["header"])
}

// Values that an input cannot represent leave it unchanged and cause one warning.
func TestJoin_ValuesOutOfRange(t *testing.T) {
	for _, c := range []struct {
		input, kind, said string
		data              any
	}{
		{"in_Int8", "std_msgs/Int32",
			"topic /set: field data: found 128, which input in_Int8 of type Int8 cannot have: it " +
				"keeps its value", 128},
		{"in_UInt64", "std_msgs/Int32", "found -1, which input in_UInt64", -1},
		{"in_Float32", "std_msgs/Float64", "found 1e+300, which input in_Float32", 1e300},
		{"in_Float64", "std_msgs/Float64", "found NaN, which input in_Float64", math.NaN()},
	} {
		events, warnings, err := joined(t, topic("set", c.kind, "down", "")+","+topic("set", c.kind,
			"up", `, "to": {"data": "`+c.input+`"}`)+","+
			topic("state", "std_msgs/Float64", "down", `, "from": {"data": "`+
				strings.Replace(c.input, "in", "out", 1)+`"}`)+","+
			topic("state", "std_msgs/Float64", "up", ""), func(f *flow.Flow, step int) {
			require.NoError(t, f.Emit(0, "set_down", map[string]any{"data": c.data}))
		})
		require.NoError(t, err)
		require.Len(t, warnings, 1, "it comes in each step")
		require.Contains(t, warnings[0], c.said)
		require.Equal(t, 0.0, events[len(events)-1].Data["data"])
	}
	_, warnings, err := joined(t, topic("state", "std_msgs/UInt64", "down",
		`, "from": {"data": "out_Int32"}`)+","+topic("set", "std_msgs/Int32", "down", "")+","+
		topic("set", "std_msgs/Int32", "up", `, "to": {"data": "in_Int32"}`), func(f *flow.Flow,
		step int) {
		require.NoError(t, f.Emit(0, "set_down", map[string]any{"data": -5}))
	})
	require.NoError(t, err)
	require.Equal(t,
		[]string{
			"0.2 s: topic /state: std_msgs/UInt64.data: bad value: found -5, expected an integer " +
				"from 0 to 18446744073709551615"}, warnings)
}

// A number beyond the limits of an input becomes the nearest accepted number: like a vehicle's
// pedals, the input stops at its limit instead of ending the run.
func TestJoin_LimitsOfInputs(t *testing.T) {
	for _, c := range []struct {
		input, kind, said string
		data              any
		is                float64
	}{
		{"in_pedal", "std_msgs/Float64", "topic /set: field data: found -1, which input in_pedal " +
			"does not accept (0 to 1): it becomes 0", -1.0, 0},
		{"in_pedal", "std_msgs/Float32", "found 2.5, which input in_pedal", 2.5, 1},
		{"in_pedal", "std_msgs/Int32", "(0 to 1): it becomes 1", 7, 1},
		{"in_gear", "std_msgs/Int32", "found -3, which input in_gear does not accept (-1 to 20)",
			-3, -1},
		{"in_gear", "std_msgs/UInt64", "it becomes 20", uint64(1 << 63), 20},
		{"in_pedal", "std_msgs/Float64", "", 0.5, 0.5},
		{"in_gear", "std_msgs/Int32", "", 20, 20},
		{"in_pedal", "std_msgs/Float64", "found +Inf, which input in_pedal of type Float64 " +
			"cannot have: it keeps its value", math.Inf(1), 0},
	} {
		events, warnings, err := joined(t, topic("set", c.kind, "down", "")+","+topic("set", c.kind,
			"up", `, "to": {"data": "`+c.input+`"}`)+","+
			topic("state", "std_msgs/Float64", "down", `, "from": {"data": "`+
				strings.Replace(c.input, "in", "out", 1)+`"}`)+","+
			topic("state", "std_msgs/Float64", "up", ""), func(f *flow.Flow, step int) {
			require.NoError(t, f.Emit(0, "set_down", map[string]any{"data": c.data}))
		})
		require.NoError(t, err)
		require.Equal(t, c.is, events[len(events)-1].Data["data"], c.said)
		if c.said == "" {
			require.Empty(t, warnings)
			continue
		}
		require.Len(t, warnings, 1, "it comes in each step")
		require.Contains(t, warnings[0], c.said)
	}
}

// Incompatible variables are refused before the run.
func TestJoin_Refuses(t *testing.T) {
	for text, messages := range map[string]string{
		"topic /a: out_Boolean: unusable variable: found type Boolean, expected one value for " +
			"field data of type float64": topic("a", "std_msgs/Float64", "down",
			`, "from": {"data": "out_Boolean"}`),
		"found type Float64, expected one value for field data of type int32": topic("a",
			"std_msgs/Int32", "down", `, "from": {"data": "out_Float64"}`),
		"found type Float64 with 3 elements, expected one value": topic("a", "std_msgs/Float64",
			"down", `, "from": {"data": "in_array"}`),
		"found type Int32, expected an input with one value for field data of type float64": topic(
			"a", "std_msgs/Float64", "up", `, "to": {"data": "in_Int32"}`),
		"found type String, expected an input with one value for field data of type bool": topic(
			"a", "std_msgs/Bool", "up", `, "to": {"data": "in_String"}`),
		"found a variable that is not an input": topic("a", "std_msgs/Bool", "up",
			`, "to": {"data": "out_Boolean"}`),
		"found type Float64, expected a binary variable with OSI messages": topic("a",
			"sensor_msgs/Imu", "down", `, "from": "out_Float64"`),
	} {
		_, _, err := joined(t, messages, nil)
		require.ErrorIs(t, err, flow.ErrVariable, text)
		require.ErrorContains(t, err, text)
	}
}

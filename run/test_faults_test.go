//go:build linux && cgo

package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/run"
	"gosmp/trace/compare"
)

// viewLine is a message of the trace that is played into an FMU which sends it back: its time in
// tenths of a second after the first one, and a position.
const viewLine = `{"topic":"view","type":"osi3.SensorView","sequence":0,` +
	`"log_time":"1%[1]d00000000","publish_time":"1%[1]d00000000",` +
	`"data":{"timestamp":{"seconds":"1","nanos":%[2]d},"global_ground_truth":{"moving_object":` +
	`[{"id":{"value":"7"},"base":{"position":{"x":%[3]s,"y":0}}}]}}}` + "\n"

// views returns a trace of messages with these positions.
func views(positions ...string) (text string) {
	for k, x := range positions {
		text += fmt.Sprintf(viewLine, k, k*100000000, x)
	}
	return text
}

// testFault is a fault in a test of the FMU.
type testFault struct {
	name   string
	files  map[string]string // written before the test
	change func(o *run.TestOptions)
	cause  string // in the error, or in the cause of the verdict
}

func conditionFaults() (list []testFault) {
	for _, c := range [][3]string{
		{"no content", "", "found no condition"},
		{"only comments", "# conditions:\n# - rules: true\n", "found no condition"},
		{"an empty list", "conditions: []\n", "found no condition"},
		{"null", "conditions:\n", `found no value for the key "conditions"`},
		{"no list", "conditions: {messages: 3}\n", `a condition without a "-"`},
		{"another key", "condition: [{messages: 3}]\n", `found the key "condition"`},
		{"a misspelt check", "conditions: [{mesages: 3}]\n", `found the key "mesages"`},
		{"an empty condition", "conditions: [{}]\n", "found no check"},
		{"only a name", "conditions: [{name: a}]\n", "found no check"},
		{"a misspelt channel", "conditions: [{channel: OSMPSensorDataOutt, messages: 3}]\n",
			`0 channels for channel "OSMPSensorDataOutt"`},
		{"an input as channel", "conditions: [{channel: OSMPSensorViewIn, messages: 3}]\n",
			`0 channels for channel "OSMPSensorViewIn"`},
		{"a misspelt field",
			"conditions: [{field: global_ground_truth.moving_objects, count: 1}]\n",
			`found no field "moving_objects"`},
		{"a field with an index", "conditions: [{field: 'global_ground_truth.moving_object[0]', " +
			"present: true}]\n", `found no field "moving_object[0]"`},
		{"a field without a check", "conditions: [{field: timestamp}]\n", "found no check"},
		{"a value that never occurs", "conditions: [{field: " +
			"global_ground_truth.stationary_object.id, value: {min: 1}}]\n", "found no value"},
		{"a value of a message", "conditions: [{field: global_ground_truth.moving_object.base, " +
			"value: {min: 0}}]\n", "found a message"},
		{"a value that is always kept", "conditions: [{field: " +
			"global_ground_truth.moving_object.id, value: {min: 0}}]\n", "can break or keep"},
		{"a gap that is always kept", "conditions: [{gap: {min: 0}}]\n", "can break or keep"},
		{"a metric that is always kept", "conditions: [{metric: speed, least: {min: 0}}]\n",
			"can break or keep"},
		{"a misspelt metric", "conditions: [{metric: sped, least: 0}]\n",
			`found the metric "sped"`},
		{"a metric without values", "conditions: [{metric: time_to_collision, least: {min: 1}}]\n",
			"time_to_collision: found no value"},
		{"a metric with a channel", "conditions: [{metric: speed, channel: x, least: 0}]\n",
			"found other checks in it"},
		{"bounds without a number", "conditions: [{messages: {}}]\n", "found bounds that nothing"},
		{"bounds in the wrong order", "conditions: [{messages: {min: 4, max: 3}}]\n",
			"found bounds that nothing"},
		{"bounds that are not a number", "conditions: [{messages: .nan}]\n",
			"found bounds that nothing"},
		{"an infinite bound", "conditions: [{messages: {max: .inf}}]\n",
			"found bounds that nothing"},
		{"a bound with a unit", "conditions: [{gap: {max: 0.1 s}}]\n", `found "0.1 s"`},
		{"a window after the end", "conditions: [{messages: {max: 9}, from: 9}]\n",
			"the last message of all channels at 1.2 s"},
		{"a window before the start", "conditions: [{messages: {max: 9}, until: 1}]\n",
			"the first message of all channels at 1 s"},
		{"a window between two messages",
			"conditions: [{gap: {max: 9}, from: 1.11, until: 1.19}]\n",
			"found no message at this time"},
		{"an empty window", "conditions: [{messages: 3, from: 2, until: 1}]\n",
			"found an empty time"},
		{"a window that is no number", "conditions: [{messages: 3, from: .nan}]\n",
			"found an empty time"},
		{"a gap of one message", "conditions: [{gap: {max: 9}, until: 1.05}]\n",
			"found one message at this time"},
		{"the same name twice",
			"conditions:\n- {name: a, messages: 3}\n- {name: a, gap: {min: 0.01}}\n",
			`c.yaml:3: unusable conditions: found the name "a"`},
		{"the same key twice", "conditions: [{messages: 3, messages: 4}]\n",
			`found the key "messages", which line 1 already has`},
		{"an exception from no rule", "conditions: [{messages: 3, except: [a]}]\n",
			"found except without rules"},
		{"an exception from an unknown rule", "conditions: [{rules: true, except: " +
			"[osirules.sensorview.versionx.is_set]}]\n", "versionx"},
		{"two documents", "conditions: [{messages: 3}]\n---\nconditions: [{messages: 3}]\n",
			"found a second document"},
		{"rules that are broken", "conditions: [{rules: true}]\n",
			"breaks osirules.groundtruth.version.is_set"},
		{"no rules", "conditions: [{rules: false}]\n", "found no check"},
	} {
		list = append(list, testFault{c[0], map[string]string{"c.yaml": c[1]},
			func(o *run.TestOptions) { o.Expect = []string{"c.yaml"} }, c[2]})
	}
	return list
}

// traceFaults returns faults of the trace that is played, and the same ones of the expected trace.
func traceFaults() (list []testFault) {
	good := views("10", "11", "12")
	data := strings.NewReplacer("SensorView", "SensorData",
		`"global_ground_truth":{"moving_object":[{"id":{"value":"7"},`, `"moving_object":[{`,
		"}}]}}}", "}}]}}").Replace(good)
	for _, c := range [][4]string{ // name, trace, cause if played, cause if expected
		{"no messages", "", "found an empty file", "found an empty file"},
		{"an empty line", "\n", "not a trace", "not a trace"},
		{"one message", views("10"), "1.1 s, osmp.OSMPSensorDataOut: expected a message",
			"1.1 s, osmp.OSMPSensorDataOut: expected no message"},
		{"one message less", views("10", "11"), "1.2 s, osmp.OSMPSensorDataOut: expected a message",
			"1.2 s, osmp.OSMPSensorDataOut: expected no message"},
		{"one message more", views("10", "11", "12", "13"), "1.3 s, osmp.OSMPSensorDataOut: " +
			"expected no message", "1.3 s, osmp.OSMPSensorDataOut: expected a message"},
		{"another type", data, "found channels view (SensorData)", "osi3.SensorData"},
		{"a cut line", good[:len(good)-40], "in.jsonl:3: message that cannot be decoded",
			"wrong.jsonl:3: message that cannot be decoded"},
		{"a line that is no message", good + "{}\n", "in.jsonl:4: message that cannot be decoded",
			"wrong.jsonl:4: message that cannot be decoded"},
		{"a misspelt field", strings.ReplaceAll(good, `"position"`, `"positionx"`),
			`unknown field "positionx"`, `unknown field "positionx"`},
		{"NaN", views("10", `"NaN"`, "12"), "expected 11, found NaN", "expected NaN, found 11"},
		{"infinity", views("10", `"Infinity"`, "12"), "expected 11, found +Inf",
			"expected +Inf, found 11"},
		{"another position", views("10", "11.1", "12"), "expected 11, found 11.1",
			"expected 11.1, found 11"},
		{"another id", strings.Replace(good, `"value":"7"`, `"value":"8"`, 1),
			"moving_object with id 7: expected one, found none",
			"moving_object with id 8: expected one, found none"},
		{"times that go back", strings.ReplaceAll(good, "1200000000", "900000000"),
			"impossible time", "0.9 s, osmp.OSMPSensorDataOut: expected a message"},
		{"no trace at all", "a,b\n1,2\n", "not a trace", "not a trace"},
	} {
		list = append(list,
			testFault{"played " + c[0], map[string]string{"in.jsonl": c[1]}, nil, c[2]},
			testFault{"expected " + c[0], map[string]string{"wrong.jsonl": strings.ReplaceAll(c[1],
				`"topic":"view"`, `"topic":"osmp.OSMPSensorDataOut"`)},
				func(o *run.TestOptions) { o.Expect = []string{"wrong.jsonl"} }, c[3]})
	}
	return list
}

func optionFaults(t *testing.T) (list []testFault) {
	refuses := testfmu.Build(t, testfmu.Recipe{OSMP: true, Name: "refuses", Describe: echoes,
		Orders: []string{"SetReal error"}})
	plain := testfmu.Build(t, testfmu.Recipe{Name: "plain"})
	start := func(name, value string) func(o *run.TestOptions) {
		return func(o *run.TestOptions) {
			o.StartValues = []run.Assignment{{Variable: name, Value: value}}
		}
	}
	input := func(name, topic string) func(o *run.TestOptions) {
		return func(o *run.TestOptions) {
			o.Inputs = []run.Assignment{{Variable: name, Value: topic}}
		}
	}
	compared := func(tolerances ...compare.Tolerance) func(o *run.TestOptions) {
		return func(o *run.TestOptions) { o.Tolerances = tolerances }
	}
	tenth, fifth := 0.1, 0.2
	for _, c := range []struct {
		name, cause string
		change      func(o *run.TestOptions)
	}{
		{"a misspelt channel", "--channel: found OSMPSensorDataOutt",
			func(o *run.TestOptions) { o.Channels = []string{"OSMPSensorDataOutt"} }},
		{"a misspelt channel next to another", `--channel: found "OSMPSensorDataOutt"`,
			func(o *run.TestOptions) {
				o.Channels = []string{"OSMPSensorDataOut", "OSMPSensorDataOutt"}
			}},
		{"a misspelt input", `found "OSMPSensorViewInn"`, input("OSMPSensorViewInn", "view")},
		{"a misspelt topic", `OSMPSensorViewIn="veiw"`, input("OSMPSensorViewIn", "veiw")},
		{"an output as input", "OSMPSensorDataOut", input("OSMPSensorDataOut", "view")},
		{"a misspelt start value", `did you mean "in"`, start("inn", "1")},
		{"a start value with an unknown unit", "found the unit degC", start("in", "1[degC]")},
		{"a start value that is no number", `found "NaN1"`, start("in", "NaN1")},
		{"a misspelt tolerance", `found "base.positionx"`,
			compared(compare.Tolerance{Field: "base.positionx", Absolute: 1})},
		{"a negative tolerance", "base.position: found -1",
			compared(compare.Tolerance{Field: "base.position", Absolute: -1})},
		{"everything is ignored", "expected a field to compare, found only ignored ones", compared(
			compare.Tolerance{Field: "timestamp", Ignore: true},
			compare.Tolerance{Field: "global_ground_truth", Ignore: true})},
		{"a negative time tolerance", "--time-tolerance",
			func(o *run.TestOptions) { o.TimeLimit = -1 }},
		{"a step that skips messages", "1.1 s, osmp.OSMPSensorDataOut: expected a message",
			func(o *run.TestOptions) { o.StepSize = &fifth }},
		{"an end after the first message", "1.1 s, osmp.OSMPSensorDataOut: expected a message",
			func(o *run.TestOptions) { o.StopTime = &tenth }},
		{"nothing expected", "--expect: found none", func(o *run.TestOptions) { o.Expect = nil }},
		{"a missing expectation", "none.mcap: no such file",
			func(o *run.TestOptions) { o.Expect = []string{"none.mcap"} }},
		{"the played trace as expectation", "which is the trace that is played",
			func(o *run.TestOptions) { o.Expect = []string{o.Trace} }},
		{"an FMU that refuses a start value", "fmi2SetReal returned fmi2Error for in",
			func(o *run.TestOptions) { start("in", "1")(o); o.FMU = "osmp=" + refuses }},
		{"an FMU without messages", "which has no binary input",
			func(o *run.TestOptions) { o.FMU = "osmp=" + plain }},
		{"a missing FMU", "none.fmu: there is no such file",
			func(o *run.TestOptions) { o.FMU = "none.fmu" }},
		{"a trace instead of an FMU", "in.jsonl: not a zip file",
			func(o *run.TestOptions) { o.FMU = o.Trace }},
	} {
		list = append(list, testFault{name: c.name, change: c.change, cause: c.cause})
	}
	return list
}

func echoes(xml string) string {
	return strings.ReplaceAll(xml, "type=SensorData;", "type=SensorView;")
}

// TestTest_FaultsAreNamedAndNeverPass uses a table of tests of an FMU with one fault each. None of
// them passes, and each names the cause.
func TestTest_FaultsAreNamedAndNeverPass(t *testing.T) {
	faults := append(append(conditionFaults(), traceFaults()...), optionFaults(t)...)
	require.GreaterOrEqual(t, len(faults), 60)
	reserve := &importer.Reserve{}
	defer func() { require.NoError(t, reserve.Close()) }()
	step := 0.1
	truth := run.TestOptions{Trace: "in.jsonl", Expect: []string{"golden.mcap"}, StepSize: &step,
		Most: 10, Reserve: reserve, FMU: "osmp=" + testfmu.Build(t, testfmu.Recipe{OSMP: true,
			Describe: echoes, Name: "osmp"})}
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("in.jsonl", []byte(views("10", "11", "12")), 0o600))
	first := truth
	first.Update = true
	_, err := run.Test(t.Context(), first)
	require.NoError(t, err)
	r, err := run.Test(t.Context(), truth)
	require.NoError(t, err)
	require.True(t, r.Passed, "without a fault it passes")
	golden, err := filepath.Abs("golden.mcap")
	require.NoError(t, err)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := truth
			o.Expect = []string{golden}
			require.NoError(t, os.WriteFile(o.Trace, []byte(views("10", "11", "12")), 0o600))
			for name, text := range f.files {
				require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
			}
			if f.change != nil {
				f.change(&o)
			}
			r, err := run.Test(t.Context(), o)
			if err != nil {
				require.ErrorContains(t, err, f.cause)
				return
			}
			require.False(t, r.Passed)
			require.Contains(t, r.Cause(), f.cause)
		})
	}
}

package expect_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/expect"
)

// recorded returns a trace with a channel of SensorData every 100 ms for a second, with 0, 1, 2 ...
// objects at x = 0, 10, 20 ..., and a channel of SensorViews.
func recorded(t require.TestingT) func() (trace.Source, error) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	data, err := sink.Add(trace.OSI("lidar.OSMPSensorDataOut", "sd"))
	require.NoError(t, err)
	views, err := sink.Add(trace.OSI("lidar.OSMPSensorViewIn", "sv"))
	require.NoError(t, err)
	put := func(c *trace.Channel, at timebase.Time, m proto.Message) {
		content, err := proto.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: content}))
	}
	for k := range 10 {
		at := timebase.Time(k) * 100 * timebase.Millisecond
		truth := &osi3.GroundTruth{Timestamp: message.Time(at), HostVehicleId: message.ID(1)}
		for id, x := range []float64{0, 30} {
			truth.MovingObject = append(truth.MovingObject,
				&osi3.MovingObject{Id: message.ID(uint64(id + 1)), Base: &osi3.BaseMoving{
					Position: &osi3.Vector3D{X: proto.Float64(x)},
					Velocity: &osi3.Vector3D{X: proto.Float64(float64(10 * (1 - id)))}}})
		}
		put(views, at, &osi3.SensorView{Timestamp: message.Time(at), GlobalGroundTruth: truth})
		d := &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(at)}
		for i := range k {
			d.MovingObject = append(d.MovingObject,
				&osi3.DetectedMovingObject{
					Base: &osi3.BaseMoving{
						Position: &osi3.Vector3D{X: proto.Float64(float64(10 * i))}}})
		}
		put(data, at, d)
	}
	require.NoError(t, sink.Close())
	return func() (trace.Source, error) {
		return trace.OpenAt("found.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()),
			trace.Options{})
	}
}

func TestJudge(t *testing.T) {
	open := recorded(t)
	const data = "channel: OSMPSensorDataOut, "
	for condition, cause := range map[string]string{
		"messages: 10":       "",
		"messages: {min: 5}": "",
		"messages: {max: 9}": "lidar.OSMPSensorDataOut: found 10 messages, " +
			"expected at most 9",
		"messages: 3, from: 0.65":              "",
		"messages: 2, until: 0.11":             "",
		"messages: 5, from: 0.25, until: 0.75": "",
		"messages: {max: 9}, from: 0.9":        "",
		"messages: {max: 0}, from: 5": "found the last message of all channels at 0.9 s, expected " +
			"some from 5 s on",
		"gap: {max: 0.11}": "",
		"gap: {max: 0.05}": "0.1 s, lidar.OSMPSensorDataOut: found a gap of 0.1 s, expected " +
			"at most 0.05 s",
		"gap: {min: 0.01}, from: 0.85": "found one message at this time, expected two, " +
			"which have a gap",
		"gap: {max: 0.15}, from: 0.25": "",
		"messages: 5, from: 0.5":       "",
		"messages: 5, until: 0.5":      "",
		"gap: 1, from: 5": "lidar.OSMPSensorDataOut: found no message at this time, " +
			"expected at least one",
		"field: moving_object, count: {max: 9}": "",
		"field: moving_object, count: {max: 7}": "0.8 s, lidar.OSMPSensorDataOut, moving_object: " +
			"found 8, expected at most 7",
		"field: moving_object, count: {min: 1}": "0 s, lidar.OSMPSensorDataOut, moving_object: " +
			"found 0, expected at least 1",
		"field: moving_object, count: {min: 1}, from: 0.05":              "",
		"field: moving_object.base.position.x, value: {min: 0, max: 80}": "",
		"field: moving_object.base.position.x, value: {min: 0, max: 35}": "0.5 s, lidar.OSMPSenso" +
			"rDataOut, moving_object.base.position.x: found 40, expected 0 to 35",
		"field: moving_object.base.position.y, value: 0": "lidar.OSMPSensorDataOut, " +
			"moving_object.base.position.y: found no value, expected 0",
		"field: version, present: true": "",
		"field: sensor_id, present: true": "0 s, lidar.OSMPSensorDataOut, sensor_id: found " +
			"nothing, expected a value",
		"rules: true": "0 s, lidar.OSMPSensorDataOut: breaks osirules.sensordata.",
	} {
		c, err := expect.Read("a.yaml", strings.NewReader("conditions:\n  - {"+data+condition+
			"}\n"))
		require.NoError(t, err, condition)
		verdicts, err := c.Judge(open, expect.Options{})
		require.NoError(t, err, condition)
		require.Len(t, verdicts, 1)
		require.Equal(t, cause == "", verdicts[0].Passed, condition)
		require.Contains(t, verdicts[0].Cause, cause, condition)
	}
}

// Excepted rules do not make a condition fail; all others do.
func TestJudge_ExceptedRules(t *testing.T) {
	open := recorded(t)
	judged := func(except string) expect.Verdict {
		c, err := expect.Read("a.yaml", strings.NewReader("conditions:\n  - {channel: "+
			"OSMPSensorDataOut, rules: true, except: ["+except+"]}\n"))
		require.NoError(t, err)
		verdicts, err := c.Judge(open, expect.Options{})
		require.NoError(t, err)
		return verdicts[0]
	}
	var except []string
	for v := judged(""); !v.Passed; v = judged(strings.Join(except, ", ")) {
		_, broken, found := strings.Cut(v.Cause, "breaks ")
		require.True(t, found && len(except) < 50, v.Cause)
		for _, id := range strings.Split(broken, ", ") {
			require.NotContains(t, except, id)
			except = append(except, id)
		}
	}
	require.NotEmpty(t, except)
}

func TestJudge_Metrics(t *testing.T) {
	open := recorded(t)
	for condition, cause := range map[string]string{
		"metric: time_to_collision, least: {min: 2.9}, count: 10": "",
		"metric: time_to_collision, least: {min: 4}": "0 s, object 2: found least " +
			"time_to_collision 3, expected at least 4",
		"metric: speed, greatest: {max: 5}": "0 s, object 1: found greatest speed 10, " +
			"expected at most 5",
		"metric: speed, mean: {max: 4}":      "speed: found mean 5, expected at most 4",
		"metric: speed, mean: 5, from: 0.35": "",
		"metric: post_encroachment_time, mean: 5": "post_encroachment_time: found no value, " +
			"expected at least one",
		"metric: speed, count: 3":                                           "speed: found 20 values, expected 3",
		"metric: speed, count: 6, from: 0.35, until: 0.65":                  "",
		"metric: headway, count: 0, from: 0.35, until: 0.65":                "headway: found 3 values, expected 0",
		"metric: post_encroachment_time, count: 0, from: 0.35, until: 0.65": "",
		"metric: speed, count: 0, from: 0.41, until: 0.49": "speed: found no message of any " +
			"channel at this time, expected at least one",
	} {
		c, err := expect.Read("a.yaml", strings.NewReader("conditions:\n  - {"+condition+"}\n"))
		require.NoError(t, err, condition)
		verdicts, err := c.Judge(open, expect.Options{})
		require.NoError(t, err, condition)
		require.Equal(t, cause, verdicts[0].Cause, condition)
		require.Equal(t, cause == "", verdicts[0].Passed, condition)
	}
}

// TestJudge_AllConditionsAtOnce checks that there is a verdict for each condition, in their order.
func TestJudge_AllConditionsAtOnce(t *testing.T) {
	c, err := expect.Read("a.yaml", strings.NewReader(`
conditions:
  - name: enough
    channel: osi3.SensorData
    messages: {min: 5}
  - {metric: speed, count: 20}
  - {channel: sv, field: global_ground_truth.moving_object.id, value: {max: 1}}
`))
	require.NoError(t, err)
	verdicts, err := c.Judge(recorded(t), expect.Options{})
	require.NoError(t, err)
	var text []string
	for _, v := range verdicts {
		text = append(text, fmt.Sprintf("%s %v %d %d", v.Name, v.Passed, v.Messages, v.Failures))
	}
	require.Equal(t, []string{"enough true 10 0", "speed, count 20 true 20 0",
		"sv, global_ground_truth.moving_object.id, value at most 1 false 10 10"}, text)
}

func TestJudge_ChannelsAndFieldsThatThereAreNot(t *testing.T) {
	for condition, want := range map[string]string{
		"{messages: 1}": `found 2 channels for channel "", expected one of ` +
			`lidar.OSMPSensorDataOut, lidar.OSMPSensorViewIn`,
		"{channel: radar, messages: 1}": `found 0 channels for channel "radar"`,
		"{channel: sd, field: moving_objects, count: 1}": `found no field "moving_objects", ` +
			`expected a dotted path of a osi3.SensorData`,
		"{channel: sd, field: version.version_major.x, present: true}": `found no field "x"`,
		"{channel: sd, field: version.version_major, value: {min: 0}}": "found bounds that nothing " +
			"can break or keep, value at least 0, because the possible values are integers from 0",
		"{channel: sd, field: sensor_id, value: -1}": "can break or keep, value -1",
	} {
		c, err := expect.Read("a.yaml", strings.NewReader("conditions:\n  - "+condition+"\n"))
		require.NoError(t, err)
		_, err = c.Judge(recorded(t), expect.Options{})
		require.ErrorContains(t, err, want)
	}
	c, err := expect.Read("a.yaml", strings.NewReader("conditions:\n  - {messages: 10}\n"))
	require.NoError(t, err)
	verdicts, err := c.Judge(recorded(t),
		expect.Options{Topics: []string{"lidar.OSMPSensorDataOut"}})
	require.NoError(t, err)
	require.True(t, verdicts[0].Passed, "the only output")
}

func TestRead_RefusesWithTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "found no condition, expected conditions: and a list",
		"condition: []": `a.yaml:1: unusable conditions: found the key "condition", expected ` +
			`one of conditions`,
		"conditions:\n  - {name: a,\n     name: b}": `a.yaml:3: unusable conditions: found the key ` +
			`"name", which line 2 already has, expected it once`,
		"conditions:\n  -\n" + strings.Repeat("    rules: true\n", 60_000): `a.yaml:4: unusable ` +
			`conditions: found the key "rules", which line 3 already has`,
		"conditions: 3": `a.yaml:1: unusable conditions: found "3", expected a list`,
		"- 3": "a.yaml:1: unusable conditions: found a list, expected keys " +
			"such as conditions",
		"a: [b": "a.yaml:1: unusable conditions: did not find expected",
		"conditions:\n  - {rules: maybe}": `a.yaml:2: unusable conditions: found "maybe", ` +
			`expected true or false`,
		"conditions:\n  - {rules: true}\n---\na": "a.yaml:3: unusable conditions: found a second " +
			"document, expected one",
		"conditions:\n  - {field: a, value: {min: abc}}": `a.yaml:2: unusable conditions: found ` +
			`"abc", expected a number`,
		"conditions:\n  - 3": `a.yaml:2: unusable conditions: found "3", expected keys such ` +
			`as name, channel`,
		"conditions:\n  - {mesages: 3}": `a.yaml:2: unusable conditions: found the key ` +
			`"mesages", expected one of name, channel`,
		"conditions:\n  - {messages: many}": `a.yaml:2: unusable conditions: found "many", ` +
			`expected a number or {min: A, max: B}`,
		"conditions:\n  - {messages: {mini: 3}}": `a.yaml:2: unusable conditions: found the key ` +
			`"mini", expected one of min, max`,
		"conditions:\n  - {messages: {min: 3, max: 2}}": "a.yaml:2: unusable conditions: found " +
			"bounds that nothing can break or keep",
		"conditions:\n  - {messages: {}}": "a.yaml:2: unusable conditions: found bounds that " +
			"nothing can break or keep",
		"conditions:\n  - {messages: .nan}": "a.yaml:2: unusable conditions: found bounds that " +
			"nothing can break or keep",
		"conditions:\n  - {messages: {min: .nan, max: 3}}": "found bounds that nothing can break",
		"conditions:\n  - {messages: {min: 3, max: .nan}}": "found bounds that nothing can break",
		"conditions:\n  - {messages: {min: 0}}": "a.yaml:2: unusable conditions: found " +
			"bounds that nothing can break or keep",
		"conditions:\n  - {messages: -1}":                 "bounds that nothing can break or keep",
		"conditions:\n  - {messages: 0.5}":                "bounds that nothing can break or keep",
		"conditions:\n  - {messages: {min: .2, max: .8}}": "bounds that nothing can break or keep",
		"conditions:\n  - {gap: {max: -1}}": "nothing can break or keep, gap at most -1, because " +
			"the possible values are numbers from 0",
		"conditions:\n  - {gap: {min: 0}}":                              "break or keep, gap at least 0",
		"conditions:\n  - {metric: speed, least: {min: 0}}":             "break or keep, least at least 0",
		"conditions:\n  - {metric: yaw_error, mean: {max: 3.2}}":        "numbers from 0 to 3.141592653589793",
		"conditions:\n  - {metric: detection_rate, least: {min: 0.0}}":  "numbers from 0 to 1",
		"conditions:\n  - {metric: detection_rate, greatest: {max: 1}}": "numbers from 0 to 1",
		"conditions:\n  - {metric: detection_rate, mean: {min: 90}}":    "break or keep, mean at least 90",
		"conditions:\n  - {metric: time_to_collision, greatest: -1}":    "break or keep, greatest -1",
		"conditions:\n  - {metric: false_detections, greatest: 0.5}":    "integers from 0",
		"conditions:\n  - {field: a, count: {min: 0}}":                  "bounds that nothing can break or keep",
		"conditions:\n  - {metric: speed, count: {min: 0}}":             "bounds that nothing can break or keep",
		"conditions:\n  - {name: a}":                                    "a.yaml:2: unusable conditions: found no check",
		"conditions:\n  - {value: 3}":                                   "found value, count or present without a field",
		"conditions:\n  - {field: a}":                                   "field a: found no check, expected value, count or present",
		"conditions:\n  - {metric: ttc, mean: 3}": `found the metric "ttc", expected ` +
			`one of speed, gap`,
		"conditions:\n  - {metric: speed}": "metric speed: found no bounds",
		"conditions:\n  - {metric: speed, rules: true}": "metric speed: found other " +
			"checks in it",
		"conditions:\n  - {metric: speed, mean: 3, messages: 1}": "found other checks in it",
		"conditions:\n  - {metric: speed, mean: 3, gap: 1}":      "found other checks in it",
		"conditions:\n  - {metric: speed, mean: 3, field: a}":    "found other checks in it",
		"conditions:\n  - {metric: speed, mean: 3, channel: a}":  "found other checks in it",
		"conditions:\n  - {mean: 3, rules: true}":                "without a metric",
		"conditions:\n  - {except: [a], messages: 3}":            "found except without rules: true",
		"conditions:\n  - {messages: 3, from: 2, until: 2}":      "found an empty time",
		"conditions:\n  - {messages: 3, from: 2, until: 1}":      "found an empty time",
		"conditions:\n  - {messages: 3, from: .nan}":             "found an empty time",
		"conditions:\n  - {messages: 3, until: .nan}":            "found an empty time",
		"conditions:\n  - {messages: {max: .inf}}":               "found bounds that nothing can break",
		"conditions:\n  - {messages: {min: -.inf, max: 3}}":      "found bounds that nothing can break",
		"conditions:\n  - gap: {max: 1}\n    messages:":          `a.yaml:3: unusable conditions: found no value for the key "messages"`,
		"conditions:\n  - messages: {min: ~, max: 3}":            `found no value for the key "min"`,
		"conditions: &a\n  - *a": "a.yaml:1: unusable conditions: " +
			"found a list",
		strings.Repeat("#", 1<<20) + "#": "found more than 1048576 bytes",
	} {
		_, err := expect.Read("a.yaml", strings.NewReader(text))
		require.ErrorIs(t, err, expect.ErrConditions, "%.60s", text)
		require.ErrorContains(t, err, want)
	}
}

// values returns a trace with one SensorView, whose fields are numbers of all kinds.
func values(t require.TestingT, data []byte) func() (trace.Source, error) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for _, topic := range []string{"view", "other"} {
		c, err := sink.Add(trace.OSI(topic, "sv"))
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: data}))
	}
	require.NoError(t, sink.Close())
	return func() (trace.Source, error) {
		return trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	}
}

func TestJudge_NumbersOfAllKinds(t *testing.T) {
	conditions := &osi3.EnvironmentalConditions{TimeOfDay: &osi3.EnvironmentalConditions_TimeOfDay{
		SecondsSinceMidnight: proto.Uint32(5)}, UnixTimestamp: proto.Int64(-7),
		Precipitation: osi3.EnvironmentalConditions_PRECIPITATION_NONE.Enum(),
		Temperature:   proto.Float64(280.5)}
	gear := &osi3.HostVehicleData{VehiclePowertrain: &osi3.HostVehicleData_VehiclePowertrain{
		GearTransmission: proto.Int32(-1)}}
	data, err := proto.Marshal(&osi3.SensorView{HostVehicleId: message.ID(1 << 40),
		HostVehicleData: gear, GlobalGroundTruth: &osi3.GroundTruth{
			EnvironmentalConditions: conditions, MapReference: proto.String("7"),
			MovingObject: []*osi3.MovingObject{{}, {VehicleClassification: lights(true)},
				{VehicleClassification: lights(false)}}}})
	require.NoError(t, err)
	const world = "global_ground_truth.environmental_conditions."
	for field, c := range map[string]struct{ value, found string }{
		world + "time_of_day.seconds_since_midnight":             {"5", "5"},
		world + "unix_timestamp":                                 {"-7", "-7"},
		world + "precipitation":                                  {"2", "PRECIPITATION_NONE"},
		world + "temperature":                                    {"280.5", "280.5"},
		"host_vehicle_data.vehicle_powertrain.gear_transmission": {"-1", "-1"},
		"host_vehicle_id":                                        {"1099511627776", "a message"},
		"host_vehicle_id.value": {"1099511627776",
			"1099511627776"},
	} {
		for value, cause := range map[string]string{c.value: "", "99": "0 s, view, " + field +
			": found " + c.found + ", expected 99"} {
			v := judged(t, values(t, data), "channel: view, field: "+field+", value: "+value)
			require.Equal(t, cause, v.Cause)
		}
	}
	const trailers = "field: global_ground_truth.moving_object.vehicle_classification.has_trailer, "
	require.Equal(t, "0 s, view, global_ground_truth.moving_object.vehicle_classification."+
		"has_trailer: found true, expected 0", judged(t, values(t, data), "channel: view, "+
		trailers+"value: 0").Cause)
	v := judged(t, values(t, data), "channel: view, "+trailers+"value: 1")
	require.Equal(t, "0 s, view, global_ground_truth.moving_object.vehicle_classification."+
		"has_trailer: found false, expected 1", v.Cause)
	v = judged(t, values(t, data), "channel: view, field: global_ground_truth.moving_object, "+
		"value: 7")
	require.EqualValues(t, 1, v.Failures, "one for each message")
	for _, field := range []string{"global_ground_truth.map_reference",
		"global_ground_truth.moving_object"} {
		for _, value := range []string{"7", "0"} { // a text counts as no number, not as 0
			require.Contains(t, judged(t, values(t, data), "channel: view, field: "+field+
				", value: "+value).Cause, "expected "+value, "%s is no number", field)
		}
	}
}

func lights(trailer bool) *osi3.MovingObject_VehicleClassification {
	return &osi3.MovingObject_VehicleClassification{HasTrailer: &trailer}
}

// judged returns the verdict of one condition that can be judged.
func judged(t *testing.T, open func() (trace.Source, error), condition string) expect.Verdict {
	c, err := expect.Read("a.yaml", strings.NewReader("conditions:\n  - {"+condition+"}\n"))
	require.NoError(t, err, condition)
	verdicts, err := c.Judge(open, expect.Options{})
	require.NoError(t, err, condition)
	return verdicts[0]
}

// A message that cannot be read or decoded is an error and gives no verdict. The same applies to a
// condition on a channel that the topics exclude.
func TestJudge_WhatCannotBeRead(t *testing.T) {
	broken := []byte{0xff, 0xff}
	failing := errors.New("not now")
	fails := func(at int) func() (trace.Source, error) {
		opened := 0
		return func() (trace.Source, error) {
			if opened++; opened == at {
				return nil, failing
			}
			return values(t, nil)()
		}
	}
	for name, c := range map[string]struct {
		condition string
		open      func() (trace.Source, error)
		topics    []string
		want      error
	}{
		"field": {"channel: view, field: timestamp, present: true", values(t, broken), nil,
			trace.ErrContent},
		"rules":  {"channel: view, rules: true", values(t, broken), nil, nil},
		"metric": {"metric: time_to_collision, count: 0", values(t, broken), nil, nil},
		"first":  {"channel: view, messages: 1", fails(1), nil, failing},
		"second": {"metric: time_to_collision, count: 0", fails(2), nil, failing},
		"topics": {"channel: view, messages: 1", values(t, nil), []string{"other"},
			trace.ErrChannel},
	} {
		conditions, err := expect.Read("a.yaml", strings.NewReader("conditions:\n  - {"+
			c.condition+"}\n"))
		require.NoError(t, err, name)
		verdicts, err := conditions.Judge(c.open, expect.Options{Topics: c.topics})
		require.Error(t, err, name)
		require.Nil(t, verdicts, name)
		if c.want != nil {
			require.ErrorIs(t, err, c.want, name)
		}
	}
	both, err := expect.Read("a.yaml", strings.NewReader(
		"conditions:\n  - {channel: view, messages: 1}\n  - {channel: gone, messages: 1}\n"))
	require.NoError(t, err)
	_, err = both.Judge(values(t, nil), expect.Options{})
	require.ErrorIs(t, err, trace.ErrChannel, "although the first condition holds")
	require.True(t, judged(t, values(t, broken), "channel: view, messages: 1").Passed,
		"conditions without a field do not decode")
	conditions, err := expect.Read("a.yaml", strings.NewReader(
		"conditions:\n  - {messages: 1}\n"))
	require.NoError(t, err)
	verdicts, err := conditions.Judge(values(t, nil), expect.Options{Topics: []string{"other"}})
	require.NoError(t, err, "the only channel of those that are judged")
	require.True(t, verdicts[0].Passed)
}

// A condition about numbers that do not occur fails, as does a condition on their count.
func TestJudge_MetricsWithoutValues(t *testing.T) {
	for condition, cause := range map[string]string{
		"count: 0": "", "count: 1": "time_to_collision: found 0 values, expected 1",
		"mean: {max: 5}":     "time_to_collision: found no value, expected at least one",
		"least: {min: 1}":    "time_to_collision: found no value, expected at least one",
		"greatest: {min: 1}": "time_to_collision: found no value, expected at least one",
	} {
		v := judged(t, values(t, nil), "metric: time_to_collision, "+condition)
		require.Equal(t, cause, v.Cause, condition)
		require.Equal(t, cause == "", v.Passed, condition)
	}
	for _, condition := range []string{"gap: 1", "field: timestamp, count: 0", "rules: true"} {
		v := judged(t, values(t, nil), "channel: view, from: 5, "+condition)
		require.Equal(t, "view: found no message at this time, expected at least one", v.Cause)
	}
}

// A file of conditions may have at most a megabyte.
func TestRead_Size(t *testing.T) {
	const text, largest = "conditions: [{channel: a, messages: 1}] #", 1 << 20
	fill := func(n int) string { return text + strings.Repeat("x", n-len(text)) }
	_, err := expect.Read("a.yaml", strings.NewReader(fill(largest)))
	require.NoError(t, err)
	_, err = expect.Read("a.yaml", strings.NewReader(fill(largest+1)))
	require.ErrorContains(t, err, "found more than 1048576 bytes")
}

// A lane without adjacent lanes breaks informational rules only, because a missing list is not a
// fault. Such rules never make a condition fail.
func TestJudge_RulesThatOnlyInform(t *testing.T) {
	content, err := proto.Marshal(&osi3.SensorView{GlobalGroundTruth: &osi3.GroundTruth{
		Lane: []*osi3.Lane{{Id: message.ID(7), Classification: &osi3.Lane_Classification{
			Type: osi3.Lane_Classification_TYPE_DRIVING.Enum()}}}}})
	require.NoError(t, err)
	counter, err := rules.NewCounter("osi3.SensorView")
	require.NoError(t, err)
	broken, err := counter.Check(content)
	require.NoError(t, err)
	cause := judged(t, values(t, content), "channel: view, rules: true").Cause
	_, named, _ := strings.Cut(cause, "breaks ")
	informing := 0
	for _, n := range broken {
		r := counter.Rules()[n]
		if r.Information {
			informing++
		}
		require.Equal(t, !r.Information, slices.Contains(strings.Split(named, ", "), r.Target),
			r.Target)
	}
	require.NotZero(t, informing)
}

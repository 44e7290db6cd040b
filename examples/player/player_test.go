package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

const (
	ms   = timebase.Millisecond
	view = "OSMPSensorViewOut"
	data = "OSMPSensorDataOut"
)

// write writes a trace of SensorViews every 10 ms and, in MCAP, of SensorData every 40 ms.
func write(t *testing.T, name string, format trace.Format) string {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, format, trace.SinkOptions{Compression: mcap.Zstd})
	require.NoError(t, err)
	add := func(topic, kind string) *trace.Channel {
		c, err := sink.Add(trace.OSI(topic, kind))
		require.NoError(t, err)
		return c
	}
	put := func(c *trace.Channel, at timebase.Time, m proto.Message) {
		b, err := proto.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at, Data: b}))
	}
	views := add("front", "sv")
	var sensed *trace.Channel
	if format == trace.MCAP {
		sensed = add("radar", "sd")
	}
	for k := range timebase.Time(20) {
		at := timebase.Second + k*10*ms
		put(views, at, &osi3.SensorView{Version: message.Version(), Timestamp: message.Time(at),
			SensorId: message.ID(uint64(k))})
		if sensed != nil && k%4 == 0 {
			put(sensed, at, &osi3.SensorData{Version: message.Version(),
				Timestamp: message.Time(at)})
		}
	}
	require.NoError(t, sink.Close())
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

const osiName = "20210818T150542Z_sv_380_13612_20.osi"

func start(t *testing.T, parameters map[string]any) *modeltest.Rig {
	t.Helper()
	r := modeltest.New(t, definition)
	for name, value := range parameters {
		r.Set(name, value)
	}
	r.Start()
	return r
}

// shown returns the time stamp of the current SensorView, or -1 if there is none.
func shown(t *testing.T, r *modeltest.Rig) timebase.Time {
	t.Helper()
	var v osi3.SensorView
	if !r.Decode(view, &v) {
		return -1
	}
	return message.TimeOf(v.Timestamp)
}

func TestStepsOfAnySizeShowTheSameMessageAtTheSameTime(t *testing.T) {
	for name, format := range map[string]trace.Format{"a.mcap": trace.MCAP,
		osiName: trace.OSIFile} {
		file := write(t, name, format)
		for _, step := range []timebase.Time{5 * ms, 20 * ms, 33 * ms} {
			r := start(t, map[string]any{"trace.file": file})
			for at := step; at < 190*ms; at += step {
				r.Step(step.Seconds())
				require.Equal(t, timebase.Second+at/(10*ms)*10*ms, shown(t, r),
					"%s, step %v, at %v", name, step, at)
			}
			require.Equal(t, true, r.Get("valid"))
		}
	}
}

func TestTwoChannelsEachAtItsTime(t *testing.T) {
	r := start(t, map[string]any{"trace.file": write(t, "a.mcap", trace.MCAP)})
	require.Equal(t, timebase.Time(-1), shown(t, r),
		"OSMP's outputs start with 0, exactly; the first message comes with the first step")
	r.Step(0.03)
	var d osi3.SensorData
	require.True(t, r.Decode(data, &d))
	require.Equal(t, timebase.Second, message.TimeOf(d.Timestamp))
	require.Equal(t, timebase.Second+30*ms, shown(t, r))
	r.Step(0.01)
	require.True(t, r.Decode(data, &d))
	require.Equal(t, timebase.Second+40*ms, message.TimeOf(d.Timestamp))
	require.Nil(t, r.Read("OSMPTrafficUpdateOut"))
	require.Equal(t, int32(4), r.Get("count"))
	require.Equal(t, int32(3), r.Get("skipped"), "views of the first step")
}

// TestChannelsKeepTheirDistance plays a channel that begins 100 ms after the other one 100 ms
// later.
func TestChannelsKeepTheirDistance(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for k, kind := range []string{"sv", "sd"} {
		c, err := sink.Add(trace.OSI(kind, kind))
		require.NoError(t, err)
		at := timebase.Second + timebase.Time(k)*100*ms
		// both have it in the same field
		content, err := proto.Marshal(&osi3.SensorView{Timestamp: message.Time(at)})
		require.NoError(t, err)
		require.NoError(t,
			sink.Write(&trace.Message{Channel: c, Time: at, Publish: at, Data: content}))
	}
	require.NoError(t, sink.Close())
	file := filepath.Join(t.TempDir(), "a.mcap")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	r := start(t, map[string]any{"trace.file": file})
	r.Step(0.05)
	require.Equal(t, timebase.Second, shown(t, r))
	require.Nil(t, r.Read(data))
	r.Step(0.04)
	require.Nil(t, r.Read(data))
	r.Step(0.01)
	require.NotNil(t, r.Read(data))
}

func TestEventsHappenOnceAndTheEndIsReported(t *testing.T) {
	r := start(t, map[string]any{"trace.file": write(t, "a.mcap", trace.MCAP),
		"trace.mode": "event", "topic.SensorData": "-"})
	for at := 4 * ms; at <= 188*ms; at += 4 * ms {
		r.Step(0.004)
		want := timebase.Time(-1)
		if newest := at / (10 * ms) * 10 * ms; newest > at-4*ms || at == 4*ms {
			want = timebase.Second + newest
		}
		require.Equal(t, want, shown(t, r), "at %v", at)
	}
	require.Equal(t, false, r.Get("finished"))
	r.Step(0.004)
	require.Equal(t, true, r.Get("finished"))
}

func TestAbsoluteTimeAndOffset(t *testing.T) {
	file := write(t, osiName, trace.OSIFile)
	r := start(t, map[string]any{"trace.file": file, "trace.time": "absolute",
		"trace.offset": -0.95})
	r.Step(0.04)
	require.Equal(t, timebase.Time(-1), shown(t, r))
	r.Step(0.01)
	require.Equal(t, timebase.Second, shown(t, r))
}

func TestLoopMovesTheTimes(t *testing.T) {
	r := start(t, map[string]any{"trace.file": write(t, osiName, trace.OSIFile),
		"trace.loop": true})
	for at := 10 * ms; at <= 600*ms; at += 10 * ms {
		r.Step(0.01)
		require.Equal(t, at, shown(t, r))
	}
	require.Equal(t, int32(3), r.Get("rounds"))
}

// The SensorViews of the trace end 30 ms after its SensorData. In every round, both keep their
// recorded distances.
func TestLoopKeepsTheDistancesOfChannels(t *testing.T) {
	r := start(t, map[string]any{"trace.file": write(t, "a.mcap", trace.MCAP), "trace.loop": true})
	for at := 10 * ms; at <= 1900*ms; at += 10 * ms {
		r.Step(0.01)
		require.Equal(t, at, shown(t, r))
		var d osi3.SensorData
		require.True(t, r.Decode(data, &d))
		round, inside := at/(190*ms), at%(190*ms)
		require.Equal(t, round*190*ms+min(inside/(40*ms)*40*ms, 160*ms),
			message.TimeOf(d.Timestamp), "at %v", at)
	}
}

func TestStatesGoBackInTheFile(t *testing.T) {
	r := start(t, map[string]any{"trace.file": write(t, "a.mcap", trace.MCAP), "trace.loop": true})
	r.Step(0.123)
	saved := r.Save()
	var want []string
	for range 20 {
		r.Step(0.03)
		want = append(want, fmt.Sprintf("%x %v", r.Read(view), r.Get("count")))
	}
	r.Restore(saved, 0.123)
	for k := range want {
		r.Step(0.03)
		require.Equal(t, want[k], fmt.Sprintf("%x %v", r.Read(view), r.Get("count")))
	}
}

// twins returns a trace with two channels of SensorViews.
func twins(t *testing.T) string {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for k, topic := range []string{"left", "right"} {
		c, err := sink.Add(trace.OSI(topic, "sv"))
		require.NoError(t, err)
		content, err := proto.Marshal(&osi3.SensorView{Timestamp: message.Time(0),
			SensorId: message.ID(uint64(k))})
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: content}))
	}
	require.NoError(t, sink.Close())
	file := filepath.Join(t.TempDir(), "twins.mcap")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// T43: of two channels of a type, the user names one.
func TestOneOfTwoChannelsOfATypeIsChosenByItsTopic(t *testing.T) {
	for k, topic := range []string{"left", "right"} {
		r := start(t, map[string]any{"trace.file": twins(t), "topic.SensorView": topic})
		r.Step(0.01)
		var v osi3.SensorView
		require.True(t, r.Decode(view, &v))
		require.EqualValues(t, k, v.GetSensorId().GetValue())
	}
}

func TestWhatCannotBePlayedIsReported(t *testing.T) {
	file := write(t, "a.mcap", trace.MCAP)
	for want, parameters := range map[string]map[string]any{
		"no such file": {"trace.file": filepath.Join(t.TempDir(),
			"none.mcap")},
		`topic.SensorView is "rear"`:   {"trace.file": file, "topic.SensorView": "rear"},
		"the file has front (osi3.Sen": {"trace.file": file, "topic.SensorData": "front"},
		"that is wanted": {"trace.file": file, "topic.SensorData": "-",
			"topic.SensorView": "-"},
		"set topic.SensorView to left or right": {"trace.file": twins(t)},
		"set trace.type to SensorView": {"trace.file": write(t, "unnamed.osi",
			trace.OSIFile)},
	} {
		r := modeltest.New(t, definition)
		for name, value := range parameters {
			r.Set(name, value)
		}
		require.NotPanics(t, func() { r.TryStart(0) })
		require.Contains(t, fmt.Sprint(r.Log()), want)
	}
}

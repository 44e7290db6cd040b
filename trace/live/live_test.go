package live_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/cosim"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/live"
	"gosmp/trace/mcap"
)

const ms = timebase.Millisecond

// sensor is a participant that sends a new SensorData in every step, or repeats the previous one.
type sensor struct {
	hold  int
	steps int
	frame *cosim.Frame
}

func (s *sensor) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "OSMPSensorDataOut", Kind: cosim.Binary, Role: cosim.Output,
		Size:     1,
		MIMEType: "application/x-open-simulation-interface; type=SensorData; version=3.8.0"},
		{Name: "count", Kind: cosim.Int32, Role: cosim.Output, Size: 1}}
}
func (s *sensor) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }
func (s *sensor) Bind(_, outputs []int) (in, out *cosim.Frame, err error) {
	s.frame = cosim.NewFrame(s.Variables(), outputs)
	return cosim.NewFrame(s.Variables(), nil), s.frame, nil
}
func (s *sensor) Enter(context.Context, cosim.Setup) error { return nil }
func (s *sensor) Exchange(context.Context) error           { return nil }
func (s *sensor) Leave(context.Context) error              { return nil }
func (s *sensor) Stop(context.Context) error               { return nil }
func (s *sensor) Close() error                             { return nil }
func (s *sensor) Step(_ context.Context, span timebase.Span) (cosim.Advance, error) {
	if s.steps%max(1, s.hold) == 0 && len(s.frame.Ports) > 0 {
		b, err := proto.Marshal(&osi3.SensorData{Timestamp: message.Time(span.End)})
		if err != nil {
			return cosim.Advance{}, err
		}
		s.frame.SetBlob(0, 0, b)
	}
	s.steps++
	return cosim.Advance{Reached: span.End}, nil
}

// drive runs a sensor for two seconds in steps of 20 ms, and records into a writer.
func drive(t *testing.T, s *sensor, to io.Writer, o live.RecorderOptions) *live.Recorder {
	t.Helper()
	e := cosim.New(cosim.Spec{Stop: 2 * timebase.Second, Step: cosim.Every(0.02)})
	e.Add("radar", s)
	sink, err := trace.Create(to, trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd})
	require.NoError(t, err)
	r, err := live.NewRecorder(sink, o, e.Watch("radar.OSMPSensorDataOut"))
	require.NoError(t, err)
	e.Observe(r)
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	return r
}

func read(t *testing.T, content []byte) (times []timebase.Time, s trace.Source, err error) {
	t.Helper()
	s, err = trace.OpenAt("a.mcap", bytes.NewReader(content), int64(len(content)), trace.Options{})
	require.NoError(t, err)
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			return times, s, nil
		}
		if err != nil {
			return times, s, err
		}
		stamp, ok := trace.StampOf("osi3.SensorData", m.Data)
		require.True(t, ok)
		require.Equal(t, m.Time, stamp)
		times = append(times, m.Time)
	}
}

func TestRecorder_RecordsEveryMessageOnce(t *testing.T) {
	for _, hold := range []int{1, 5} {
		var b, again bytes.Buffer
		r := drive(t, &sensor{hold: hold}, &b, live.RecorderOptions{})
		times, s, err := read(t, b.Bytes())
		require.NoError(t, err)
		var want []timebase.Time
		for at := 20 * ms; at <= 2*timebase.Second; at += timebase.Time(hold) * 20 * ms {
			want = append(want, at)
		}
		require.Equal(t, want, times)
		require.EqualValues(t, len(want), r.Messages)
		require.NoError(t, r.Err())
		require.Equal(t, "radar.OSMPSensorDataOut", s.Channels()[0].Topic)
		require.Equal(t, "osi3.SensorData", s.Channels()[0].Type)
		require.Equal(t, "3.8.0", s.Channels()[0].OSIVersion)
		drive(t, &sensor{hold: hold}, &again, live.RecorderOptions{})
		require.Equal(t, b.Bytes(), again.Bytes(), "the same run gives the same bytes")
	}
}

// fullDisk accepts a number of calls and then fails.
type fullDisk struct {
	bytes.Buffer
	calls int
}

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.calls--; f.calls < 0 {
		return 0, syscall.ENOSPC
	}
	return f.Buffer.Write(b)
}

// TestRecorder_FullDiskEndsTheRecordingAndNotTheRun checks that everything flushed stays in the
// file: the head, which takes two calls, and the first second.
func TestRecorder_FullDiskEndsTheRecordingAndNotTheRun(t *testing.T) {
	disk, warnings := &fullDisk{calls: 3}, []string(nil)
	r := drive(t, &sensor{}, disk, live.RecorderOptions{Warn: func(text string) {
		warnings = append(warnings, text)
	}})
	require.ErrorIs(t, r.Err(), syscall.ENOSPC)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "what was flushed can be read")
	times, _, err := read(t, disk.Bytes())
	require.True(t, trace.IsDamage(err))
	require.Len(t, times, 50)
}

// slowDisk blocks until the test releases it.
type slowDisk struct {
	bytes.Buffer
	gate chan struct{}
	once sync.Once
	head int
}

func (s *slowDisk) Write(b []byte) (int, error) {
	if s.head++; s.head > 2 {
		<-s.gate
	}
	return s.Buffer.Write(b)
}

// TestRecorder_DropsOnlyWhenToldTo: while the disk is blocked, 2000 steps fill the queue.
func TestRecorder_DropsOnlyWhenToldTo(t *testing.T) {
	disk := &slowDisk{gate: make(chan struct{})}
	var warnings []string
	e := cosim.New(cosim.Spec{Stop: 40 * timebase.Second, Step: cosim.Every(0.02)})
	e.Add("radar", &sensor{})
	sink, err := trace.Create(disk, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	r, err := live.NewRecorder(sink, live.RecorderOptions{Drop: true,
		Warn: func(text string) { warnings = append(warnings, text) }},
		e.Watch("radar.OSMPSensorDataOut"))
	require.NoError(t, err)
	e.Observe(r)
	e.Observe(&opener{disk})
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	require.Positive(t, r.Dropped)
	require.Equal(t, int64(2000), r.Messages+r.Dropped)
	require.Equal(t, []string{fmt.Sprintf("%d messages not recorded, because writing was too slow",
		r.Dropped)}, warnings)
	times, _, err := read(t, disk.Bytes())
	require.NoError(t, err)
	require.Len(t, times, int(r.Messages))
}

// opener releases the disk at the end of the run.
type opener struct{ disk *slowDisk }

func (o *opener) Begin(*cosim.Result) error { return nil }
func (o *opener) End(*cosim.Result) error   { return nil }
func (o *opener) Row(t timebase.Time, _ cosim.Row) error {
	if t == 40*timebase.Second {
		o.disk.once.Do(func() { close(o.disk.gate) })
	}
	return nil
}

func TestRecorder_RefusesWhatIsNotBinary(t *testing.T) {
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.02)})
	e.Add("radar", &sensor{})
	sink, err := trace.Create(io.Discard, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	_, err = live.NewRecorder(sink, live.RecorderOptions{}, e.Watch("radar.count"))
	require.ErrorIs(t, err, trace.ErrChannel)
}

func TestChannelOf_FollowsTheMIMEType(t *testing.T) {
	const osi = "application/x-open-simulation-interface; type="
	for mimeType, want := range map[string][3]string{ // type, version, encoding
		osi + "SensorView; version=3.5.0": {"osi3.SensorView", "3.5.0", "protobuf"},
		osi + "Nothing; version=3.5.0": {osi + "Nothing; version=3.5.0", "",
			osi + "Nothing; version=3.5.0"},
		"text/csv; format=simsensor": {"text/csv; format=simsensor", "",
			"text/csv; format=simsensor"},
		"": {"application/octet-stream", "", "application/octet-stream"},
	} {
		c := live.ChannelOf("a", mimeType)
		require.Equal(t, want, [3]string{c.Type, c.OSIVersion, c.Encoding})
	}
}

// Each channel of a recording has a schema, even a channel of bytes: OSI readers look for it.
func TestRecorder_SchemaOfEachChannel(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for topic, mimeType := range map[string]string{"rows": "text/csv; format=simsensor",
		"bytes": "",
		"view":  "application/x-open-simulation-interface; type=SensorView; version=3.8.0"} {
		c, err := sink.Add(live.ChannelOf(topic, mimeType))
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: nil}))
	}
	require.NoError(t, sink.Close())
	s, err := trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	require.NoError(t, err)
	for _, c := range s.Channels() {
		require.NotEmpty(t, c.Type, c.Topic)
		require.Equal(t, c.IsOSI(), len(c.Schema) > 0, c.Topic)
	}
}

// TestSource_PlaysWhatWasRecorded records a played trace and gets the same trace.
func TestSource_PlaysWhatWasRecorded(t *testing.T) {
	var first, second bytes.Buffer
	drive(t, &sensor{hold: 3}, &first, live.RecorderOptions{})
	_, s, _ := read(t, first.Bytes())
	again, err := trace.OpenAt("a.mcap", bytes.NewReader(first.Bytes()), int64(first.Len()),
		trace.Options{})
	require.NoError(t, err)
	p, err := trace.NewPlayer(again, trace.PlayerOptions{})
	require.NoError(t, err)
	// a step uses the messages valid at its start
	e := cosim.New(cosim.Spec{Stop: 2005 * ms, Step: cosim.Every(0.005)})
	e.Add("idle", &sensor{hold: 1 << 30})
	e.AddSource("player", live.NewSource((&sensor{}).Variables()[0], p))
	sink, err := trace.Create(&second, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	r, err := live.NewRecorder(sink, live.RecorderOptions{}, e.Watch("player.OSMPSensorDataOut"))
	require.NoError(t, err)
	e.Observe(r)
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	want, _, _ := read(t, first.Bytes())
	got, _, err := read(t, second.Bytes())
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Len(t, s.Channels(), 1)
}

// keeper is a sensor whose state can be saved.
type keeper struct{ *sensor }

func (keeper) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true, Keeps: true} }
func (k keeper) AppendState(_ context.Context, b []byte) ([]byte, error) {
	return append(b, byte(k.steps)), nil
}
func (k keeper) RestoreState(_ context.Context, b []byte) error {
	k.steps = int(b[0])
	return nil
}

// Although the engine repeatedly returns to earlier states, by one step or by many, each message is
// recorded once.
func TestRecorder_FollowsRestoredStates(t *testing.T) {
	for _, c := range []struct{ back, hold, times int }{{1, 1, 1}, {30, 1, 1}, {30, 1, 3},
		{30, 7, 2}, {50, 1, 1}} {
		t.Run(fmt.Sprintf("%d steps, %d times, hold %d", c.back, c.times, c.hold),
			func(t *testing.T) {
				ctx := context.Background()
				e := cosim.New(cosim.Spec{Stop: 2 * timebase.Second, Step: cosim.Every(0.02)})
				e.Add("radar", keeper{&sensor{hold: c.hold}})
				var b bytes.Buffer
				sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
				require.NoError(t, err)
				var warnings []string
				r, err := live.NewRecorder(sink,
					live.RecorderOptions{Warn: func(text string) {
						warnings = append(warnings, text)
					}}, e.Watch("radar.OSMPSensorDataOut"))
				require.NoError(t, err)
				e.Observe(r)
				require.NoError(t, e.Start(ctx))
				step := func(n int) (more bool) {
					for range n {
						more, err = e.Step(ctx)
						require.NoError(t, err)
					}
					return more
				}
				step(50 - c.back + 1)
				saved, err := e.AppendState(ctx, nil)
				require.NoError(t, err)
				for range c.times {
					step(c.back)
					require.NoError(t, e.RestoreState(ctx, saved))
				}
				for step(1) {
				}
				_, err = e.Finish(ctx)
				require.NoError(t, err)
				times, _, err := read(t, b.Bytes())
				require.NoError(t, err)
				var want []timebase.Time
				for at := 20 * ms; at <= 2*timebase.Second; at += timebase.Time(c.hold) * 20 * ms {
					want = append(want, at)
				}
				require.Equal(t, want, times)
				require.EqualValues(t, len(want), r.Messages)
				require.Len(t, warnings, 1)
				require.Contains(t, warnings[0], "the run has gone back from 1.02 s to before")
			})
	}
}

// After discarded steps, restored states and resets, an engine goes back to the same time, by a few
// steps, or to the beginning, which is farther back than the source's marks.
func TestSource_GoesBack(t *testing.T) {
	for _, format := range []trace.Format{trace.MCAP, trace.OSIFile} {
		var file bytes.Buffer
		sink, err := trace.Create(&file, format, trace.SinkOptions{ChunkSize: 200})
		require.NoError(t, err)
		c, err := sink.Add(trace.OSI("radar", "sd"))
		require.NoError(t, err)
		for k := range timebase.Time(300) {
			b, err := proto.Marshal(&osi3.SensorData{Timestamp: message.Time(k * 10 * ms)})
			require.NoError(t, err)
			require.NoError(t,
				sink.Write(&trace.Message{Channel: c, Time: k * 10 * ms, Publish: k * 10 * ms,
					Data: b}))
		}
		require.NoError(t, sink.Close())
		opened, err := trace.OpenAt("a", bytes.NewReader(file.Bytes()), int64(file.Len()),
			trace.Options{Type: "sd"})
		require.NoError(t, err)
		p, err := trace.NewPlayer(opened, trace.PlayerOptions{Strict: true})
		require.NoError(t, err)
		s := live.NewSource((&sensor{}).Variables()[0], p)
		frame, err := s.Bind([]int{0})
		require.NoError(t, err)
		shown := func(t require.TestingT, at timebase.Time) timebase.Time {
			if err := s.At(at); err != nil {
				panic(err)
			}
			var d osi3.SensorData
			require.NoError(t, proto.Unmarshal(frame.Blob(0, 0), &d))
			return message.TimeOf(d.Timestamp)
		}
		rapid.Check(t, func(t *rapid.T) {
			at := rapid.Int64Range(0, 400).Draw(t, "start")
			for range rapid.IntRange(1, 150).Draw(t, "steps") {
				at = max(0, at+rapid.Int64Range(-5, 9).Draw(t, "distance"))
				now := timebase.Time(at) * 7 * ms
				if want, got := min(now/(10*ms), 299)*10*ms, shown(t, now); want != got {
					t.Fatalf("%s, at %v: found %v, expected %v", format, now, got, want)
				}
			}
		})
	}
}

// A trace that can be read only once can repeat a time, but cannot go back.
func TestSource_OfAStream(t *testing.T) {
	opened, err := trace.OpenStream("a.jsonl", strings.NewReader(
		`{"topic":"a","type":"osi3.SensorData","log_time":"0","publish_time":"0","data":{}}`+"\n"),
		trace.Options{})
	require.NoError(t, err)
	p, err := trace.NewPlayer(opened, trace.PlayerOptions{})
	require.NoError(t, err)
	s := live.NewSource((&sensor{}).Variables()[0], p)
	_, err = s.Bind([]int{0})
	require.NoError(t, err)
	for _, at := range []timebase.Time{0, ms, ms} {
		require.NoError(t, s.At(at))
	}
	require.ErrorContains(t, s.At(0), "a trace that can be read only once from front to back")
}

// hanging is a participant that stops in a step until it may continue.
type hanging struct {
	sensor
	at, goOn chan struct{}
}

func (h *hanging) Step(ctx context.Context, span timebase.Span) (cosim.Advance, error) {
	if h.steps == 5 {
		close(h.at)
		<-h.goOn
	}
	return h.sensor.Step(ctx, span)
}

// TestRecorder_HangingRunHasAllMessagesInItsFile: messages recorded before a run hangs are in the
// file a second later, and the finished file does not depend on that.
func TestRecorder_HangingRunHasAllMessagesInItsFile(t *testing.T) {
	h := &hanging{at: make(chan struct{}), goOn: make(chan struct{})}
	path := filepath.Join(t.TempDir(), "a.mcap")
	f, err := os.Create(path)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e := cosim.New(cosim.Spec{Stop: 2 * timebase.Second, Step: cosim.Every(0.02)})
		e.Add("radar", h)
		sink, err := trace.Create(f, trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd})
		assert.NoError(t, err)
		r, err := live.NewRecorder(sink, live.RecorderOptions{}, e.Watch("radar.OSMPSensorDataOut"))
		assert.NoError(t, err)
		e.Observe(r)
		_, err = e.Run(context.Background())
		assert.NoError(t, err)
	}()
	<-h.at
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		if !bytes.HasPrefix(content, []byte("\x89MCAP0\r\n")) {
			return false
		}
		times, _, err := read(t, content)
		return err != nil && len(times) == 5 // the file has no end yet
	}, time.Minute, 10*time.Millisecond)
	close(h.goOn)
	<-ended
	require.NoError(t, f.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var want bytes.Buffer
	drive(t, &sensor{}, &want, live.RecorderOptions{})
	require.Equal(t, want.Bytes(), content)
}

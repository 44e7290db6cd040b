package trace_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"gosmp/mocksim/scene"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

func player(t require.TestingT, format trace.Format, o trace.PlayerOptions,
	times ...timebase.Time) *trace.Player {
	p, err := trace.NewPlayer(open(t, names[format], record(t, format, times...), trace.Options{}),
		o)
	require.NoError(t, err)
	return p
}

// stamp returns the time stamp inside a message, or -1 if there is none.
func stamp(t require.TestingT, message []byte) timebase.Time {
	if message == nil {
		return -1
	}
	at, ok := trace.StampOf("osi3.SensorView", message)
	require.True(t, ok)
	return at
}

var every10ms = func() (times []timebase.Time) {
	for k := range timebase.Time(20) {
		times = append(times, k*10*ms)
	}
	return times
}()

// TestPlayer_ShowsTheNewestThatIsDue is T39: regardless of the steps, the message at a given time
// is the newest one that is not later than it.
func TestPlayer_ShowsTheNewestThatIsDue(t *testing.T) {
	for _, format := range []trace.Format{trace.OSIFile, trace.MCAP} {
		for _, step := range []timebase.Time{5 * ms, 20 * ms, 33 * ms} {
			p := player(t, format, trace.PlayerOptions{}, every10ms...)
			for at := timebase.Time(0); at < 190*ms; at += step {
				b, err := p.At(at)
				require.NoError(t, err)
				require.Equal(t, at/(10*ms)*10*ms, stamp(t, b))
				require.Equal(t, view(t, stamp(t, b)), b, "unchanged")
			}
		}
	}
}

// Messages at 60 Hz are due at their communication points, however their stamps are rounded.
func TestPlayer_SlackForRoundedStamps(t *testing.T) {
	const us = timebase.Microsecond
	for name, round := range map[string]func(k timebase.Time) timebase.Time{
		"down": func(k timebase.Time) timebase.Time { return k * timebase.Second / 60 },
		"up":   func(k timebase.Time) timebase.Time { return (k*timebase.Second + 59) / 60 },
		"microseconds up": func(k timebase.Time) timebase.Time {
			return (k*timebase.Second/60 + us - 1) / us * us
		},
	} {
		var times []timebase.Time
		for k := range timebase.Time(120) {
			times = append(times, round(k))
		}
		p := player(t, trace.MCAP, trace.PlayerOptions{Slack: us}, times...)
		grid := timebase.Every(1. / 60)
		scale := timebase.NewScale(timebase.Rational{}, grid)
		for k := range int64(120) {
			b, err := p.At(scale.Point(k))
			require.NoError(t, err)
			require.Equal(t, times[k], stamp(t, b), "%s, %d", name, k)
		}
	}
}

func TestPlayer_OffsetAndRelativeTime(t *testing.T) {
	for _, c := range []struct {
		options trace.PlayerOptions
		at      timebase.Time
		want    timebase.Time
	}{
		{trace.PlayerOptions{}, 99 * ms, -1},
		{trace.PlayerOptions{}, 100 * ms, 100 * ms},
		{trace.PlayerOptions{Offset: -50 * ms}, 50 * ms, 100 * ms},
		{trace.PlayerOptions{Offset: 5 * ms}, 104 * ms, -1},
		{trace.PlayerOptions{Relative: true, Start: 3 * ms}, 3 * ms, 100 * ms},
		{trace.PlayerOptions{Relative: true, Start: 3 * ms, Offset: ms}, 3 * ms, -1},
		{trace.PlayerOptions{}, timebase.Second, 120 * ms},
	} {
		p := player(t, trace.MCAP, c.options, 100*ms, 110*ms, 120*ms)
		b, err := p.At(c.at)
		require.NoError(t, err)
		require.Equal(t, c.want, stamp(t, b), "%+v", c)
	}
}

func TestPlayer_EventsHappenOnce(t *testing.T) {
	p := player(t, trace.OSIFile, trace.PlayerOptions{Events: true}, 0, 10*ms, 12*ms)
	for at, want := range []timebase.Time{0, -1, 12 * ms, -1} {
		b, err := p.At(timebase.Time(at) * 7 * ms)
		require.NoError(t, err)
		require.Equal(t, want, stamp(t, b), "step %d", at)
	}
	require.Equal(t, trace.PlayerStats{Shown: 2, Skipped: 1, Time: 12 * ms, Done: true}, p.Stats())
}

func TestPlayer_TimesThatGoBack(t *testing.T) {
	p := player(t, trace.OSIFile, trace.PlayerOptions{}, 0, 30*ms, 10*ms, 40*ms)
	b, err := p.At(20 * ms)
	require.NoError(t, err)
	require.Equal(t, timebase.Time(0), stamp(t, b))
	b, err = p.At(30 * ms)
	require.NoError(t, err)
	require.Equal(t, 10*ms, stamp(t, b), "due at once when the one before is")
	require.Equal(t, int64(1), p.Stats().Held)

	p = player(t, trace.OSIFile, trace.PlayerOptions{Strict: true}, 0, 30*ms, 10*ms)
	_, err = p.At(timebase.Second)
	require.ErrorIs(t, err, trace.ErrTime)
}

// TestPlayer_LoopMovesAllTimesTogether is T42: three rounds of 40 ms.
func TestPlayer_LoopMovesAllTimesTogether(t *testing.T) {
	for _, format := range []trace.Format{trace.OSIFile, trace.MCAP} {
		p := player(t, format, trace.PlayerOptions{Loop: true}, 0, 10*ms, 40*ms)
		for at := timebase.Time(0); at < 120*ms; at += 10 * ms {
			b, err := p.At(at)
			require.NoError(t, err)
			in := at % (40 * ms)
			want := at - max(0, in-10*ms)
			require.Equal(t, want, stamp(t, b), "%s at %v", format, at)
			var v osi3.SensorView
			require.NoError(t, proto.Unmarshal(b, &v))
			expected := scene.Motorway(want % (40 * ms))
			move(expected.ProtoReflect(), want-want%(40*ms))
			require.True(t, proto.Equal(expected, &v), "everything but the times is as it was")
		}
		require.Equal(t, int64(2), p.Stats().Rounds)
	}
}

// In a SensorData, all contained time stamps are shifted, except the clock of the sensor's
// computer.
func TestPlayer_LoopMovesWhatIsInASensorData(t *testing.T) {
	made := func(at timebase.Time) *osi3.SensorData {
		return &osi3.SensorData{Timestamp: message.Time(at), LastMeasurementTime: message.Time(at),
			SystemTime: message.Time(7 * timebase.Second),
			SensorView: []*osi3.SensorView{{Timestamp: message.Time(at), HostVehicleData: &osi3.HostVehicleData{Timestamp: message.Time(at)},
				GlobalGroundTruth: &osi3.GroundTruth{Timestamp: message.Time(at)}}}}
	}
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("radar", "sd"))
	require.NoError(t, err)
	for _, at := range []timebase.Time{0, 10 * ms} {
		content, err := proto.Marshal(made(at))
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: content}))
	}
	require.NoError(t, sink.Close())
	p, err := trace.NewPlayer(open(t, "a.mcap", b.Bytes(), trace.Options{}),
		trace.PlayerOptions{Loop: true})
	require.NoError(t, err)
	for at := timebase.Time(0); at < 50*ms; at += 10 * ms {
		content, err := p.At(at)
		require.NoError(t, err)
		var found osi3.SensorData
		require.NoError(t, proto.Unmarshal(content, &found))
		require.True(t, proto.Equal(made(at), &found), "at %v: %v", at, &found)
	}
}

// move shifts all time stamps inside a message by a duration.
func move(m protoreflect.Message, by timebase.Time) {
	if t, is := m.Interface().(*osi3.Timestamp); is {
		at := timebase.Time(t.GetSeconds())*timebase.Second + timebase.Time(t.GetNanos()) + by
		seconds, nanos := at.Split()
		t.Seconds, t.Nanos = &seconds, &nanos
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for k := range v.List().Len() {
				move(v.List().Get(k).Message(), by)
			}
		default:
			move(v.Message(), by)
		}
		return true
	})
}

func TestPlayer_RefusesToLoopWithoutLengthOrFile(t *testing.T) {
	p := player(t, trace.MCAP, trace.PlayerOptions{Loop: true}, 5*ms)
	_, err := p.At(timebase.Second)
	require.ErrorContains(t, err, "a round has no length")

	s, err := trace.OpenStream("a.mcap", bytes.NewReader(record(t, trace.MCAP, 0, ms)),
		trace.Options{})
	require.NoError(t, err)
	_, err = trace.NewPlayer(s, trace.PlayerOptions{Loop: true})
	require.ErrorContains(t, err, "gosmp convert")

	p = player(t, trace.MCAP, trace.PlayerOptions{})
	_, err = p.At(0)
	require.ErrorContains(t, err, "no message")
}

// TestPlayer_RestoresAnyState plays on from a snapshot, in the same player and in another one.
func TestPlayer_RestoresAnyState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom([]trace.Format{trace.OSIFile, trace.MCAP}).Draw(t, "format")
		o := trace.PlayerOptions{Loop: rapid.Bool().Draw(t, "loop"), Events: rapid.Bool().Draw(t,
			"events"), Offset: 3 * ms}
		// Several messages at the same time, as in a file of several sensors.
		times := []timebase.Time{0, 10 * ms, 10 * ms, 10 * ms, 25 * ms}
		p := player(t, format, o, times...)
		var at timebase.Time
		steps := func(p *trace.Player, at timebase.Time) (shown []string) {
			for range 6 {
				at += 4 * ms
				b, err := p.At(at)
				require.NoError(t, err)
				shown = append(shown, string(b))
			}
			return shown
		}
		for range rapid.IntRange(0, 12).Draw(t, "before") {
			at += timebase.Time(rapid.IntRange(1, 9).Draw(t, "step")) * ms
			_, err := p.At(at)
			require.NoError(t, err)
		}
		saved, err := p.Snapshot(nil)
		require.NoError(t, err)
		want, counts := steps(p, at), p.Stats()
		require.NoError(t, p.Restore(saved))
		require.Equal(t, want, steps(p, at))
		other := player(t, format, o, times...)
		require.NoError(t, other.Restore(saved))
		require.Equal(t, want, steps(other, at))
		require.Equal(t, counts, other.Stats())
		require.Error(t, other.Restore(saved[:len(saved)-1]))
	})
}

func TestStampOf_OddMessages(t *testing.T) {
	huge, err := proto.Marshal(
		&osi3.SensorView{Timestamp: &osi3.Timestamp{Seconds: proto.Int64(math.MaxInt64)}})
	require.NoError(t, err)
	data, err := proto.Marshal(
		&osi3.HostVehicleData{Timestamp: &osi3.Timestamp{Seconds: proto.Int64(2),
			Nanos: proto.Uint32(7)}})
	require.NoError(t, err)
	for _, c := range []struct {
		kind string
		data []byte
		want timebase.Time
		ok   bool
	}{
		{"osi3.SensorView", huge, 0, false},
		{"osi3.SensorView", nil, 0, false},
		{"osi3.SensorView", []byte{0x12, 0x7f}, 0, false},
		{"osi3.HostVehicleData", data, 2*timebase.Second + 7, true},
		{"osi3.SensorViewConfiguration", data, 0, false},
		{"nothing", data, 0, false},
	} {
		got, ok := trace.StampOf(c.kind, c.data)
		require.Equal(t, c.ok, ok, c.kind)
		require.Equal(t, c.want, got, c.kind)
	}
}

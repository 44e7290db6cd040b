package trace_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/mcap"
)

// twoDrives returns the times of a recording whose clock was restarted, with a late message.
func twoDrives() (times []timebase.Time) {
	for _, n := range []timebase.Time{40, 30} {
		for k := range n {
			times = append(times, k*100*ms)
		}
	}
	times[5], times[6] = times[6], times[5]
	return times
}

// restartedFiles returns recordings with the times of twoDrives in all formats, as files with and
// without indexes.
func restartedFiles(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	for format, name := range names {
		files[name] = record(t, format, twoDrives()...)
	}
	for name, omit := range map[string]mcap.Parts{"chunks.mcap": mcap.ChunkIndexes,
		"loose.mcap": mcap.Chunks | mcap.ChunkIndexes | mcap.MessageIndexes} {
		b, w := foreign(t, mcap.Options{Omit: omit, ChunkSize: 200},
			viewChannel(1, "View", "3.8.0"))
		for _, at := range twoDrives() {
			require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: uint64(at),
				Data: []byte{0x12, 0}}))
		}
		require.NoError(t, w.Close())
		files[name] = b.Bytes()
	}
	return files
}

func TestRestarts_AreRefusedFollowedOrIgnored(t *testing.T) {
	for name, content := range restartedFiles(t) {
		s, err := trace.OpenAt(name, bytes.NewReader(content), int64(len(content)), trace.Options{})
		for err == nil {
			_, err = s.Next()
		}
		require.ErrorIs(t, err, trace.ErrRestart, name)
		require.ErrorContains(t, err, "found 0 s after 3.9 s", name)
		require.ErrorContains(t, err, "gosmp convert --restarts split", name)

		s = open(t, name, content, trace.Options{Restarts: trace.FollowRestarts})
		counts, newest := map[int]int{}, timebase.Time(0)
		for {
			m, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if counts[m.Drive]++; counts[m.Drive] == 1 {
				newest = 0
			}
			if s.Info().Indexed {
				require.GreaterOrEqual(t, m.Time, newest, name)
			}
			newest = max(newest, m.Time)
		}
		require.Equal(t, map[int]int{0: 40, 1: 30}, counts, name)

		info, err := trace.Survey(open(t, name, content,
			trace.Options{Restarts: trace.FollowRestarts}))
		require.NoError(t, err)
		require.Equal(t,
			[]trace.Drive{{Messages: 40, End: 3900 * ms}, {Messages: 30, End: 2900 * ms}},
			info.Drives, name)

		s = open(t, name, content, trace.Options{Restarts: trace.IgnoreRestarts})
		n := 0
		damage, err := trace.Each(s, func(*trace.Message) error { n++; return nil })
		require.NoError(t, errors.Join(damage, err))
		require.Equal(t, 70, n, name)
	}
}

// A looping player does not mistake the start of a new round for a restart.
func TestRestarts_LoopsAreNone(t *testing.T) {
	content := record(t, trace.OSIFile, 0, 1500*ms, 3000*ms)
	p, err := trace.NewPlayer(open(t, names[trace.OSIFile], content,
		trace.Options{}), trace.PlayerOptions{Loop: true})
	require.NoError(t, err)
	_, err = p.At(20 * timebase.Second)
	require.NoError(t, err)
	require.EqualValues(t, 6, p.Stats().Rounds)
}

// Each drive becomes a part.
func TestRestarts_RunParts(t *testing.T) {
	for name, content := range restartedFiles(t) {
		s := open(t, name, content, trace.Options{Restarts: trace.FollowRestarts})
		c := &trace.Copy{Format: trace.MCAP}
		var files []*bytes.Buffer
		parts, err := c.RunParts(s, trace.Split{}, func(_ int, write func(io.Writer) error) error {
			files = append(files, &bytes.Buffer{})
			return write(files[len(files)-1])
		})
		require.NoError(t, err)
		require.Equal(t,
			[]trace.Part{{Messages: 40, Last: 3900 * ms}, {Messages: 30, Last: 2900 * ms}}, parts,
			name)
		for _, f := range files {
			info := open(t, "part.mcap", f.Bytes(),
				trace.Options{Restarts: trace.FollowRestarts}).Info()
			require.Len(t, info.Drives, 1)
		}
	}
}

// Channels of messages that may be damaged, with arbitrary times, are read without an error about
// the clock, and gosmp check does not report one either.
func TestRestarts_IgnoreDamagedMessages(t *testing.T) {
	for _, omit := range []mcap.Parts{0, mcap.Chunks | mcap.ChunkIndexes | mcap.MessageIndexes} {
		damaged := viewChannel(2, "osi3.SensorView", "3.8.0")
		damaged.Topic = "view" + mcap.DamagedTopic
		damaged.Metadata[mcap.DamagedKey] = "yes"
		b, w := foreign(t, mcap.Options{Omit: omit}, viewChannel(1, "osi3.SensorView", "3.8.0"),
			damaged)
		for k := range uint64(30) {
			for id := range uint16(2) {
				require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1 + id,
					LogTime: (k + 7*uint64(id)*(30-2*k)) % 200 * uint64(100*ms),
					Data:    []byte{0x12, 0}}))
			}
		}
		require.NoError(t, w.Close())
		s := open(t, "a.mcap", b.Bytes(), trace.Options{})
		n := 0
		for {
			_, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			n++
		}
		require.Equal(t, 60, n)
		report, err := check.File("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()),
			check.Options{})
		require.NoError(t, err)
		for _, f := range report.Findings {
			require.NotEqual(t, "trace.restart", f.ID)
		}
	}
}

// TestRestarts_Thousands: each of many drives outside of chunks is read once, without the others.
func TestRestarts_Thousands(t *testing.T) {
	const messages = 200_000
	b, w := foreign(t, mcap.Options{Omit: mcap.Chunks | mcap.ChunkIndexes | mcap.MessageIndexes},
		viewChannel(1, "View", "3.8.0"))
	for k := range messages {
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1,
			LogTime: uint64(messages - k), Sequence: uint32(k), Data: []byte{0x12, 0}}))
	}
	require.NoError(t, w.Close())
	s := open(t, "loose.mcap", b.Bytes(), trace.Options{Restarts: trace.FollowRestarts})
	n, drive, newest := 0, 0, timebase.Time(0)
	for ; ; n++ {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if m.Drive != drive {
			drive, newest = m.Drive, 0
		}
		require.Equal(t, messages-int(m.Time), int(m.Sequence))
		require.Greater(t, m.Time, newest)
		newest = m.Time
	}
	require.Equal(t, messages, n)
	require.Greater(t, drive, 1000)
}

package mcap_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/trace/mcap"
)

const second = 1_000_000_000

func TestClocks_Rule(t *testing.T) {
	rising := func(n int, step uint64) (times []uint64) {
		for k := range n {
			times = append(times, uint64(k)*step)
		}
		return times
	}
	for name, x := range map[string]struct {
		times  []uint64
		drives int
	}{
		"rising":                    {rising(30, second), 0},
		"late by a second":          {[]uint64{0, 2 * second, second, 3 * second}, 0},
		"again":                     {append(rising(5, second), rising(3, second)...), 1},
		"again and late":            {append(rising(5, second), second, 0, 2*second), 1},
		"again after ten messages":  {append(rising(10, 5), 0, 5), 1},
		"again after nine messages": {append(rising(9, 5), 0, 5), 0},
		"twice": {append(append(rising(10, 5), rising(10, 5)...),
			rising(3, 5)...), 2},
		"one time too low":        {append(rising(20, second), 0, 20*second, 21*second), 0},
		"one time too high":       {append(rising(20, second), 90*second, 20*second, 21*second), 0},
		"the first time too high": {append([]uint64{90 * second}, rising(20, second)...), 0},
		"the last time too low":   {append(rising(20, second), 0), 0},
		"the same time":           {make([]uint64, 20), 0},
	} {
		var c mcap.Clocks[string]
		for _, at := range x.times {
			c.Take("channel", at)
		}
		require.Equal(t, x.drives, c.Restarts(), name)
	}
}

// The channels of a recording restart one after another, which counts as one restart.
func TestClocks_AllChannelsRestartOnce(t *testing.T) {
	var c mcap.Clocks[int]
	again := 0
	for drive := range 3 {
		for at := range uint64(5) {
			for channel := range 4 {
				if c.Take(channel, at*second) == mcap.Again {
					again++
				}
			}
		}
		require.Equal(t, drive, c.Restarts())
		require.EqualValues(t, 20*drive, c.Newest().Message)
		require.False(t, c.Open())
	}
	require.Equal(t, 2*4, again)
}

// drivesOf writes drives with the given numbers of messages, 200 ms apart, on two channels.
func drivesOf(t require.TestingT, o mcap.Options, lengths ...int) []byte {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, o)
	require.NoError(t, err)
	for id := range uint16(2) {
		require.NoError(t, w.AddChannel(&mcap.Channel{ID: id, Topic: string(rune('a' + id))}))
	}
	for drive, n := range lengths {
		for k := range n {
			require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: uint16(k % 2),
				Sequence: uint32(drive), LogTime: uint64(k) * second / 5, Data: []byte("message")}))
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// Drives are found with and without message indexes, no matter where chunks begin, and each can be
// read separately.
func TestFile_Drives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := mcap.Options{ChunkSize: rapid.IntRange(50, 3000).Draw(t, "chunk"),
			Omit: rapid.SampledFrom([]mcap.Parts{0, mcap.MessageIndexes}).Draw(t, "omit"),
			Compression: rapid.SampledFrom([]mcap.Compression{mcap.None, mcap.Zstd}).
				Draw(t, "compression")}
		lengths := rapid.SliceOfN(rapid.IntRange(24, 60), 1, 4).Draw(t, "lengths")
		content := drivesOf(t, o, lengths...)
		f, err := mcap.Open(bytes.NewReader(content), int64(len(content)))
		require.NoError(t, err)
		drives, err := f.Drives(mcap.Query{})
		require.NoError(t, err)
		require.Len(t, drives, len(lengths))
		for k, d := range drives {
			require.EqualValues(t, lengths[k], d.Messages)
			require.EqualValues(t, 0, d.Start)
			require.EqualValues(t, (lengths[k]-1)*second/5, d.End)
			q := mcap.Query{From: &d.Begin}
			if k+1 < len(drives) {
				q.Before = &drives[k+1].Begin
			}
			n, last := 0, uint64(0)
			for m, err := range f.Messages(q) {
				require.NoError(t, err)
				require.EqualValues(t, k, m.Sequence)
				require.GreaterOrEqual(t, m.LogTime, last)
				n, last = n+1, m.LogTime
			}
			require.Equal(t, lengths[k], n)
		}
	})
}

// A damaged message index is not needed.
func TestFile_DrivesWithoutAReadableIndex(t *testing.T) {
	content := drivesOf(t, mcap.Options{}, 30, 30)
	f := opened(t, content)
	content[f.Chunks[0].ChunkStart+f.Chunks[0].ChunkLength] = 0x77
	drives, err := opened(t, content).Drives(mcap.Query{})
	require.NoError(t, err)
	require.Len(t, drives, 2)
}

// Messages that may be damaged can have any time. They do not count as a restart, and they belong
// with their neighbors in the file.
func TestFile_DrivesIgnoreDamagedMessages(t *testing.T) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{ChunkSize: 100})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "a"}))
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 2, Topic: "a" + mcap.DamagedTopic,
		Metadata: map[string]string{mcap.DamagedKey: "yes"}}))
	for drive := range uint64(2) {
		for k := range uint64(40) {
			require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: k * second}))
			require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 2,
				LogTime: (97 - k*drive) * second / 3 * (k % 2)}))
		}
	}
	require.NoError(t, w.Close())
	drives, err := opened(t, b.Bytes()).Drives(mcap.Query{})
	require.NoError(t, err)
	require.Len(t, drives, 2)
	require.EqualValues(t, 80, drives[0].Messages)
	require.EqualValues(t, 80, drives[1].Message)
}

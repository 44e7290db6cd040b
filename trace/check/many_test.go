package check_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
)

// manyChannels returns an MCAP file with a message in each of so many channels of OSI.
func manyChannels(t *testing.T, channels int) []byte {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for k := range channels {
		c, err := sink.Add(trace.OSI(fmt.Sprintf("sensor%d", k), "sd"))
		require.NoError(t, err)
		at := timebase.Time(k) * timebase.Millisecond
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at}))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// Channels share their schema and the rules of their type: what they need grows little with their
// number, of which there may be 65 535.
func TestFile_ManyChannels(t *testing.T) {
	const channels, most = 1000, 40e3 // bytes for each channel
	file := manyChannels(t, channels)
	size := int64(len(file))
	for what, use := range map[string]func() error{
		"check": func() error {
			_, err := check.File("many.mcap", bytes.NewReader(file), size, check.Options{Rules: true})
			return err
		},
		"open": func() error {
			s, err := trace.OpenAt("many.mcap", bytes.NewReader(file), size, trace.Options{})
			if err != nil {
				return err
			}
			return s.Close()
		},
	} {
		require.NoError(t, use())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, use())
		runtime.ReadMemStats(&after)
		require.Less(t, float64(after.TotalAlloc-before.TotalAlloc)/channels, most, what)
	}
}

// An empty object takes two bytes of a file, and each has the same faults: their texts are created
// once, so that decoding is all that each object costs in addition.
func TestFile_ManyFaultsOfOneKind(t *testing.T) {
	const objects = 20_000
	m := &osi3.GroundTruth{}
	for range objects {
		m.MovingObject = append(m.MovingObject, &osi3.MovingObject{})
	}
	data, err := proto.Marshal(m)
	require.NoError(t, err)
	file := append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), data...)
	check := func() *check.Report {
		r, err := check.File("20240101T000000Z_gt_370_3205_1_many.osi", bytes.NewReader(file),
			int64(len(file)), check.Options{Rules: true})
		require.NoError(t, err)
		return r
	}
	many := map[string]int64{}
	for _, f := range check().Findings {
		if f.Count > 1 {
			many[f.ID] = f.Count
		}
	}
	require.Equal(t, map[string]int64{"viewer.object.position": objects,
		"viewer.object.orientation": objects, "viewer.object.dimension": objects,
		"viewer.rear-axle": objects, "osirules.movingobject.id.is_set": objects}, many)
	require.Less(t, testing.AllocsPerRun(1, func() { check() }), 3.*objects)
}

package snapshot

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
	"gosmp/timebase"
	"gosmp/trace"
)

// participants writes a trace: a from 0 s to 4 s, b from 0.1 s to 2.1 s, and late at 2.5 s.
func participants(t *testing.T) string {
	object := func(id uint64, x float64) *osi3.MovingObject {
		return &osi3.MovingObject{Id: &osi3.Identifier{Value: &id}, Base: &osi3.BaseMoving{
			Position: &osi3.Vector3D{X: &x, Y: proto.Float64(0)}}}
	}
	name := filepath.Join(t.TempDir(), "a.mcap")
	f, err := os.Create(name)
	require.NoError(t, err)
	sink, err := trace.Create(f, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	channels := map[string]*trace.Channel{}
	for _, c := range [][2]string{{"a", "tu"}, {"b", "tu"}, {"host", "hvd"}, {"late", "su"}} {
		channels[c[0]], err = sink.Add(trace.OSI(c[0], c[1]))
		require.NoError(t, err)
	}
	put := func(channel string, at timebase.Time, m proto.Message) {
		data, err := proto.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: channels[channel], Time: at,
			Data: data}))
	}
	for k := range 5 {
		at, x := timebase.Time(k)*timebase.Second, float64(k)
		put("host", at, &osi3.HostVehicleData{})
		put("a", at, &osi3.TrafficUpdate{Update: []*osi3.MovingObject{object(1, x)}})
		if k < 3 {
			put("b", at+timebase.Second/10, &osi3.TrafficUpdate{
				Update: []*osi3.MovingObject{object(2, 10+x)}})
		}
		if k == 2 {
			put("late", at+timebase.Second/2, &osi3.StreamingUpdate{
				MovingObjectUpdate: []*osi3.MovingObject{object(1, 50), object(3, 70)}})
		}
	}
	require.NoError(t, sink.Close())
	require.NoError(t, f.Close())
	return name
}

// of returns the snapshot of a file.
func of(t *testing.T, name string, o Options) (*birdseye.Snapshot, error) {
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return Of(name, bytes.NewReader(content), int64(len(content)), o)
}

// Each traffic participant may have a channel of its own: all of them are drawn, as on the page of
// a trace.
func TestSnapshot_SeveralChannelsOfUpdates(t *testing.T) {
	at := func(seconds float64) *timebase.Time {
		at, err := timebase.FromSeconds(seconds)
		require.NoError(t, err)
		return &at
	}
	file := participants(t)
	for name, c := range map[string]struct {
		Options
		want     map[uint64]float64
		channels string
	}{
		"default":        {Options{}, map[uint64]float64{1: 0, 2: 10}, "a, b, late"},
		"time":           {Options{Until: at(1.5)}, map[uint64]float64{1: 1, 2: 11}, "a, b, late"},
		"newest counts":  {Options{Until: at(2.6)}, map[uint64]float64{1: 50, 3: 70}, "a, b, late"},
		"after the ends": {Options{Until: at(9)}, map[uint64]float64{1: 4}, "a, b, late"},
		"frame":          {Options{Frame: 3}, map[uint64]float64{1: 1, 2: 10}, "a, b, late"},
		"chosen": {Options{Channels: []string{"b", "late"}, Until: at(1)},
			map[uint64]float64{2: 10}, "b, late"},
		"one": {Options{Channels: []string{"b"}}, map[uint64]float64{2: 10}, ""},
		"type": {Options{Type: "trafficupdate", Until: at(2.6)}, map[uint64]float64{1: 2, 2: 12},
			"a, b"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := of(t, file, c.Options)
			require.NoError(t, err)
			got := map[uint64]float64{}
			for _, o := range s.View.GetGlobalGroundTruth().GetMovingObject() {
				got[o.GetId().GetValue()] = o.GetBase().GetPosition().GetX()
			}
			require.Equal(t, c.want, got)
			require.Equal(t, c.channels, s.Channels)
			require.Contains(t, s.Kind, "TrafficUpdate")
		})
	}
	for _, o := range []Options{{Until: at(-1)}, {Frame: 99}} {
		_, err := of(t, file, o)
		require.ErrorIs(t, err, ErrMessage)
	}
}

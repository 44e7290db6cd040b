package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/compare"
)

// tracked draws a SensorData with moving objects and traffic signs, some of them without an id.
func tracked(t *rapid.T, at timebase.Time) *osi3.SensorData {
	m := sensed(at)
	id := rapid.SampledFrom([]*osi3.Identifier{nil, {}, message.ID(0), message.ID(1), message.ID(2),
		message.ID(3)})
	for range rapid.IntRange(0, 4).Draw(t, "objects") {
		o := sensed(at, track{0, float64(rapid.IntRange(0, 3).Draw(t, "x"))}).MovingObject[0]
		o.Header.TrackingId = id.Draw(t, "id")
		m.MovingObject = append(m.MovingObject, o)
	}
	for range rapid.IntRange(0, 2).Draw(t, "signs") {
		m.TrafficSign = append(m.TrafficSign, &osi3.DetectedTrafficSign{
			Header: &osi3.DetectedItemHeader{TrackingId: id.Draw(t, "id of sign")}})
	}
	return m
}

// renamed returns a copy of a message with other ids.
func renamed(m *osi3.SensorData, names []uint64) *osi3.SensorData {
	m = proto.CloneOf(m)
	for _, o := range m.MovingObject {
		if id := o.GetHeader().GetTrackingId(); id != nil {
			*o.Header.TrackingId = *message.ID(names[id.GetValue()])
		}
	}
	return m
}

// Ids that are read from equal bytes are those that a comparison of the decoded messages finds. A
// time stamp that occurs twice leaves messages equal, but not their bytes.
func TestTraces_IDsOfEqualBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.Permutation([]uint64{0, 1, 2, 3}).Draw(t, "names")
		equal := rapid.IntRange(0, 3).Draw(t, "equal messages")
		var expected, found, twice []item
		for k := range 5 {
			at := timebase.Time(k) * 20 * ms
			m := tracked(t, at)
			other := m
			if k >= equal {
				other = renamed(m, names)
			}
			a, err := proto.Marshal(m)
			require.NoError(t, err)
			b, err := proto.Marshal(other)
			require.NoError(t, err)
			stamp, err := proto.Marshal(&osi3.SensorData{Timestamp: m.Timestamp})
			require.NoError(t, err)
			expected = append(expected, item{"radar", at, a})
			found = append(found, item{"radar", at, b})
			twice = append(twice, item{"radar", at, append(b[:len(b):len(b)], stamp...)})
		}
		var o compare.Options
		for _, name := range []string{"moving_object", "header", "base", "traffic_sign"} {
			if rapid.Bool().Draw(t, "ignore "+name) {
				o.Tolerances = append(o.Tolerances, compare.Tolerance{Field: name, Ignore: true})
			}
		}
		compared := func(found []item) []string {
			kind := trace.OSI("", "sd")
			r, err := compare.Traces(&stream{kind: kind, items: expected},
				&stream{kind: kind, items: found}, o)
			require.NoError(t, err)
			list := []string{}
			for _, d := range r.Differences {
				list = append(list, d.String())
			}
			return list
		}
		require.Equal(t, compared(twice), compared(found))
	})
}

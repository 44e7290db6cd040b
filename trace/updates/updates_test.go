package updates_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/updates"
)

// list is a source of messages in memory.
type list struct {
	messages []*trace.Message
	at       int
	end      error // instead of io.EOF
}

func (l *list) Info() *trace.Info { return &trace.Info{} }

func (l *list) Channels() []*trace.Channel { return nil }

func (l *list) Close() error { return nil }

func (l *list) Next() (*trace.Message, error) {
	if l.at == len(l.messages) {
		if l.end != nil {
			return nil, l.end
		}
		return nil, io.EOF
	}
	l.at++
	return l.messages[l.at-1], nil
}

// channel returns a channel with messages of a type.
func channel(topic, kind string) *trace.Channel {
	c := trace.OSI(topic, kind)
	return &c
}

// update returns a message with an object at a position.
func update(t *testing.T, c *trace.Channel, at timebase.Time, id uint64, x float64) *trace.Message {
	object := []*osi3.MovingObject{{Id: &osi3.Identifier{Value: &id}, Base: &osi3.BaseMoving{
		Position: &osi3.Vector3D{X: &x, Y: proto.Float64(0)}}}}
	var m proto.Message = &osi3.TrafficUpdate{Update: object}
	if c.Type == "osi3.StreamingUpdate" {
		m = &osi3.StreamingUpdate{MovingObjectUpdate: object,
			TrafficLightUpdate: []*osi3.TrafficLight{{Id: &osi3.Identifier{Value: &id}}}}
	}
	data, err := proto.Marshal(m)
	require.NoError(t, err)
	return &trace.Message{Channel: c, Time: at, Sequence: uint32(id), Data: data}
}

// moments joins all messages of a source, as its users do, and returns each moment as text.
func moments(t *testing.T, s trace.Source, channels []updates.Channel) (all []string) {
	j := updates.New(channels)
	show := func(last *trace.Message) {
		require.Empty(t, last.Data, "it is valid until the next message")
		truth, err := j.At(last.Time)
		require.NoError(t, err)
		text := last.Time.String()
		for _, o := range truth.GetMovingObject() {
			text += fmt.Sprintf(" %d at %g", o.GetId().GetValue(), o.GetBase().GetPosition().GetX())
		}
		all = append(all, text)
	}
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			m = nil
		} else {
			require.NoError(t, err)
		}
		if last := j.Complete(m); last != nil {
			show(last)
		}
		if m == nil {
			require.Nil(t, j.Complete(nil), "a moment is complete once")
			return all
		}
		j.Put(m)
	}
}

// Each moment has the updates of all channels at that time, whatever their order and whatever other
// messages are between them.
func TestJoin_Moments(t *testing.T) {
	a, b, host := channel("a", "tu"), channel("b", "tu"), channel("host", "hvd")
	s := time(1)
	for _, order := range [][]*trace.Message{
		{update(t, a, 0, 1, 0), update(t, a, s, 1, 1), {Channel: host, Time: s},
			update(t, b, s, 2, 11), update(t, b, 2*s, 2, 12), {Channel: host, Time: 3 * s}},
		{update(t, a, 0, 1, 0), {Channel: host, Time: s}, update(t, b, s, 2, 11),
			update(t, a, s, 1, 1), update(t, b, 2*s, 2, 12)},
	} {
		channels, err := updates.Find(&list{messages: order})
		require.NoError(t, err)
		require.Equal(t, []updates.Channel{{Topic: "a", Last: s}, {Topic: "b", Last: 2 * s}},
			channels)
		got := moments(t, &list{messages: order}, channels)
		require.ElementsMatch(t, []string{"0.000000000s 1 at 0", got[1], "2.000000000s 2 at 12"},
			got)
		require.Contains(t, got[1], "1 at 1")
		require.Contains(t, got[1], "2 at 11")
	}
}

func time(seconds int) timebase.Time { return timebase.Time(seconds) * timebase.Second }

// Of an object in several channels, the newest counts, and the lights and signs of streaming updates
// are joined as well.
func TestJoin_NewestObjectCounts(t *testing.T) {
	a, b := channel("a", "su"), channel("b", "su")
	j := updates.New([]updates.Channel{{Topic: "a", Last: time(9)}, {Topic: "b", Last: time(9)}})
	require.True(t, j.Put(update(t, a, 0, 1, 5)))
	require.True(t, j.Put(update(t, b, time(1), 1, 7)))
	require.False(t, j.Put(update(t, channel("c", "tu"), time(1), 3, 7)), "not joined")
	truth, err := j.At(time(1))
	require.NoError(t, err)
	require.Len(t, truth.GetMovingObject(), 1)
	require.InDelta(t, 7, truth.GetMovingObject()[0].GetBase().GetPosition().GetX(), 0)
	require.Len(t, truth.GetTrafficLight(), 2)
}

// The data of a message is valid only until the next one, so a join keeps a copy.
func TestJoin_KeepsData(t *testing.T) {
	m := update(t, channel("a", "tu"), 0, 1, 5)
	j := updates.New([]updates.Channel{{Topic: "a"}})
	j.Put(m)
	clear(m.Data)
	truth, err := j.At(0)
	require.NoError(t, err)
	require.Len(t, truth.GetMovingObject(), 1)
}

// What cannot be decoded or used is reported once, and the other channels remain.
func TestJoin_ReportsWhatIsUnusable(t *testing.T) {
	a, b := channel("a", "tu"), channel("b", "tu")
	j := updates.New([]updates.Channel{{Topic: "a"}, {Topic: "b"}})
	var reports []string
	j.Broken = func(topic string, _ error) error {
		reports = append(reports, topic+" broken")
		return nil
	}
	j.Removed = func(topic string, removed []rules.Unusable) error {
		reports = append(reports, fmt.Sprint(topic, " ", len(removed), " removed"))
		return nil
	}
	j.Put(&trace.Message{Channel: a, Data: []byte{0xff}})
	j.Put(update(t, b, 0, 2, inf()))
	for range 2 {
		_, err := j.At(0)
		require.NoError(t, err)
	}
	require.ElementsMatch(t, []string{"a broken", "b 1 removed"}, reports)
	full := errors.New("full")
	j.Broken = func(string, error) error { return full }
	j.Put(&trace.Message{Channel: a, Data: []byte{0xff}})
	_, err := j.At(0)
	require.ErrorIs(t, err, full)
}

func inf() float64 {
	zero := 0.0
	return 1 / zero
}

// A channel with the objects of the whole scene takes the place of updates, and other errors than
// damage are returned.
func TestFind(t *testing.T) {
	a := update(t, channel("a", "tu"), 0, 1, 5)
	for _, kind := range []string{"gt", "sv", "sd"} {
		found, err := updates.Find(&list{messages: []*trace.Message{a,
			{Channel: channel("world", kind)}}})
		require.NoError(t, err)
		require.Empty(t, found)
	}
	unreadable := errors.New("unreadable")
	_, err := updates.Find(&list{messages: []*trace.Message{a}, end: unreadable})
	require.ErrorIs(t, err, unreadable)
}

// Long lists of channels are shortened.
func TestJoin_Names(t *testing.T) {
	var channels []updates.Channel
	for k := range 10 {
		channels = append(channels, updates.Channel{Topic: fmt.Sprint("c", k)})
	}
	require.Equal(t, "c0, c1", updates.New(channels[:2]).Names())
	require.Equal(t, "c0, c1, c2, c3, c4, c5, c6, c7 and 2 more", updates.New(channels).Names())
}

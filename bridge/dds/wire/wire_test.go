package wire_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/bridge/dds/wire"
)

var (
	prefix = wire.Prefix([]byte("0123456789ab"))
	reader = wire.EntityID{0, 0, 1, wire.KindReader}
	writer = wire.EntityID{0, 0, 2, wire.KindWriter}
)

// all reads all submessages of a message.
func all(t require.TestingT, b []byte) (list []wire.Submessage, r wire.Reader) {
	r, ok := wire.Open(b)
	require.True(t, ok)
	for s := (wire.Submessage{}); r.Next(&s); {
		list = append(list, s)
	}
	return list, r
}

func TestMessage_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(1, 1<<62).Draw(t, "number")
		count := rapid.Uint32().Draw(t, "count")
		payload := rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "payload")
		set := wire.Set{Base: rapid.Int64Range(number, number+1<<31).Draw(t, "base")}
		for _, n := range rapid.SliceOf(rapid.Int64Range(0, 255)).Draw(t, "members") {
			require.True(t, set.Add(set.Base+n))
		}
		made := time.Unix(rapid.Int64Range(0, 1<<31).Draw(t, "s"), rapid.Int64Range(0,
			999_999_999).Draw(t, "ns"))
		b := wire.AppendInfoDestination(wire.Begin(nil, prefix), prefix)
		b = wire.AppendInfoTimestamp(b, made)
		b = wire.AppendHeartbeat(b, reader, writer, number, number+3, count, true)
		b = wire.AppendAckNack(b, reader, writer, &set, count, true)
		b = wire.AppendGap(b, reader, writer, number, &set)
		b = wire.AppendData(b, &wire.Data{Reader: reader, Writer: writer, Number: number,
			Payload: payload, Fragment: 7, FragmentSize: 50, SampleSize: 1 << 20})
		b = wire.AppendData(b, &wire.Data{Reader: reader, Writer: writer, Number: number,
			Payload: payload})
		list, r := all(t, b)
		require.False(t, r.Damaged)
		require.Equal(t, prefix, r.Source)
		require.Equal(t, prefix, r.Dest)
		require.True(t, made.Equal(r.Time), "%v %v", made, r.Time)
		require.Len(t, list, 5)
		for _, s := range list {
			require.Equal(t, reader, s.Reader)
			require.Equal(t, writer, s.Writer)
		}
		require.Equal(t, [3]int64{number, number + 3, int64(count)}, [3]int64{list[0].First,
			list[0].Last, int64(list[0].Count)})
		require.Equal(t, set, list[1].Set)
		require.Equal(t, set, list[2].Set)
		require.Equal(t, number, list[2].Number)
		require.Equal(t, [3]int{7, 50, 1 << 20}, [3]int{int(list[3].Fragment),
			list[3].FragmentSize, list[3].SampleSize})
		require.Equal(t, payload, list[4].Payload[:len(payload)])
	})
}

// A truncated or altered message is read up to the first damaged submessage.
func TestMessage_Damaged(t *testing.T) {
	b := wire.AppendHeartbeat(wire.Begin(nil, prefix), reader, writer, 1, 3, 1, false)
	for n := range b {
		_, ok := wire.Open(b[:n])
		require.Equal(t, n >= wire.HeaderSize, ok)
		if ok {
			list, r := all(t, b[:n])
			require.Empty(t, list)
			require.Equal(t, n > wire.HeaderSize, r.Damaged, n)
		}
	}
	for _, damaged := range [][]byte{
		wire.AppendHeartbeat(wire.Begin(nil, prefix), reader, writer, 9, 3, 1, false),
		wire.AppendHeartbeat(wire.Begin(nil, prefix), reader, writer, 0, 3, 1, false),
		wire.AppendGap(wire.Begin(nil, prefix), reader, writer, 5, &wire.Set{Base: 3}),
		append(wire.Begin(nil, prefix), wire.KindAckNack, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3,
			0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0), // a set of 257
		wire.AppendData(wire.Begin(nil, prefix), &wire.Data{Number: 0, Payload: []byte("x")}),
		wire.AppendData(wire.Begin(nil, prefix), &wire.Data{Number: 1, Fragment: 1,
			Payload: []byte("x")}),
	} {
		list, r := all(t, damaged)
		require.Empty(t, list)
		require.True(t, r.Damaged)
	}
}

// Both byte orders are read.
func TestMessage_BigEndian(t *testing.T) {
	b := append(wire.Begin(nil, prefix), wire.KindHeartbeat, 0, 0, 28)
	b = append(append(b, reader[:]...), writer[:]...)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 4)
	list, _ := all(t, b)
	require.Len(t, list, 1)
	require.Equal(t, [3]int64{2, 1<<32 + 3, 4}, [3]int64{list[0].First, list[0].Last,
		int64(list[0].Count)})
}

func TestDiscovery_RoundTrip(t *testing.T) {
	at := []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:7410")}
	id := wire.GUID{Prefix: prefix, Entity: wire.ParticipantEntity}
	p := wire.Participant{GUID: id, Lease: 5500 * time.Millisecond, Endpoints: 0x3f, Domain: 7,
		Name: "/", UserData: []byte("enclave=/;"), Meta: at, User: at}
	var read wire.Participant
	require.True(t, read.Read(p.Append(nil)))
	require.Equal(t, p, read)
	e := wire.Endpoint{GUID: wire.GUID{Prefix: prefix, Entity: writer}, Participant: id,
		Topic: "rt/a", Type: "b", UserData: []byte("typehash=x;"), Locators: at,
		QoS: wire.QoS{Reliable: true, Durability: wire.TransientLocal, Deadline: time.Second,
			Lease: wire.Forever, Representations: []int16{0}}}
	var again wire.Endpoint
	require.True(t, again.Read(e.Append(nil), false))
	require.Equal(t, e, again)
	whole := e.Append(nil)
	for n := range whole {
		require.False(t, again.Read(whole[:n], false), n)
	}
}

// Without policies a writer is reliable and a reader is not.
func TestDiscovery_Defaults(t *testing.T) {
	e := wire.Endpoint{GUID: wire.GUID{Prefix: prefix, Entity: writer}, Topic: "a", Type: "b"}
	b := e.Append(nil)
	short := slices.Concat(b[:4], b[4+40:4+40+2*12], []byte{1, 0, 0, 0}) // without GUIDs
	require.False(t, e.Read(short, true))
	named := slices.Concat(b[:4+20], b[4+40:4+40+2*12], []byte{1, 0, 0, 0})
	for _, writes := range []bool{true, false} {
		require.True(t, e.Read(named, writes))
		require.Equal(t, wire.QoS{Reliable: writes, Deadline: wire.Forever, Lease: wire.Forever},
			e.QoS)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(wire.AppendHeartbeat(wire.Begin(nil, prefix), reader, writer, 1, 3, 1, false))
	f.Add((&wire.Participant{GUID: wire.GUID{Entity: wire.ParticipantEntity}}).Append(nil))
	f.Add((&wire.Endpoint{Topic: "a", Type: "b"}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p wire.Participant
		p.Read(b)
		var e wire.Endpoint
		if e.Read(b, true) {
			require.NotEmpty(t, e.Topic)
		}
		r, ok := wire.Open(b)
		for s := (wire.Submessage{}); ok && r.Next(&s); {
			require.LessOrEqual(t, s.Set.Size, wire.MostInSet)
			require.LessOrEqual(t, len(s.Payload), len(b))
		}
	})
}

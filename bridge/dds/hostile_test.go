package dds_test

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// announcement returns an announcement of a participant that listens at an address.
func announcement(domain int, name string, at string) []byte {
	id := wire.GUID{Prefix: wire.Prefix([]byte(name)), Entity: wire.ParticipantEntity}
	to := []netip.AddrPort{netip.MustParseAddrPort(at)}
	p := wire.Participant{GUID: id, Lease: time.Hour, Endpoints: wire.BuiltinEndpointsSet,
		Domain: domain, Meta: to, User: to}
	return wire.AppendData(wire.Begin(nil, id.Prefix), &wire.Data{Number: 1,
		Writer: wire.ParticipantWriter, Payload: p.Append(nil)})
}

// quiet joins a domain, with a writer and a reader of x, and sends nothing.
func quiet(t *testing.T, d int) *dds.Participant {
	p := member(t, d, "quiet", nil)
	p.Lose(func([]byte) bool { return true })
	_, err := p.NewWriter(topic("x", dds.Latched))
	require.NoError(t, err)
	_, err = p.NewReader(topic("x", dds.Default), func(dds.Sample) {})
	require.NoError(t, err)
	return p
}

// Answers go only to participants that announced themselves and are within the network of the
// address.
func TestParticipant_AnswersOnlyWhomItKnows(t *testing.T) {
	d := domain()
	p := quiet(t, d)
	for _, b := range seeds(d)[1:] {
		require.Empty(t, p.Handle(b), "a stranger")
	}
	for _, away := range []string{"192.0.2.9:7410", "239.255.0.1:7400", "255.255.255.255:7410"} {
		require.Empty(t, p.Handle(announcement(d, "elsewhere000", away)))
	}
	require.Zero(t, p.Counts().Peers)
	require.Empty(t, p.Handle(announcement(d+1, "different domain", "127.0.0.1:9")))
	require.Zero(t, p.Counts().Peers)
	here := netip.MustParseAddrPort("127.0.0.1:9")
	for k, b := range seeds(d) {
		for _, to := range p.Handle(b) {
			require.Equal(t, here, to, k)
		}
	}
	require.Equal(t, 1, p.Counts().Peers)
}

// By default, no packet leaves the computer, whatever peers announce: a socket bound to a loopback
// address cannot send elsewhere, and nothing is sent to other machines or to a multicast group.
func TestParticipant_StaysOnLoopback(t *testing.T) {
	d := domain()
	p := member(t, d, "here", nil)
	var mu sync.Mutex
	seen := map[netip.Addr]int{}
	p.See(func(to netip.AddrPort) {
		mu.Lock()
		defer mu.Unlock()
		seen[to.Addr()]++
	})
	w, err := p.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	got := make(chan dds.Sample, 100)
	other := member(t, d, "there", nil)
	_, err = other.NewReader(topic("x", dds.Default), func(s dds.Sample) { got <- s })
	require.NoError(t, err)
	for _, away := range []string{"192.0.2.9:7410", "239.255.0.1:7400", "255.255.255.255:7410",
		"8.8.8.8:53"} {
		p.Handle(announcement(d, "elsewhere000", away))
	}
	soon(t, func() bool { return w.Matched() == 1 })
	w.Write([]byte{0, 1, 0, 0, 2, 0, 0, 0, 97, 0}, time.Now())
	<-got
	require.NoError(t, p.Close())
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, seen)
	for to, n := range seen {
		require.True(t, to.IsLoopback(), "%d packets to %s", n, to)
	}
}

// The stored data is bounded, however many participants and samples there are.
func TestParticipant_BoundsWhatOthersMakeItKeep(t *testing.T) {
	const mostPeers, mostBytes = 256, 128 << 20
	d := domain()
	p := quiet(t, d)
	for _, b := range seeds(d) {
		p.Handle(b)
	}
	for k := range 2 * mostPeers {
		name := []byte("flood0000000")
		name[5], name[6] = byte(k), byte(k>>8)
		p.Handle(announcement(d, string(name), "127.0.0.1:9"))
	}
	require.Equal(t, mostPeers, p.Counts().Peers)
	from := wire.EntityID{0, 0, 9, wire.KindWriter}
	part := make([]byte, 1<<10)
	for k := range 400 {
		b := wire.Begin(nil, wire.Prefix([]byte("peer00000000")))
		p.Handle(wire.AppendData(b, &wire.Data{Writer: from, Number: int64(100 + k), Fragment: 1,
			FragmentSize: len(part), SampleSize: 64 << 20, Payload: part}))
		require.LessOrEqual(t, p.Held(), mostBytes)
	}
	require.NotZero(t, p.Held())
	leave(p, "peer00000000")
	require.Zero(t, p.Held())
}

// endpoint returns the announcement of a reader or a writer of a peer.
func endpoint(peer string, number int64, e wire.Endpoint) []byte {
	kind, to := byte(wire.KindWriter), wire.PublicationWriter
	if !e.QoS.Reliable {
		kind, to = wire.KindReader, wire.SubscriptionWriter
	}
	e.GUID = wire.GUID{Prefix: wire.Prefix([]byte(peer)),
		Entity: wire.EntityID{0, byte(number >> 8), byte(number), kind}}
	e.QoS.Deadline, e.QoS.Lease = wire.Forever, wire.Forever
	return wire.AppendData(wire.Begin(nil, e.GUID.Prefix), &wire.Data{Writer: to, Number: number,
		Payload: e.Append(nil)})
}

// What is kept of the endpoints of others is bounded in bytes, and in pairs with own endpoints. It
// is released when they leave.
func TestParticipant_BoundsEndpoints(t *testing.T) {
	const mostKnown, mostMatches, ownKnown, ownMatches = 32 << 20, 4096, 64 << 10, 10
	d := domain()
	p := quiet(t, d)
	empty, _ := p.Known()
	long, many := strings.Repeat("x", 255), make([]byte, 1<<10)
	var names []string
	for k := range 24 {
		names = append(names, fmt.Sprintf("flood%07d", k))
		p.Handle(announcement(d, names[k], "127.0.0.1:9"))
		for n := range 900 {
			e := wire.Endpoint{Topic: long, Type: long, UserData: many}
			if n%4 == 0 {
				e = wire.Endpoint{Topic: "rt/x", Type: dds.TypeName("std_msgs/String")}
			}
			p.Handle(endpoint(names[k], int64(n+1), e))
		}
		bytes, matches := p.Known()
		require.LessOrEqual(t, bytes, mostKnown+len(names)*ownKnown)
		require.LessOrEqual(t, matches, mostMatches+len(names)*ownMatches)
	}
	bytes, matches := p.Known()
	require.Greater(t, bytes, mostKnown+len(names)*ownKnown-(4<<10))
	require.Equal(t, mostMatches+len(names)*ownMatches, matches)
	require.NotZero(t, p.Counts().Rejected)
	for _, name := range names {
		leave(p, name)
	}
	bytes, matches = p.Known()
	require.Zero(t, bytes)
	require.Equal(t, empty, matches)
}

// leave makes a participant handle the farewell of a peer.
func leave(p *dds.Participant, name string) {
	leaveFrom(p, netip.MustParseAddrPort("127.0.0.1:9"), name)
}

// leaveFrom is like leave, for a farewell from a certain socket.
func leaveFrom(p *dds.Participant, from netip.AddrPort, name string) {
	p.HandleFrom(from, farewell(wire.Prefix([]byte(name))))
}

// However many readers others have, each participant has room for a few. Further ones receive
// messages when those that took the room have left, although they are announced only once.
func TestParticipant_MatchesWhenThereIsRoomAgain(t *testing.T) {
	const mostMatches, ownMatches, readers = 4096, 10, 20
	d := domain()
	p := quiet(t, d)
	empty, before := p.Known()
	reader := wire.Endpoint{Topic: "rt/x", Type: dds.TypeName("std_msgs/String")}
	flood := []string{"flood0000000", "flood0000001", "flood0000002"}
	for _, name := range flood {
		p.Handle(announcement(d, name, "127.0.0.1:9"))
		for n := range 2000 {
			p.Handle(endpoint(name, int64(n+1), reader))
		}
	}
	_, matches := p.Known()
	require.Equal(t, mostMatches+len(flood)*ownMatches, matches)
	p.Handle(announcement(d, "peer00000000", "127.0.0.1:9"))
	for n := range readers {
		p.Handle(endpoint("peer00000000", int64(n+1), reader))
	}
	_, with := p.Known()
	require.Equal(t, ownMatches, with-matches)
	for _, name := range flood {
		leave(p, name)
	}
	soon(t, func() bool {
		bytes, matches := p.Known()
		return bytes > empty && matches == before+readers
	})
}

// A peer that announces an endpoint again, unchanged, keeps its place; nothing is sent to it twice.
func TestParticipant_KeepsUnchangedEndpoints(t *testing.T) {
	d := domain()
	p := member(t, d, "quiet", nil)
	p.Lose(func([]byte) bool { return true })
	w, err := p.NewWriter(topic("x", dds.Latched))
	require.NoError(t, err)
	w.Write([]byte{0, 1, 0, 0, 2, 0, 0, 0, 97, 0}, time.Now())
	p.Handle(announcement(d, "peer00000000", "127.0.0.1:9"))
	reader := wire.Endpoint{Topic: "rt/x", Type: dds.TypeName("std_msgs/String"),
		QoS: wire.QoS{Durability: wire.TransientLocal}}
	p.Handle(endpoint("peer00000000", 1, reader))
	soon(t, func() bool {
		n, all := p.Repetitions()
		return n == 1 && all
	}, "the latched sample")
	bytes, matches := p.Known()
	for n := range 5 {
		p.Handle(wire.AppendData(wire.Begin(nil, wire.Prefix([]byte("peer00000000"))),
			&wire.Data{Writer: wire.SubscriptionWriter, Number: int64(n + 2),
				Payload: payloadOf(endpoint("peer00000000", 1, reader))}))
		again, _ := p.Repetitions()
		require.Equal(t, 1, again)
	}
	again, same := p.Known()
	require.Equal(t, bytes, again)
	require.Equal(t, matches, same)
}

// Only what causes work uses up the rate of packets: submessages of strangers or for others count
// nothing but their bytes, a repeated announcement counts less than a new one.
func TestParticipant_PricesWork(t *testing.T) {
	const costIn, costFound = 8 << 10, 64 << 10
	d := domain()
	p := quiet(t, d)
	many := func(b []byte) []byte {
		for n := range 1000 {
			b = wire.AppendData(b, &wire.Data{Writer: wire.SubscriptionWriter, Number: int64(n + 1)})
			b = wire.AppendHeartbeat(b, wire.Unknown, wire.SubscriptionWriter, 1, 1, 1, false)
		}
		return b
	}
	prefix := wire.Prefix([]byte("peer00000000"))
	require.Zero(t, p.Price(many(wire.Begin(nil, prefix))), "a stranger")
	met := announcement(d, "peer00000000", "127.0.0.1:9")
	require.Equal(t, costIn+costFound, p.Price(met))
	require.Equal(t, costIn, p.Price(met), "again")
	other := wire.AppendInfoDestination(wire.Begin(nil, prefix), wire.Prefix([]byte("elsewhere000")))
	require.Zero(t, p.Price(many(other)), "for another participant")
	reader := wire.Endpoint{Topic: "rt/x", Type: dds.TypeName("std_msgs/String")}
	found := endpoint("peer00000000", 1, reader)
	require.Equal(t, costIn+costFound, p.Price(found))
	require.Equal(t, costIn, p.Price(wire.AppendData(wire.Begin(nil, prefix), &wire.Data{Number: 2,
		Writer: wire.SubscriptionWriter, Payload: payloadOf(found)})), "unchanged")
}

// What a submessage makes a participant do counts, too: a few bytes can name thousands of numbers
// and fragments, or begin a long sample.
func TestParticipant_PricesNumbers(t *testing.T) {
	const costIn, costPart = 8 << 10, 128
	d := domain()
	p := quiet(t, d)
	p.Handle(announcement(d, "peer00000000", "127.0.0.1:9"))
	prefix := wire.Prefix([]byte("peer00000000"))
	gap := func(start, end int64) int {
		return p.Price(wire.AppendGap(wire.Begin(nil, prefix), wire.Unknown,
			wire.SubscriptionWriter, start, &wire.Set{Base: end}))
	}
	require.Equal(t, costIn, gap(5, 5))
	require.Equal(t, costIn+900*costPart, gap(100, 1000))
	require.Equal(t, costIn+900*costPart, gap(100, 1000), "again")
	require.Equal(t, costIn+900*costPart, p.Price(wire.AppendHeartbeat(wire.Begin(nil, prefix),
		wire.Unknown, wire.SubscriptionWriter, 2, 2, 1, true)), "the 900 numbers are searched")

	const size, whole = 1000, 200_000
	fragment := func(number int64, k uint32) int {
		return p.Price(wire.AppendData(wire.Begin(nil, prefix), &wire.Data{
			Writer: wire.SubscriptionWriter, Number: number, Payload: make([]byte, size),
			Fragment: k, FragmentSize: size, SampleSize: whole}))
	}
	require.Equal(t, costIn+costPart+whole/size+whole, fragment(2000, 1))
	require.Equal(t, costIn+costPart, fragment(2000, 2))
	require.Equal(t, costIn+costPart+100*size, fragment(2000, 103), "a hole")
	require.Equal(t, costIn+costPart, fragment(2000, 50))
}

// payloadOf returns the payload of the only sample in a packet.
func payloadOf(b []byte) []byte {
	r, _ := wire.Open(b)
	var s wire.Submessage
	r.Next(&s)
	return s.Payload
}

// A peer cannot claim that its built-in entities are readers or writers of our topics, nor that a
// reader is a writer: what they announce would change while it is handled.
func TestParticipant_RefusesBuiltinEndpoints(t *testing.T) {
	d := domain()
	p := quiet(t, d)
	p.Handle(announcement(d, "peer00000000", "127.0.0.1:9"))
	_, before := p.Known()
	prefix := wire.Prefix([]byte("peer00000000"))
	number, rejected := int64(0), p.Counts().Rejected
	for _, id := range []wire.EntityID{wire.PublicationWriter, wire.SubscriptionWriter,
		wire.PublicationReader, {0, 0, 1, wire.KindReader}, {0, 0, 1, 0xc3}, {0, 0, 1, 0}} {
		for _, name := range []string{"std_msgs/String", "std_msgs/Bool"} {
			number++
			p.Handle(builtinClaim(wire.GUID{Prefix: prefix, Entity: id}, number, dds.TypeName(name)))
			_, matches := p.Known()
			require.Equal(t, before, matches, id)
		}
	}
	require.EqualValues(t, number, p.Counts().Rejected-rejected)
	for k, id := range []wire.EntityID{{0, 0, 1, wire.KindWriter}, {0, 0, 3, 0x43}} {
		number++
		p.Handle(builtinClaim(wire.GUID{Prefix: prefix, Entity: id}, number,
			dds.TypeName("std_msgs/String")))
		_, matches := p.Known()
		require.Equal(t, before+k+1, matches, "one of a user or a vendor")
	}
}

// builtinClaim returns the announcement of a writer of x with any identifier.
func builtinClaim(id wire.GUID, number int64, kind string) []byte {
	e := wire.Endpoint{GUID: id, Topic: "rt/x", Type: kind,
		QoS: wire.QoS{Reliable: true, Deadline: wire.Forever, Lease: wire.Forever}}
	return wire.AppendData(wire.Begin(nil, id.Prefix), &wire.Data{Number: number,
		Reader: wire.Unknown, Writer: wire.PublicationWriter, Payload: e.Append(nil)})
}

// Gaps take memory, too, which is bounded for each writer and for all of them.
func TestParticipant_BoundsGaps(t *testing.T) {
	const mostAhead, place, mostBytes, writers = 1024, 192, 128 << 20, 700
	d := domain()
	p := quiet(t, d)
	p.Handle(announcement(d, "peer00000000", "127.0.0.1:9"))
	before := p.Held()
	set := &wire.Set{Base: 1500}
	for n := range wire.MostInSet {
		set.Add(set.Base + int64(n))
	}
	for n := 1; n <= writers; n++ {
		p.Handle(endpoint("peer00000000", int64(n), wire.Endpoint{Topic: "rt/x",
			Type: dds.TypeName("std_msgs/String"), QoS: wire.QoS{Reliable: true}}))
		p.Handle(wire.AppendGap(wire.Begin(nil, wire.Prefix([]byte("peer00000000"))), wire.Unknown,
			wire.EntityID{0, byte(n >> 8), byte(n), wire.KindWriter}, 100, set))
		if n == 1 {
			require.Equal(t, before+mostAhead*place, p.Held())
		}
		require.LessOrEqual(t, p.Held(), mostBytes)
	}
	require.Greater(t, p.Held(), mostBytes-place, "the limit of all writers")
	leave(p, "peer00000000")
	require.Zero(t, p.Held())
}

// A message about the graph that names too many endpoints is refused.
func TestParticipant_RefusesVastGraphs(t *testing.T) {
	const mostEndpoints = 2048
	d := domain()
	p := member(t, d, "node", nil)
	p.Lose(func([]byte) bool { return true })
	p.Handle(announcement(d, "peer00000000", "127.0.0.1:9"))
	p.Handle(endpoint("peer00000000", 1, wire.Endpoint{Topic: "ros_discovery_info",
		Type: "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_",
		QoS:  wire.QoS{Reliable: true, Durability: wire.TransientLocal}}))
	graph := func(number int64, endpoints int) {
		b := cdr.Begin(nil, cdr.Little)
		b = append(b, make([]byte, 16)...)
		b = cdr.Append32(b, 1, cdr.Little)
		b = cdr.AppendString(cdr.AppendString(b, "/", cdr.Little), "vast", cdr.Little)
		b = cdr.Append32(b, uint32(endpoints), cdr.Little)
		for k := range endpoints {
			b = append(b, "peer00000000"...)
			b = append(b, 0, byte(k>>8), byte(k), wire.KindReader)
		}
		b = cdr.Append32(b, 0, cdr.Little)
		p.Handle(wire.AppendData(wire.Begin(nil, wire.Prefix([]byte("peer00000000"))),
			&wire.Data{Writer: wire.EntityID{0, 0, 1, wire.KindWriter}, Number: number,
				Payload: b}))
	}
	graph(1, mostEndpoints)
	require.Zero(t, p.Counts().Rejected)
	known, _ := p.Known()
	graph(2, mostEndpoints+1)
	require.EqualValues(t, 1, p.Counts().Rejected)
	same, _ := p.Known()
	require.Equal(t, known, same)
	require.Greater(t, known, mostEndpoints*64)
}

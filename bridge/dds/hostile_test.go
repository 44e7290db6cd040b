package dds_test

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	require.Eventually(t, func() bool { return w.Matched() == 1 }, 20*time.Second, time.Millisecond)
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
	const mostPeers, mostBytes = 256, 256 << 20
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
	gone := wire.GUID{Prefix: wire.Prefix([]byte("peer00000000")), Entity: wire.ParticipantEntity}
	p.Handle(wire.AppendData(wire.Begin(nil, gone.Prefix), &wire.Data{Number: 2, Status: 3,
		Writer: wire.ParticipantWriter, Key: &gone, Payload: wire.AppendKey(nil, gone)}))
	require.Zero(t, p.Held())
}

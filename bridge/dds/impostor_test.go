package dds_test

import (
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// pair returns a participant with a writer of x, and another one that reads it.
func pair(t *testing.T) (p *dds.Participant, w *dds.Writer, other *dds.Participant, got *box) {
	d := domain()
	p, other, got = member(t, d, "here", nil), member(t, d, "there", nil), &box{}
	w, err := p.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	_, err = other.NewReader(topic("x", dds.Default), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 })
	return p, w, other, got
}

// A program that announces the end of another participant, or a short lease of it, does not
// separate it from us.
func TestParticipant_DoubtsFarewellsInTheNameOfOthers(t *testing.T) {
	p, w, other, got := pair(t)
	id := wire.GUID{Prefix: other.Prefix(), Entity: wire.ParticipantEntity}
	short := wire.Participant{GUID: id, Lease: time.Nanosecond, Endpoints: wire.BuiltinEndpointsSet,
		Domain: -1}
	p.HandleFrom(socket(0), wire.AppendData(wire.Begin(nil, id.Prefix), &wire.Data{Number: 3,
		Writer: wire.ParticipantWriter, Payload: short.Append(nil)}))
	met := p.Counts().Met
	soon(t, func() bool { return p.Owes() == 0 && other.Owes() == 0 })
	// Any acknowledgement denies a farewell, so all are lost until it asked twice.
	var questions atomic.Int32
	p.Lose(func(packet []byte) bool {
		if questioned(packet) && p.Doubts() == 1 {
			questions.Add(1)
		}
		return false
	})
	other.Lose(func([]byte) bool { return questions.Load() < 2 })
	c, err := net.Dial("udp4", p.Address().String())
	require.NoError(t, err)
	soon(t, func() bool { // packets that are on their way may deny a farewell
		_, err := c.Write(farewell(other.Prefix()))
		return err == nil && questions.Load() >= 2
	})
	require.NoError(t, c.Close())
	soon(t, func() bool { return p.Doubts() == 0 })
	require.True(t, p.Knows(other))
	require.Equal(t, met, p.Counts().Met, "not met again")
	w.Write(text("still there"), time.Now())
	soon(t, func() bool { return len(got.take()) == 1 })
}

// questioned reports whether a packet asks a participant for a sign of life.
func questioned(packet []byte) bool {
	const submessage, writer, heartbeat = 36, 44, 7
	return len(packet) >= writer+4 && packet[submessage] == heartbeat &&
		wire.EntityID(packet[writer:writer+4]) == wire.PublicationWriter
}

// A participant that returns at once under the same name and at other addresses is met there,
// although it acknowledges what it receives, and its announcements do not preserve the old ones.
func TestParticipant_MeetsThoseThatReturnElsewhere(t *testing.T) {
	d := domain()
	p := quiet(t, d)
	const name = "honest000000"
	acknowledge := wire.AppendAckNack(wire.Begin(nil, wire.Prefix([]byte(name))),
		wire.SubscriptionReader, wire.SubscriptionWriter, &wire.Set{Base: 1}, 1, true)
	returns := func() { p.HandleFrom(socket(2), announcement(d, name, "127.0.0.1:10")) }
	p.HandleFrom(socket(0), announcement(d, name, "127.0.0.1:9"))
	leaveFrom(p, socket(1), name)
	returns()
	p.HandleFrom(socket(2), acknowledge)
	require.Equal(t, 1, p.Doubts())
	soon(t, func() bool {
		returns()
		return p.Counts().Met == 2
	})
	// If the old one answers, it stays.
	leaveFrom(p, socket(1), name)
	p.HandleFrom(socket(0), announcement(d, name, "127.0.0.1:9"))
	p.HandleFrom(socket(2), acknowledge)
	require.Zero(t, p.Doubts())
	require.EqualValues(t, 2, p.Counts().Met)
}

// A participant that ended is removed soon, even if it sent its farewell from a different socket.
func TestParticipant_RemovesThoseThatDoNotDenyTheirFarewell(t *testing.T) {
	d := domain()
	p := member(t, d, "here", nil)
	p.HandleFrom(socket(0), announcement(d, "honest000000", "127.0.0.1:9"))
	leaveFrom(p, socket(1), "honest000000")
	require.Equal(t, 1, p.Doubts())
	soon(t, func() bool { return p.Counts().Peers == 0 })
	p.HandleFrom(socket(0), announcement(d, "honest000000", "127.0.0.1:9"))
	leaveFrom(p, socket(0), "honest000000")
	require.Zero(t, p.Counts().Peers, "at once")
}

// In a network, only the addresses that a participant announced may send in its name.
func TestParticipant_RefusesOtherAddressesInTheNameOfAPeer(t *testing.T) {
	d := domain()
	p := quiet(t, d)
	p.Away()
	at := netip.MustParseAddrPort
	p.HandleFrom(at("127.0.0.2:9"), announcement(d, "honest000000", "127.0.0.3:9"))
	empty, _ := p.Known()
	for _, attack := range [][]byte{farewell(wire.Prefix([]byte("honest000000"))),
		endpoint("honest000000", 1, wire.Endpoint{Topic: "rt/x",
			Type: dds.TypeName("std_msgs/String")})} {
		rejected := p.Counts().Rejected
		p.HandleFrom(at("127.0.0.4:9"), attack)
		require.Equal(t, rejected+1, p.Counts().Rejected)
	}
	bytes, _ := p.Known()
	require.Equal(t, empty, bytes)
	require.Zero(t, p.Doubts())
	reading(p, at("127.0.0.3:7"), "honest000000")
	bytes, _ = p.Known()
	require.Greater(t, bytes, empty, "an announced address")
	leaveFrom(p, at("127.0.0.2:9"), "honest000000")
	require.Zero(t, p.Counts().Peers)
}

// Impostors with sockets of their own that use our topics cannot be distinguished from others.
// Those that were there first keep their places, and newcomers have to wait until some leave.
func TestPlaces_ImpostorsWithSocketsOfTheirOwn(t *testing.T) {
	warn, warnings := texts()
	d := domain()
	p := member(t, d, "here", warn)
	w, err := p.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	got := &box{}
	first := member(t, d, "first", nil)
	_, err = first.NewReader(topic("x", dds.Default), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 })
	for k := range 2 * places {
		p.HandleFrom(socket(k), announcement(d, impostor(k), "127.0.0.1:9"))
		reading(p, socket(k), impostor(k))
	}
	require.Equal(t, places, p.Counts().Peers)
	require.Equal(t, places, w.Matched())
	w.Write(text("x"), time.Now())
	soon(t, func() bool { return len(got.take()) == 1 }, "the first one")
	late := member(t, d, "late", nil)
	r, err := late.NewReader(topic("x", dds.Default), func(dds.Sample) {})
	require.NoError(t, err)
	soon(t, func() bool {
		return strings.Contains(strings.Join(warnings(), "\n"), "more than 256 other participants")
	})
	require.False(t, p.Knows(late))
	leaveFrom(p, socket(0), impostor(0))
	soon(t, func() bool { return p.Knows(late) && r.Matched() == 1 })
}

// farewell returns the farewell of a participant.
func farewell(of wire.Prefix) []byte {
	gone := wire.GUID{Prefix: of, Entity: wire.ParticipantEntity}
	return wire.AppendData(wire.Begin(nil, of), &wire.Data{Number: 2, Status: 3,
		Writer: wire.ParticipantWriter, Key: &gone, Payload: wire.AppendKey(nil, gone)})
}

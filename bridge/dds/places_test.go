package dds_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

const places = 256

// socket returns the address of a socket that does not exist.
func socket(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(40000+n))
}

// reading makes a participant handle the announcement of a reader of x.
func reading(p *dds.Participant, from netip.AddrPort, name string) {
	p.HandleFrom(from, endpoint(name, 1, wire.Endpoint{Topic: "rt/x",
		Type: dds.TypeName("std_msgs/String")}))
}

// impostor returns the name of a participant that does not exist.
func impostor(n int) string { return fmt.Sprintf("flood%07d", n) }

// full joins a domain with a writer of x, which an honest participant reads, and fills all places
// with what flood does. It checks that the honest participant keeps its place.
func full(t *testing.T, flood func(d int, p *dds.Participant)) (*dds.Participant, *dds.Writer, int) {
	t.Helper()
	d := domain()
	p := member(t, d, "here", nil)
	w, err := p.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	honest := member(t, d, "honest", nil)
	_, err = honest.NewReader(topic("x", dds.Default), func(dds.Sample) {})
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 })
	flood(d, p)
	require.Equal(t, places, p.Counts().Peers)
	require.True(t, p.Knows(honest), "the one that was there first")
	return p, w, d
}

// arrives lets another honest participant join, which must find a place although there is none.
func arrives(t *testing.T, p *dds.Participant, d int) {
	t.Helper()
	late := member(t, d, "late", nil)
	got := &box{}
	r, err := late.NewReader(topic("x", dds.Default), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return r.Matched() == 1 && p.Knows(late) })
	require.Equal(t, places, p.Counts().Peers)
}

// Announcements alone, even from as many sockets, do not keep others away.
func TestPlaces_SilentParticipantsYield(t *testing.T) {
	p, _, d := full(t, func(d int, p *dds.Participant) {
		for k := range 2 * places {
			p.HandleFrom(socket(k), announcement(d, impostor(k), "127.0.0.1:9"))
		}
		require.Equal(t, 1+2*places, p.Counts().Met, "the last one, too")
	})
	arrives(t, p, d)
}

// One program that pretends to be many participants that use our topic does not keep others away.
func TestPlaces_ManyOfOneSocketYield(t *testing.T) {
	p, w, d := full(t, func(d int, p *dds.Participant) {
		for k := range 2 * places {
			p.HandleFrom(socket(0), announcement(d, impostor(k), "127.0.0.1:9"))
			reading(p, socket(0), impostor(k))
		}
	})
	require.Equal(t, places, w.Matched())
	met := p.Counts().Met
	p.HandleFrom(socket(1), announcement(d, "honest000000", "127.0.0.1:9"))
	require.Equal(t, met+1, p.Counts().Met)
	arrives(t, p, d)
}

// Participants that use none of our topics yield, but only after they had time to announce theirs.
func TestPlaces_UselessParticipantsYieldInTime(t *testing.T) {
	p, _, d := full(t, func(d int, p *dds.Participant) {
		for k := range places {
			p.HandleFrom(socket(k), announcement(d, impostor(k), "127.0.0.1:9"))
			p.HandleFrom(socket(k), wire.AppendHeartbeat(wire.Begin(nil,
				wire.Prefix([]byte(impostor(k)))), wire.Unknown, wire.PublicationWriter, 1, 0, 1, false))
		}
	})
	met := p.Counts().Met
	p.HandleFrom(socket(places), announcement(d, impostor(places), "127.0.0.1:9"))
	require.Equal(t, met, p.Counts().Met, "too early")
	p.Age(10 * time.Second)
	p.HandleFrom(socket(places), announcement(d, impostor(places), "127.0.0.1:9"))
	require.Equal(t, met+1, p.Counts().Met)
	arrives(t, p, d)
}

// Participants that use our topics from sockets of their own keep their places.
func TestPlaces_UsersStay(t *testing.T) {
	p, w, d := full(t, func(d int, p *dds.Participant) {
		for k := range places {
			p.HandleFrom(socket(k), announcement(d, impostor(k), "127.0.0.1:9"))
			reading(p, socket(k), impostor(k))
		}
	})
	p.Age(time.Minute)
	met := p.Counts().Met
	for k := range places {
		p.HandleFrom(socket(places+k), announcement(d, impostor(places+k), "127.0.0.1:9"))
	}
	require.Equal(t, met, p.Counts().Met)
	require.Equal(t, places, w.Matched())
}

// In a network, the participants of one address leave places for others.
func TestPlaces_OneAddressTakesHalf(t *testing.T) {
	d := domain()
	p := quiet(t, d)
	p.Away()
	for k := range places {
		from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), uint16(40000+k))
		p.HandleFrom(from, announcement(d, impostor(k), "127.0.0.1:9"))
		reading(p, from, impostor(k))
	}
	require.Equal(t, places/2, p.Counts().Peers)
	for k := range places / 2 {
		p.HandleFrom(socket(k), announcement(d, impostor(places+k), "127.0.0.1:9"))
	}
	require.Equal(t, places, p.Counts().Peers)
}

// Readers that were refused because others had announced too many are found when those have left.
func TestPlaces_RefusedEndpointsAreRequestedAgain(t *testing.T) {
	const readers = 200
	d := domain()
	p := member(t, d, "here", nil)
	long, many := strings.Repeat("x", 255), make([]byte, 1<<10)
	var flood []string
	for k := range 20 {
		flood = append(flood, impostor(k))
		p.HandleFrom(socket(k), announcement(d, flood[k], "127.0.0.1:9"))
		for n := range 900 {
			p.HandleFrom(socket(k), endpoint(flood[k], int64(n+1), wire.Endpoint{Topic: long, Type: long,
				UserData: many}))
		}
	}
	honest := member(t, d, "", nil)
	for n := range readers {
		_, err := honest.NewReader(topic(fmt.Sprint("honest", n), dds.Default), func(dds.Sample) {})
		require.NoError(t, err)
	}
	found := func() (n int) {
		for _, e := range p.Endpoints() {
			if strings.HasPrefix(e.Topic, "rt/honest") {
				n++
			}
		}
		return n
	}
	soon(t, func() bool { return found() > 0 && honest.Owes() == 0 }) // all have been announced
	require.Less(t, found(), readers)
	require.Greater(t, found(), readers/4, "its own part")
	for _, name := range flood {
		leave(p, name)
	}
	soon(t, func() bool { return found() == readers })
}

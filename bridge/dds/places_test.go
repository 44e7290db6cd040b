package dds_test

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

const places = 256

// graphReader is a reader of the graph of ROS 2.
var graphReader = wire.Endpoint{Topic: "ros_discovery_info",
	Type: "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"}

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

// arrives lets another honest participant join, which must get a place although all are taken.
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

// Participants of one program may share a socket. They keep their places when others only announce
// themselves.
func TestPlaces_TwinsStay(t *testing.T) {
	const twins = 16
	d := domain()
	p := quiet(t, d)
	join := func(k, at int) {
		p.HandleFrom(socket(at), announcement(d, impostor(k), "127.0.0.1:9"))
		reading(p, socket(at), impostor(k))
	}
	for k := range twins {
		join(k, 0)
	}
	_, before := p.Known()
	for k := range 2 * places {
		p.HandleFrom(socket(1+k), announcement(d, impostor(1000+k), "127.0.0.1:9"))
	}
	_, after := p.Known()
	require.Equal(t, before, after, "silent ones leave first")
	for k := range 2 * places {
		join(2000+k, 1+k)
	}
	_, after = p.Known()
	require.Equal(t, places/twins*before, after, "all share the topic")
	leaveFrom(p, socket(1), impostor(2000))
	join(twins, 0)
	p.HandleFrom(socket(1000), announcement(d, impostor(3000), "127.0.0.1:9"))
	_, after = p.Known()
	require.Equal(t, (places-1)/twins*before+(twins-1)*before/twins, after, "one too many")
}

// Participants that share nothing but the graph of ROS 2 yield as well, to one of a node, too.
func TestPlaces_GraphIsNoUse(t *testing.T) {
	d := domain()
	p := member(t, d, "here", nil)
	_, err := p.NewWriter(topic("x", dds.Latched))
	require.NoError(t, err)
	p.Lose(func([]byte) bool { return true })
	for k := range places {
		p.HandleFrom(socket(k), announcement(d, impostor(k), "127.0.0.1:9"))
		p.HandleFrom(socket(k), endpoint(impostor(k), 1, graphReader))
	}
	_, matches := p.Known()
	require.Equal(t, places, matches)
	met := p.Counts().Met
	p.Age(10 * time.Second)
	p.HandleFrom(socket(places), announcement(d, impostor(places), "127.0.0.1:9"))
	require.Equal(t, met+1, p.Counts().Met)
}

// The warnings say which limit was reached.
func TestPlaces_WarnsOfTheLimit(t *testing.T) {
	for _, away := range []bool{false, true} {
		d := domain()
		got := &warnings{}
		p := member(t, d, "", got.add)
		p.Lose(func([]byte) bool { return true })
		if away {
			p.Away()
		}
		for k := range places + 1 {
			p.HandleFrom(socket(k), announcement(d, impostor(k), "127.0.0.1:9"))
		}
		want, other := "more than 256 other participants: ", "more than 128 participants of one"
		if away {
			want, other = other, want
		}
		soon(t, func() bool { return strings.Contains(got.all(), want) })
		require.NotContains(t, got.all(), other)
	}
}

// warnings collects the warnings of a participant.
type warnings struct {
	lock sync.Mutex
	text string
}

func (w *warnings) add(text string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.text += text + "\n"
}

func (w *warnings) all() string {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.text
}

// A participant of many on one socket that shared a topic leaves with a warning.
func TestPlaces_WarnsOfUsersThatLeave(t *testing.T) {
	d := domain()
	got := &warnings{}
	p := member(t, d, "", got.add)
	p.Lose(func([]byte) bool { return true })
	_, err := p.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	for k := range places {
		p.HandleFrom(socket(0), announcement(d, impostor(k), "127.0.0.1:9"))
		reading(p, socket(0), impostor(k))
	}
	p.HandleFrom(socket(1), announcement(d, impostor(places), "127.0.0.1:9"))
	require.Contains(t, got.all(), "has lost its place")
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
	p.Age(-time.Hour) // it is too early, however long the test takes
	p.HandleFrom(socket(places), announcement(d, impostor(places), "127.0.0.1:9"))
	require.Equal(t, met, p.Counts().Met)
	p.Age(time.Hour + 10*time.Second)
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

// Names of nodes that were refused are learned when there is room for them, although the node does
// not publish them again.
func TestPlaces_RefusedNamesAreRequestedAgain(t *testing.T) {
	const readers = 120
	d := domain()
	p := member(t, d, "here", nil)
	flood := announceAll(p, d)
	node := strings.Repeat("n", 500) // so that the names alone need more than the node's own part
	honest := member(t, d, node, nil)
	for n := range readers {
		_, err := honest.NewReader(topic(fmt.Sprint("honest", n), dds.Default), func(dds.Sample) {})
		require.NoError(t, err)
	}
	named := func() (n int) {
		for _, e := range p.Endpoints() {
			if strings.HasPrefix(e.Topic, "rt/honest") && strings.HasSuffix(e.Node, node) {
				n++
			}
		}
		return n
	}
	soon(t, func() bool { return p.Knows(honest) && honest.Owes() == 0 })
	require.Less(t, named(), readers)
	for k, name := range flood {
		leaveFrom(p, socket(k), name)
	}
	eventually(t, func() bool { return named() == readers })
}

// announceAll announces readers of participants that do not exist until no memory is left for those
// of others beyond their own part. It returns the names of the participants.
func announceAll(p *dds.Participant, d int) (names []string) {
	long, many := strings.Repeat("x", 255), make([]byte, 1<<10)
	for k := range 20 {
		names = append(names, impostor(k))
		p.HandleFrom(socket(k), announcement(d, names[k], "127.0.0.1:9"))
		for n := range 1000 {
			p.HandleFrom(socket(k), endpoint(names[k], int64(n+1), wire.Endpoint{Topic: long,
				Type: long, UserData: many}))
		}
	}
	return names
}

// Readers that were refused because others had announced too many are found when those have left.
func TestPlaces_RefusedEndpointsAreRequestedAgain(t *testing.T) {
	const readers = 200
	d := domain()
	p := member(t, d, "here", nil)
	flood := announceAll(p, d)
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
	eventually(t, func() bool { return found() > 0 && honest.Owes() == 0 }) // all have been announced
	require.Less(t, found(), readers)
	require.Greater(t, found(), readers/4, "its own part")
	for k, name := range flood {
		leaveFrom(p, socket(k), name)
	}
	eventually(t, func() bool { return found() == readers })
}

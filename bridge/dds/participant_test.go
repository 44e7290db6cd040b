package dds_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

var domains atomic.Int32

// domain returns a domain that other tests on this computer are unlikely to use; its ports are
// below the systems' ephemeral ports.
func domain() int { return 1 + (os.Getpid()+int(domains.Add(1)))%95 }

// member joins a domain.
func member(t *testing.T, domain int, node string, warn func(string)) *dds.Participant {
	t.Helper()
	p, err := dds.Join(dds.Settings{Domain: domain, Address: netip.MustParseAddr("127.0.0.1"),
		Node: node, Warn: warn})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// box collects the samples that a reader receives.
type box struct {
	mu   sync.Mutex
	list []string
}

func (b *box) put(s dds.Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, cdr.NewReader(s.Payload).String())
}

func (b *box) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.list...)
}

// texts collects warnings.
func texts() (warn func(string), all func() []string) {
	b := &box{}
	return func(s string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.list = append(b.list, s)
	}, b.take
}

func text(s string) []byte {
	return cdr.AppendString(cdr.Begin(nil, cdr.Little), s, cdr.Little)
}

// soon waits for a condition that other goroutines bring about.
func soon(t *testing.T, condition func() bool, what ...any) {
	t.Helper()
	require.Eventually(t, condition, 5*time.Minute, time.Millisecond, what...)
}

// eventually is like soon, for a condition that takes long to evaluate.
func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, 5*time.Minute, 200*time.Millisecond)
}

func topic(name string, q dds.QoS) dds.Topic {
	return dds.Topic{Name: "rt/" + name, Type: dds.TypeName("std_msgs/String"), QoS: q}
}

func numbered(from, to int) (list []string) {
	for k := from; k < to; k++ {
		list = append(list, fmt.Sprint(k))
	}
	return list
}

func TestParticipant_Reliable(t *testing.T) {
	d := domain()
	a, b := member(t, d, "a", nil), member(t, d, "", nil)
	w, err := a.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	got := &box{}
	r, err := b.NewReader(topic("x", dds.Default), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 && r.Matched() == 1 })
	for _, s := range numbered(0, 500) {
		w.Write(text(s), time.Now())
	}
	soon(t, func() bool { return len(got.take()) == 500 })
	require.Equal(t, numbered(0, 500), got.take())
	require.Equal(t, uint64(500), a.Counts().Sent)
	require.Equal(t, uint64(500), b.Counts().Received)
	require.Zero(t, a.Counts().Dropped+a.Counts().Rejected+b.Counts().Rejected)
}

// Lost samples are sent again, including fragments and the data of discovery.
func TestParticipant_LossIsRepaired(t *testing.T) {
	d := domain()
	a, b := member(t, d, "a", nil), member(t, d, "b", nil)
	random := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	lose := func([]byte) bool {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(5) == 0
	}
	a.Lose(lose)
	b.Lose(lose)
	q := dds.QoS{Reliable: true, Depth: 100}
	w, err := a.NewWriter(topic("x", q))
	require.NoError(t, err)
	got := &box{}
	r, err := b.NewReader(topic("x", q), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 && r.Matched() == 1 })
	large := make([]byte, 200_000)
	for k := range large {
		large[k] = 'a' + byte(k%26)
	}
	want := []string{}
	for _, s := range numbered(0, 60) {
		if len(want)%10 == 5 {
			s += string(large)
		}
		want = append(want, s)
		w.Write(text(s), time.Now())
		if len(want) == 1 { // a volatile reader begins with the first sample it receives
			soon(t, func() bool { return len(got.take()) == 1 })
		}
	}
	soon(t, func() bool { return len(got.take()) == len(want) })
	require.Equal(t, want, got.take())
	require.NotZero(t, a.Counts().Repeated)
}

func TestParticipant_LatchedForLateReaders(t *testing.T) {
	d := domain()
	a := member(t, d, "a", nil)
	w, err := a.NewWriter(topic("x", dds.QoS{Reliable: true, Latched: true, Depth: 3}))
	require.NoError(t, err)
	for _, s := range numbered(0, 5) {
		w.Write(text(s), time.Now())
	}
	b := member(t, d, "b", nil)
	for _, q := range []dds.QoS{{Reliable: true, Latched: true, Depth: 10},
		{Latched: true, Depth: 10}} {
		got := &box{}
		_, err := b.NewReader(topic("x", q), got.put)
		require.NoError(t, err)
		soon(t, func() bool { return len(got.take()) == 3 })
		require.Equal(t, numbered(2, 5), got.take())
	}
	volatile := &box{}
	r, err := b.NewReader(topic("x", dds.Default), volatile.put)
	require.NoError(t, err)
	soon(t, func() bool { return r.Matched() == 1 && w.Matched() == 3 })
	w.Write(text("5"), time.Now())
	soon(t, func() bool { return len(volatile.take()) == 1 })
	require.Equal(t, []string{"5"}, volatile.take())
}

// linked returns two participants, the writer of a, and the samples received by the reader of b,
// which is one message so far.
func linked(t *testing.T) (a, b *dds.Participant, w *dds.Writer, got *box) {
	t.Helper()
	d := domain()
	a, b = member(t, d, "a", nil), member(t, d, "b", nil)
	w, err := a.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	got = &box{}
	_, err = b.NewReader(topic("x", dds.Default), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 })
	w.Write(text("0"), time.Now())
	soon(t, func() bool { return len(got.take()) == 1 })
	return a, b, w, got
}

// A writer whose reader accepts nothing neither blocks nor grows.
func TestParticipant_SlowReaderIsLeftBehind(t *testing.T) {
	a, b, w, got := linked(t)
	var gone atomic.Bool
	gone.Store(true)
	a.Lose(func(b []byte) bool { return gone.Load() })
	for _, s := range numbered(1, 2001) {
		w.Write(text(s), time.Now())
	}
	soon(t, func() bool { c := a.Counts(); return c.Sent+c.Dropped == 2001 })
	gone.Store(false)
	soon(t, func() bool {
		list := got.take()
		return list[len(list)-1] == "2000"
	})
	require.Less(t, len(got.take()), 2000)
	require.NotZero(t, b.Counts().Missed)
}

func TestParticipant_Mismatches(t *testing.T) {
	d := domain()
	warn, warnings := texts()
	a, b := member(t, d, "a", warn), member(t, d, "b", nil)
	_, err := a.NewWriter(topic("imu", dds.SensorData))
	require.NoError(t, err)
	_, err = a.NewWriter(topic("map", dds.Default))
	require.NoError(t, err)
	_, err = a.NewReader(topic("odd", dds.Default), func(dds.Sample) {})
	require.NoError(t, err)
	_, err = b.NewReader(topic("imu", dds.Default), func(dds.Sample) {})
	require.NoError(t, err)
	_, err = b.NewReader(topic("map", dds.Latched), func(dds.Sample) {})
	require.NoError(t, err)
	odd := topic("odd", dds.Default)
	odd.Type = dds.TypeName("std_msgs/Bool")
	_, err = b.NewWriter(odd)
	require.NoError(t, err)
	soon(t, func() bool { return len(warnings()) == 3 }, warnings)
	require.ElementsMatch(t, []string{
		"/imu: RELIABILITY: the reader wants reliable, the writer offers best effort " +
			"(we are the writer, node /b is the reader): no messages are exchanged",
		"/map: DURABILITY: the reader wants transient local, the writer offers volatile " +
			"(we are the writer, node /b is the reader): no messages are exchanged",
		"/odd: we expect std_msgs/msg/String, node /b publishes std_msgs/msg/Bool: " +
			"no messages are exchanged",
	}, warnings())
}

// Nodes that leave are removed at once and match again when they return. A receive function may
// call the participant.
func TestParticipant_LeavesAndComesBack(t *testing.T) {
	d := domain()
	a := member(t, d, "a", nil)
	w, err := a.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	for range 3 {
		b, err := dds.Join(dds.Settings{Domain: d, Address: netip.MustParseAddr("127.0.0.1"),
			Node: "b"})
		require.NoError(t, err)
		var count atomic.Int32
		_, err = b.NewReader(topic("x", dds.Default), func(s dds.Sample) {
			if b.NodeName(s.Writer) == "/a" { // the name arrives on another topic, maybe later
				count.Add(1)
			}
		})
		require.NoError(t, err)
		soon(t, func() bool { return w.Matched() == 1 })
		soon(t, func() bool { w.Write(text("x"), time.Now()); return count.Load() > 0 })
		require.NoError(t, b.Close())
		soon(t, func() bool { return w.Matched() == 0 && a.Counts().Peers == 0 })
	}
}

func TestParticipant_Domains(t *testing.T) {
	_, err := dds.Join(dds.Settings{Domain: 233, Address: netip.MustParseAddr("127.0.0.1")})
	require.ErrorIs(t, err, dds.ErrDomain)
	_, err = dds.Join(dds.Settings{Address: netip.MustParseAddr("192.0.2.77")})
	require.ErrorIs(t, err, dds.ErrDomain)
	require.ErrorContains(t, err, "192.0.2.77")
	_, err = dds.Join(dds.Settings{Address: netip.MustParseAddr("::1")})
	require.ErrorIs(t, err, dds.ErrDomain)
}

// Two domains do not meet, and a participant of another domain on the same ports is ignored.
func TestParticipant_OtherDomainsAreIgnored(t *testing.T) {
	d := domain()
	a, b := member(t, d, "a", nil), member(t, d, "b", nil)
	soon(t, func() bool { return a.Counts().Peers == 1 && b.Counts().Peers == 1 })
	c := member(t, domain(), "c", nil)
	require.Zero(t, c.Counts().Peers)
}

// A time stamp in nanoseconds arrives unchanged.
func TestParticipant_Stamps(t *testing.T) {
	d := domain()
	a, b := member(t, d, "a", nil), member(t, d, "b", nil)
	w, err := a.NewWriter(topic("x", dds.Latched))
	require.NoError(t, err)
	made := time.Unix(12, 345_678_901)
	w.Write(text("x"), made)
	got := make(chan time.Time, 1)
	_, err = b.NewReader(topic("x", dds.Latched), func(s dds.Sample) { got <- s.Made })
	require.NoError(t, err)
	require.True(t, made.Equal(<-got))
}

// entities returns the graph message of a participant with a single node that has one writer, with
// identifiers of the given size.
func entities(id wire.GUID, node string, size int) []byte {
	gid := func(b []byte, g wire.GUID) []byte {
		bytes := g.Bytes()
		return append(append(b, bytes[:]...), make([]byte, size-16)...)
	}
	self := wire.GUID{Prefix: id.Prefix, Entity: wire.ParticipantEntity}
	b := cdr.Append32(gid(cdr.Begin(nil, cdr.Little), self), 1, cdr.Little)
	b = cdr.AppendString(cdr.AppendString(b, "/", cdr.Little), node, cdr.Little)
	b = cdr.Append32(cdr.Append32(b, 0, cdr.Little), 1, cdr.Little)
	return gid(b, id)
}

// The graph of ROS 2 Humble has identifiers of 24 bytes. Its nodes are also found by name, and ours
// are written in the same format until a newer node appears.
func TestParticipant_GraphOfHumble(t *testing.T) {
	d := domain()
	a := member(t, d, "a", nil)
	require.Equal(t, 16, a.GIDs())
	for k, size := range []int{24, 16} {
		name := fmt.Sprint("x", k)
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p := member(t, d, "", nil)
			_, err := p.NewWriter(topic(name, dds.Default))
			require.NoError(t, err)
			graph, err := p.NewWriter(dds.Topic{Name: "ros_discovery_info",
				Type: "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_", QoS: dds.Latched})
			require.NoError(t, err)
			found := func() (l dds.Listing) {
				for _, e := range a.Endpoints() {
					if e.Topic == "rt/"+name {
						l = e
					}
				}
				return l
			}
			soon(t, func() bool { return found().Topic != "" })
			graph.Write(entities(found().GUID, "node", size), time.Now())
			soon(t, func() bool { return found().Node == "/node" && a.GIDs() == size })
			graph.Write(entities(found().GUID, "node", 20), time.Now())
			soon(t, func() bool { return a.Counts().Rejected == uint64(k)+1 })
		})
	}
}

// A simulation that is stopped in a debugger or waits for a slow FMU makes no calls. Its
// participant nevertheless announces itself and outlives its lease.
func TestParticipant_StaysWhileASimulationStandsStill(t *testing.T) {
	if testing.Short() {
		t.Skip("waits longer than a lease")
	}
	d := domain()
	a, b := member(t, d, "a", nil), member(t, d, "b", nil)
	w, err := a.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	got := &box{}
	_, err = b.NewReader(topic("x", dds.Default), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 })
	time.Sleep(dds.Lease + time.Second)
	require.Equal(t, 1, w.Matched())
	require.Equal(t, 1, b.Counts().Met, "it has never been away")
	w.Write(text("on"), time.Now())
	soon(t, func() bool { return len(got.take()) == 1 })
}

// Participants take the next pair of ports if one is in use. If none is left, the error names the
// address and the ports.
func TestParticipant_PortsAreTaken(t *testing.T) {
	d := domain()
	address := netip.MustParseAddr("127.0.0.1")
	take := func(port int) {
		s, err := net.ListenUDP("udp4",
			net.UDPAddrFromAddrPort(netip.AddrPortFrom(address, uint16(port))))
		if err == nil { // otherwise another program has it
			t.Cleanup(func() { _ = s.Close() })
		}
	}
	first := 7400 + 250*d + 10
	take(first)     // of discovery
	take(first + 3) // of samples
	a, b := member(t, d, "a", nil), member(t, d, "b", nil)
	soon(t, func() bool { return a.Counts().Peers == 1 && b.Counts().Peers == 1 })
	for k := range 120 {
		take(first + 2*k)
	}
	_, err := dds.Join(dds.Settings{Domain: d, Address: address})
	require.ErrorIs(t, err, dds.ErrDomain)
	require.ErrorContains(t, err,
		fmt.Sprintf("address 127.0.0.1, ports %d to %d", first, first+239))
	require.ErrorContains(t, err, "choose a different domain")
}

// Messages of a type in another version, recognized by its hash, are accepted with a warning.
func TestParticipant_OtherVersionsOfATypeAreReported(t *testing.T) {
	d := domain()
	texts := make(chan string, 10)
	p := member(t, d, "ours", func(text string) { texts <- text })
	hashed := func(digits string) dds.Topic {
		x := topic("x", dds.Default)
		x.UserData = "typehash=RIHS01_" + strings.Repeat(digits, 32) + ";"
		return x
	}
	w, err := p.NewWriter(hashed("a1"))
	require.NoError(t, err)
	other := member(t, d, "theirs", nil)
	for _, digits := range []string{"a1", "00", "b2"} { // the same, none, another one
		_, err = other.NewReader(hashed(digits), func(dds.Sample) {})
		require.NoError(t, err)
	}
	soon(t, func() bool { return len(texts) == 1 })
	require.Equal(t, "/x: node /theirs has a different version of std_msgs/msg/String (type hash): "+
		"messages may be misinterpreted", <-texts)
	soon(t, func() bool { return w.Matched() == 3 })
	require.Empty(t, texts)
}

//go:build linux

package clients

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// participants are the clients over DDS.
var participants = []func(ctx context.Context, domain string){
	publishes(16, 10*time.Millisecond), // harmless by itself
	publishes(16, 0), publishes(1<<20-64, 0), joins,
	floods(introduction), floods(discovery), floods(garbage), floods(fragment),
}

var here = netip.MustParseAddr("127.0.0.1")

var text = dds.Topic{Name: "rt/text", Type: dds.TypeName("std_msgs/String"), QoS: dds.Default}

// publishes writes texts, with pauses between them.
func publishes(length int, pause time.Duration) func(context.Context, string) {
	return func(ctx context.Context, domain string) {
		n, _ := strconv.Atoi(domain)
		p, err := dds.Join(dds.Settings{Domain: n, Address: here})
		if err != nil {
			return
		}
		defer func() { _ = p.Close() }()
		w, err := p.NewWriter(text)
		for err == nil && ctx.Err() == nil {
			if w.Matched() == 0 {
				time.Sleep(time.Millisecond)
				continue
			}
			w.Write(publication(length)[5:], time.Now())
			time.Sleep(pause)
		}
	}
}

// joins enters the domain and leaves it again.
func joins(ctx context.Context, domain string) {
	n, _ := strconv.Atoi(domain)
	for ctx.Err() == nil {
		if p, err := dds.Join(dds.Settings{Domain: n, Address: here}); err == nil {
			_, _ = p.NewReader(text, func(dds.Sample) {})
			_ = p.Close()
		}
	}
}

// floods sends packets to the first four participants, of which the bridge is one, as fast as it
// can.
func floods(packet func(domain int, random *rand.Rand) []byte) func(context.Context, string) {
	return func(ctx context.Context, domain string) {
		n, _ := strconv.Atoi(domain)
		conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(here, 0)))
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		random := rand.New(rand.NewPCG(1, 2))
		for k := 0; ctx.Err() == nil; k++ {
			port := uint16(7410 + 250*n + k%8)
			_, _ = conn.WriteToUDPAddrPort(packet(n, random), netip.AddrPortFrom(here, port))
		}
	}
}

// discovered waits until a bridge has joined the domain. It then has one of the first ports, to
// which the floods go.
func discovered(t testing.TB, ctx context.Context, domain string) {
	t.Helper()
	n, err := strconv.Atoi(domain)
	require.NoError(t, err)
	p, err := dds.Join(dds.Settings{Domain: n, Address: here})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	for p.Counts().Peers == 0 {
		require.NoError(t, ctx.Err(), "the bridge has not joined the domain")
		time.Sleep(time.Millisecond)
	}
}

// impostor returns the identifier of one of many participants that do not exist.
func impostor(random *rand.Rand) wire.GUID {
	id := wire.GUID{Entity: wire.ParticipantEntity}
	binary.LittleEndian.PutUint16(id.Prefix[:], uint16(random.IntN(1<<12)))
	return id
}

// introduction announces a participant.
func introduction(domain int, random *rand.Rand) []byte {
	id := impostor(random)
	at := []netip.AddrPort{netip.AddrPortFrom(here, uint16(20000+random.IntN(10000)))}
	p := wire.Participant{GUID: id, Lease: time.Hour, Endpoints: wire.BuiltinEndpointsSet,
		Domain: domain, Meta: at, User: at}
	return wire.AppendData(wire.Begin(nil, id.Prefix), &wire.Data{Number: 1,
		Writer: wire.ParticipantWriter, Payload: p.Append(nil)})
}

// discovery announces a reader of a participant.
func discovery(_ int, random *rand.Rand) []byte {
	id := impostor(random)
	number := random.IntN(1 << 12)
	e := wire.Endpoint{GUID: wire.GUID{Prefix: id.Prefix, Entity: wire.EntityID{0,
		byte(number >> 8), byte(number), wire.KindReader}}, Topic: text.Name, Type: text.Type,
		QoS: wire.QoS{Deadline: wire.Forever, Lease: wire.Forever}}
	return wire.AppendData(wire.Begin(nil, id.Prefix), &wire.Data{Number: int64(number),
		Writer: wire.SubscriptionWriter, Payload: e.Append(nil)})
}

// garbage is not a packet after its head.
func garbage(_ int, random *rand.Rand) []byte {
	b := wire.Begin(nil, impostor(random).Prefix)
	for range 1000 {
		b = append(b, byte(random.Uint32()))
	}
	return b
}

// fragment is a part of a large message that is never completed.
func fragment(_ int, random *rand.Rand) []byte {
	return wire.AppendData(wire.Begin(nil, impostor(random).Prefix), &wire.Data{
		Writer: wire.EntityID{0, 0, 1, wire.KindWriter}, Number: int64(random.IntN(1 << 20)),
		Fragment: 1, FragmentSize: 1 << 10, SampleSize: 64 << 20, Payload: make([]byte, 1<<10)})
}

package dds_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// sender is a participant with a writer of x.
type sender struct {
	p    *dds.Participant
	from netip.AddrPort
	name string
}

func sends(d int, p *dds.Participant, from netip.AddrPort, name string) sender {
	p.HandleFrom(from, announcement(d, name, "127.0.0.1:9"))
	p.HandleFrom(from, endpoint(name, 1, wire.Endpoint{Topic: "rt/x",
		Type: dds.TypeName("std_msgs/String"), QoS: wire.QoS{Reliable: true}}))
	return sender{p, from, name}
}

// fragment sends a part of a sample of some parts.
func (s sender) fragment(number int64, fragment, parts int) {
	part := make([]byte, 1<<15)
	s.p.HandleFrom(s.from, wire.AppendData(wire.Begin(nil, wire.Prefix([]byte(s.name))), &wire.Data{
		Writer: wire.EntityID{0, 0, 1, wire.KindWriter}, Number: number, Fragment: uint32(fragment),
		FragmentSize: len(part), SampleSize: parts * len(part), Payload: part}))
}

// flood claims as much memory as possible, for samples of decreasing size.
func (s sender) flood(first int64) {
	const largest, open = 11, 8
	for k := range open {
		s.fragment(first+int64(k), 1, 1<<(largest-k))
	}
}

// TestShare: participants that claim all memory for incomplete samples, again and again, displace
// neither the samples of others nor keep new ones away. In a network, all participants of an address
// count as one.
func TestShare(t *testing.T) {
	const parts, mostBytes = 200, 128 << 20
	at := func(host byte, port uint16) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, host}), port)
	}
	for name, away := range map[string]bool{"one machine": false, "network": true} {
		t.Run(name, func(t *testing.T) {
			d := domain()
			p := quiet(t, d)
			if away {
				p.Away()
			}
			var crowd []sender
			for k := range uint16(20) { // of one socket, or else of sockets of one address
				from := at(2, 40000)
				if away {
					from = at(2, 40000+k)
				}
				crowd = append(crowd, sends(d, p, from, impostor(int(k))))
			}
			honest := sends(d, p, at(3, 50000), "peer00000000")
			for _, s := range crowd {
				s.flood(100)
			}
			require.Greater(t, p.Held(), mostBytes-parts<<15, "no room for another sample")
			before := p.Counts().Received
			for k := 1; k <= parts; k++ {
				honest.fragment(1, k, parts)
				crowd[k%len(crowd)].flood(int64(100 * k))
				require.LessOrEqual(t, p.Held(), mostBytes)
			}
			require.Equal(t, before+1, p.Counts().Received)
		})
	}
}

// TestShare_Equal: a sender that has as much as the others does not displace them.
func TestShare_Equal(t *testing.T) {
	d := domain()
	p := quiet(t, d)
	first, second := sends(d, p, socket(1), impostor(1)), sends(d, p, socket(2), impostor(2))
	const parts = 1<<11 - 100 // nearly half of the memory
	first.fragment(1, 1, parts)
	second.fragment(1, 1, parts)
	held := p.Held()
	before := p.Counts().Rejected
	for range 3 {
		second.fragment(2, 1, parts)
		first.fragment(2, 1, parts)
	}
	require.Equal(t, held, p.Held())
	require.Equal(t, before+6, p.Counts().Rejected)
}

// TestShare_Price: a refusal of what has no room costs the same however many writers there are, and
// only once for all numbers of a submessage.
func TestShare_Price(t *testing.T) {
	const costIn, costPart, mostBytes = 8 << 10, 128, 128 << 20
	d := domain()
	p := quiet(t, d)
	s := sends(d, p, socket(1), impostor(1))
	const writers = 500
	for k := int64(2); k <= writers; k++ {
		p.HandleFrom(s.from, endpoint(s.name, k, wire.Endpoint{Topic: "rt/x",
			Type: dds.TypeName("std_msgs/String"), QoS: wire.QoS{Reliable: true}}))
	}
	s.flood(100)
	gap := func(writer byte) int {
		return p.Price(wire.AppendGap(wire.Begin(nil, wire.Prefix([]byte(s.name))), wire.Unknown,
			wire.EntityID{0, 0, writer, wire.KindWriter}, 10, &wire.Set{Base: 1000}))
	}
	for k := range byte(4) {
		gap(2 + k) // takes the rest
	}
	require.Greater(t, p.Held(), mostBytes-192)
	require.Equal(t, costIn+costPart, gap(10))
}

package dds_test

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// Thousands of participants that one machine announces, each with readers, writers and texts of the
// largest size, take no more memory than 256 participants, and at most half of the places.
// Participants that were there before keep exchanging messages, and later ones from another machine
// are accepted.
func TestParticipant_ThousandsOfOneMachine(t *testing.T) {
	const (
		thousands, mostPeers = 8000, 256
		mostKnown, ownKnown  = 32 << 20, 64 << 10
	)
	d := domain()
	p := quiet(t, d)
	p.Away()
	topic := wire.Endpoint{Topic: "rt/x", Type: dds.TypeName("std_msgs/String")}
	honest := netip.MustParseAddrPort("127.0.0.2:7410")
	p.HandleFrom(honest, announcement(d, "honest000000", honest.String()))
	p.HandleFrom(honest, endpoint("honest000000", 1, topic))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	empty := heap()
	for _, sockets := range []int{1, 3000} {
		for k := range thousands {
			from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.3"), uint16(20_000+k%sockets))
			name := fmt.Sprintf("flood%07d", k)
			p.HandleFrom(from, announcement(d, name, from.String()))
			p.HandleFrom(from, endpoint(name, 1, topic))
			p.HandleFrom(from, endpoint(name, 2, wire.Endpoint{Topic: fmt.Sprintf("rt/%0250d", k),
				Type: "T", UserData: make([]byte, 30<<10)}))
		}
		require.LessOrEqual(t, p.Counts().Peers, 1+mostPeers/2)
		bytes, _ := p.Known()
		require.LessOrEqual(t, bytes, mostKnown+mostPeers*ownKnown)
	}
	require.Less(t, heap(), empty+2*mostKnown)
	for _, name := range []string{"late00000000", "late00000001"} {
		from := netip.MustParseAddrPort("127.0.0.4:7410")
		peers := p.Counts().Peers
		p.HandleFrom(from, announcement(d, name, from.String()))
		require.Equal(t, peers+1, p.Counts().Peers)
	}
	_, before := p.Known()
	leaveFrom(p, honest, "honest000000")
	_, after := p.Known()
	require.Equal(t, before-1, after, "it was still there")
}

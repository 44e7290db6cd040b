package dds

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"gosmp/internal/fault"
)

// Constants for RTPS ports (9.6.1.1).
const (
	portBase        = 7400
	portDomain      = 250
	portParticipant = 2
	portMeta        = 10
	portUser        = 11
	mostIndex       = 119
)

// probed is the number of participants of a domain that are looked for at each address of this
// computer.
const probed = 32

// receiveBuffer is the requested buffer size; the system may grant less.
const receiveBuffer = 4 << 20

// largestDatagram is the maximum size of a UDP datagram over IPv4.
const largestDatagram = 65507

var group = netip.AddrFrom4([4]byte{239, 255, 0, 1})

// network holds the sockets of a participant and the addresses to which it may send.
type network struct {
	address  netip.Addr
	loopback bool
	index    int // of the participant at its address
	meta     *net.UDPConn
	user     *net.UDPConn
	sockets  []*net.UDPConn // all sockets that are listened on
	local    []netip.Prefix // of the interface; for loopback, the addresses of this machine
	probes   []netip.AddrPort
	// for tests: reports whether to drop a packet
	loses atomic.Pointer[func(packet []byte, to netip.AddrPort) bool]
}

// listen opens the sockets.
func listen(domain int, address netip.Addr) (*network, error) {
	n := &network{address: address, loopback: address.IsLoopback()}
	place := fault.At("address " + address.String())
	refuse := func(found string, cause error) error {
		return fault.New(ErrDomain, place, found,
			"an IPv4 address of this machine, such as 127.0.0.1").WithCause(cause)
	}
	if !address.Is4() {
		return nil, refuse("an address other than IPv4", nil)
	}
	device, err := n.neighbours()
	if err != nil || len(n.local) == 0 {
		return nil, refuse("an address that belongs to no network interface", err)
	}
	base := portBase + portDomain*domain
	if err := n.bind(base); err != nil {
		return nil, err
	}
	n.sockets = []*net.UDPConn{n.meta, n.user}
	_ = n.meta.SetReadBuffer(receiveBuffer) // a smaller buffer is fine
	_ = n.user.SetReadBuffer(receiveBuffer)
	if !n.loopback {
		heard, err := net.ListenMulticastUDP("udp4", device, net.UDPAddrFromAddrPort(
			netip.AddrPortFrom(group, uint16(base))))
		if err != nil {
			return nil, errors.Join(refuse("no multicast", err), n.close())
		}
		n.sockets = append(n.sockets, heard)
		n.probes = append(n.probes, netip.AddrPortFrom(group, uint16(base)))
	}
	for k := range probed {
		port := uint16(base + portMeta + portParticipant*k)
		if k != n.index && int(port) == base+portMeta+portParticipant*k {
			n.probes = append(n.probes, netip.AddrPortFrom(address, port))
		}
	}
	return n, nil
}

// neighbours finds the interface of the address and the networks that can be reached through it. On
// loopback, these are all addresses of this machine, because participants also announce the address
// of their first interface there.
func (n *network) neighbours() (device *net.Interface, err error) {
	devices, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	for k := range devices {
		list, err := devices[k].Addrs()
		if err != nil {
			continue // the interface just disappeared
		}
		for _, a := range list {
			prefix, err := netip.ParsePrefix(a.String())
			if err != nil || !prefix.Addr().Is4() {
				continue
			}
			own := prefix.Contains(n.address) && (n.loopback || prefix.Addr() == n.address)
			if own {
				device = &devices[k]
				n.local = append(n.local, prefix)
			} else {
				n.local = append(n.local, netip.PrefixFrom(prefix.Addr(), prefix.Addr().BitLen()))
			}
		}
	}
	if device == nil {
		n.local = nil
	}
	return device, nil
}

// bind binds the first free pair of ports.
func (n *network) bind(base int) (err error) {
	at := func(port int) (*net.UDPConn, error) {
		return net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(n.address,
			uint16(port))))
	}
	for n.index = 0; n.index <= mostIndex; n.index++ {
		first := base + portMeta + portParticipant*n.index
		if first+1 > 1<<16-1 {
			break
		}
		if n.meta, err = at(first); err != nil {
			continue
		}
		if n.user, err = at(first + 1); err == nil {
			return nil
		}
		_ = n.meta.Close()
	}
	return fault.New(ErrDomain, fault.At(fmt.Sprintf("address %s, ports %d to %d", n.address,
		base+portMeta, base+portUser+portParticipant*mostIndex)), "",
		"a free pair of ports").
		WithCause(err).WithHint("choose a different domain, or end " +
		"participants that are not needed")
}

// allows reports whether the participant may send to an address.
func (n *network) allows(a netip.Addr) bool {
	for _, p := range n.local {
		if p.Contains(a) {
			return p.IsSingleIP() || n.loopback || a != last(p)
		}
	}
	return false
}

// last returns the last address of a network, which is its broadcast address.
func last(p netip.Prefix) netip.Addr {
	a := p.Masked().Addr().As4()
	for bit := p.Bits(); bit < 8*len(a); bit++ {
		a[bit/8] |= 0x80 >> (bit % 8)
	}
	return netip.AddrFrom4(a)
}

// best returns the address at which a peer is reached: a loopback address if it has one, or else
// the first allowed address.
func (n *network) best(offered []netip.AddrPort) (best netip.AddrPort, ok bool) {
	for _, a := range offered {
		if !n.allows(a.Addr()) {
			continue
		}
		if n.loopback && a.Addr().IsLoopback() {
			return a, true
		}
		if !ok {
			best, ok = a, true
		}
	}
	return best, ok
}

// send sends a packet, which may be lost.
func (n *network) send(b []byte, to netip.AddrPort) {
	if loses := n.loses.Load(); loses == nil || !(*loses)(b, to) {
		_, _ = n.user.WriteToUDPAddrPort(b, to)
	}
}

func (n *network) close() (err error) {
	for _, s := range n.sockets {
		err = errors.Join(err, s.Close())
	}
	return err
}

// metaAddress and userAddress return the addresses at which the participant listens.
func (n *network) metaAddress() netip.AddrPort { return addressOf(n.meta) }
func (n *network) userAddress() netip.AddrPort { return addressOf(n.user) }

func addressOf(c *net.UDPConn) netip.AddrPort {
	a, _ := c.LocalAddr().(*net.UDPAddr)
	return netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), uint16(a.Port))
}

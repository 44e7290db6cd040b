package dds

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"gosmp/bridge/dds/wire"
	"gosmp/internal/fault"
)

// ErrDomain is the kind of errors about domains that cannot be joined.
var ErrDomain = errors.New("DDS domain not joined")

// MostDomain is the largest domain number: the ports of the next one would not exist.
const MostDomain = 232

// Settings configure how a participant joins a domain.
type Settings struct {
	Domain  int
	Address netip.Addr // an IPv4 address of this machine, which selects the network
	// Node is the name of the ROS 2 node. If it is empty, there is no node, as in plain DDS.
	Node string
	Warn func(text string) // called for each warning, from any goroutine; may be nil
}

// Times of the protocol.
const (
	lease    = 5 * time.Second
	announce = time.Second
	farewell = 2 * time.Second // time for readers with missing samples when a participant leaves
)

// Participant is a member of a domain. All its methods can be called from any goroutine.
type Participant struct {
	settings Settings
	guid     wire.GUID
	net      *network
	started  time.Time

	mu      sync.Mutex
	peers   map[wire.Prefix]*peer
	writers []*Writer // the built-in ones first
	readers []*Reader
	keys    byte // number of entities created
	graph   *Writer
	gids    int  // size of identifiers in the graph
	modern  bool // a peer is newer than Humble
	reports reports
	counts  Counts
	closed  bool
	ticked  time.Time // when the clock checked for due actions
	frag    fragments
	known   budget // bytes kept of endpoints and names of peers
	matches budget // pairs of own endpoints and endpoints of peers
	wanted  int    // repetitions that readers are waiting for
	intake  intake
	spent   int  // price of the current packet
	crowded bool // pairs were refused because there were too many
	freed   bool // pairs have ended since then
	full    bool // endpoints were refused because there were too many
	packed  bool // participants were refused or replaced because there were too many
	massed  bool // the same, because there were too many of one address
	ousted  bool // a participant that shares topics with us was replaced

	publications, subscriptions *Writer                       // of discovery
	signs                       *Writer                       // of life
	signed                      [wire.ManualByTopic]time.Time // the newest ones
	// A writer that is manual by participant wrote since the newest sign.
	spoken bool

	wake  chan struct{} // there is something to send
	done  chan struct{} // closed when the participant leaves
	tasks sync.WaitGroup
}

// Join joins a domain.
func Join(s Settings) (*Participant, error) {
	if s.Domain < 0 || s.Domain > MostDomain {
		return nil, fault.New(ErrDomain, fault.At(fmt.Sprintf("domain %d", s.Domain)), "",
			fmt.Sprintf("0 to %d", MostDomain))
	}
	n, err := listen(s.Domain, s.Address)
	if err != nil {
		return nil, err
	}
	if s.Warn == nil {
		s.Warn = func(string) {}
	}
	now := time.Now()
	p := &Participant{settings: s, net: n, started: now, ticked: now,
		peers: map[wire.Prefix]*peer{}, gids: gidSize,
		known:   budget{own: ownKnown, common: mostKnown},
		matches: budget{own: ownMatches, common: mostMatches},
		frag:    fragments{by: map[netip.AddrPort]int{}},
		wake:    make(chan struct{}, 1), done: make(chan struct{})}
	p.reports.init()
	p.guid.Entity = wire.ParticipantEntity
	_, _ = rand.Read(p.guid.Prefix[:]) // never fails
	copy(p.guid.Prefix[:], wire.Vendor[:])
	p.builtin()
	if s.Node != "" {
		if err := p.joinGraph(); err != nil {
			return nil, errors.Join(err, n.close())
		}
	}
	p.start()
	return p, nil
}

// start starts listening and announcing.
func (p *Participant) start() {
	for _, s := range p.net.sockets {
		p.tasks.Go(func() { p.listen(s) })
	}
	p.tasks.Go(p.clock)
	p.tasks.Go(p.send)
}

// entity returns the identifier of the next reader or writer.
func (p *Participant) entity(kind byte) wire.GUID {
	p.keys++
	return wire.GUID{Prefix: p.guid.Prefix, Entity: wire.EntityID{0, 0x10, p.keys, kind}}
}

// mostEntities bounds the readers and writers of a participant.
const mostEntities = 250

// room returns an error if there are no identifiers left for another entity. The caller holds the
// lock.
func (p *Participant) room(topic string) error {
	if int(p.keys) < mostEntities && !p.closed {
		return nil
	}
	return fault.New(ErrDomain, fault.At(topic), "too many topics",
		fmt.Sprintf("at most %d readers and writers", mostEntities))
}

// wakeUp makes the sender look for something to send.
func (p *Participant) wakeUp() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Close leaves the domain. Before that, it sends missing samples to reliable readers for at most
// two seconds.
func (p *Participant) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	p.mu.Unlock()
	p.drain()
	e := effects{}
	p.mu.Lock()
	p.depart(&e)
	p.mu.Unlock()
	p.perform(&e)
	close(p.done)
	err := p.net.close()
	p.tasks.Wait()
	return err
}

// drain waits until everything has been sent, and acknowledged by reliable readers.
func (p *Participant) drain() {
	const pause = 2 * time.Millisecond
	for end := time.Now().Add(farewell); time.Now().Before(end); time.Sleep(pause) {
		p.mu.Lock()
		left := false
		for _, w := range p.writers {
			left = left || w.owes()
		}
		p.mu.Unlock()
		if !left {
			return
		}
	}
}

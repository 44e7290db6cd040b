package dds

import (
	"time"

	"gosmp/bridge/cdr"
	"gosmp/bridge/dds/wire"
)

// The topic on which ROS 2 participants announce their nodes (rmw_dds_common,
// ParticipantEntitiesInfo).
const (
	graphTopic = "ros_discovery_info"
	graphType  = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
	mostNodes  = 1024 // of a participant
	longName   = 256
)

// joinGraph makes the participant a node.
func (p *Participant) joinGraph() error {
	t := Topic{Name: graphTopic, Type: graphType, QoS: QoS{Reliable: true, Latched: true, Depth: 1}}
	w, err := p.NewWriter(t)
	if err != nil {
		return err
	}
	r, err := p.NewReader(t, nil)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.graph = w
	r.internal = p.learn
	p.regraph()
	return nil
}

// Sizes of identifiers in the graph: ROS 2 up to Humble pads them with zeros.
const (
	gidSize       = 16
	gidSizeHumble = 24
)

// regraph publishes the list of readers and writers of the node. The caller holds the lock.
func (p *Participant) regraph() {
	if p.graph == nil {
		return
	}
	filler := make([]byte, p.gids-gidSize)
	b := cdr.Begin(nil, cdr.Little)
	id := p.guid.Bytes()
	b = append(append(b, id[:]...), filler...)
	b = cdr.Append32(b, 1, cdr.Little)
	b = cdr.AppendString(b, "/", cdr.Little)
	b = cdr.AppendString(b, p.settings.Node, cdr.Little)
	ids := func(count int, guid func(k int) wire.GUID) {
		b = cdr.Append32(b, uint32(count), cdr.Little)
		for k := range count {
			one := guid(k).Bytes()
			b = append(append(b, one[:]...), filler...)
		}
	}
	readers, writers := p.readers[builtinReaders:], p.writers[builtinWriters:]
	ids(len(readers), func(k int) wire.GUID { return readers[k].guid })
	ids(len(writers), func(k int) wire.GUID { return writers[k].guid })
	p.graph.write(b, time.Now())
	p.wakeUp()
}

// learn reads the nodes of a peer. It also chooses the size of our identifiers, which is that of
// Humble if all nodes in the graph are from Humble or earlier.
func (p *Participant) learn(h held, from *writerProxy) {
	if h.status != 0 || len(h.payload) == 0 {
		return
	}
	nodes, ok := nodesOf(h.payload, gidSize)
	if ok {
		p.modern = true
	} else if nodes, ok = nodesOf(h.payload, gidSizeHumble); !ok {
		p.counts.Rejected++
		return
	}
	for g, name := range nodes {
		if g.Prefix == from.peer.data.GUID.Prefix {
			p.name(from.peer, g.Entity, name)
		}
	}
	size := gidSizeHumble
	if p.modern {
		size = gidSize
	}
	if p.gids != size {
		p.gids = size
		p.regraph()
	}
}

// nodesOf reads the nodes of readers and writers whose identifiers have the given size; ok is false
// if the message does not end with them.
func nodesOf(payload []byte, size int) (nodes map[wire.GUID]string, ok bool) {
	r := cdr.NewReader(payload)
	nodes = map[wire.GUID]string{}
	r.Skip(size, 1)
	for n := r.Count(16, mostNodes); n > 0 && r.Err() == nil; n-- {
		space, name := r.Text(), r.Text()
		full := string(name)
		if len(space)+len(name) > 2*longName {
			return nil, false
		}
		if len(space) > 0 {
			full = string(space) + "/" + full
			if space[len(space)-1] == '/' {
				full = string(space) + string(name)
			}
		}
		for range 2 { // readers, then writers
			for k := r.Count(size, mostEndpoints-len(nodes)); k > 0 && r.Err() == nil; k-- {
				var id [gidSize]byte
				for j := range id {
					id[j] = r.Uint8()
				}
				r.Skip(size-gidSize, 1)
				nodes[wire.GUIDOf(id)] = full
			}
		}
	}
	return nodes, r.End() == nil
}

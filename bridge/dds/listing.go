package dds

import (
	"cmp"
	"slices"
	"strings"

	"gosmp/bridge/dds/wire"
)

// Listing describes a reader or a writer of another participant.
type Listing struct {
	Topic, Type string // their names in DDS
	Writes      bool
	QoS         wire.QoS
	Hash        string // of the type, "RIHS01_..."; empty without one
	Node        string // or the identifier, if no node is known
	GUID        wire.GUID
}

// Describes returns the QoS in ROS 2 terms: "reliable, volatile".
func (l *Listing) Describes() string {
	word := "best effort"
	if l.QoS.Reliable {
		word = "reliable"
	}
	return word + ", " + durability(l.QoS.Durability)
}

// Endpoints lists the endpoints that other participants of the domain announced so far, by topic,
// writers first.
func (p *Participant) Endpoints() (list []Listing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.peers {
		for _, o := range q.endpoints {
			name, _ := p.nodeName(o.GUID)
			list = append(list, Listing{o.Topic, o.Type, o.writer, o.QoS, hashOf(o.UserData), name,
				o.GUID})
		}
	}
	slices.SortFunc(list, func(a, b Listing) int {
		order := cmp.Or(strings.Compare(a.Topic, b.Topic), strings.Compare(a.Type, b.Type))
		if order == 0 && a.Writes != b.Writes {
			order = 1
			if a.Writes {
				order = -1
			}
		}
		return cmp.Or(order, strings.Compare(a.Node, b.Node), strings.Compare(a.GUID.String(),
			b.GUID.String()))
	})
	return list
}

// hashOf returns the type hash in the user data of an endpoint.
func hashOf(data []byte) string {
	for _, part := range strings.Split(string(data), ";") {
		if hash, is := strings.CutPrefix(part, hashKey); is {
			return hash
		}
	}
	return ""
}

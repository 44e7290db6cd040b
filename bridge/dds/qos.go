package dds

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/bridge"
	"gosmp/bridge/dds/wire"
)

// QoS is the quality of service that a topic offers or requests.
type QoS = bridge.QoS

// The profiles of ROS 2.
var (
	Default    = QoS{Reliable: true, Depth: 10}
	SensorData = QoS{Depth: 5}
	Latched    = QoS{Reliable: true, Latched: true, Depth: 1}
)

// Liveliness defines a publisher's signs of life.
type Liveliness = bridge.Liveliness

// Kinds of liveliness.
const (
	Automatic           = bridge.Automatic
	ManualByParticipant = bridge.ManualByParticipant
	ManualByTopic       = bridge.ManualByTopic
)

// policies returns the QoS in the form in which it is announced; all other policies have their
// defaults.
func policies(q QoS) wire.QoS {
	p := wire.QoS{Reliable: q.Reliable, Deadline: wire.Forever, Lease: wire.Forever,
		Liveliness: wire.Liveliness(q.Liveliness)}
	if q.Deadline > 0 {
		p.Deadline = q.Deadline
	}
	if q.Lease > 0 {
		p.Lease = q.Lease
	}
	if q.Latched {
		p.Durability = wire.TransientLocal
	}
	return p
}

// Topic is a topic in DDS terms.
type Topic struct {
	Name, Type string
	QoS        QoS
	UserData   string // "typehash=RIHS01_...;" in ROS 2
}

// mismatch returns the reason why a writer's offer does not meet a reader's request, or "" if it
// does. The rules follow DDS 1.4, 2.2.3; for the representations, DDS-XTypes 1.3, 7.6.3.1.1.
func mismatch(writer, reader *wire.Endpoint) string {
	w, r := &writer.QoS, &reader.QoS
	wants := func(policy, wanted, offered string) string {
		return fmt.Sprintf("%s: the reader wants %s, the writer offers %s", policy, wanted, offered)
	}
	switch {
	case r.Reliable && !w.Reliable:
		return wants("RELIABILITY", "reliable", "best effort")
	case r.Durability > w.Durability:
		return wants("DURABILITY", durability(r.Durability), durability(w.Durability))
	case r.Deadline < w.Deadline:
		return wants("DEADLINE", span(r.Deadline), span(w.Deadline))
	case r.Liveliness > w.Liveliness:
		return wants("LIVELINESS", liveliness(r.Liveliness), liveliness(w.Liveliness))
	case r.Lease < w.Lease:
		return wants("LIVELINESS", "a lease of "+span(r.Lease), span(w.Lease))
	case r.Ownership != w.Ownership:
		return "OWNERSHIP: one side is shared, the other exclusive"
	case !samePartition(w.Partitions, r.Partitions):
		return fmt.Sprintf("PARTITION: the reader has %q, the writer %q", r.Partitions,
			w.Partitions)
	case !represents(w.Representations, r.Representations):
		return "DATA_REPRESENTATION: only XCDR1 is supported here"
	case writer.GUID.Entity.IsKeyed() != reader.GUID.Entity.IsKeyed():
		return "keys: one side has a type with keys, which are not supported here"
	}
	return ""
}

// liveliness returns a kind of liveliness in words.
func liveliness(l wire.Liveliness) string {
	return strings.ReplaceAll(bridge.Liveliness(min(l, wire.ManualByTopic)).String(), "_", " ")
}

func durability(d wire.Durability) string {
	words := [...]string{"volatile", "transient local", "transient", "persistent"}
	return words[min(int(d), len(words)-1)]
}

func span(d interface{ String() string }) string {
	if d == wire.Forever {
		return "forever"
	}
	return d.String()
}

// samePartition compares partitions without wildcards. The default partition is the empty name.
func samePartition(a, b []string) bool {
	if len(a) == 0 {
		a = []string{""}
	}
	if len(b) == 0 {
		b = []string{""}
	}
	return slices.ContainsFunc(a, func(name string) bool {
		return slices.Contains(b, name) || name == "*" || slices.Contains(b, "*")
	})
}

// represents reports whether the reader accepts the representation of the writer, which is its
// first one.
func represents(offered, accepted []int16) bool {
	if len(offered) == 0 {
		offered = []int16{0}
	}
	if len(accepted) == 0 {
		accepted = []int16{0}
	}
	return slices.Contains(accepted, offered[0])
}

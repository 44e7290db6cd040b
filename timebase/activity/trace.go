package activity

import (
	"slices"
	"strings"
)

// TraceLine is the part of the trace that belongs to one activity or one channel entry.
type TraceLine struct {
	Name  string
	Count uint64 // cycles of the activity, data of the entry
	Hash  uint64
}

// Trace returns the inputs of every activity and the data of every entry, as hashes, in the order
// of names. It shows where two runs differ. It is empty unless [NodeSpec].Trace is set. Payloads
// are represented by their codec's bytes. A node with Trace rejects channels without a codec, and
// stops with an error of [Node.Err] at a datum that its codec rejects.
func (n *Node) Trace() []TraceLine {
	if !n.spec.Trace {
		return nil
	}
	var lines []*TraceLine
	for _, a := range n.acts {
		lines = append(lines, &TraceLine{a.String(), a.cycles, a.trace})
	}
	for _, c := range n.channels {
		for _, e := range c.entries {
			lines = append(lines, &TraceLine{e.String(), e.tail, e.trace})
		}
	}
	for _, l := range n.retired {
		lines = append(lines, &TraceLine{l.Name + ", closed", l.Count, l.Hash})
	}
	slices.SortStableFunc(
		lines,
		func(a, b *TraceLine) int { return strings.Compare(a.Name, b.Name) },
	)
	list := make([]TraceLine, len(lines))
	for i, l := range lines {
		list[i] = *l
	}
	return list
}

// TraceHash returns one number for the whole trace. It is the same for the same program on a
// virtual clock, regardless of the number of managers and the order in which its parts were
// created.
func (n *Node) TraceHash() uint64 {
	h := newHash()
	for _, l := range n.Trace() {
		h = mixBytes(h, []byte(l.Name))
		h = mix(mix(h, l.Count), l.Hash)
	}
	return h
}

func (a *Activity) traceCycle(c *Cycle) {
	var flags uint64
	if c.Safe {
		flags = 4
	}
	if c.First {
		flags |= 1
	}
	if c.Last {
		flags |= 2
	}
	a.trace = mix(mix(mix(a.trace, uint64(c.Span.Start)), uint64(c.Span.End)), flags)
}

func newHash() uint64 { return 0xcbf29ce484222325 }

// mix adds a word to a hash: the multiplication of FNV with the finalizer of a 64-bit mixer, so
// that every bit of v affects every bit of h.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func mixBytes(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return mix(h, uint64(len(b)))
}

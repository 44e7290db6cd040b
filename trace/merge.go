package trace

import (
	"container/heap"
	"errors"
	"io"
)

// Merge joins sources into one that returns messages in the order of their times and, at equal
// times, in the order of the sources. The result is sorted only if each source is. The channels of
// the sources stay separate, so a topic may occur twice. Closing the result closes all sources.
func Merge(sources ...Source) Source {
	m := &merged{sources: sources, info: Info{Format: MCAP, Size: -1, Messages: -1}}
	for k, s := range sources {
		if k == 0 {
			m.info.Name, m.info.Metadata = s.Info().Name, s.Info().Metadata
		}
		m.heads = append(m.heads, &head{source: s, rank: k})
	}
	m.fresh = m.heads
	m.heads = nil
	return m
}

type merged struct {
	sources []Source
	info    Info
	fresh   []*head // whose next message must be read
	heads   heads
}

type head struct {
	source  Source
	rank    int
	message *Message
}

// Info implements [Source].
func (m *merged) Info() *Info { return &m.info }

// Channels implements [Source].
func (m *merged) Channels() (list []*Channel) {
	for _, s := range m.sources {
		list = append(list, s.Channels()...)
	}
	return list
}

// Next implements [Source].
func (m *merged) Next() (*Message, error) {
	for _, h := range m.fresh {
		message, err := h.source.Next()
		if errors.Is(err, io.EOF) {
			continue
		}
		if err != nil {
			return nil, err
		}
		h.message = message
		heap.Push(&m.heads, h)
	}
	m.fresh = m.fresh[:0]
	if len(m.heads) == 0 {
		return nil, io.EOF
	}
	h := heap.Pop(&m.heads).(*head)
	m.fresh = append(m.fresh, h)
	return h.message, nil
}

// Close implements [Source].
func (m *merged) Close() error {
	var errs []error
	for _, s := range m.sources {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// heads is a heap ordered by message time, then by the order of the sources.
type heads []*head

func (h heads) Len() int { return len(h) }
func (h heads) Less(i, j int) bool {
	if h[i].message.Time != h[j].message.Time {
		return h[i].message.Time < h[j].message.Time
	}
	return h[i].rank < h[j].rank
}
func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *heads) Push(v any) { *h = append(*h, v.(*head)) }

// Pop implements [heap.Interface].
func (h *heads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

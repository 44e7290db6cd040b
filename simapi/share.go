package simapi

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"gosmp/internal/pause"
)

// room is memory that the connections of a server share. It is fair to addresses: the address that
// uses the least of it is served first, and whoever sends or receives slowly loses its share if
// others need it and their addresses do not use more.
type room struct {
	mu      sync.Mutex
	left    int
	of      map[string]int // bytes by address
	shares  []*share       // in the order in which they were taken
	waiting []*share       // in the order of arrival
}

// share is the part of a room that a connection uses for a frame or a request.
type share struct {
	room    *room
	address string
	bytes   int
	lose    func()        // ends the connection; nil: the share is not lost
	granted chan struct{} // closed when a waiting share gets its room

	limit *pause.Repeated // nil if the share is not lost
	slow  bool
	over  bool // given back, or lost
}

func newRoom(bytes int) *room { return &room{left: bytes, of: map[string]int{}} }

func (r *room) newShare(address string, bytes int, lose func()) *share {
	s := &share{room: r, address: address, bytes: bytes, lose: lose, granted: make(chan struct{})}
	if lose != nil {
		s.limit = pause.NewRepeated(s.late)
	}
	return s
}

// has takes room if there is enough, or if others have to give way: also those that are not slow,
// if their address uses more nevertheless. Otherwise, it returns nil. Function lose must not wait.
func (r *room) has(address string, bytes int, lose func()) *share {
	s := r.newShare(address, bytes, lose)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.find(s, func(o *share) bool {
		return o.slow || o.address != address && r.of[o.address]-o.bytes >= r.of[address]+bytes
	}) {
		return nil
	}
	r.enter(s)
	return s
}

// take waits until there is enough room, but not beyond the end of the context.
func (r *room) take(ctx context.Context, address string, bytes int, lose func()) (*share, error) {
	s := r.newShare(address, bytes, lose)
	r.mu.Lock()
	r.waiting = append(r.waiting, s)
	r.serve()
	r.mu.Unlock()
	select {
	case <-s.granted:
		return s, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := slices.Index(r.waiting, s)
	if k < 0 { // granted at the last moment
		return s, nil
	}
	r.waiting = slices.Delete(r.waiting, k, k+1)
	r.serve()
	return nil, context.Cause(ctx)
}

// serve grants room to those who wait: first to addresses that use little of it, then to short
// frames.
func (r *room) serve() {
	for len(r.waiting) > 0 {
		next := slices.MinFunc(r.waiting, func(a, b *share) int {
			return cmp.Or(cmp.Compare(r.of[a.address], r.of[b.address]),
				cmp.Compare(a.bytes, b.bytes))
		})
		if !r.find(next, func(o *share) bool { return o.slow }) {
			return
		}
		k := slices.Index(r.waiting, next)
		r.waiting = slices.Delete(r.waiting, k, k+1)
		r.enter(next)
		close(next.granted)
	}
}

// find reports whether there is enough room for a share, which other shares may lose: of the
// addresses that use the most, those that were taken first.
func (r *room) find(s *share, loses func(*share) bool) bool {
	if r.left >= s.bytes {
		return true
	}
	var list []*share
	for _, o := range r.shares {
		if o.lose != nil && loses(o) && (o.address == s.address ||
			r.of[o.address] >= r.of[s.address]+s.bytes) {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b *share) int {
		return cmp.Compare(r.of[b.address], r.of[a.address])
	})
	enough, n := r.left, 0
	for ; n < len(list) && enough < s.bytes; n++ {
		enough += list[n].bytes
	}
	if enough < s.bytes {
		return false
	}
	for _, o := range list[:n] {
		r.remove(o)
		o.lose()
	}
	return true
}

func (r *room) enter(s *share) {
	r.left -= s.bytes
	r.of[s.address] += s.bytes
	r.shares = append(r.shares, s)
	if s.limit != nil {
		s.limit.Start(slowness)
	}
}

func (r *room) remove(s *share) {
	s.over = true
	r.left += s.bytes
	if r.of[s.address] -= s.bytes; r.of[s.address] == 0 {
		delete(r.of, s.address)
	}
	r.shares = slices.DeleteFunc(r.shares, func(o *share) bool { return o == s })
}

// late is called when a frame or a reply takes long.
func (s *share) late() {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.slow = true
	s.room.serve()
}

// keep makes the share permanent until it is given back. It reports false if it is lost already.
func (s *share) keep() bool {
	if s.limit != nil {
		s.limit.Stop()
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.lose = nil
	return !s.over
}

// give gives the room back.
func (s *share) give() {
	if s == nil {
		return
	}
	if s.limit != nil {
		s.limit.Stop()
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if !s.over {
		s.room.remove(s)
		s.room.serve()
	}
}

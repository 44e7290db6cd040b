package activity

// ring is a first-in-first-out store whose elements keep their sequence number for life: the
// element pushed as number n is number n until it is dropped. It grows by doubling and never
// shrinks, so steady use allocates nothing. It is for elements without pointers: a dropped element
// stays in memory until its place is used again.
type ring[E any] struct {
	buf        []E // length is a power of two, or 0
	head, tail uint64
}

func (r *ring[E]) len() int { return int(r.tail - r.head) }

// at returns element number seq, which must lie in [head, tail).
func (r *ring[E]) at(seq uint64) *E { return &r.buf[seq&uint64(len(r.buf)-1)] }

func (r *ring[E]) first() *E { return r.at(r.head) }

func (r *ring[E]) last() *E { return r.at(r.tail - 1) }

func (r *ring[E]) push(e E) { *r.add() = e }

// add adds an element at the end and returns its address, so that large elements need not be
// copied.
func (r *ring[E]) add() *E {
	if r.len() == len(r.buf) {
		r.grow()
	}
	r.tail++
	return r.last()
}

func (r *ring[E]) grow() {
	bigger := ring[E]{buf: make([]E, max(4, 2*len(r.buf))), head: r.head, tail: r.tail}
	for i := r.head; i != r.tail; i++ {
		*bigger.at(i) = *r.at(i)
	}
	*r = bigger
}

// drop forgets the oldest element.
func (r *ring[E]) drop() { r.head++ }

// restart empties r and numbers the next element seq.
func (r *ring[E]) restart(seq uint64) {
	r.head, r.tail = seq, seq
}

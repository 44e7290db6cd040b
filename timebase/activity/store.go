package activity

// store holds the values of an entry by their sequence numbers, see entry. It is an interface
// because the entry does not depend on their type.
type store interface {
	// grow makes room for size values without moving the readable ones; it copies the values in
	// [from, to).
	grow(from, to uint64, size int)
	// settle makes readers use the memory allocated by the latest grow.
	settle()
	// forget clears the references of a value.
	forget(seq uint64)
	// address returns the *T of a value, in the writer's room if ahead is set.
	address(seq uint64, ahead bool) any
}

// payloads is the store for values of type T.
type payloads[T any] struct {
	data  []T
	ahead []T // the slice that the writer writes to, see entry.ahead
}

// at returns the address of value number seq, as readers see it.
func (p *payloads[T]) at(seq uint64) *T { return &p.data[seq&uint64(len(p.data)-1)] }

// put returns the address of value number seq for the writer.
func (p *payloads[T]) put(seq uint64) *T { return &p.ahead[seq&uint64(len(p.ahead)-1)] }

func (p *payloads[T]) grow(from, to uint64, size int) {
	bigger := make([]T, size)
	for i := from; i != to; i++ {
		bigger[i&uint64(size-1)] = *p.put(i)
	}
	p.ahead = bigger
}

func (p *payloads[T]) settle() { p.data = p.ahead }

func (p *payloads[T]) forget(seq uint64) {
	var zero T
	*p.at(seq) = zero
}

func (p *payloads[T]) address(seq uint64, ahead bool) any {
	if ahead {
		return p.put(seq)
	}
	return p.at(seq)
}

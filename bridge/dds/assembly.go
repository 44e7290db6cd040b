package dds

import (
	"slices"

	"gosmp/bridge/dds/wire"
)

// Limits for samples that arrive in fragments.
const (
	largestSample = 64 << 20
	mostFragments = 1 << 17
	mostHole      = 4 << 20   // missing bytes before a fragment
	firstRoom     = 1 << 18   // bytes allocated for a new sample
	mostOpen      = 8         // samples of one writer
	mostOpenBytes = 128 << 20 // of all writers, including samples waiting for their turn
	// Bytes of a sample of discovery, none of which is nearly as large.
	largestInternal = 256 << 10
)

// assembly is a sample some of whose fragments have arrived.
type assembly struct {
	number int64
	b      []byte // up to the last fragment received
	whole  int    // the size of the sample
	size   int    // of a fragment
	has    []bool
	first  int // fragments at the beginning that have arrived
	left   int // missing fragments
}

func (w *writerProxy) assembly(number int64) *assembly {
	for _, a := range w.open {
		if a.number == number {
			return a
		}
	}
	return nil
}

// assemble adds fragments and returns the payload once the sample is complete.
func (w *writerProxy) assemble(s *wire.Submessage) []byte {
	if _, has := w.ahead[s.Number]; has || s.Number < w.next {
		return nil
	}
	a := w.assembly(s.Number)
	if a == nil {
		a = w.openAssembly(s)
	}
	if a == nil || a.whole != s.SampleSize || a.size != s.FragmentSize {
		w.reader.p.counts.Rejected++
		return nil
	}
	payload := s.Payload
	for k := int(s.Fragment) - 1; k < int(s.Fragment)-1+s.Fragments; k++ {
		w.reader.p.spent += costPart
		begin, end := k*a.size, min((k+1)*a.size, a.whole)
		if k >= len(a.has) || len(payload) < end-begin || begin > len(a.b)+mostHole {
			w.reader.p.counts.Rejected++
			return nil
		}
		w.reader.p.spent += max(begin-len(a.b), 0) // a hole costs as much as what fills it
		a.put(k, begin, payload[:end-begin])
		payload = payload[end-begin:]
	}
	if a.left > 0 {
		return nil
	}
	w.forget(a)
	return a.b
}

// bytes returns the memory that the sample may need until it is complete.
func (a *assembly) bytes() int { return a.whole + len(a.has) }

// put adds a fragment.
func (a *assembly) put(k, begin int, part []byte) {
	if a.has[k] {
		return
	}
	if end := begin + len(part); end > len(a.b) {
		a.b = append(a.b, make([]byte, end-len(a.b))...)
	}
	copy(a.b[begin:], part)
	a.has[k] = true
	a.left--
}

// openAssembly starts the assembly of a sample, or returns nil if the sample is too large or there
// is no room. The oldest assembly of the writer is dropped if there are too many.
func (w *writerProxy) openAssembly(s *wire.Submessage) *assembly {
	count := (s.SampleSize + s.FragmentSize - 1) / s.FragmentSize
	largest := largestSample
	if w.reader.internal != nil {
		largest = largestInternal
	}
	if s.SampleSize > largest || count > mostFragments || !w.room(s.SampleSize+count) {
		return nil
	}
	if len(w.open) >= mostOpen {
		w.forget(w.open[0])
	}
	a := &assembly{number: s.Number, whole: s.SampleSize, size: s.FragmentSize,
		has: make([]bool, count), left: count, b: make([]byte, 0, min(s.SampleSize, firstRoom))}
	w.reader.p.frag.count(w.peer.sender, a.bytes())
	w.reader.p.spent += count + cap(a.b)
	w.open = append(w.open, a)
	return a
}

func (w *writerProxy) forget(a *assembly) {
	w.reader.p.frag.count(w.peer.sender, -a.bytes())
	w.open = slices.DeleteFunc(w.open, func(o *assembly) bool { return o == a })
}

// close drops the assemblies up to a number.
func (w *writerProxy) close(number int64) {
	for k := len(w.open) - 1; k >= 0; k-- {
		if w.open[k].number <= number {
			w.forget(w.open[k])
		}
	}
}

// lackFragments requests the missing fragments of a sample.
func (w *writerProxy) lackFragments(number int64, e *effects) {
	a := w.assembly(number)
	if a == nil || !w.reliable {
		return
	}
	for a.has[a.first] { // it lacks at least one
		a.first++
	}
	lacks := wire.Set{Base: int64(a.first) + 1}
	for k := a.first; k < len(a.has) && k < a.first+wire.MostInSet; k++ {
		if !a.has[k] {
			lacks.Add(int64(k) + 1)
		}
	}
	w.acks++
	e.begin(w.reader.p, w.peer)
	e.bytes = wire.AppendNackFragments(e.bytes, w.reader.guid.Entity, w.guid.Entity, number,
		&lacks, w.acks)
	e.sendTo(w.to)
}

package mcap

// A message may be intact even if its length is damaged or damage follows it. It is kept as
// possibly altered.

// messageHead is the length of a message record without its data, and without opcode and length.
const messageHead = 2 + 4 + 8 + 8

// fragment keeps a message outside of chunks whose stated length is not followed by a record. The
// message ends where the next records begin, or after the stated length if that comes first. found
// is false if the length is right, or if the end of the message is unknown.
func (r *recovery) fragment(at int64, length uint64, rest int64) (next int64, found bool) {
	const fields = 9 + messageHead
	fits := length <= uint64(max(0, rest))
	last := at + 9 + max(0, rest)
	if fits {
		last = at + 9 + int64(length)
		if last == r.size || r.follows(last) {
			return 0, false
		}
	}
	for next = at + fields; next < last && !r.chain(next); {
		next++
	}
	if next >= last && !fits || next > last || r.err != nil {
		return 0, false
	}
	record, err := parse(OpMessage, r.bytes(at+9, next-at-9), at)
	if err != nil || r.err != nil {
		return 0, false
	}
	r.loss.Damaged++
	r.loss.note(at, "a message that states %d bytes, after which no record follows", length)
	r.keep(record, altered)
	return next, true
}

// chain reports whether two records follow each other at an offset, or one that ends the file.
func (r *recovery) chain(at int64) bool {
	for range 2 {
		if indexed, _ := r.indexedAt(at); indexed != nil {
			return true
		}
		head := r.head(at)
		if len(head) < 9 {
			return string(head) == Magic
		}
		op, length := Opcode(head[0]), le.Uint64(head[1:])
		if op == 0 || op > OpDataEnd || length < uint64(least[op]) ||
			length > uint64(r.size-at-9) {
			return false
		}
		at += 9 + int64(length)
	}
	return true
}

// unrollFragment is like [recovery.fragment] for the bytes of a damaged chunk that precede its next
// records.
func (r *recovery) unrollFragment(bytes []byte, at int64) {
	const fields = 9 + messageHead
	if len(bytes) < fields || Opcode(bytes[0]) != OpMessage {
		return
	}
	if record, err := parse(OpMessage, bytes[9:], at); err == nil {
		r.keep(record, altered)
	}
}

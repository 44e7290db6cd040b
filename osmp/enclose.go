package osmp

// firstLead is enough room for what precedes the input in most messages that contain one. It is a
// multiple of the size of a cache line.
const firstLead = 512

// Enclose begins a message with head and the bytes of a non-empty input. Append the rest, and pass
// the result to Publish. In FMI 2.0 the bytes are copied from the host's memory. In FMI 3.0 the
// host's call that sets the input has to copy them in any case; from the first such message on, it
// can copy them directly to their position in the next message, so that they are not copied twice:
// the block leaves room for the head before them.
//
// An input keeps its value until it is set again. As long as it lies in a block, only messages that
// surround it are built there.
func (o *Output) Enclose(head, data []byte, in *Input) []byte {
	if !o.place.IsBinary || !in.place.IsBinary || o.waits == messageWaits {
		return append(append(o.Buffer(), head...), data...)
	}
	o.guest = in
	if o.lead < len(head) {
		o.lead = (2*len(head) + firstLead - 1) / firstLead * firstLead
	}
	s := &o.sides[1-o.live]
	end := o.lead + len(data)
	here := len(data) > 0 && end <= len(s.bytes) && &data[0] == &s.bytes[o.lead]
	if end > len(s.bytes) || !here && o.occupied(s.block) {
		return append(append(o.Buffer(), head...), data...)
	}
	if !here {
		copy(s.bytes[o.lead:], data)
	}
	o.begin = o.lead - len(head)
	copy(s.bytes[o.begin:], head)
	return s.bytes[o.begin:end]
}

// occupied reports whether the guest lies in a block.
func (o *Output) occupied(b block) bool {
	return o.guest != nil && b.holds(o.values.Adopted(o.guest.place.Full))
}

// offer makes the spare block the place for the guest's next value.
func (o *Output) offer() {
	if o.guest == nil {
		return
	}
	var bytes []byte
	s := &o.sides[1-o.live]
	if o.waits != messageWaits && len(s.bytes) > o.lead {
		bytes = s.bytes[o.lead:]
	}
	o.values.Offer(o.guest.place.Full, bytes, s.address+uint64(o.lead))
}

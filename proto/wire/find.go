package wire

// Each calls visit with the content of every occurrence of the Len field num in message b, and returns how many there
// were. With a merge function as visit it decodes a singular message as proto2 demands:
//
//	n, err := wire.Each(view, 2, timestamp.Merge)
//
// An error of visit ends the walk; it is returned with its offset counted from the begin of b. The whole of b is
// walked, so an error after the last occurrence is found too.
func Each(b []byte, num Number, visit func(content []byte) error) (int, error) {
	n := 0
	want := Key(num)<<3 | Len
	r := NewReader(b)
	for r.Next() {
		if r.Key() == want {
			n++
			r.Nested(visit(r.Bytes()))
		}
	}
	return n, r.Err()
}

// FindTimestamp returns the osi3.Timestamp that is field num of message b, and whether there is one.
func FindTimestamp(b []byte, num Number) (Timestamp, bool, error) {
	var t Timestamp
	n, err := Each(b, num, t.Merge)
	return t, n > 0, err
}

// FindIdentifier returns the value of the osi3.Identifier that is field num of message b, and whether there is one.
func FindIdentifier(b []byte, num Number) (uint64, bool, error) {
	var id uint64
	n, err := Each(b, num, func(content []byte) error { return MergeIdentifier(&id, content) })
	return id, n > 0, err
}

// FindMountingPosition returns the osi3.MountingPosition that is field num of message b, in m and rad, and whether there
// is one.
func FindMountingPosition(b []byte, num Number) (position Vector3d, orientation Orientation3d, found bool, err error) {
	n, err := Each(b, num, func(content []byte) error {
		return MergeMountingPosition(&position, &orientation, content)
	})
	return position, orientation, n > 0, err
}

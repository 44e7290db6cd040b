package wire

// FindIdentifier returns the value of the osi3.Identifier that is field num of message b. It is not
// found if there is no such field or b is not well-formed.
func FindIdentifier(b []byte, num Number) (id uint64, found bool) {
	found = each(b, num, func(content []byte) bool { return MergeIdentifier(content, &id) })
	return id, found
}

// FindMountingPosition returns the osi3.MountingPosition that is field num of message b, in m and
// rad. It is not found if there is no such field or b is not well-formed.
func FindMountingPosition(b []byte, num Number) (position Vector3d, orientation Orientation3d,
	found bool) {
	found = each(b, num, func(content []byte) bool {
		for i := 0; i < len(content); {
			key, lo, hi := Field(content, i)
			ok := hi >= 0
			switch {
			case ok && key == 1<<3|Len:
				ok = position.Merge(content[lo:hi])
			case ok && key == 2<<3|Len:
				ok = orientation.Merge(content[lo:hi])
			}
			if !ok {
				return false
			}
			i = hi
		}
		return true
	})
	return position, orientation, found
}

// each calls merge with the content of every Len field num of message b. It returns true if there
// is at least one and all are well-formed.
func each(b []byte, num Number, merge func(content []byte) bool) (found bool) {
	for i := 0; i < len(b); {
		key, lo, hi := Field(b, i)
		if hi < 0 {
			return false
		}
		if key == Key(num)<<3|Len {
			if !merge(b[lo:hi]) {
				return false
			}
			found = true
		}
		i = hi
	}
	return found
}

// First returns the content of the first Len field num of message b. Encoders write fields in the
// order of their numbers, so a field with a low number is found without reading a large message. It
// is not found if num is 0 or b is not well-formed before it.
func First(b []byte, num Number) (content []byte, found bool) {
	for i := 0; i < len(b) && num != 0; {
		key, lo, hi := Field(b, i)
		if hi < 0 {
			return nil, false
		}
		if key == Key(num)<<3|Len {
			return b[lo:hi], true
		}
		i = hi
	}
	return nil, false
}

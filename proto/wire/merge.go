package wire

// Vector3d is osi3.Vector3d as read.
type Vector3d struct{ X, Y, Z float64 }

// Orientation3d is osi3.Orientation3d as read, in rad, or its rates.
type Orientation3d struct{ Roll, Pitch, Yaw float64 }

// Merge reads the content of an osi3.Vector3d, or of another message of three doubles with the
// numbers 1 to 3, into v. Components missing from the content stay unchanged. It returns false if
// the content is not a message.
func (v *Vector3d) Merge(content []byte) bool {
	for i := 0; i < len(content); {
		key, lo, hi := Field(content, i)
		if hi < 0 {
			return false
		}
		switch key {
		case 1<<3 | Fixed64:
			v.X = Double(content[lo:])
		case 2<<3 | Fixed64:
			v.Y = Double(content[lo:])
		case 3<<3 | Fixed64:
			v.Z = Double(content[lo:])
		}
		i = hi
	}
	return true
}

// Merge reads the content of an osi3.Orientation3d into o, as [Vector3d.Merge] does.
func (o *Orientation3d) Merge(content []byte) bool {
	v := Vector3d{o.Roll, o.Pitch, o.Yaw}
	ok := v.Merge(content)
	*o = Orientation3d{v.X, v.Y, v.Z}
	return ok
}

// MergeIdentifier reads the content of an osi3.Identifier into id, which stays unchanged if the
// content has no value. It returns false if the content is not a message.
func MergeIdentifier(content []byte, id *uint64) bool {
	for i := 0; i < len(content); {
		key, lo, hi := Field(content, i)
		if hi < 0 {
			return false
		}
		if key == 1<<3|Varint {
			*id = Uint64(content[lo:hi])
		}
		i = hi
	}
	return true
}

package wire

// maxGroups is the number of groups that may be open at a time, as in protobuf's Go runtime.
const maxGroups = 10_001

// skipGroup returns the size of the fields of the group number, including its end. It is the
// depth-th open group.
func skipGroup(number uint64, b []byte, depth int) (int, error) {
	if depth > maxGroups {
		return 0, ErrDepth
	}
	pos := 0
	for {
		// Inside groups protobuf's runtimes accept numbers up to 1<<31 - 1, which old message
		// sets used.
		tag, n, err := readVarint(b[pos:])
		if err != nil {
			return 0, err
		}
		inner, typ := tag>>3, Key(tag&7)
		if inner == 0 || inner > 1<<31-1 {
			return 0, ErrFieldNumber
		}
		pos += n
		if typ == endGroup {
			if inner != number {
				return 0, ErrGroup
			}
			return pos, nil
		}
		n, err = skipValue(inner, typ, b[pos:], depth)
		if err != nil {
			return 0, err
		}
		pos += n
	}
}

// skipValue returns the size of the value of the field number inside depth open groups.
func skipValue(number uint64, typ Key, b []byte, depth int) (int, error) {
	var size uint64
	switch typ {
	case Varint:
		_, n, err := readVarint(b)
		return n, err
	case Fixed64:
		size = 8
	case Fixed32:
		size = 4
	case Len:
		length, n, err := readVarint(b)
		if err != nil {
			return 0, err
		}
		if length > uint64(len(b)-n) {
			return 0, ErrTruncated
		}
		size = uint64(n) + length
	case Group:
		return skipGroup(number, b, depth+1)
	case endGroup:
		return 0, ErrGroup
	default:
		return 0, ErrWireType
	}
	if size > uint64(len(b)) {
		return 0, ErrTruncated
	}
	return int(size), nil
}

package simsensor

// lower converts ASCII letters to lower case, in place. The format's names have no others, and
// support for the rest of Unicode would need large tables.
func lower(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// equalFold reports whether a name equals a name of the format, given in lower case.
func equalFold(name []byte, small string) bool {
	return len(name) == len(small) && string(lower(append([]byte(nil), name...))) == small
}

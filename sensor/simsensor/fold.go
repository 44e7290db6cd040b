package simsensor

// lower makes the letters of ASCII small, in place. There are no others in the names of the format, and the rest of Unicode has
// large tables.
func lower(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// equalFold says whether a name is one of the format, which is given in small letters.
func equalFold(name []byte, small string) bool {
	return len(name) == len(small) && string(lower(append([]byte(nil), name...))) == small
}

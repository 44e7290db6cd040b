// Package hostile creates archives for tests that no ordinary program would pack.
package hostile

import (
	"bytes"
	"encoding/binary"
)

// Share makes the last entry of an archive start where the first one starts, so that both share
// their compressed bytes.
func Share(b []byte) []byte {
	const line, offset = "PK\x01\x02", 42
	b = bytes.Clone(b)
	first, last := bytes.Index(b, []byte(line)), bytes.LastIndex(b, []byte(line))
	binary.LittleEndian.PutUint32(b[last+offset:], binary.LittleEndian.Uint32(b[first+offset:]))
	return b
}

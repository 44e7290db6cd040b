package charset_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"gosmp/internal/charset"
)

// TestOf: the encodings are recognized with and without a byte order mark.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"time,x\n", "{\"a\":1}", "1,2"} {
		for _, mark := range []string{"", "\ufeff"} {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				var narrow, wide []byte
				for _, r := range mark + text {
					wide = order.AppendUint32(wide, uint32(r))
				}
				for _, unit := range utf16.Encode([]rune(mark + text)) {
					narrow = order.AppendUint16(narrow, unit)
				}
				require.Equal(t, "UTF-16", charset.Of(narrow))
				require.Equal(t, "UTF-32", charset.Of(wide))
				require.EqualError(t, charset.Check(narrow),
					"found UTF-16, expected UTF-8: save the file as UTF-8")
			}
		}
	}
	for _, text := range []string{"", "a", "ab", "time", "\xef\xbb\xbftime", "\x89MCAP0\r\n",
		"\x00\x00\x00\x00\x00", "é1",
		"\x01\x00\x00\x00\x02\x00\x00\x00", "\x05\x00\x00\x00\n\x03\x08\x01"} {
		require.NoError(t, charset.Check([]byte(text)), "%q", text)
	}
}

// Package charset recognizes texts that are not in UTF-8 but in UTF-16 or UTF-32, as spreadsheets
// and the shell of Windows write them. Readers of texts other than XML expect UTF-8, and would
// complain of strange characters instead.
package charset

import (
	"fmt"
	"strings"
)

// HeadSize is the number of bytes that reveal the encoding.
const HeadSize = 8

// Of returns "UTF-16" or "UTF-32" for the beginning of such a text, with or without a byte order
// mark, or "" for other texts.
func Of(head []byte) string {
	if len(head) < 2 {
		return ""
	}
	mark := string(head[:2])
	if len(head) >= 4 {
		switch four := string(head[:4]); {
		case four == "\xff\xfe\x00\x00", four == "\x00\x00\xfe\xff", written(head, "x000"),
			written(head, "000x"):
			return "UTF-32"
		case written(head, "x0x0"), written(head, "0x0x"):
			return "UTF-16"
		}
	}
	if mark == "\xff\xfe" || mark == "\xfe\xff" {
		return "UTF-16"
	}
	return ""
}

// written reports whether the bytes of head are 0 where a pattern such as "x0x0" has 0, and
// printable elsewhere. Binary files begin with small integers, which have zeros in the same places.
func written(head []byte, pattern string) bool {
	for k, b := range head[:min(len(head), HeadSize)] {
		if zero := pattern[k%len(pattern)] == '0'; zero != (b == 0) ||
			b != 0 && b < ' ' && !strings.ContainsRune("\t\r\n", rune(b)) {
			return false
		}
	}
	return true
}

// Check returns an error if a text is in UTF-16 or UTF-32.
func Check(head []byte) error {
	if name := Of(head); name != "" {
		return fmt.Errorf("found %s, expected UTF-8: save the file as UTF-8", name)
	}
	return nil
}

// Package charset recognizes texts that are not in UTF-8 but in UTF-16 or UTF-32, as spreadsheets
// and the shell of Windows write them. Readers of texts other than XML expect UTF-8, and would
// complain of strange characters instead.
package charset

import "fmt"

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
		case four == "\xff\xfe\x00\x00", four == "\x00\x00\xfe\xff", zeros(head) == "x000",
			zeros(head) == "000x":
			return "UTF-32"
		case zeros(head) == "x0x0", zeros(head) == "0x0x":
			return "UTF-16"
		}
	}
	if mark == "\xff\xfe" || mark == "\xfe\xff" {
		return "UTF-16"
	}
	return ""
}

// zeros returns which of the first four bytes are 0, such as "x0x0".
func zeros(head []byte) string {
	b := make([]byte, 4)
	for k := range b {
		if b[k] = 'x'; head[k] == 0 {
			b[k] = '0'
		}
	}
	return string(b)
}

// Check returns an error if a text is in UTF-16 or UTF-32.
func Check(head []byte) error {
	if name := Of(head); name != "" {
		return fmt.Errorf("found %s, expected UTF-8: save the file as UTF-8", name)
	}
	return nil
}

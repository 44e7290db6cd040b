package xmltext

import (
	"encoding/xml"
	"strconv"
	"strings"
	"unicode/utf8"
)

// class determines where a byte may occur.
type class uint8

const (
	initial class = 1 << iota // of a name, at its beginning
	inner                     // of a name
	special                   // requires a closer look within a text
)

var classes = func() (list [256]class) {
	for c := range list {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == ':':
			list[c] = initial | inner
		case c >= '0' && c <= '9', c == '.', c == '-':
			list[c] = inner
		case c == '\t', c == '\n':
		case c < ' ', c == '&', c == '<', c >= utf8.RuneSelf:
			list[c] = special
		}
	}
	return list
}()

// cutName separates a name from the text that follows. The name is empty if there is none, or if it
// has characters outside ASCII.
func cutName(text string) (name, rest string) {
	if text == "" || classes[text[0]]&initial == 0 {
		return "", text
	}
	n := 1
	for n < len(text) && classes[text[n]]&inner != 0 {
		n++
	}
	if n < len(text) && text[n] >= utf8.RuneSelf {
		return "", text
	}
	return text[:n], text[n:]
}

// skipBlanks returns a text without the blanks at its beginning.
func skipBlanks(text string) string {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\n' || text[n] == '\t' || text[n] == '\r') {
		n++
	}
	return text[n:]
}

// divided separates a name from its prefix.
func divided(word string) (n xml.Name, ok bool) {
	at := strings.IndexByte(word, ':')
	switch {
	case word == "":
		return n, false
	case at < 0:
		return xml.Name{Local: word}, true
	case strings.IndexByte(word[at+1:], ':') >= 0:
		return n, false
	case at == 0 || at == len(word)-1:
		return xml.Name{Local: word}, true
	}
	return xml.Name{Space: word[:at], Local: word[at+1:]}, true
}

// plainText returns a text with its entities replaced, unless it is literal, and with its line ends
// normalized as XML requires. usual is false if encoding/xml has to look at it.
func plainText(text string, literal bool) (plain string, usual bool) {
	for k := range len(text) {
		if classes[text[k]]&special != 0 {
			return unescaped(text, k, literal)
		}
	}
	return text, true
}

// unescaped works like [plainText], but for a text whose first n bytes are plain.
func unescaped(text string, n int, literal bool) (plain string, usual bool) {
	kept := 0 // the text up to here is in b
	var b strings.Builder
	for n < len(text) {
		c, size := utf8.DecodeRuneInString(text[n:])
		switch {
		case c == '\r':
			b.WriteString(text[kept:n])
			b.WriteByte('\n')
			if n++; n < len(text) && text[n] == '\n' {
				n++
			}
			kept = n
		case c == '&' && !literal:
			character, after := entity(text[n:])
			if after == 0 {
				return "", false
			}
			b.WriteString(text[kept:n])
			b.WriteRune(character)
			n += after
			kept = n
		case c == utf8.RuneError && size == 1, c == '<' && !literal, !allowed(c):
			return "", false
		default:
			n += size
		}
	}
	if kept == 0 {
		return text, true
	}
	b.WriteString(text[kept:])
	return b.String(), true
}

// allowed reports whether XML 1.0 allows a character (production 2).
func allowed(c rune) bool {
	return c >= ' ' && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000 && c <= 0x10ffff ||
		c == '\t' || c == '\n' || c == '\r'
}

var predefined = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "apos": '\'', "quot": '"'}

// entity returns the character that an entity stands for, and its length in bytes: 0 if it is
// neither a predefined entity nor a character reference.
func entity(text string) (c rune, length int) {
	const longest = 12
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return 0, 0
	}
	name := text[1:end]
	number, isNumber := strings.CutPrefix(name, "#")
	if !isNumber {
		if c = predefined[name]; c == 0 {
			return 0, 0
		}
		return c, end + 1
	}
	base := 10
	if hexadecimal, is := strings.CutPrefix(number, "x"); is {
		number, base = hexadecimal, 16
	}
	value, err := strconv.ParseUint(number, base, 32)
	if err != nil || value > utf8.MaxRune || !allowed(rune(value)) {
		return 0, 0
	}
	return rune(value), end + 1
}

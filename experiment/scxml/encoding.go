package scxml

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Marks at the beginning of a text that show its encoding (XML 1.0, appendix F.1).
var (
	markUTF8  = []byte("\xef\xbb\xbf")
	markLE    = []byte("\xff\xfe")
	markBE    = []byte("\xfe\xff")
	startLE   = []byte("<\x00")
	startBE   = []byte("\x00<")
	startUTF8 = []byte("<?xml")
)

// asUTF8 makes UTF-8 of a document in UTF-8, UTF-16, ISO-8859-1 or US-ASCII. Every XML processor
// reads the first two (XML 1.0, 4.3.3).
func asUTF8(text []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(text, markUTF8):
		return text[len(markUTF8):], nil
	case bytes.HasPrefix(text, markLE):
		return fromUTF16(text[len(markLE):], binary.LittleEndian)
	case bytes.HasPrefix(text, markBE):
		return fromUTF16(text[len(markBE):], binary.BigEndian)
	case bytes.HasPrefix(text, startLE):
		return fromUTF16(text, binary.LittleEndian)
	case bytes.HasPrefix(text, startBE):
		return fromUTF16(text, binary.BigEndian)
	}
	switch name := declaredEncoding(text); strings.ToLower(name) {
	case "", "utf-8", "utf8":
		return text, nil
	case "iso-8859-1", "latin1":
		return fromLatin1(text), nil
	case "us-ascii", "ascii":
		if i := bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			return nil, fmt.Errorf("the encoding is %q, and byte %d is not ASCII", name, i+1)
		}
		return text, nil
	case "utf-16", "utf-16le", "utf-16be":
		return nil, fmt.Errorf("the encoding is declared as %q, and the text is not in UTF-16", name)
	default:
		return nil, fmt.Errorf("the encoding is %q, expected UTF-8, UTF-16, ISO-8859-1 or US-ASCII", name)
	}
}

// declaredEncoding is the encoding that an XML declaration names, "" if there is none.
func declaredEncoding(text []byte) string {
	end := bytes.Index(text[:min(len(text), 1000)], []byte("?>"))
	if end < 0 || !bytes.HasPrefix(text, startUTF8) {
		return ""
	}
	_, rest, found := strings.Cut(string(text[:end]), "encoding")
	rest = strings.TrimLeft(rest, " \t\r\n=")
	if !found || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	name, _, _ := strings.Cut(rest[1:], rest[:1])
	return name
}

func fromLatin1(text []byte) []byte {
	b := make([]byte, 0, len(text)+len(text)/8)
	for _, c := range text {
		b = utf8.AppendRune(b, rune(c))
	}
	return b
}

func fromUTF16(text []byte, order binary.ByteOrder) ([]byte, error) {
	if len(text)%2 != 0 {
		return nil, errors.New("the encoding is UTF-16, and the last character is not complete")
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i += 2 {
		r := rune(order.Uint16(text[i:]))
		if utf16.IsSurrogate(r) {
			next := rune(0)
			if i+2 < len(text) {
				next = rune(order.Uint16(text[i+2:]))
			}
			if r = utf16.DecodeRune(r, next); r == utf8.RuneError {
				return nil, fmt.Errorf("the encoding is UTF-16, and byte %d begins half of a character", i+1)
			}
			i += 2
		}
		b = utf8.AppendRune(b, r)
	}
	return b, nil
}

// asDeclared ignores the encoding that a document names: asUTF8 has applied it.
func asDeclared(_ string, in io.Reader) (io.Reader, error) { return in, nil }

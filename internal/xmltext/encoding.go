package xmltext

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// supported lists the encodings for messages.
const supported = "UTF-8, UTF-16, ISO-8859-1, windows-1252 or US-ASCII"

// Error reports an encoding that is not supported, a text that is not in its encoding, or an XML
// declaration that XML does not allow. Readers of documents use [Error.Found] and [Error.Expected]
// in errors with a file and a line.
type Error struct {
	encoding    string // `"EBCDIC"`, `declared as "UTF-16"`
	problem     string // error in a text with a supported encoding
	declaration string // error in the declaration; the other fields are empty
}

// Misdeclared reports whether the error is about the XML declaration, not about the encoding.
func (e *Error) Misdeclared() bool { return e.declaration != "" }

// Error returns the whole error as a sentence.
func (e *Error) Error() string {
	if e.declaration != "" {
		return "found " + e.Found() + ", expected " + e.Expected()
	}
	if e.problem == "" {
		return "the encoding is " + e.encoding + ", expected " + supported
	}
	return "the encoding is " + e.encoding + ", and " + e.problem
}

// Found describes what was found, as a noun phrase.
func (e *Error) Found() string {
	if e.declaration != "" {
		return "an XML declaration with " + e.declaration
	}
	if e.problem == "" {
		return "the encoding " + e.encoding
	}
	return "the encoding " + e.encoding + ", and " + e.problem
}

// Expected describes what was expected instead.
func (e *Error) Expected() string {
	if e.declaration != "" {
		return `version="1.0", and perhaps encoding="..." and standalone="yes" or "no"`
	}
	if e.problem == "" {
		return supported
	}
	return "a text in its encoding"
}

// encoding converts a text to UTF-8, piece by piece.
type encoding struct {
	name  string
	order binary.ByteOrder // of UTF-16; nil if every byte is a character
	char  func(byte) rune  // the character of a byte, negative for an unassigned byte
	none  string           // description of an unassigned byte
	done  int              // bytes that have been converted
}

// beginnings lists the first bytes that reveal an encoding before its declaration can be read (XML
// 1.0, appendix F.1).
var beginnings = []struct {
	text  string
	mark  int // bytes of the text that are not part of the document
	name  string
	order binary.ByteOrder
}{
	{"\xef\xbb\xbf", 3, "UTF-8", nil},
	{"\xff\xfe\x00\x00", 4, "UTF-32", nil},
	{"\x00\x00\xfe\xff", 4, "UTF-32", nil},
	{"<\x00\x00\x00", 0, "UTF-32", nil},
	{"\x00\x00\x00<", 0, "UTF-32", nil},
	{"\xff\xfe", 2, "UTF-16", binary.LittleEndian},
	{"\xfe\xff", 2, "UTF-16", binary.BigEndian},
	{"<\x00", 0, "UTF-16", binary.LittleEndian},
	{"\x00<", 0, "UTF-16", binary.BigEndian},
}

// detect returns the encoding of a text that begins with head, nil for UTF-8, and the length of its
// mark.
func detect(head []byte) (mark int, e *encoding, err error) {
	for _, b := range beginnings {
		if !bytes.HasPrefix(head, []byte(b.text)) {
			continue
		}
		switch {
		case b.order != nil:
			e = &encoding{name: b.name, order: b.order}
			err = misdeclared(bytes.ReplaceAll(head[b.mark:], []byte{0}, nil))
		case b.name != "UTF-8":
			err = &Error{encoding: b.name}
		default:
			err = misdeclared(head[b.mark:])
		}
		return b.mark, e, err
	}
	if err := misdeclared(head); err != nil {
		return 0, nil, err
	}
	name := declaredIn(head)
	quoted := fmt.Sprintf("%q", name)
	switch strings.ToLower(name) {
	case "", "utf-8", "utf8":
	case "iso-8859-1", "iso8859-1", "latin1":
		e = &encoding{name: quoted, char: fromLatin1}
	case "windows-1252", "cp1252":
		e = &encoding{name: quoted, char: fromWindows1252, none: "not assigned"}
	case "us-ascii", "ascii":
		e = &encoding{name: quoted, char: fromASCII, none: "not ASCII"}
	case "utf-16", "utf-16le", "utf-16be":
		err = &Error{encoding: "declared as " + quoted, problem: "the text is not in UTF-16"}
	default:
		err = &Error{encoding: quoted}
	}
	return 0, e, err
}

// declaredIn returns the encoding that the XML declaration names, or "" if it names none.
func declaredIn(head []byte) string {
	inside, _ := declaration(head)
	_, value, found := strings.Cut(string(inside), "encoding")
	value = strings.TrimLeft(value, blanks+"=")
	if !found || value == "" || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	name, _, _ := strings.Cut(value[1:], value[:1])
	return name
}

const blanks = " \t\r\n"

// misdeclared returns an error if the XML declaration has no version, or anything that XML 1.0
// (section 2.8) does not define. encoding/xml ignores both, so a misspelled encoding would count as
// UTF-8.
func misdeclared(head []byte) error {
	inside, end := declaration(head)
	if end == 0 {
		return nil
	}
	given := map[string]bool{}
	for rest := strings.TrimLeft(string(inside), blanks); rest != ""; rest = strings.TrimLeft(rest,
		blanks) {
		name, after, is := strings.Cut(rest, "=")
		name, after = strings.TrimRight(name, blanks), strings.TrimLeft(after, blanks)
		if !is || after == "" || after[0] != '"' && after[0] != '\'' {
			return &Error{declaration: fmt.Sprintf("%.40q", rest)}
		}
		value, left, ended := strings.Cut(after[1:], after[:1])
		pair := fmt.Sprintf("%.40s=%.40q", name, value)
		switch {
		case !ended, given[name], value == "":
			return &Error{declaration: pair}
		case name == "version", name == "encoding":
		case name == "standalone" && (value == "yes" || value == "no"):
		default:
			return &Error{declaration: pair}
		}
		given[name], rest = true, left
	}
	if !given["version"] {
		return &Error{declaration: "no version"}
	}
	return nil
}

// declaration returns the content of the XML declaration and the offset of its end, or nil and 0
// without a declaration. Unlike in XML, but as in encoding/xml, white space and comments may
// precede it.
func declaration(head []byte) (inside []byte, end int) {
	rest := bytes.TrimLeft(head, blanks)
	for bytes.HasPrefix(rest, []byte("<!--")) {
		_, after, _ := bytes.Cut(rest, []byte("-->"))
		rest = bytes.TrimLeft(after, blanks)
	}
	inside, begun := bytes.CutPrefix(rest, []byte("<?xml"))
	inside, after, ended := bytes.Cut(inside, []byte("?>"))
	if !begun || !ended || len(inside) == 0 || !strings.ContainsRune(blanks, rune(inside[0])) {
		return nil, 0
	}
	return inside, len(head) - len(after)
}

// appendUTF8 appends the characters of src to dst, and returns how many bytes of src it has
// converted: a character may continue after src unless it is the last piece. Errors count bytes
// from 1, after the mark.
func (e *encoding) appendUTF8(dst, src []byte, last bool) (text []byte, used int, err error) {
	if e.order != nil {
		dst, used, err = e.appendUTF16(dst, src, last)
		e.done += used
		return dst, used, err
	}
	for i, c := range src {
		r := e.char(c)
		if r < 0 {
			return dst, i, &Error{encoding: e.name,
				problem: fmt.Sprintf("byte %d is %s", e.done+i+1, e.none)}
		}
		dst = utf8.AppendRune(dst, r)
	}
	e.done += len(src)
	return dst, len(src), nil
}

func (e *encoding) appendUTF16(dst, src []byte, last bool) (text []byte, used int, err error) {
	for ; len(src)-used >= 2; used += 2 {
		r := rune(e.order.Uint16(src[used:]))
		if utf16.IsSurrogate(r) {
			if len(src)-used < 4 && !last {
				return dst, used, nil
			}
			second := rune(0)
			if len(src)-used >= 4 {
				second = rune(e.order.Uint16(src[used+2:]))
			}
			if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
				return dst, used, &Error{encoding: e.name,
					problem: fmt.Sprintf("byte %d begins an unpaired surrogate", e.done+used+1)}
			}
			used += 2
		}
		dst = utf8.AppendRune(dst, r)
	}
	if last && used < len(src) {
		return dst, used, &Error{encoding: e.name,
			problem: "its odd number of bytes shows that the last character is not complete"}
	}
	return dst, used, nil
}

func fromLatin1(c byte) rune { return rune(c) }

func fromASCII(c byte) rune {
	if c >= utf8.RuneSelf {
		return -1
	}
	return rune(c)
}

// upper1252 holds the characters of the bytes from 0x80 to 0x9F in windows-1252; blanks are
// unassigned.
var upper1252 = []rune("€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ")

func fromWindows1252(c byte) rune {
	if c < 0x80 || c > 0x9f {
		return rune(c)
	}
	if r := upper1252[c-0x80]; r != ' ' {
		return r
	}
	return -1
}

package importer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gosmp/fmi"
	"gosmp/importer/worker"
)

// Message is a log message of an FMU, or a call of one of its functions.
type Message struct {
	Instance string
	Call     bool
	Status   fmi.Status
	Category string // "-" if the FMU passed none
	Text     string // references are replaced by names, control characters are escaped
}

// message converts a record of a worker to a readable message.
func (t *table) message(instance string, r worker.Record) Message {
	m := Message{Instance: instance, Call: r.Call, Status: fmi.Status(r.Status),
		Category: printable(r.Category), Text: r.Text}
	if !r.HasCategory {
		m.Category = "-"
	}
	if !r.Call {
		m.Text = t.expand(m.Text)
	}
	m.Text = strings.TrimRight(printable(m.Text), " ")
	return m
}

// expand replaces references by names (FMI 2.0, 2.1.5; FMI 3.0, 2.3.1): #r12#, #12#; ## is one #.
// An invalid reference is kept.
func (t *table) expand(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "#")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		word, after, closed := strings.Cut(rest, "#")
		switch name := t.meaning(word); {
		case closed && word == "":
			b.WriteByte('#')
			text = after
		case closed && name != "":
			b.WriteString(name)
			text = after
		default:
			b.WriteByte('#')
			text = rest
		}
	}
}

// meaning returns the name of the variable for a reference with its type letter; empty if there is
// none.
func (t *table) meaning(word string) string {
	letter := ""
	if t.major < 3 && word != "" {
		letter, word = word[:1], word[1:]
	}
	reference, err := strconv.ParseUint(word, 10, 32)
	if err != nil {
		return ""
	}
	return t.messages()[letter][uint32(reference)]
}

// printable removes terminal control sequences from text: line breaks and tabs become blanks,
// invalid UTF-8 and other control characters are escaped.
func printable(text string) string {
	clean := true
	for _, r := range text {
		clean = clean && r >= ' ' && r != 0x7f && r != utf8.RuneError && (r < 0x80 || r >= 0xa0)
	}
	if clean {
		return text
	}
	var b strings.Builder
	for k := 0; k < len(text); {
		r, size := utf8.DecodeRuneInString(text[k:])
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError && size == 1 || r < ' ' || r >= 0x7f && r < 0xa0:
			b.WriteString(`\x`)
			const digits = "0123456789abcdef"
			for _, c := range []byte(text[k : k+size]) {
				b.WriteByte(digits[c>>4])
				b.WriteByte(digits[c&15])
			}
		default:
			b.WriteString(text[k : k+size])
		}
		k += size
	}
	return b.String()
}

package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/fault"
	"gosmp/proto/osifile"
)

// looksLikeText reports whether a file is protobuf text that begins with a first field common to
// all top-level OSI messages.
func looksLikeText(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	for _, name := range [...]string{"version", "timestamp"} {
		if rest, is := bytes.CutPrefix(head, []byte(name)); is {
			rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t"), []byte(":"))
			rest = bytes.TrimLeft(rest, " \t")
			return bytes.HasPrefix(rest, []byte("{")) || bytes.HasPrefix(rest, []byte("<"))
		}
	}
	return false
}

// textReader reads messages from protobuf text. OSI does not define where a message ends; two
// conventions are supported:
//   - gosmp writes one message per line;
//   - OSI's osi2read.py writes messages on several lines, one after the other. A field that can
//     occur only once in a message begins the next message when it occurs again.
type textReader struct {
	from   *bufio.Reader
	file   string
	kind   protoreflect.MessageType
	offset int64 // of the next message
	line   int   // of the next byte
	text   []byte
	data   []byte

	seen   map[string]bool // the fields of the message
	word   []byte          // the name or value being read
	start  int             // of that word in text
	value  bool            // a colon has been read, but no value yet
	depth  int
	quote  byte // quote of the text being read, or # in a comment
	escape bool
	fields int  // fields that begin on this line
	alone  bool // the line began at the start of a message
	lines  bool // a line was a whole message
	ended  bool
}

func newTextReader(from *bufio.Reader, file string, kind protoreflect.MessageType,
	offset int64) *textReader {
	return &textReader{from: from, file: file, kind: kind, offset: offset, line: 1, alone: true,
		seen: map[string]bool{}}
}

// Offset returns where the next message begins.
func (r *textReader) Offset() int64 { return r.offset }

// Next returns the next message in protobuf's binary format, valid until the next call.
func (r *textReader) Next() ([]byte, error) {
	for !r.ended {
		c, err := r.from.ReadByte()
		if errors.Is(err, io.EOF) {
			r.ended = true
			r.name() // the last word
			break
		}
		if err != nil {
			return nil, err
		}
		if cut := r.take(c); cut >= 0 {
			data, err := r.message(cut)
			if data != nil || err != nil {
				return data, err
			}
		}
		if len(r.text) > osifile.MaxMessage {
			return nil, r.tooLong()
		}
	}
	if data, err := r.message(len(r.text)); data != nil || err != nil {
		return data, err
	}
	return nil, io.EOF
}

// take processes a byte. It returns the position in the text where a message ends, or -1.
func (r *textReader) take(c byte) int {
	cut := -1
	switch {
	case r.quote == '#':
		if c == '\n' {
			r.quote = 0
		}
	case r.quote != 0:
		if !r.escape && c == r.quote {
			r.quote = 0
		}
		r.escape = !r.escape && c == '\\'
	case isWord(c):
		if len(r.word) == 0 {
			r.start = len(r.text)
		}
		if r.depth == 0 {
			r.word = append(r.word, c)
		}
	default:
		cut = r.name()
		r.mark(c)
	}
	if r.text = append(r.text, c); c == '\n' {
		r.line++
		if end := r.endOfLine(); cut < 0 {
			cut = end
		}
	}
	return cut
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("_.+-", c) >= 0
}

// mark processes a character between words.
func (r *textReader) mark(c byte) {
	switch c {
	case '"', '\'', '#':
		r.quote, r.value = c, r.value && c == '#'
	case ':':
		r.value = r.depth == 0
	case '{', '<', '[':
		r.depth++
		r.value = false
	case '}', '>', ']':
		r.depth = max(0, r.depth-1)
	}
}

// name ends a word. If the word names a field that the message already has, the message ends before
// it.
func (r *textReader) name() int {
	if len(r.word) == 0 {
		return -1
	}
	name := string(r.word)
	r.word = r.word[:0]
	if r.value { // not a name
		r.value = false
		return -1
	}
	field := r.kind.Descriptor().Fields().ByTextName(name)
	cut := -1
	if r.seen[name] && field != nil && !field.IsList() {
		cut = r.start
		clear(r.seen)
		r.alone = len(bytes.TrimSpace(r.text[bytes.LastIndexByte(r.text[:cut], '\n')+1:cut])) == 0
		r.fields = 0
	}
	r.seen[name] = true
	r.fields++
	return cut
}

// endOfLine ends a line. If a message began with the line and the line has several fields, the line
// is the message, and each later line is one as well.
func (r *textReader) endOfLine() int {
	r.lines = r.lines || r.depth == 0 && r.alone && r.fields > 1
	whole := r.depth == 0 && r.alone && r.lines && r.fields > 0
	if r.depth > 0 || r.fields > 0 {
		r.alone = whole
	}
	r.fields = 0
	if !whole {
		return -1
	}
	clear(r.seen)
	return len(r.text)
}

// message takes a message from the start of the text. It returns nil for blank text.
func (r *textReader) message(end int) ([]byte, error) {
	text := bytes.TrimPrefix(r.text[:end], []byte("\ufeff"))
	lines := r.line - bytes.Count(r.text, []byte("\n"))
	blank := len(bytes.TrimSpace(text)) == 0
	m := r.kind.New().Interface()
	err := affordableText(text)
	if err == nil {
		err = prototext.UnmarshalOptions{AllowPartial: true}.Unmarshal(text, m)
	}
	r.text = r.text[:copy(r.text, r.text[end:])]
	r.offset += int64(end)
	switch {
	case err != nil:
		return nil, r.misfit(lines, err)
	case blank:
		return nil, nil
	}
	r.data, err = proto.MarshalOptions{Deterministic: true, AllowPartial: true}.MarshalAppend(
		r.data[:0], m)
	return r.data, err
}

// placeInText matches the position in an error message of prototext.
var placeInText = regexp.MustCompile(`\(line (\d+):(\d+)\): `)

// misfit adds the file and the line to an error about a message whose text begins at the given
// line.
func (r *textReader) misfit(line int, err error) error {
	place := fault.Line(r.file, line)
	cause := err.Error()
	if found := placeInText.FindStringSubmatch(cause); found != nil {
		n, _ := strconv.Atoi(found[1])
		place.Line += n - 1
		place.Column, _ = strconv.Atoi(found[2])
		cause = strings.Replace(cause, found[0], "", 1)
	}
	return fault.New(ErrContent, place, "text that does not fit", "a message of type "+
		string(r.kind.Descriptor().Name())+" in protobuf text").WithCause(errors.New(cause))
}

func (r *textReader) tooLong() error {
	return fault.New(ErrContent, fault.Line(r.file, r.line),
		fmt.Sprintf("a message of more than %d bytes", osifile.MaxMessage), "shorter messages")
}

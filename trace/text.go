package trace

import (
	"bufio"
	"io"

	"gosmp/internal/fault"

	"google.golang.org/protobuf/encoding/prototext"
)

// textSink writes protobuf text, one message per line (.txth).
type textSink struct {
	to      *bufio.Writer
	decoder Decoder
	topics  topics
	buffer  []byte
}

// Add implements [Sink]. A file has one channel, whose type its name states.
func (s *textSink) Add(c Channel) (*Channel, error) {
	if _, err := s.decoder.Type(&c); err != nil {
		return nil, err
	}
	if len(s.topics) > 0 {
		return nil, fault.New(ErrChannel, fault.At("channel "+c.Topic),
			"a second channel", "one, as in an .osi file; --channel selects it")
	}
	return s.topics.add(c)
}

// Write implements [Sink].
func (s *textSink) Write(m *Message) error {
	if err := s.topics.check(m); err != nil {
		return err
	}
	decoded, err := s.decoder.Decode(m)
	if err != nil {
		return err
	}
	loose, err := prototext.MarshalOptions{AllowPartial: true}.Marshal(decoded)
	if err != nil { // a string that is not UTF-8
		return undecodable(m, err)
	}
	s.buffer = append(appendSingleSpaced(s.buffer[:0], loose), '\n')
	_, err = s.to.Write(s.buffer)
	return err
}

// appendSingleSpaced appends text to b without the additional spaces that prototext inserts at
// random.
func appendSingleSpaced(b, text []byte) []byte {
	quoted := false
	for k, c := range text {
		if c == '"' && !escaped(text[:k]) {
			quoted = !quoted
		}
		if c != ' ' || quoted || k == 0 || text[k-1] != ' ' {
			b = append(b, c)
		}
	}
	return b
}

// escaped reports whether a text ends with an odd number of backslashes.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// Flush implements [Sink].
func (s *textSink) Flush() error { return s.to.Flush() }

// Close implements [Sink].
func (s *textSink) Close() error { return s.to.Flush() }

func newTextSink(to io.Writer, _ SinkOptions) (Sink, error) {
	return &textSink{to: bufio.NewWriterSize(to, 1<<16)}, nil
}

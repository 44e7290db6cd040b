package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/charset"
	"gosmp/internal/fault"
	"gosmp/proto/osifile"
	"gosmp/timebase"
)

// line is a message in JSON Lines, with the keys that the mcap command uses, plus the type, which
// is needed to read the message back. Times are nanoseconds in quotes, because JSON numbers would
// lose the last digits.
type line struct {
	Topic       string          `json:"topic"`
	Type        string          `json:"type"`
	Sequence    uint32          `json:"sequence"`
	LogTime     string          `json:"log_time"`
	PublishTime string          `json:"publish_time"`
	Data        json.RawMessage `json:"data"`
}

// lineSink writes JSON Lines.
type lineSink struct {
	to      *bufio.Writer
	decoder Decoder
	topics  topics
	buffer  bytes.Buffer
}

func newLineSink(to io.Writer, _ SinkOptions) (Sink, error) {
	return &lineSink{to: bufio.NewWriterSize(to, 1<<16)}, nil
}

// topics maps topics to channels, for a sink with no other state.
type topics map[string]*Channel

func (t *topics) add(c Channel) (*Channel, error) {
	if (*t)[c.Topic] != nil {
		return nil, fault.New(ErrChannel, fault.At("channel "+c.Topic),
			"a second channel of this topic", "topics that occur once")
	}
	if *t == nil {
		*t = topics{}
	}
	(*t)[c.Topic] = &c
	return &c, nil
}

func (t topics) check(m *Message) error {
	if t[m.Channel.Topic] != m.Channel {
		return foreign(m)
	}
	return nil
}

// Add implements [Sink].
func (s *lineSink) Add(c Channel) (*Channel, error) { return s.topics.add(c) }

// Write implements [Sink].
func (s *lineSink) Write(m *Message) error {
	if err := s.topics.check(m); err != nil {
		return err
	}
	data, err := s.decoder.JSON(m)
	if err != nil {
		return err
	}
	s.buffer.Reset()
	e := json.NewEncoder(&s.buffer)
	e.SetEscapeHTML(false)
	err = e.Encode(line{m.Channel.Topic, m.Channel.Type, m.Sequence,
		strconv.FormatInt(int64(m.Time), 10), strconv.FormatInt(int64(m.Publish), 10), data})
	if err != nil {
		return err
	}
	_, err = s.to.Write(s.buffer.Bytes())
	return err
}

// Flush implements [Sink].
func (s *lineSink) Flush() error { return s.to.Flush() }

// Close implements [Sink].
func (s *lineSink) Close() error { return s.to.Flush() }

// JSON returns the content of a message in protobuf's JSON mapping, with the field names of the
// .proto files. A message that is already JSON is returned unchanged. Equal messages give equal
// bytes.
func (d *Decoder) JSON(m *Message) ([]byte, error) {
	if m.Channel.Encoding == encodingJSON {
		if !json.Valid(m.Data) {
			return nil, notJSON(m)
		}
		return m.Data, nil
	}
	decoded, err := d.Decode(m)
	if err != nil {
		return nil, err
	}
	text, err := MarshalJSON(decoded)
	if err != nil { // a string that is not UTF-8
		return nil, undecodable(m, err)
	}
	return text, nil
}

func notJSON(m *Message) *fault.Error {
	return fault.New(ErrContent, fault.At(fmt.Sprintf("channel %s, %v", m.Channel.Topic, m.Time)),
		beginning(m.Data), "JSON")
}

// beginning quotes the first characters of a text. Formatting all of it would copy it.
func beginning(text []byte) string {
	const most = 40
	return fmt.Sprintf("%.*q", most, text[:min(len(text), most*utf8.UTFMax)])
}

// MarshalJSON encodes a message in protobuf's JSON mapping, with the field names of the .proto
// files and without the random spaces that protojson inserts.
func MarshalJSON(m proto.Message) ([]byte, error) {
	loose, err := protojson.MarshalOptions{UseProtoNames: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, loose)
	return compact.Bytes(), err
}

// lineSource reads JSON Lines.
type lineSource struct {
	info     Info
	from     *bufio.Reader
	number   int
	kind     string
	channels []*Channel
	byTopic  map[string]*Channel
	selected Selection
	decoder  Decoder
	message  Message
	buffer   []byte
}

func newLines(name string, from io.Reader, size int64, o Options) (Source, error) {
	return &lineSource{info: Info{Name: name, Format: JSONLines, Size: size, Messages: -1},
		from: bufio.NewReaderSize(from, 1<<16),
		kind: o.Type, byTopic: map[string]*Channel{}, selected: o.Select}, nil
}

// Info implements [Source].
func (s *lineSource) Info() *Info { return &s.info }

// Channels implements [Source].
func (s *lineSource) Channels() []*Channel { return s.channels }

// Close implements [Source].
func (s *lineSource) Close() error { return nil }

// Next implements [Source].
func (s *lineSource) Next() (*Message, error) {
	for {
		text, err := s.line()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := s.parse(text); err != nil {
			return nil, err
		}
		if s.selected.holds(s.message.Time) && s.selected.Wants(s.message.Channel) {
			return &s.message, nil
		}
	}
}

// line returns the next line. The last line does not need a line end. A long line that does not
// begin like an object is not read to its end.
func (s *lineSource) line() ([]byte, error) {
	s.number++
	s.buffer = s.buffer[:0]
	for {
		part, err := s.from.ReadSlice('\n')
		if len(s.buffer)+len(part) > osifile.MaxMessage {
			return nil, fault.New(ErrContent, fault.Line(s.info.Name, s.number),
				fmt.Sprintf("a line of more than %d bytes", osifile.MaxMessage),
				"lines of one message")
		}
		first := len(s.buffer) == 0
		s.append(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			begin := bytes.TrimSpace(part)
			if first && len(begin) > 0 && begin[0] != '{' {
				return s.buffer, nil // parse refuses it
			}
			continue
		case errors.Is(err, io.EOF) && len(s.buffer) > 0:
			return s.buffer, nil
		}
		return s.buffer, err
	}
}

// append adds a part of a line. The memory doubles, so that a long line leaves less behind than it
// takes.
func (s *lineSource) append(part []byte) {
	if need := len(s.buffer) + len(part); need > cap(s.buffer) {
		more := make([]byte, len(s.buffer), max(need, min(2*cap(s.buffer), osifile.MaxMessage)))
		copy(more, s.buffer)
		s.buffer = more
	}
	s.buffer = append(s.buffer, part...)
}

// parse parses a line into a message.
func (s *lineSource) parse(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		if encoding := charset.Of(text); encoding != "" && s.number == 1 {
			return fault.New(ErrContent, fault.Line(s.info.Name, 1), "text in "+encoding, "UTF-8").
				WithHint("save the file as UTF-8")
		}
		return fault.New(ErrContent, fault.Line(s.info.Name, s.number), beginning(text),
			`an object with the keys topic, type, sequence, log_time, publish_time and data`).
			WithCause(err)
	}
	c, err := s.channel(&l)
	if err != nil {
		return err
	}
	s.message = Message{Channel: c, Sequence: l.Sequence}
	for _, t := range []struct {
		name, text string
		to         *timebase.Time
	}{{"log_time", l.LogTime, &s.message.Time}, {"publish_time", l.PublishTime,
		&s.message.Publish}} {
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil || n < 0 {
			return fault.New(ErrContent, fault.Line(s.info.Name, s.number),
				fmt.Sprintf("%s %q", t.name, t.text),
				"a non-negative number of nanoseconds in quotes")
		}
		*t.to = timebase.Time(n)
	}
	if c.Encoding == encodingJSON {
		s.message.Data = l.Data
		return nil
	}
	kind, err := s.decoder.Type(c)
	if err != nil {
		return fault.New(ErrContent, fault.Line(s.info.Name, s.number),
			fmt.Sprintf("type %q", l.Type), "a message of OSI, such as osi3.SensorView")
	}
	m := kind.New().Interface()
	err = affordableText(l.Data)
	if err == nil {
		err = protojson.UnmarshalOptions{AllowPartial: true}.Unmarshal(l.Data, m)
	}
	if err != nil {
		return fault.New(ErrContent, fault.Line(s.info.Name, s.number), "data that do not fit",
			"a message of type "+l.Type+" in protobuf's JSON mapping").WithCause(err)
	}
	s.message.Data, err = proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if c.OSIVersion == "" { // from the first message
		c.OSIVersion = cmp.Or(versionOf(stampOf(c.Type), s.message.Data), osiVersion)
	}
	return err
}

// channel returns the channel of a line. Messages without a type, or with a type other than OSI's,
// stay JSON.
func (s *lineSource) channel(l *line) (*Channel, error) {
	if l.Type == "" {
		l.Type = s.kind
	}
	full := FullType(l.Type)
	if known := s.byTopic[l.Topic]; known != nil {
		if known.Type != full {
			return nil, fault.New(ErrContent, fault.Line(s.info.Name, s.number),
				fmt.Sprintf("type %q in topic %q", l.Type, l.Topic),
				fmt.Sprintf("%q, as in the lines before", known.Type))
		}
		return known, nil
	}
	c := OSI(l.Topic, full)
	if !c.IsOSI() {
		c.Encoding, c.SchemaEncoding, c.Schema = encodingJSON, "jsonschema",
			[]byte(`{"type":"object"}`)
	}
	s.byTopic[l.Topic] = &c
	s.channels = append(s.channels, &c)
	return &c, nil
}

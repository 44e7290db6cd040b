package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"

	"gosmp/internal/fault"
	"gosmp/proto/osifile"
	"gosmp/proto/wire"
	"gosmp/timebase"
	"gosmp/trace/osi"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// osiSource reads an .osi file or a file of protobuf text.
type osiSource struct {
	info     Info
	from     io.Reader
	buffered *bufio.Reader
	reader   messageReader
	read     func(offset int64) messageReader // starts reading from buffered
	channel  *Channel
	stamp    stamper
	wanted   bool
	pending  *Message // the first message, which was read to find the version
	failed   error    // the error found while doing so
	message  Message
	last     timebase.Time
	selected Selection
	numberless
}

// messageReader reads the messages of a file with one channel.
type messageReader interface {
	Next() ([]byte, error)
	Offset() int64
}

// numberless counts messages without a time stamp.
type numberless struct{ unstamped int64 }

// newOSI opens an .osi file.
func newOSI(name string, from io.Reader, size int64, o Options) (Source, error) {
	s, err := newSingle(OSIFile, name, from, size, o)
	if err != nil {
		return nil, err
	}
	s.info.Separated = separated(s.buffered, size)
	read := osi.NewReaderAt
	if s.info.Separated {
		read = osi.NewSeparatedReaderAt
	}
	return s.start(func(offset int64) messageReader { return read(s.buffered, offset) }), nil
}

// newText opens a file of protobuf text.
func newText(name string, from io.Reader, size int64, o Options) (Source, error) {
	s, err := newSingle(Text, name, from, size, o)
	if err != nil {
		return nil, err
	}
	kind, _ := protoregistry.GlobalTypes.FindMessageByName( // OSI types are registered
		protoreflect.FullName(s.channel.Type))
	return s.start(func(offset int64) messageReader {
		return newTextReader(s.buffered, name, kind, offset)
	}), nil
}

// newSingle opens a file with one channel that does not state its type. Call [osiSource.start]
// next.
func newSingle(f Format, name string, from io.Reader, size int64, o Options) (*osiSource, error) {
	kind := cmp.Or(o.Type, TypeOfName(name))
	full := FullType(kind)
	c := OSI(o.Topic, full)
	if !c.IsOSI() {
		e := fault.New(ErrType, fault.In(name), fmt.Sprintf("a file name that does not say it: %q",
			filepath.Base(name)),
			"a name such as 20210818T150542Z_sv_380_13612_100.osi or sensor_view.osi")
		e.Hint = "name it with --type SensorView (or sv, sd, gt, ...)"
		if kind != "" {
			e.Found, e.Expected, e.Hint = fmt.Sprintf("%q", kind),
				"a top-level message of OSI: SensorView, SensorData, GroundTruth, ...", ""
		}
		return nil, e
	}
	if c.Topic == "" {
		c.Topic = full[len(packagePrefix):]
	}
	s := &osiSource{from: from, channel: &c, stamp: stampOf(full), selected: o.Select}
	s.info = Info{Name: name, Format: f, Size: size, Messages: -1}
	s.buffered = bufio.NewReaderSize(from, 1<<16)
	s.wanted = o.Select.Wants(&c)
	return s, nil
}

// start reads the first message, which states the OSI release. read starts reading messages in the
// given format from s.buffered, which begins at an offset in the file.
func (s *osiSource) start(read func(offset int64) messageReader) Source {
	s.read, s.reader = read, read(0)
	s.pending, s.failed = s.next()
	if s.failed == nil {
		s.channel.OSIVersion = versionOf(s.stamp, s.pending.Data)
	}
	return s
}

// IsSeparated reports whether an .osi file has no lengths, like the files of early tools; see
// [Info.Separated].
func IsSeparated(from io.ReaderAt, size int64) bool {
	return separated(bufio.NewReaderSize(io.NewSectionReader(from, 0, size), 1<<16), size)
}

// separated reports whether a file has no lengths: its first four bytes cannot be a length, and the
// file begins with a message followed by a separator or the end of the file.
func separated(b *bufio.Reader, size int64) bool {
	head, _ := b.Peek(b.Size()) // the head of a short file is short
	if len(head) < osifile.LengthSize || head[0] != 0x0a && head[0] != 0x12 {
		return false
	}
	length := int64(binary.LittleEndian.Uint32(head))
	switch end := bytes.Index(head, []byte(osi.Separator)); {
	case length <= osifile.MaxMessage && (size < 0 || length+osifile.LengthSize <= size):
		return false
	case end >= 0:
		return hasFields(head[:end])
	case size == int64(len(head)):
		return hasFields(head)
	default: // the end of the message is not in view
		_, _, hi := wire.Field(head, 0)
		return size > int64(len(head)) && hi > 0
	}
}

// Info implements [Source].
func (s *osiSource) Info() *Info { return &s.info }

// Channels implements [Source].
func (s *osiSource) Channels() []*Channel { return []*Channel{s.channel} }

// Close implements [Source].
func (s *osiSource) Close() error { return nil }

// Next implements [Source].
func (s *osiSource) Next() (*Message, error) {
	for {
		m, err := s.pending, s.failed
		s.pending, s.failed = nil, nil
		if m == nil && err == nil {
			m, err = s.next()
		}
		if err != nil {
			s.failed = err // every later call also fails
			return nil, err
		}
		if s.wanted && s.selected.holds(m.Time) {
			return m, nil
		}
	}
}

// next reads a message. A message without a time stamp gets the time of the previous one.
func (s *osiSource) next() (*Message, error) {
	data, err := s.reader.Next()
	if err != nil {
		return nil, named(err, s.info.Name)
	}
	t, ok := s.stamp.time(data)
	if !ok || t < 0 {
		t = s.last
		s.unstamped++
	}
	s.last = t
	s.message = Message{Channel: s.channel, Time: t, Publish: t, Data: data}
	return &s.message, nil
}

// position and seek are for players.
func (s *osiSource) position() position {
	return position{offset: s.reader.Offset(), time: s.last}
}

func (s *osiSource) seek(p position) error {
	seeker, is := s.from.(io.Seeker)
	if !is {
		return fault.New(ErrFormat, fault.In(s.info.Name), "a stream",
			"a file, in which one can go back")
	}
	if _, err := seeker.Seek(p.offset, io.SeekStart); err != nil {
		return err
	}
	s.buffered = bufio.NewReaderSize(s.from, 1<<16)
	s.reader = s.read(p.offset)
	s.last = p.time
	s.pending, s.failed = nil, nil
	return nil
}

// named adds the file name to an error that lacks one.
func named(err error, file string) error { return fault.Named(err, file) }

func newOSISink(to io.Writer, _ SinkOptions) (Sink, error) {
	return &osiSink{to: osi.NewWriter(to)}, nil
}

// osiSink writes an .osi file.
type osiSink struct {
	to      *osi.Writer
	channel *Channel
}

// Add implements [Sink]: one channel, of OSI messages.
func (s *osiSink) Add(c Channel) (*Channel, error) {
	if !c.IsOSI() {
		return nil, fault.New(ErrType, fault.At("channel "+c.Topic),
			fmt.Sprintf("messages of type %q", c.Type),
			"top-level messages of OSI, as .osi files hold no others")
	}
	if s.channel != nil {
		e := fault.New(ErrChannel, fault.At("channel "+c.Topic), "a second channel",
			"one, as an .osi file holds only one")
		e.Hint = "select one with --channel, or write MCAP"
		return nil, e
	}
	s.channel = &c
	return s.channel, nil
}

// Write implements [Sink]. Each message is written to the underlying writer at once.
func (s *osiSink) Write(m *Message) error {
	if m.Channel != s.channel {
		return foreign(m)
	}
	return s.to.Write(m.Data)
}

// Flush implements [Sink].
func (s *osiSink) Flush() error { return nil }

// Close implements [Sink].
func (s *osiSink) Close() error { return nil }

func foreign(m *Message) error {
	return fault.New(ErrChannel, fault.Place{}, "a message of channel "+m.Channel.Topic,
		"one of a channel that Add has returned")
}

// versionOf returns the release of OSI that a message states, or "" if it states none.
func versionOf(s stamper, data []byte) string {
	content, found := wire.First(data, s.version)
	if !found {
		return ""
	}
	var v [4]uint64
	numbers(content, v[:])
	return fmt.Sprintf("%d.%d.%d", v[1], v[2], v[3])
}

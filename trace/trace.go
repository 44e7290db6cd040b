package trace

import (
	"errors"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/proto/osifile"
	"gosmp/timebase"
	"gosmp/trace/mcap"
	"gosmp/trace/osi"
)

// The kinds of errors of this package, besides the kinds of trace/mcap and trace/osi.
var (
	// ErrFormat reports a file that is not a trace, or of a format that is not read.
	ErrFormat = errors.New("not a trace")
	// ErrType reports messages whose type is unknown, or differs from the channel's.
	ErrType = errors.New("unusable type of message")
	// ErrContent reports a message or a line that cannot be decoded.
	ErrContent = errors.New("message that cannot be decoded")
	// ErrChannel reports a channel that does not exist, is ambiguous, or cannot be added.
	ErrChannel = errors.New("unusable channel")
	// ErrTime reports a time that the format cannot hold, or that goes back where it must not.
	ErrTime = errors.New("impossible time")
)

// Error is an error with its place: a file, a channel, a byte.
type Error = fault.Error

// IsDamage says that an error is a damage of the file, and not one of reading it: what was read
// before is good.
func IsDamage(err error) bool {
	return errors.Is(err, mcap.ErrFormat) || errors.Is(err, osi.ErrCut) ||
		errors.Is(err, ErrArchive)
}

// Protobuf is the message encoding of OSI channels.
const Protobuf = "protobuf"

// encodingJSON is the encoding of messages that are texts in JSON.
const encodingJSON = "json"

// Channel is a stream of messages of one type. Its creator no longer changes it.
type Channel struct {
	Topic    string
	Type     string // the name of the schema, for OSI "osi3.SensorView"; "" when there is no schema
	Encoding string // of the messages: "protobuf", "json", ...

	// "3.8.0"; of OSI channels only, "" when file and messages do not say
	OSIVersion, ProtobufVersion string
	Description                 string

	SchemaEncoding string            // "protobuf" for OSI
	Schema         []byte            // for OSI a FileDescriptorSet; nil is package osi3's
	Metadata       map[string]string // what MCAP holds besides the above; may be nil
}

const packagePrefix = "osi3."

// OSI returns a channel of OSI messages of the release that gosmp is compiled against. The type is
// "SensorView", "sv" or "osi3.SensorView".
func OSI(topic, messageType string) Channel {
	return Channel{Topic: topic, Type: FullType(messageType), Encoding: Protobuf, SchemaEncoding: Protobuf}
}

// FullType returns the full name of an OSI message: "osi3.SensorView" for "sv", for "SensorView"
// and for itself. Names that do not belong to top-level OSI messages stay as they are.
func FullType(name string) string {
	if t, ok := osifile.TypeOf(strings.TrimPrefix(name, packagePrefix)); ok && t.Message != "" {
		return packagePrefix + t.Message
	}
	return name
}

// IsOSI reports whether the messages are top-level messages of OSI.
func (c *Channel) IsOSI() bool {
	short, found := strings.CutPrefix(c.Type, packagePrefix)
	t, known := osifile.TypeOf(short)
	return found && known && t.Message == short && c.Encoding == Protobuf
}

// Message is a message of a channel.
type Message struct {
	Channel  *Channel
	Time     timebase.Time // log time: where the message stands in the trace
	Publish  timebase.Time // of OSI messages the time stamp inside
	Sequence uint32        // the counter of the sender, or 0
	Data     []byte        // valid until the next call of its source

	Drive int // how often the clock has started again before it; 0 unless restarts are followed
}

// Source gives the messages of a trace, from one goroutine at a time. After an error of Next that
// is not io.EOF, only Close is called.
type Source interface {
	// Info says what is known of the file without reading its messages.
	Info() *Info
	// Channels returns the channels of the file, in its order. Without an index they are the
	// channels that have been seen so far.
	Channels() []*Channel
	// Next returns the next message, valid until the next call; the error is io.EOF after the last
	// one.
	Next() (*Message, error)
	// Close ends the use of the source and of the file that [Open] has opened.
	Close() error
}

// Info describes a file, as far as possible without reading its messages.
type Info struct {
	Name     string // of the file, for errors
	Format   Format
	Size     int64         // in bytes; -1 of a stream
	Indexed  bool          // messages come in the order of their times, and by time at once
	Messages int64         // -1 when it is not known
	Start    timebase.Time // of the first message, if Messages is known and not 0
	End      timebase.Time // of the last one, likewise
	// messages of each channel, in the order of Channels; nil when not known
	Counts []int64
	// drives, if restarts are followed and all is known; one unless the clock starts again
	Drives    []Drive
	Separated bool              // an .osi file without lengths; see [osi.Separator]
	Metadata  map[string]string // the record net.asam.osi.trace; nil when there is none
	MCAP      MCAPInfo          // zero for other formats
}

// MCAPInfo describes the parts of an MCAP file that other traces do not have.
type MCAPInfo struct {
	Library      string // what has written the file
	Profile      string
	Chunks       int
	Compressed   int64 // bytes of its chunks
	Uncompressed int64
	Compression  []string // of its chunks, each once
	Attachments  []string
}

// Sink takes the messages of a trace, from one goroutine at a time. Its first error of writing
// stays: all later calls return it.
type Sink interface {
	// Add declares a channel. The topic has to be new. Messages refer to the result.
	Add(Channel) (*Channel, error)
	// Write takes a message; nothing of it is kept.
	Write(*Message) error
	// Flush hands over what has been written, so that it survives the end of the program.
	Flush() error
	// Close ends the trace. The caller closes what the sink has written to.
	Close() error
}

// Previewer is a sink whose Flush leaves its mark on the bytes of the file. Preview lets the file
// have what has been written, as far as the end of the program is concerned, and leaves no mark. It
// does nothing where the underlying writer is not an [io.WriterAt].
type Previewer interface {
	Preview() error
}

// Selection says which messages are wanted. The zero value is all.
type Selection struct {
	Start, End timebase.Time // log times, from Start up to and without End; End 0 is no end
	Topics     []string      // topics, or types such as "SensorView" and "sv"; empty is all
}

// Wants reports whether the messages of a channel are selected.
func (s *Selection) Wants(c *Channel) bool {
	for _, t := range s.Topics {
		if t == c.Topic || c.Type != "" && FullType(t) == c.Type {
			return true
		}
	}
	return len(s.Topics) == 0
}

// Missing returns the topics and types of a selection that no channel has.
func (s *Selection) Missing(channels []*Channel) (list []string) {
	for _, t := range s.Topics {
		one := Selection{Topics: []string{t}}
		if !slices.ContainsFunc(channels, one.Wants) {
			list = append(list, t)
		}
	}
	return list
}

// holds reports whether a time is selected.
func (s *Selection) holds(t timebase.Time) bool {
	return t >= s.Start && (s.End == 0 || t < s.End)
}

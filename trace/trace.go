package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/proto/osifile"
	"gosmp/timebase"
	"gosmp/trace/mcap"
	"gosmp/trace/osi"
)

// The kinds of errors of this package, in addition to those of trace/mcap and trace/osi.
var (
	// ErrFormat reports a file that is not a trace, or whose format is not supported.
	ErrFormat = errors.New("not a trace")
	// ErrType reports messages whose type is unknown or differs from the type of the channel.
	ErrType = errors.New("unusable type of message")
	// ErrContent reports a message or a line that cannot be decoded.
	ErrContent = errors.New("message that cannot be decoded")
	// ErrChannel reports a channel that does not exist, is ambiguous, or cannot be added.
	ErrChannel = errors.New("unusable channel")
	// ErrTime reports a time that the format cannot represent, or that goes backwards where it must
	// not.
	ErrTime = errors.New("impossible time")
)

// Error is an error with its place: a file, a channel, a byte.
type Error = fault.Error

// IsDamage reports whether an error is due to file damage rather than a failure to read the file.
// Everything read before such an error is valid.
func IsDamage(err error) bool {
	return errors.Is(err, mcap.ErrFormat) || errors.Is(err, osi.ErrCut) ||
		errors.Is(err, ErrArchive)
}

// Protobuf is the message encoding of OSI channels.
const Protobuf = "protobuf"

// encodingJSON is the encoding of JSON messages.
const encodingJSON = "json"

// Channel is a stream of messages of one type. It must not be changed after its creation.
type Channel struct {
	Topic    string
	Type     string // the name of the schema, for OSI "osi3.SensorView"; "" if there is no schema
	Encoding string // of the messages: "protobuf", "json", ...

	// such as "3.8.0"; only for OSI channels; "" if neither file nor messages state it
	OSIVersion, ProtobufVersion string
	Description                 string

	SchemaEncoding string            // "protobuf" for OSI
	Schema         []byte            // for OSI a FileDescriptorSet; nil: that of package osi3
	Metadata       map[string]string // further MCAP metadata; may be nil
}

const packagePrefix = "osi3."

// OSI returns a channel of OSI messages of the release that gosmp is compiled against. The type is
// "SensorView", "sv" or "osi3.SensorView".
func OSI(topic, messageType string) Channel {
	return Channel{Topic: topic, Type: FullType(messageType), Encoding: Protobuf,
		SchemaEncoding: Protobuf}
}

// FullType returns the full name of an OSI message: "osi3.SensorView" for "sv", for "SensorView"
// and for itself. Names that do not belong to top-level OSI messages are returned unchanged.
func FullType(name string) string {
	if t, ok := osifile.TypeOf(strings.TrimPrefix(name, packagePrefix)); ok && t.Message != "" {
		return packagePrefix + t.Message
	}
	return name
}

// IsOSI reports whether the messages are top-level OSI messages.
func (c *Channel) IsOSI() bool {
	short, found := strings.CutPrefix(c.Type, packagePrefix)
	t, known := osifile.TypeOf(short)
	return found && known && t.Message == short && c.Encoding == Protobuf
}

// Message is a message of a channel.
type Message struct {
	Channel  *Channel
	Time     timebase.Time // log time, by which messages are ordered
	Publish  timebase.Time // for OSI messages, the time stamp inside
	Sequence uint32        // the counter of the sender, or 0
	Data     []byte        // valid until the next call of its source

	Drive int // number of clock restarts before it; 0 unless restarts are followed
}

// Source returns the messages of a trace. It must be used by one goroutine at a time. After Next
// has returned an error other than io.EOF, only Close may be called.
type Source interface {
	// Info returns what is known of the file without reading its messages.
	Info() *Info
	// Channels returns the channels of the file, in file order. Without an index they are the
	// channels seen so far.
	Channels() []*Channel
	// Next returns the next message, valid until the next call. The error is io.EOF after the last
	// message.
	Next() (*Message, error)
	// Close releases the source, and closes the file if [Open] opened it.
	Close() error
}

// Info describes a file as far as possible without reading its messages.
type Info struct {
	Name     string // of the file, for errors
	Format   Format
	Size     int64         // in bytes; -1 for a stream
	Indexed  bool          // messages are sorted by time, and can be read starting at any time
	Messages int64         // -1 if unknown
	Start    timebase.Time // of the first message, if Messages is known and not 0
	End      timebase.Time // of the last one, likewise
	// messages of each channel, in the order of Channels; nil if unknown
	Counts []int64
	// drives, if restarts are followed and the drives are known; one unless the clock restarts
	Drives    []Drive
	Separated bool              // .osi file without lengths; see [osi.Separator]
	Metadata  map[string]string // the record net.asam.osi.trace; nil if there is none
	MCAP      MCAPInfo          // zero for other formats
}

// MCAPInfo describes the parts of an MCAP file that other traces lack.
type MCAPInfo struct {
	Library      string // the software that wrote the file
	Profile      string
	Chunks       int
	Compressed   int64 // bytes of its chunks
	Uncompressed int64
	Compression  []string // compressions of its chunks, without duplicates
	Attachments  []string
}

// Sink writes the messages of a trace. It must be used by one goroutine at a time. After a write
// error, all later calls return that error.
type Sink interface {
	// Add declares a channel with a new topic. Messages refer to the result.
	Add(Channel) (*Channel, error)
	// Write writes a message. The sink keeps no reference to it.
	Write(*Message) error
	// Flush passes everything written so far to the underlying writer, so that it survives the end
	// of the program.
	Flush() error
	// Close ends the trace. The caller closes the underlying writer.
	Close() error
}

// Previewer is a sink whose Flush changes the bytes of the finished file. Preview also makes
// everything written so far survive the end of the program, but the finished file does not depend
// on it. It does nothing if the underlying writer is not an [io.WriterAt].
type Previewer interface {
	Preview() error
}

// Selection states which messages are wanted. The zero value selects all.
type Selection struct {
	Start, End timebase.Time // log times, from Start (inclusive) to End (exclusive); End 0: no end
	Topics     []string      // topics, or types such as "SensorView" and "sv"; empty: all
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

// Missing returns the selected topics and types that no channel has.
func (s *Selection) Missing(channels []*Channel) (list []string) {
	for _, t := range s.Topics {
		one := Selection{Topics: []string{t}}
		if !slices.ContainsFunc(channels, one.Wants) {
			list = append(list, t)
		}
	}
	return list
}

// Require returns an error if no channel has one of the selected topics or types.
func (s *Selection) Require(channels []*Channel) error {
	missing := s.Missing(channels)
	if len(missing) == 0 {
		return nil
	}
	return fault.New(ErrChannel, fault.Place{}, strings.Join(missing, ", "), Named(channels))
}

// Named lists channels as the expected values of a selection.
func Named(channels []*Channel) string {
	if len(channels) == 0 {
		return "a trace with channels"
	}
	var list []string
	for _, c := range channels {
		list = append(list, fmt.Sprintf("%s (%s)", c.Topic, c.ShortType()))
	}
	slices.Sort(list)
	return "one of " + strings.Join(slices.Compact(list), ", ")
}

// holds reports whether a time is selected.
func (s *Selection) holds(t timebase.Time) bool {
	return t >= s.Start && (s.End == 0 || t < s.End)
}

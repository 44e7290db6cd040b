package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

// ErrMessage reports a file that does not contain the requested OSI message.
var ErrMessage = errors.New("not an OSI message")

// largestMessage is the maximum length of a message. Corrupt lengths often look like gigabytes.
const largestMessage = 1 << 30

// recorded is a file of OSI messages: either a single message, or a trace of messages, each
// preceded by its length as a 32-bit little-endian number.
type recorded struct {
	input
	trace bool  // rather than a single message
	at    int64 // where the next message of a trace starts
}

// input is a file, or the content of standard input.
type input struct {
	name string
	file io.ReaderAt
	size int64
}

// newRecorded assumes that a file is a trace if its lengths lead from message to message, at least
// to a second message or to the end of the file.
func newRecorded(in *input) *recorded {
	r := &recorded{input: *in}
	first, err := r.length(0)
	if err != nil || first == 0 {
		return r
	}
	if at := 4 + first; at == in.size {
		r.trace = true
	} else if second, err := r.length(at); err == nil && at+4+second <= in.size {
		r.trace = true
	}
	return r
}

// length returns the length of the message that starts at an offset.
func (r *recorded) length(at int64) (int64, error) {
	var head [4]byte
	if _, err := r.file.ReadAt(head[:], at); err != nil {
		return 0, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > r.size-at-4 {
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}

// next returns the next message, or io.EOF after the last one.
func (r *recorded) next() ([]byte, error) {
	from, n := r.at, r.size
	if r.trace {
		if r.at == r.size {
			return nil, io.EOF
		}
		var err error
		if n, err = r.length(r.at); err != nil {
			return nil, fault.New(ErrMessage, fault.In(r.name),
				fmt.Sprintf("%d bytes at byte %d", r.size-r.at, r.at),
				"the length of a message and that number of bytes").
				WithHint("the trace is truncated; earlier messages can be drawn with --frame")
		}
		from += 4
	} else if r.at > 0 || r.size == 0 {
		return nil, io.EOF
	}
	if n > largestMessage {
		return nil, fault.New(ErrMessage, fault.In(r.name), fmt.Sprintf("%d bytes", n),
			"a message of at most 1 GiB")
	}
	b := make([]byte, n)
	if _, err := r.file.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.at = from + n
	return b, nil
}

// pick returns the message with a number, counted from 1, or the last message that is not later
// than a time, or else the first message, with its number. It returns an error if there is no such
// message.
func (r *recorded) pick(frame int, until *timebase.Time) ([]byte, int, error) {
	var found []byte
	for n := 1; ; n++ {
		b, err := r.next()
		switch {
		case errors.Is(err, io.EOF) && found != nil:
			return found, n - 1, nil
		case errors.Is(err, io.EOF) && frame > 0:
			return nil, 0, fault.New(ErrMessage, fault.In(r.name), quantity.Of(n-1, "message"),
				fmt.Sprintf("a message %d", frame))
		case errors.Is(err, io.EOF) && until != nil && n > 1:
			return nil, 0, fault.New(ErrMessage, fault.In(r.name), "later messages only",
				fmt.Sprintf("one at %v or before", *until))
		case errors.Is(err, io.EOF):
			return nil, 0, fault.New(ErrMessage, fault.In(r.name), "an empty file",
				"an OSI message, or a trace of them")
		case err != nil:
			return nil, 0, err
		case until == nil && (frame == 0 || frame == n):
			return b, n, nil
		case until != nil && timeOf(b) > *until:
			if found == nil {
				return nil, 0, fault.New(ErrMessage, fault.In(r.name),
					fmt.Sprintf("a first message at %v", timeOf(b)),
					fmt.Sprintf("one at %v or before", *until))
			}
			return found, n - 1, nil
		case until != nil:
			found = b
		}
	}
}

// timeOf returns the timestamp of a SensorView or SensorData, which is in the same field of both.
func timeOf(b []byte) timebase.Time {
	var view osi3.SensorView
	// an unreadable message has no time; drawing it reports the error
	_ = proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, &view)
	t := view.GetTimestamp()
	return timebase.Time(t.GetSeconds())*timebase.Second + timebase.Time(t.GetNanos())
}

// decode decodes a message of a type, or else as the type that has fields for most of its bytes.
func (r *recorded) decode(b []byte, kind string) (proto.Message, error) {
	kinds := drawable()
	if kind != "" {
		kinds = []string{kind}
	}
	var best proto.Message
	var failed error // of the first type
	least := 0
	for _, name := range kinds {
		m := newMessage(name)
		if err := trace.Unmarshal(b, m); err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		if n := unknown(m.ProtoReflect()); best == nil || n < least {
			best, least = m, n
		}
	}
	if best == nil {
		return nil, fault.New(ErrMessage, fault.In(r.name),
			fmt.Sprintf("%d bytes that cannot be decoded", len(b)),
			"an encoded "+strings.Join(kinds, ", ")).
			WithHint("in a trace, each message is preceded by its length in 32 bits").
			WithCause(failed)
	}
	return best, nil
}

// unknown counts the bytes of fields that are unknown to the type of a message.
func unknown(m protoreflect.Message) (n int) {
	n = len(m.GetUnknown())
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for k := range v.List().Len() {
				n += unknown(v.List().Get(k).Message())
			}
		default:
			n += unknown(v.Message())
		}
		return true
	})
	return n
}

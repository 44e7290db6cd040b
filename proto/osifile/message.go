package osifile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"gosmp/internal/fault"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// ErrMessage reports a message that cannot be written.
var ErrMessage = errors.New("message not writable")

// MaxMessage is the largest message that is read or written, in bytes.
const MaxMessage = 512 << 20

// LengthSize is the number of bytes of a length.
const LengthSize = 4

// AppendLength appends the length of a message of size bytes, 1 to [MaxMessage].
func AppendLength(b []byte, size int) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

// Length decodes a length.
func Length(b [LengthSize]byte) uint32 { return binary.LittleEndian.Uint32(b[:]) }

// CheckSize returns an error of kind [ErrMessage] for a message that must not be written, because
// it is empty (other readers refuse such messages) or larger than [MaxMessage].
func CheckSize(size int) error {
	if size > 0 && size <= MaxMessage {
		return nil
	}
	return fault.New(ErrMessage, fault.Place{}, fmt.Sprintf("%d bytes", size),
		fmt.Sprintf("1 to %d", MaxMessage))
}

// Stamp returns the time in the osi3.Timestamp with the given field number in a message. ok is
// false if the message has no such field, or its time is outside the range of [timebase.Time].
func Stamp(message []byte, number wire.Number) (t timebase.Time, ok bool) {
	content, found := wire.First(message, number)
	if !found {
		return 0, false
	}
	var seconds, nanos uint64
	for i := 0; i < len(content); {
		key, lo, hi := wire.Field(content, i)
		switch {
		case hi < 0:
			return 0, false
		case key == 1<<3|wire.Varint:
			seconds = wire.Uint64(content[lo:hi])
		case key == 2<<3|wire.Varint:
			nanos = wire.Uint64(content[lo:hi])
		}
		i = hi
	}
	const most = int64(timebase.EndOfTime/timebase.Second) - 5
	if s := int64(seconds); s > most || s < -most {
		return 0, false
	}
	return timebase.Time(seconds)*timebase.Second + timebase.Time(uint32(nanos)), true
}

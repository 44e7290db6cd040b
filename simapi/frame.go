package simapi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
)

// LargestFrame is how long a frame may be, in bytes.
const LargestFrame = 16 << 20

// lengthSize is the size of what stands before a frame.
const lengthSize = 4

// FrameReader reads frames from a connection. Memory grows with what has really arrived, not with
// what a length announces.
type FrameReader struct {
	r      io.Reader
	offset int64 // of the next byte
	head   [lengthSize]byte
	buffer []byte
}

// NewFrameReader makes a reader.
func NewFrameReader(r io.Reader) *FrameReader { return &FrameReader{r: r} }

// portion is how much memory is taken before the bytes for it have arrived.
const portion = 64 << 10

// Next reads a frame. io.EOF is the orderly end between two frames; any other error ends the
// connection, because the place of the next frame is not known. The body of the frame is valid
// until the next call.
func (f *FrameReader) Next(frame *Frame) error {
	begin := f.offset
	n, err := io.ReadFull(f.r, f.head[:])
	f.offset += int64(n)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return f.cut(begin, n, lengthSize, "the length of a frame", err)
	case err != nil:
		return err
	}
	length := binary.BigEndian.Uint32(f.head[:])
	if length > LargestFrame {
		e := &Error{Place: place(begin), Kind: Code_INVALID, Found: fmt.Sprintf("a frame of %d bytes", length),
			Expected: fmt.Sprintf("at most %d", LargestFrame)}
		if reversed := binary.LittleEndian.Uint32(f.head[:]); reversed <= LargestFrame {
			e.Hint = fmt.Sprintf("lengths are big-endian; read the other way round it is %d (N27)", reversed)
		}
		return e
	}
	f.buffer = f.buffer[:0]
	for remains := int(length); remains > 0; {
		have := len(f.buffer)
		f.buffer = append(f.buffer, make([]byte, min(remains, max(portion, have)))...)
		n, err := io.ReadFull(f.r, f.buffer[have:])
		f.offset += int64(n)
		if err != nil {
			return f.cut(begin, lengthSize+have+n, lengthSize+int(length), "a frame", err)
		}
		remains -= n
	}
	if err := proto.Unmarshal(f.buffer, frame); err != nil {
		return &Error{Place: place(begin + lengthSize), Kind: Code_INVALID, Found: fmt.Sprintf("%d bytes that are not a Frame", length), Cause: err}
	}
	return nil
}

// cut is the error of a connection that ends within something.
func (f *FrameReader) cut(begin int64, have, want int, what string, err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return &Error{Place: place(begin), Kind: Code_PARTY_LOST, Found: fmt.Sprintf("%d bytes of %s", have, what),
		Expected: fmt.Sprintf("%d", want), Cause: io.ErrUnexpectedEOF}
}

func place(offset int64) fault.Place {
	return fault.At(fmt.Sprintf("byte %d of the connection", offset))
}

// AppendFrame adds a frame with its length to b.
func AppendFrame(b []byte, frame *Frame) ([]byte, error) {
	begin := len(b)
	b = append(b, 0, 0, 0, 0)
	b, err := proto.MarshalOptions{}.MarshalAppend(b, frame)
	if err != nil {
		return b[:begin], fmt.Errorf("%s: %w", frame.GetMethod().Word(), err)
	}
	length := len(b) - begin - lengthSize
	if length > LargestFrame {
		return b[:begin], &Error{Place: fault.At(frame.GetMethod().Word()), Kind: Code_INVALID, Found: fmt.Sprintf("a frame of %d bytes", length),
			Expected: fmt.Sprintf("at most %d", LargestFrame)}
	}
	binary.BigEndian.PutUint32(b[begin:], uint32(length))
	return b, nil
}

package simapi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
)

// LargestFrame is the maximum length of a frame, in bytes.
const LargestFrame = 16 << 20

// lengthSize is the size of the length that precedes a frame.
const lengthSize = 4

// FrameReader reads frames from a connection. Its memory grows with the received bytes, not with
// the announced length.
type FrameReader struct {
	r      io.Reader
	offset int64 // the offset of the next byte
	head   [lengthSize]byte
	buffer []byte
	most   int
	before func(length int) error

	requests bool // frames have no status
}

// NewFrameReader creates a reader.
func NewFrameReader(r io.Reader) *FrameReader { return &FrameReader{r: r, most: LargestFrame} }

// Limit sets the maximum length of frames, and a function that is called with the length of each
// frame before the rest of the frame is read. The function may wait, and Next returns its error. It
// has to find memory for a long frame, which is allocated at once.
func (f *FrameReader) Limit(most int, before func(length int) error) {
	f.most, f.before = min(most, LargestFrame), before
}

// Release releases the memory used for long frames.
func (f *FrameReader) Release() { f.buffer = nil }

// portion is the amount of memory allocated before the corresponding bytes arrive.
const portion = 64 << 10

// Next reads a frame. io.EOF means an orderly end between two frames; after any other error the
// connection is unusable, because the position of the next frame is unknown. Next reuses the memory
// of the frame's body.
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
	if int64(length) > int64(f.most) {
		e := fault.New(Code_INVALID, place(begin), fmt.Sprintf("a frame of %d bytes", length),
			fmt.Sprintf("at most %d", f.most))
		if reversed := binary.LittleEndian.Uint32(f.head[:]); reversed <= LargestFrame {
			e.Hint = fmt.Sprintf("lengths are big-endian; read the other way round it is %d (SA27)",
				reversed)
		}
		return e
	}
	if f.before != nil {
		if err := f.before(int(length)); err != nil {
			return err
		}
	}
	own := f.before != nil && length > light
	if f.buffer = f.buffer[:0]; own {
		f.buffer = make([]byte, 0, length)
	}
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
	if own {
		defer f.Release() // the frame uses it
	}
	if err := readFrame(f.buffer, frame, f.requests, own); err != nil {
		return fault.New(Code_INVALID, place(begin+lengthSize),
			fmt.Sprintf("%d bytes that are not a Frame", length), "").WithCause(err)
	}
	return nil
}

// cut returns the error for a connection that ends inside a frame.
func (f *FrameReader) cut(begin int64, have, want int, what string, err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return fault.New(Code_PARTY_LOST, place(begin), fmt.Sprintf("%d bytes of %s", have, what),
		fmt.Sprintf("%d", want)).WithCause(io.ErrUnexpectedEOF)
}

func place(offset int64) fault.Place {
	return fault.At(fmt.Sprintf("byte %d of the connection", offset))
}

// The field numbers of a Frame.
const (
	frameID     protowire.Number = 1
	frameMethod protowire.Number = 2
	frameBody   protowire.Number = 3
	frameStatus protowire.Number = 4
)

var errNumber = errors.New("a field whose number is too large")

// readField splits the first field off a message. It returns the field's value, without the tag,
// and the rest. Like proto.Unmarshal, it accepts fewer field numbers than protowire.
func readField(b []byte) (number protowire.Number, kind protowire.Type, value, rest []byte,
	err error) {
	number, kind, n := protowire.ConsumeTag(b)
	if n < 0 {
		return 0, 0, nil, nil, protowire.ParseError(n)
	}
	if number > protowire.MaxValidNumber {
		return 0, 0, nil, nil, errNumber
	}
	value = b[n:]
	if n = protowire.ConsumeFieldValue(number, kind, value); n < 0 {
		return 0, 0, nil, nil, protowire.ParseError(n)
	}
	return number, kind, value[:n], value[n:], nil
}

// readFrame is like proto.Unmarshal for frames, but reuses the frame's memory, or that of b, and
// ignores the status of a request.
func readFrame(b []byte, frame *Frame, request, own bool) error {
	frame.Id, frame.Method, frame.Body = 0, 0, frame.Body[:0]
	if frame.Status != nil {
		frame.Status.Reset()
	}
	status := false
	for len(b) > 0 {
		number, kind, value, rest, err := readField(b)
		if err != nil {
			return err
		}
		b = rest
		switch {
		case number == frameID && kind == protowire.VarintType:
			frame.Id, _ = protowire.ConsumeVarint(value)
		case number == frameMethod && kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			frame.Method = Method(v)
		case number == frameBody && kind == protowire.BytesType:
			v, _ := protowire.ConsumeBytes(value)
			if own {
				frame.Body = v
			} else {
				frame.Body = append(frame.Body[:0], v...)
			}
		case number == frameStatus && kind == protowire.BytesType && !request:
			status = true
			v, _ := protowire.ConsumeBytes(value)
			if frame.Status == nil {
				frame.Status = &Status{}
			}
			if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal(v, frame.Status); err != nil {
				return err
			}
		}
	}
	if !status {
		frame.Status = nil
	}
	return nil
}

// AppendFrame appends a frame, preceded by its length, to b.
func AppendFrame(b []byte, frame *Frame) ([]byte, error) {
	begin := len(b)
	b = append(b, 0, 0, 0, 0)
	if id := frame.GetId(); id != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, frameID, protowire.VarintType), id)
	}
	if m := frame.GetMethod(); m != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, frameMethod, protowire.VarintType),
			uint64(m))
	}
	if body := frame.GetBody(); len(body) > 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, frameBody, protowire.BytesType), body)
	}
	if status := frame.GetStatus(); status != nil {
		b = protowire.AppendVarint(protowire.AppendTag(b, frameStatus, protowire.BytesType),
			uint64(proto.Size(status)))
		var err error
		if b, err = (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend(b,
			status); err != nil {
			return b[:begin], fmt.Errorf("%s: %w", frame.GetMethod().Word(), err)
		}
	}
	length := len(b) - begin - lengthSize
	if length > LargestFrame {
		return b[:begin], tooLongFrame(frame.GetMethod(), length)
	}
	binary.BigEndian.PutUint32(b[begin:], uint32(length))
	return b, nil
}

// appendParts is like [AppendFrame], but does not copy a long body, which follows after b.
func appendParts(b []byte, frame *Frame) (_, rest []byte, err error) {
	body := frame.GetBody()
	if len(body) <= light {
		b, err = AppendFrame(b, frame)
		return b, nil, err
	}
	begin := len(b)
	frame.Body = nil
	b, err = AppendFrame(b, frame)
	frame.Body = body
	if err != nil {
		return b, nil, err
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, frameBody, protowire.BytesType),
		uint64(len(body)))
	length := len(b) - begin - lengthSize + len(body)
	if length > LargestFrame {
		return b[:begin], nil, tooLongFrame(frame.GetMethod(), length)
	}
	binary.BigEndian.PutUint32(b[begin:], uint32(length))
	return b, body, nil
}

func tooLongFrame(m Method, length int) error {
	return fault.New(Code_INVALID, fault.At(m.Word()), fmt.Sprintf("a frame of %d bytes", length),
		fmt.Sprintf("at most %d", LargestFrame))
}

package mcap

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"gosmp/internal/fault"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Compression is the method by which the records of a chunk are compressed.
type Compression string

// The compressions that the format defines.
const (
	None Compression = ""
	LZ4  Compression = "lz4" // the frame format
	Zstd Compression = "zstd"
)

// compressor compresses chunks. It reuses its buffers.
type compressor struct {
	kind   Compression
	zstd   *zstd.Encoder
	packed []byte
	lz4    *lz4.Writer
	out    bytes.Buffer
}

func newCompressor(kind Compression) (*compressor, error) {
	c := &compressor{kind: kind}
	var err error
	switch kind {
	case None:
	case Zstd:
		// Use one goroutine, so that the same input gives the same bytes.
		c.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedDefault))
	case LZ4:
		c.lz4 = lz4.NewWriter(nil)
		// Use small blocks: if a chunk is truncated, its complete blocks can still be read.
		err = c.lz4.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ConcurrencyOption(1))
	default:
		err = fault.New(ErrUsage, fault.Place{}, fmt.Sprintf("compression %q", kind),
			"none, lz4 or zstd")
	}
	return c, err
}

// pack returns the compressed records, valid until the next call.
func (c *compressor) pack(records []byte) ([]byte, error) {
	switch c.kind {
	case Zstd:
		c.packed = c.zstd.EncodeAll(records, c.packed[:0])
		return c.packed, nil
	case LZ4:
		c.out.Reset()
		c.lz4.Reset(&c.out)
		if _, err := c.lz4.Write(records); err != nil {
			return nil, err
		}
		err := c.lz4.Close()
		return c.out.Bytes(), err
	}
	return records, nil
}

// unpacker unpacks chunks. It reuses its decoders.
type unpacker struct {
	zstd *zstd.Decoder
	lz4  *lz4.Reader

	lenient bool   // unpack zstd frames even if their checksum is wrong
	wide    []byte // memory for damaged zstd frames
}

// unpack appends the records of a chunk to buffer. After an error, the result contains as much as
// could be unpacked.
func (u *unpacker) unpack(c *Chunk, buffer []byte) ([]byte, error) {
	switch {
	case c.UncompressedSize > largestMemory:
		return buffer, fmt.Errorf("a chunk of %d bytes, expected at most %d", c.UncompressedSize,
			uint64(largestMemory))
	case c.UncompressedSize > memory():
		return buffer, tooLarge(0, 1, c.UncompressedSize)
	}
	size := int(c.UncompressedSize)
	if !plausible(c) {
		size = u.measure(c)
	}
	buffer = room(buffer, size)
	switch Compression(c.Compression) {
	case None:
		if uint64(len(c.Records)) != c.UncompressedSize {
			return append(buffer, c.Records...), fmt.Errorf("%d bytes in a chunk that states %d",
				len(c.Records), c.UncompressedSize)
		}
		return append(buffer, c.Records...), nil
	case Zstd:
		if err := u.needZstd(); err != nil {
			return buffer, err
		}
		if whole, ok := u.unpackWhole(c, buffer); ok {
			return whole, nil
		}
		return u.readZstd(c.Records, buffer, int(c.UncompressedSize))
	case LZ4:
		return drain(u.readLZ4(c.Records), buffer, int(c.UncompressedSize))
	}
	return buffer, fmt.Errorf("compression %q, expected none, lz4 or zstd", c.Compression)
}

// measure returns how many bytes of the stated uncompressed size there are. It takes the time to
// unpack the chunk, but no memory.
func (u *unpacker) measure(c *Chunk) int {
	var from io.Reader
	switch Compression(c.Compression) {
	case Zstd:
		if u.needZstd() != nil || u.zstd.Reset(bytes.NewReader(c.Records)) != nil {
			return 0
		}
		defer func() { _ = u.zstd.Reset(nil) }() // see readZstd
		from = u.zstd
	case LZ4:
		from = u.readLZ4(c.Records)
	default:
		return 0
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(from, int64(c.UncompressedSize))) // up to the damage
	return int(n)
}

// hasAll reports whether a chunk unpacks to at least as many bytes as it states.
func (u *unpacker) hasAll(c *Chunk) bool {
	if Compression(c.Compression) == None {
		return uint64(len(c.Records)) >= c.UncompressedSize
	}
	return uint64(u.measure(c)) == c.UncompressedSize
}

func (u *unpacker) readLZ4(packed []byte) io.Reader {
	if u.lz4 == nil {
		u.lz4 = lz4.NewReader(nil)
	}
	u.lz4.Reset(bytes.NewReader(packed))
	return u.lz4
}

// plausible reports whether a chunk's stated uncompressed size may be true, so that memory for it
// can be allocated at once.
func plausible(c *Chunk) bool {
	return c.UncompressedSize <= usualSize(c.Records)
}

// usualSize is an upper bound for what records unpack to.
func usualSize(packed []byte) uint64 {
	const usual, ratio = 16 << 20, 64
	return min(memory(), max(usual, ratio*uint64(len(packed))))
}

// room ensures capacity for exactly n more bytes.
func room(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(make([]byte, 0, len(b)+n), b...)
}

// unpackWhole unpacks an undamaged chunk in one call. ok is false if the chunk is damaged, or if
// buffer has no room for it.
func (u *unpacker) unpackWhole(c *Chunk, buffer []byte) (whole []byte, ok bool) {
	size := len(buffer) + int(c.UncompressedSize)
	if size > cap(buffer) {
		return nil, false
	}
	whole, err := u.zstd.DecodeAll(c.Records, buffer[:len(buffer):size])
	return whole, err == nil && len(whole) == size
}

func (u *unpacker) needZstd() (err error) {
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(memory()),
			zstd.IgnoreChecksum(u.lenient))
	}
	return err
}

// readZstd unpacks a frame block by block.
func (u *unpacker) readZstd(frame, buffer []byte, size int) ([]byte, error) {
	if err := u.zstd.Reset(bytes.NewReader(frame)); err != nil {
		return buffer, err
	}
	// A stream that is not read to its end keeps the only block decoder, for which the next
	// DecodeAll would wait forever.
	defer func() { _ = u.zstd.Reset(nil) }()
	return drain(u.zstd, buffer, size)
}

// drain reads exactly size bytes, in steps, so that a wrong size takes no more memory than there is
// data.
func drain(from io.Reader, buffer []byte, size int) ([]byte, error) {
	const step = 1 << 20
	start := len(buffer)
	for len(buffer)-start < size {
		at := len(buffer)
		left := size - (at - start)
		if at == cap(buffer) {
			buffer = slices.Grow(buffer, min(step, left)) // doubles the capacity
		}
		buffer = buffer[:at+min(left, cap(buffer)-at)]
		got, err := io.ReadFull(from, buffer[at:])
		if err != nil {
			buffer = buffer[:at+got]
			return buffer, fmt.Errorf("the chunk ends after %d of %d bytes: %w", len(buffer)-start,
				size, err)
		}
	}
	var rest [1]byte
	if n, _ := io.ReadFull(from, rest[:]); n > 0 {
		return buffer, fmt.Errorf("the chunk is longer than the %d bytes it states", size)
	}
	return buffer, nil
}

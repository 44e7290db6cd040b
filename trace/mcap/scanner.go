package mcap

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Scanner reads the records of a file from front to back, as from a pipe. Chunks are unpacked:
// their records are returned one by one, in place of the chunk and its message indexes.
type Scanner struct {
	from    *bufio.Reader
	offset  int64  // of the next record
	crc     uint32 // of all bytes before it
	buffer  []byte // the body of the record
	chunk   []byte // the remainder of the open chunk
	inChunk int64  // offset of the chunk, for errors
	records []byte // memory of chunks
	unpack  unpacker
	all     expansion
	whole   bool // the footer and the last magic have been read

	unrolled bool // the newest record was inside a chunk
}

// NewScanner returns a scanner and reads the beginning of the file.
func NewScanner(from io.Reader) (*Scanner, error) {
	s := &Scanner{from: bufio.NewReaderSize(from, 1<<16)}
	return s, s.magic("at the beginning")
}

func (s *Scanner) magic(where string) error {
	var b [len(Magic)]byte
	n, err := io.ReadFull(s.from, b[:])
	if string(b[:n]) != Magic {
		if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return damaged(s.offset, fmt.Sprintf("%q", b[:n]), fmt.Sprintf("%q %s of an MCAP file",
				Magic, where))
		}
		return err
	}
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b[:])
	s.offset += int64(n)
	return nil
}

// Next returns the next record: a pointer to one of the record types of this package. Its data are
// valid until the next call. Records of unknown opcodes are skipped. The error is io.EOF at the end
// of a whole file, and [ErrFormat] where the file is damaged or cut.
func (s *Scanner) Next() (any, error) {
	for {
		record, err := s.step()
		if record != nil || err != nil {
			return record, err
		}
	}
}

// InChunk reports whether the newest record was inside a chunk.
func (s *Scanner) InChunk() bool { return s.unrolled }

// Offset returns the place in the file after the newest record, or after the chunk that contains
// it.
func (s *Scanner) Offset() int64 { return s.offset }

// step reads one record. It returns nil for a skipped record.
func (s *Scanner) step() (any, error) {
	if s.unrolled = len(s.chunk) > 0; s.unrolled {
		return s.fromChunk()
	}
	if s.whole {
		return nil, s.end()
	}
	op, body, at, err := s.read()
	if err != nil {
		return nil, err
	}
	switch op {
	case OpMessageIndex:
		return nil, nil
	case OpDataEnd:
		return s.dataEnd(body, at)
	case OpFooter:
		s.whole = true
		if err := s.magic("at the end"); err != nil {
			return nil, err
		}
	}
	record, err := parse(op, body, at)
	if chunk, is := record.(*Chunk); is {
		return nil, s.open(chunk, at)
	}
	return record, err
}

// end returns io.EOF, unless bytes follow the last magic: another file, or the rest of a longer
// file that was overwritten.
func (s *Scanner) end() error {
	switch _, err := s.from.Peek(1); {
	case err == nil:
		return damaged(s.offset, "bytes after the magic at the end", "the end of the file")
	case errors.Is(err, io.EOF):
		return io.EOF
	default:
		return err
	}
}

// read takes the next record from the file.
func (s *Scanner) read() (op Opcode, body []byte, at int64, err error) {
	at = s.offset
	var head [9]byte
	if n, err := io.ReadFull(s.from, head[:]); err != nil {
		return 0, nil, at, s.cut(err, fmt.Sprintf("the file ends %d bytes into a record", n),
			"a Footer and the magic")
	}
	op = Opcode(head[0])
	length := le.Uint64(head[1:])
	if op == 0 {
		return 0, nil, at, damaged(at, "a record of opcode 0", "an opcode of at least 1")
	}
	if s.buffer, err = readBytes(s.from, s.buffer[:0], length); err != nil {
		return 0, nil, at, s.cut(err, fmt.Sprintf("a %s record of %d bytes, of which %d are there",
			op, length, len(s.buffer)), "a whole record")
	}
	if op == OpDataEnd { // which its own checksum does not cover
		s.offset += 9 + int64(length)
		return op, s.buffer, at, nil
	}
	s.crc = crc32.Update(crc32.Update(s.crc, crc32.IEEETable, head[:]), crc32.IEEETable, s.buffer)
	s.offset += 9 + int64(length)
	return op, s.buffer, at, nil
}

func (s *Scanner) cut(err error, found, expected string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(s.offset, found, expected)
	}
	return err
}

// readBytes appends n bytes in steps, so that a wrong length takes no more memory than there is
// data.
func readBytes(from io.Reader, b []byte, n uint64) ([]byte, error) {
	const step = 1 << 20
	for n > 0 {
		part := int(min(n, step))
		at := len(b)
		if cap(b)-at < part {
			b = append(b, make([]byte, part)...)
		} else {
			b = b[:at+part]
		}
		got, err := io.ReadFull(from, b[at:])
		if err != nil {
			return b[:at+got], err
		}
		n -= uint64(part)
	}
	return b, nil
}

func (s *Scanner) dataEnd(body []byte, at int64) (any, error) {
	record, err := parse(OpDataEnd, body, at)
	if err != nil {
		return nil, err
	}
	if d := record.(*DataEnd); d.CRC != 0 && d.CRC != s.crc {
		return nil, damaged(at, fmt.Sprintf("a data section with checksum %08x", s.crc),
			fmt.Sprintf("%08x", d.CRC))
	}
	return record, nil
}

// open unpacks a chunk.
func (s *Scanner) open(c *Chunk, at int64) (err error) {
	s.records, err = unpackChecked(&s.unpack, c, at, s.records[:0])
	if err == nil {
		err = s.all.add(at, uint64(len(s.records)), s.offset)
	}
	if err == nil {
		s.chunk, s.inChunk = s.records, at
	}
	return err
}

// unpackChecked unpacks a chunk and compares its checksum.
func unpackChecked(u *unpacker, c *Chunk, at int64, buffer []byte) ([]byte, error) {
	buffer, err := u.unpack(c, buffer)
	if errors.Is(err, ErrMemory) {
		return buffer, tooLarge(at, 1, c.UncompressedSize)
	}
	if err != nil {
		e := damaged(at, "a chunk that cannot be unpacked", "")
		e.Cause = err
		return buffer, e
	}
	if sum := crc32.ChecksumIEEE(buffer); c.UncompressedCRC != 0 && sum != c.UncompressedCRC {
		return buffer, damaged(at, fmt.Sprintf("a chunk with checksum %08x", sum),
			fmt.Sprintf("%08x", c.UncompressedCRC))
	}
	return buffer, nil
}

// fromChunk takes the next record of the open chunk.
func (s *Scanner) fromChunk() (any, error) {
	op, body, rest, err := split(s.chunk, s.inChunk)
	if err != nil {
		s.chunk = nil
		return nil, err
	}
	s.chunk = rest
	switch op {
	case OpSchema, OpChannel, OpMessage:
		return parse(op, body, s.inChunk)
	}
	if op < 0x80 && op <= OpDataEnd {
		return nil, damaged(s.inChunk, fmt.Sprintf("a %s record inside a chunk", op),
			"schemas, channels and messages")
	}
	return nil, nil
}

// split takes the first record of a chunk.
func split(b []byte, at int64) (op Opcode, body, rest []byte, err error) {
	if len(b) < 9 || le.Uint64(b[1:]) > uint64(len(b)-9) {
		return 0, nil, nil, damaged(at, "a chunk that ends within a record", "whole records")
	}
	length := le.Uint64(b[1:])
	return Opcode(b[0]), b[9 : 9+length : 9+length], b[9+length:], nil
}

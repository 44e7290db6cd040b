package mcap

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// File is a file that is read by its index. It may be used by one goroutine at a time.
type File struct {
	Header      Header
	Footer      Footer
	Schemas     map[uint16]*Schema
	Channels    map[uint16]*Channel
	Statistics  *Statistics // nil if the file has none
	Chunks      []*ChunkIndex
	Attachments []*AttachmentIndex
	Metadata    []*MetadataIndex
	Offsets     []*SummaryOffset

	from   io.ReaderAt
	size   int64
	unpack unpacker
	packed []byte // the newest chunk, before it is unpacked

	indexes []byte // the message indexes of the newest chunk

	verified expansion
}

const footerSize = 9 + 20 + int64(len(Magic))

// Open reads the summary of a file of size bytes. It fails with [ErrFormat] if the end of the file
// is missing or incomplete, for example because the recorder was killed; [Recover] and [Scanner]
// read such files.
func Open(from io.ReaderAt, size int64) (*File, error) {
	f := &File{from: from, size: size, Schemas: map[uint16]*Schema{},
		Channels: map[uint16]*Channel{}}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	if err := f.readFooter(); err != nil {
		return nil, err
	}
	if f.Footer.SummaryStart == 0 {
		return f, nil
	}
	return f, f.readSummary()
}

func (f *File) bytes(offset int64, length uint64) ([]byte, error) {
	return f.bytesInto(nil, offset, length)
}

// bytesInto reads bytes into the given memory, or allocates more if that is too small.
func (f *File) bytesInto(memory []byte, offset int64, length uint64) ([]byte, error) {
	if offset < 0 || offset > f.size || length > uint64(f.size-offset) {
		return nil, damaged(offset, fmt.Sprintf("%d bytes in a file of %d", length, f.size),
			"a place inside the file")
	}
	b := room(memory[:0], int(length))[:length]
	if _, err := f.from.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// recordAt reads the record at an offset.
func (f *File) recordAt(offset uint64) (any, error) {
	var body []byte
	return f.recordInto(&body, offset)
}

// recordInto is like recordAt, but reads the body into the given memory, which is replaced if it is
// too small.
func (f *File) recordInto(memory *[]byte, offset uint64) (any, error) {
	if offset > uint64(f.size) {
		return nil, damaged(f.size, fmt.Sprintf("offset %d in a file of %d bytes", offset, f.size),
			"a place inside the file")
	}
	head, err := f.bytes(int64(offset), 9)
	if err != nil {
		return nil, err
	}
	body, err := f.bytesInto(*memory, int64(offset)+9, le.Uint64(head[1:]))
	if err != nil {
		return nil, err
	}
	*memory = body
	return parse(Opcode(head[0]), body, int64(offset))
}

func (f *File) readHeader() error {
	b, err := f.bytes(0, min(uint64(len(Magic)), uint64(f.size)))
	if err != nil {
		return err
	}
	if string(b) != Magic {
		return damaged(0, fmt.Sprintf("%q", b), fmt.Sprintf("%q at the beginning of an MCAP file",
			Magic))
	}
	record, err := f.recordAt(uint64(len(Magic)))
	if err != nil {
		return err
	}
	h, is := record.(*Header)
	if !is {
		return damaged(int64(len(Magic)), fmt.Sprintf("%T", record), "a Header record")
	}
	f.Header = *h
	return nil
}

func (f *File) readFooter() error {
	at := f.size - footerSize
	b, err := f.bytes(at, uint64(footerSize))
	if err != nil || string(b[footerSize-int64(len(Magic)):]) != Magic ||
		Opcode(b[0]) != OpFooter || le.Uint64(b[1:]) != 20 {
		return &UnfinishedError{Size: f.size}
	}
	record, err := parse(OpFooter, b[9:29], at)
	if err != nil {
		return err
	}
	f.Footer = *record.(*Footer)
	return nil
}

// UnfinishedError reports a file without an end, because its recorder was killed or the file was
// cut.
type UnfinishedError struct{ Size int64 }

// Error returns the message, which explains what to do.
func (u *UnfinishedError) Error() string {
	return fmt.Sprintf(
		"%v: %d bytes without a Footer and the magic at the end: the recorder was killed or "+
			"the file was cut", ErrFormat, u.Size)
}

// Unwrap returns the kind of the error.
func (u *UnfinishedError) Unwrap() error { return ErrFormat }

// readSummary keeps the records of the summary. If the checksum is wrong, it still keeps the
// records that can be parsed, but returns an error.
func (f *File) readSummary() error {
	start, end := f.Footer.SummaryStart, uint64(f.size-footerSize)
	if start > end {
		return damaged(int64(end), fmt.Sprintf("a summary at %d", start), fmt.Sprintf("at most %d",
			end))
	}
	b, err := f.bytes(int64(start), uint64(f.size)-start)
	if err != nil {
		return err
	}
	covered := b[:len(b)-len(Magic)-4]
	var altered error
	if sum := crc32.ChecksumIEEE(covered); f.Footer.SummaryCRC != 0 && sum != f.Footer.SummaryCRC {
		altered = damaged(int64(start), fmt.Sprintf("a summary with checksum %08x", sum),
			fmt.Sprintf("%08x", f.Footer.SummaryCRC))
	}
	for b = b[:end-start]; len(b) > 0; {
		at := int64(end) - int64(len(b))
		op, body, rest, err := split(b, at)
		if err != nil {
			return cmp.Or(altered, err)
		}
		record, err := parse(op, body, at)
		if err == nil {
			f.keep(record)
		} else if altered == nil {
			return err
		}
		b = rest
	}
	return altered
}

func (f *File) keep(record any) {
	switch r := record.(type) {
	case *Schema:
		f.Schemas[r.ID] = r
	case *Channel:
		f.Channels[r.ID] = r
	case *Statistics:
		f.Statistics = r
	case *ChunkIndex:
		f.Chunks = append(f.Chunks, r)
	case *AttachmentIndex:
		f.Attachments = append(f.Attachments, r)
	case *MetadataIndex:
		f.Metadata = append(f.Metadata, r)
	case *SummaryOffset:
		f.Offsets = append(f.Offsets, r)
	}
}

// ReadAttachment reads an attachment.
func (f *File) ReadAttachment(a *AttachmentIndex) (*Attachment, error) {
	return at[*Attachment](f, a.Offset)
}

// ReadMetadata reads a metadata record.
func (f *File) ReadMetadata(m *MetadataIndex) (*Metadata, error) {
	return at[*Metadata](f, m.Offset)
}

func at[T any](f *File, offset uint64) (none T, err error) {
	var body []byte
	return into[T](f, &body, offset)
}

// into is like at, but reads the body of the record into the given memory.
func into[T any](f *File, memory *[]byte, offset uint64) (none T, err error) {
	record, err := f.recordInto(memory, offset)
	if err != nil {
		return none, err
	}
	if r, is := record.(T); is {
		return r, nil
	}
	return none, damaged(int64(offset), fmt.Sprintf("%T", record),
		fmt.Sprintf("a %T, as the index says", none))
}

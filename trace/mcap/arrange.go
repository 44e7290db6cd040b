package mcap

import (
	"errors"
	"io"
)

// maxRun is the maximum number of bytes outside of chunks that are read at once.
const maxRun = 4 << 20

// Arrange reads a file from front to back and builds the missing index, so that messages can be
// read in the order of their log times. sorted reports whether they are already in that order. An
// error of kind [ErrFormat] reports damage of the file; the index then covers everything before the
// damage.
func Arrange(from io.ReaderAt, size int64) (f *File, sorted bool, err error) {
	s, err := NewScanner(io.NewSectionReader(from, 0, size))
	if err != nil {
		return nil, false, err
	}
	a := arranger{sorted: true, file: &File{from: from, size: size, Schemas: map[uint16]*Schema{},
		Channels: map[uint16]*Channel{}}}
	for {
		at := s.Offset()
		record, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return a.file, a.sorted, nil
		case err != nil:
			if len(a.file.Chunks) > 0 && s.unrolled { // nothing is read from a damaged chunk
				a.file.Chunks = a.file.Chunks[:len(a.file.Chunks)-1]
			}
			return a.file, a.sorted, err
		}
		a.take(record, s, at)
	}
}

// arranger is the state of [Arrange].
type arranger struct {
	file   *File
	sorted bool
	newest uint64
}

func (a *arranger) take(record any, s *Scanner, at int64) {
	f := a.file
	switch r := record.(type) {
	case *Header:
		f.Header = *r
	case *Schema, *Channel:
		d := definitions{f.Schemas, f.Channels}
		d.add(record)
	case *Attachment:
		f.Attachments = append(f.Attachments, &AttachmentIndex{Offset: uint64(at),
			LogTime: r.LogTime, CreateTime: r.CreateTime, DataSize: uint64(len(r.Data)),
			Name: r.Name, MediaType: r.MediaType})
	case *Metadata:
		f.Metadata = append(f.Metadata, &MetadataIndex{Offset: uint64(at), Name: r.Name})
	case *Message:
		a.message(r, s, at)
	}
}

// message adds a message to the index entry of its chunk, or of the surrounding records.
func (a *arranger) message(m *Message, s *Scanner, at int64) {
	a.sorted = a.sorted && m.LogTime >= a.newest
	a.newest = max(a.newest, m.LogTime)
	var c *ChunkIndex
	if n := len(a.file.Chunks); n > 0 {
		c = a.file.Chunks[n-1]
	}
	switch {
	case s.unrolled && (c == nil || c.loose || c.ChunkStart != uint64(s.inChunk)):
		c = a.begin(m, &ChunkIndex{ChunkStart: uint64(s.inChunk),
			UncompressedSize: uint64(len(s.records))})
	case !s.unrolled && (c == nil || !c.loose || s.Offset()-int64(c.ChunkStart) > maxRun):
		c = a.begin(m, &ChunkIndex{ChunkStart: uint64(at), loose: true})
	}
	c.Start, c.End = min(c.Start, m.LogTime), max(c.End, m.LogTime)
	if c.ChunkLength = uint64(s.Offset()) - c.ChunkStart; c.loose {
		c.UncompressedSize = c.ChunkLength
	}
}

func (a *arranger) begin(m *Message, c *ChunkIndex) *ChunkIndex {
	c.Start, c.End = m.LogTime, m.LogTime
	a.file.Chunks = append(a.file.Chunks, c)
	return c
}

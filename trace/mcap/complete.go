package mcap

import (
	"cmp"
	"slices"
)

// span is a part of the file that an index of the summary covers.
type span struct{ start, length uint64 }

// Complete reports whether the chunk indexes lead to all messages of the file. It does not read the
// parts that the indexes cover, so it is fast for files of any size. It also adds indexes for
// attachments and metadata records that lack one.
func (f *File) Complete() (bool, error) {
	spans, ok := f.spans()
	if !ok {
		return false, nil
	}
	length, err := f.lengthAt(uint64(len(Magic)))
	if err != nil {
		return false, err
	}
	at := uint64(len(Magic)) + length
	for _, s := range spans {
		if complete, err := f.walk(at, s.start); !complete || err != nil {
			return false, err
		}
		at = max(at, s.start+s.length)
	}
	end := f.Footer.SummaryStart
	if end == 0 {
		end = uint64(f.size - footerSize)
	}
	return f.walk(at, end)
}

// spans returns the parts of the file that the indexes cover, sorted by position. ok is false if a
// part is not inside the file.
func (f *File) spans() (list []span, ok bool) {
	for _, c := range f.Chunks {
		list = append(list, span{c.ChunkStart, c.ChunkLength}, span{c.ChunkStart + c.ChunkLength,
			c.MessageIndexLength})
	}
	for _, a := range f.Attachments {
		list = append(list, span{a.Offset, a.Length})
	}
	for _, m := range f.Metadata {
		list = append(list, span{m.Offset, m.Length})
	}
	size := uint64(f.size)
	for _, s := range list {
		if s.start > size || s.length > size-s.start {
			return nil, false
		}
	}
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return list, true
}

// walk reads records that no index covers. It returns false if they include messages or are
// damaged.
func (f *File) walk(at, end uint64) (bool, error) {
	for at < end {
		head, err := f.bytes(int64(at), min(9, end-at))
		if err != nil || len(head) < 9 {
			return false, err
		}
		op, length := Opcode(head[0]), le.Uint64(head[1:])
		switch {
		case op == OpDataEnd:
			return true, nil
		case op == 0, op == OpChunk, op == OpMessage, length > end-at-9:
			return false, nil
		}
		if err := f.addIndex(op, at, 9+length); err != nil {
			return false, err
		}
		at += 9 + length
	}
	return true, nil
}

// addIndex adds the index of an attachment or a metadata record. A damaged record is not indexed.
func (f *File) addIndex(op Opcode, at, length uint64) error {
	if op != OpAttachment && op != OpMetadata {
		return nil
	}
	body, err := f.bytes(int64(at)+9, length-9)
	if err != nil {
		return err
	}
	record, _ := parse(op, body, int64(at)) // nil if it is damaged
	switch r := record.(type) {
	case *Attachment:
		f.Attachments = append(f.Attachments, &AttachmentIndex{at, length, r.LogTime, r.CreateTime,
			uint64(len(r.Data)), r.Name, r.MediaType})
	case *Metadata:
		f.Metadata = append(f.Metadata, &MetadataIndex{at, length, r.Name})
	}
	return nil
}

package mcap

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// body decodes the body of a record. Missing fields read as zero, and err reports them at the end.
type body struct {
	data   []byte
	offset int64 // of the record in the file, for errors
	op     Opcode
	short  bool
}

func (b *body) take(n uint64) []byte {
	if n > uint64(len(b.data)) {
		b.short, b.data = true, nil
		return nil
	}
	part := b.data[:n:n]
	b.data = b.data[n:]
	return part
}

func (b *body) u16() uint16 {
	if p := b.take(2); p != nil {
		return le.Uint16(p)
	}
	return 0
}

func (b *body) u32() uint32 {
	if p := b.take(4); p != nil {
		return le.Uint32(p)
	}
	return 0
}

func (b *body) u64() uint64 {
	if p := b.take(8); p != nil {
		return le.Uint64(p)
	}
	return 0
}

func (b *body) text() string { return string(b.take(uint64(b.u32()))) }

// part returns a nested body, which is preceded by its length.
func (b *body) part() *body {
	return &body{data: b.take(uint64(b.u32())), offset: b.offset, op: b.op}
}

func (b *body) texts() map[string]string {
	p := b.part()
	values := map[string]string{}
	for len(p.data) > 0 && !p.short {
		key := p.text()
		values[key] = p.text()
	}
	b.short = b.short || p.short
	return values
}

func (b *body) counts() map[uint16]uint64 {
	p := b.part()
	counts := map[uint16]uint64{}
	for len(p.data) > 0 && !p.short {
		key := p.u16()
		counts[key] = p.u64()
	}
	b.short = b.short || p.short
	return counts
}

func (b *body) err() error {
	if b.short {
		return damaged(b.offset, fmt.Sprintf("a %s record that ends before its fields", b.op),
			"lengths that fit into the record")
	}
	return nil
}

// parse decodes a record from its body. The data of the result point into the body. Bytes after the
// last field are skipped, because the format reserves them for future versions. The result is nil
// for unknown opcodes.
func parse(op Opcode, data []byte, offset int64) (any, error) {
	b := &body{data: data, offset: offset, op: op}
	record := b.record(data)
	err := b.err()
	if wrong, is := record.(error); is && err == nil {
		err = wrong
	}
	switch {
	case err == nil:
		return record, nil
	case op == OpAttachment || op == OpMetadata:
		return nil, aside{err}
	}
	return nil, err
}

// aside is an error in a record that no message depends on.
type aside struct{ error }

// Unwrap returns the error itself.
func (a aside) Unwrap() error { return a.error }

// IsAside reports whether an error concerns an attachment or metadata. A [Scanner] continues after
// such an error.
func IsAside(err error) bool {
	a := aside{}
	return errors.As(err, &a)
}

func (b *body) record(whole []byte) any {
	switch b.op {
	case OpHeader:
		return &Header{b.text(), b.text()}
	case OpFooter:
		return &Footer{b.u64(), b.u64(), b.u32()}
	case OpSchema:
		return &Schema{b.u16(), b.text(), b.text(), b.take(uint64(b.u32()))}
	case OpChannel:
		return &Channel{b.u16(), b.u16(), b.text(), b.text(), b.texts()}
	case OpMessage:
		return &Message{b.u16(), b.u32(), b.u64(), b.u64(), b.data}
	case OpChunk:
		return &Chunk{b.u64(), b.u64(), b.u64(), b.u32(), b.text(), b.take(b.u64())}
	case OpMessageIndex:
		return b.messageIndex()
	case OpChunkIndex:
		return b.chunkIndex()
	case OpAttachment:
		return b.attachment(whole)
	case OpAttachmentIndex:
		return &AttachmentIndex{b.u64(), b.u64(), b.u64(), b.u64(), b.u64(), b.text(), b.text()}
	case OpStatistics:
		return &Statistics{b.u64(), b.u16(), b.u32(), b.u32(), b.u32(), b.u32(), b.u64(), b.u64(),
			b.counts()}
	case OpMetadata:
		return &Metadata{b.text(), b.texts()}
	case OpMetadataIndex:
		return &MetadataIndex{b.u64(), b.u64(), b.text()}
	case OpSummaryOffset:
		return &SummaryOffset{Opcode(b.u8()), b.u64(), b.u64()}
	case OpDataEnd:
		return &DataEnd{b.u32()}
	}
	return nil
}

func (b *body) chunkIndex() *ChunkIndex {
	return &ChunkIndex{Start: b.u64(), End: b.u64(), ChunkStart: b.u64(), ChunkLength: b.u64(),
		MessageIndexOffsets: b.counts(), MessageIndexLength: b.u64(), Compression: b.text(),
		CompressedSize: b.u64(), UncompressedSize: b.u64()}
}

func (b *body) u8() byte {
	if p := b.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (b *body) messageIndex() *MessageIndex {
	m := &MessageIndex{ChannelID: b.u16()}
	p := b.part()
	m.Entries = make([]IndexEntry, 0, len(p.data)/16)
	for len(p.data) > 0 && !p.short {
		m.Entries = append(m.Entries, IndexEntry{p.u64(), p.u64()})
	}
	b.short = b.short || p.short
	return m
}

// attachment decodes an attachment and checks its checksum, if there is one.
func (b *body) attachment(whole []byte) any {
	a := &Attachment{LogTime: b.u64(), CreateTime: b.u64(), Name: b.text(), MediaType: b.text()}
	a.Data = b.take(b.u64())
	covered := whole[:len(whole)-len(b.data)]
	a.CRC = b.u32()
	if sum := crc32.ChecksumIEEE(covered); !b.short && a.CRC != 0 && a.CRC != sum {
		a.Data = nil
		return damaged(b.offset, fmt.Sprintf("attachment %q with checksum %08x", a.Name, sum),
			fmt.Sprintf("%08x", a.CRC))
	}
	return a
}

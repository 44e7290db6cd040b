package mcap

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

var le = binary.LittleEndian

// begin appends the opcode of a record and room for its length, which end fills in.
func begin(b []byte, o Opcode) (appended []byte, at int) {
	b = append(b, byte(o), 0, 0, 0, 0, 0, 0, 0, 0)
	return b, len(b)
}

func end(b []byte, at int) []byte {
	le.PutUint64(b[at-8:], uint64(len(b)-at))
	return b
}

func appendText(b []byte, text string) []byte {
	text = readable(text)
	return append(le.AppendUint32(b, uint32(len(text))), text...)
}

// readable returns a text in UTF-8, as the format requires: other readers refuse the whole file if
// a topic is in another encoding. Bytes that are not UTF-8 are read as Latin-1, which they usually
// are. This also keeps different texts different.
func readable(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			r = rune(text[0])
		}
		b.WriteRune(r)
		text = text[n:]
	}
	return b.String()
}

// appendTexts writes a map in the order of its keys.
func appendTexts(b []byte, values map[string]string) []byte {
	at := len(b)
	b = le.AppendUint32(b, 0)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		b = appendText(appendText(b, key), values[key])
	}
	le.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

// appendCounts writes a map in the order of its keys.
func appendCounts(b []byte, counts map[uint16]uint64) []byte {
	b = le.AppendUint32(b, uint32(10*len(counts)))
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		b = le.AppendUint64(le.AppendUint16(b, key), counts[key])
	}
	return b
}

// The appendTo methods append the body of a record, without opcode and length.

func (h *Header) appendTo(b []byte) []byte {
	return appendText(appendText(b, h.Profile), h.Library)
}

func (f *Footer) appendTo(b []byte) []byte {
	return le.AppendUint32(le.AppendUint64(le.AppendUint64(b, f.SummaryStart),
		f.SummaryOffsetStart), f.SummaryCRC)
}

func (s *Schema) appendTo(b []byte) []byte {
	b = appendText(appendText(le.AppendUint16(b, s.ID), s.Name), s.Encoding)
	return append(le.AppendUint32(b, uint32(len(s.Data))), s.Data...)
}

func (c *Channel) appendTo(b []byte) []byte {
	b = le.AppendUint16(le.AppendUint16(b, c.ID), c.SchemaID)
	return appendTexts(appendText(appendText(b, c.Topic), c.MessageEncoding), c.Metadata)
}

func (m *Message) appendTo(b []byte) []byte {
	b = le.AppendUint32(le.AppendUint16(b, m.ChannelID), m.Sequence)
	return append(le.AppendUint64(le.AppendUint64(b, m.LogTime), m.PublishTime), m.Data...)
}

func (c *Chunk) appendTo(b []byte) []byte {
	b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, c.Start), c.End), c.UncompressedSize)
	b = appendText(le.AppendUint32(b, c.UncompressedCRC), c.Compression)
	return append(le.AppendUint64(b, uint64(len(c.Records))), c.Records...)
}

func (m *MessageIndex) appendTo(b []byte) []byte {
	b = le.AppendUint32(le.AppendUint16(b, m.ChannelID), uint32(16*len(m.Entries)))
	for _, e := range m.Entries {
		b = le.AppendUint64(le.AppendUint64(b, e.LogTime), e.Offset)
	}
	return b
}

func (c *ChunkIndex) appendTo(b []byte) []byte {
	for _, x := range [...]uint64{c.Start, c.End, c.ChunkStart, c.ChunkLength} {
		b = le.AppendUint64(b, x)
	}
	b = le.AppendUint64(appendCounts(b, c.MessageIndexOffsets), c.MessageIndexLength)
	b = appendText(b, c.Compression)
	return le.AppendUint64(le.AppendUint64(b, c.CompressedSize), c.UncompressedSize)
}

// appendTo computes the checksum.
func (a *Attachment) appendTo(b []byte) []byte {
	at := len(b)
	b = le.AppendUint64(le.AppendUint64(b, a.LogTime), a.CreateTime)
	b = appendText(appendText(b, a.Name), a.MediaType)
	b = append(le.AppendUint64(b, uint64(len(a.Data))), a.Data...)
	return le.AppendUint32(b, crc32.ChecksumIEEE(b[at:]))
}

func (a *AttachmentIndex) appendTo(b []byte) []byte {
	for _, x := range [...]uint64{a.Offset, a.Length, a.LogTime, a.CreateTime, a.DataSize} {
		b = le.AppendUint64(b, x)
	}
	return appendText(appendText(b, a.Name), a.MediaType)
}

func (s *Statistics) appendTo(b []byte) []byte {
	b = le.AppendUint16(le.AppendUint64(b, s.MessageCount), s.SchemaCount)
	for _, x := range [...]uint32{s.ChannelCount, s.AttachmentCount, s.MetadataCount,
		s.ChunkCount} {
		b = le.AppendUint32(b, x)
	}
	return appendCounts(le.AppendUint64(le.AppendUint64(b, s.MessageStart), s.MessageEnd),
		s.ChannelMessageCounts)
}

func (m *Metadata) appendTo(b []byte) []byte { return appendTexts(appendText(b, m.Name), m.Values) }

func (m *MetadataIndex) appendTo(b []byte) []byte {
	return appendText(le.AppendUint64(le.AppendUint64(b, m.Offset), m.Length), m.Name)
}

func (s *SummaryOffset) appendTo(b []byte) []byte {
	return le.AppendUint64(le.AppendUint64(append(b, byte(s.Group)), s.Start), s.Length)
}

func (d *DataEnd) appendTo(b []byte) []byte { return le.AppendUint32(b, d.CRC) }

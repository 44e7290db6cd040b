package mcap

import (
	"errors"
	"fmt"

	"gosmp/internal/fault"
)

// The kinds of errors of this package.
var (
	// ErrFormat reports bytes that are not MCAP, or are damaged.
	ErrFormat = errors.New("damaged MCAP file")
	// ErrUsage reports a call that would result in an unreadable file.
	ErrUsage = errors.New("wrong use of an MCAP writer")
)

// Magic is at the beginning and at the end of every file. Its '0' byte is the format version.
const Magic = "\x89MCAP0\r\n"

// Opcode is the kind of a record. Opcodes from 0x80 up are private.
type Opcode byte

// The records of the format.
const (
	OpHeader          Opcode = 0x01
	OpFooter          Opcode = 0x02
	OpSchema          Opcode = 0x03
	OpChannel         Opcode = 0x04
	OpMessage         Opcode = 0x05
	OpChunk           Opcode = 0x06
	OpMessageIndex    Opcode = 0x07
	OpChunkIndex      Opcode = 0x08
	OpAttachment      Opcode = 0x09
	OpAttachmentIndex Opcode = 0x0A
	OpStatistics      Opcode = 0x0B
	OpMetadata        Opcode = 0x0C
	OpMetadataIndex   Opcode = 0x0D
	OpSummaryOffset   Opcode = 0x0E
	OpDataEnd         Opcode = 0x0F
)

var opcodeNames = [...]string{1: "Header", "Footer", "Schema", "Channel", "Message", "Chunk",
	"MessageIndex", "ChunkIndex", "Attachment",
	"AttachmentIndex", "Statistics", "Metadata", "MetadataIndex", "SummaryOffset", "DataEnd"}

// String returns the specification's name for the record kind.
func (o Opcode) String() string {
	if o == 0 || int(o) >= len(opcodeNames) {
		return fmt.Sprintf("0x%02X", byte(o))
	}
	return opcodeNames[o]
}

// Header is the first record.
type Header struct{ Profile, Library string }

// Footer is the last record. The offsets of empty parts are 0.
type Footer struct {
	SummaryStart, SummaryOffsetStart uint64
	SummaryCRC                       uint32 // 0: not given
}

// Schema describes the messages of channels. ID 0 is reserved for "no schema".
type Schema struct {
	ID             uint16
	Name, Encoding string
	Data           []byte
}

// Channel is a stream of messages of one kind.
type Channel struct {
	ID, SchemaID           uint16
	Topic, MessageEncoding string
	Metadata               map[string]string
}

// Message is one message of a channel. Times are in nanoseconds.
type Message struct {
	ChannelID            uint16
	Sequence             uint32
	LogTime, PublishTime uint64
	Data                 []byte
}

// Chunk holds schemas, channels and messages, possibly compressed.
type Chunk struct {
	Start, End       uint64 // least and greatest log time, 0 without messages
	UncompressedSize uint64
	UncompressedCRC  uint32 // 0: not given
	Compression      string
	Records          []byte
}

// MessageIndex states where the messages of a channel are in the preceding chunk.
type MessageIndex struct {
	ChannelID uint16
	Entries   []IndexEntry
}

// IndexEntry is the position of a message in the uncompressed records of its chunk.
type IndexEntry struct{ LogTime, Offset uint64 }

// ChunkIndex states where a chunk is and which times it covers.
type ChunkIndex struct {
	Start, End, ChunkStart, ChunkLength uint64
	// for each channel with messages in the chunk
	MessageIndexOffsets              map[uint16]uint64
	MessageIndexLength               uint64
	Compression                      string
	CompressedSize, UncompressedSize uint64

	loose bool // these are records outside of chunks; see [Arrange]
}

// Attachment is a file within the file.
type Attachment struct {
	LogTime, CreateTime uint64
	Name, MediaType     string
	Data                []byte
	CRC                 uint32 // of the fields before it; written: computed; read: 0 if absent
}

// AttachmentIndex states where an attachment is.
type AttachmentIndex struct {
	Offset, Length, LogTime, CreateTime, DataSize uint64
	Name, MediaType                               string
}

// Statistics counts the content of a file.
type Statistics struct {
	MessageCount                                             uint64
	SchemaCount                                              uint16
	ChannelCount, AttachmentCount, MetadataCount, ChunkCount uint32
	MessageStart, MessageEnd                                 uint64
	ChannelMessageCounts                                     map[uint16]uint64
}

// Metadata is a named map of texts.
type Metadata struct {
	Name   string
	Values map[string]string
}

// MetadataIndex states where a metadata record is.
type MetadataIndex struct {
	Offset, Length uint64
	Name           string
}

// SummaryOffset states where the records of one kind are in the summary.
type SummaryOffset struct {
	Group         Opcode
	Start, Length uint64
}

// DataEnd ends the data section.
type DataEnd struct {
	CRC uint32 // of the whole file up to this record; 0: not given
}

// damaged returns an error about an offset in the file.
func damaged(offset int64, found, expected string) *fault.Error {
	return fault.New(ErrFormat, fault.At(fmt.Sprintf("byte %d", offset)), found, expected)
}

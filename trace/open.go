package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"gosmp/internal/charset"
	"gosmp/internal/fault"
	"gosmp/internal/regular"
	"gosmp/proto/osifile"
	"gosmp/trace/mcap"
)

// Options control how a trace is read.
type Options struct {
	// Type is the type of the messages in an .osi file: "SensorView" or "sv". By default it is
	// taken from the file name. It is never guessed from the bytes, because messages of most types
	// also decode as most other types.
	Type string
	// Topic is the topic of the channel of an .osi file; the default is the name of the type.
	Topic  string
	Select Selection
	// Restarts determines what happens where the clock of the trace restarts.
	Restarts Restarts
	// Next calls Attached for each attachment and each metadata record of an MCAP file except OSI's
	// own, with an *mcap.Attachment or *mcap.Metadata. If Attached fails, the source ends.
	Attached func(record any) error
	// Lost is called instead of Attached for damaged attachments and metadata. If it is nil, the
	// damage ends the source.
	Lost func(error)
}

// HeadSize is the number of bytes of a file that [Recognize] needs.
const HeadSize = 64

// Recognize returns the format of a file. head is the beginning of the file, and size its length,
// or -1 if unknown. Files in .osi format have no magic bytes: either the first length and the first
// byte of the message must be plausible, or the name must end in .osi. JSON Lines begin with the
// key topic, or the name ends in .jsonl or .ndjson. The error names formats that look like traces
// but are not supported, and archives, which [Unpack] unpacks.
func Recognize(name string, head []byte, size int64) (Format, error) {
	extension := extensionOf(name)
	if p := packingOf(head); p != nil {
		return Unknown, p.foreign(name)
	}
	for _, f := range otherFormats {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return Unknown, fault.New(ErrFormat, fault.In(name), f.name, Readable()).WithHint(
				"convert it to MCAP: " + f.how)
		}
	}
	if bytes.HasPrefix(head, []byte("version https://git-lfs.")) {
		return Unknown, fault.New(ErrFormat, fault.In(name), "a pointer of Git LFS and not the "+
			"file itself", Readable()).WithHint("fetch the file: git lfs pull")
	}
	for _, f := range formats {
		if f.begins != nil && f.begins(head, extension, size) {
			return f.format, nil
		}
	}
	return Unknown, nil
}

// otherFormats lists trace formats of other tools, and what to do with such files.
var otherFormats = []struct{ magic, extension, name, how string }{
	{"SQLite format 3\x00", ".db3", "an SQLite database, as ROS 2 records (.db3)",
		"ros2 bag convert, with storage_id mcap"},
	{"#ROSBAG V", ".bag", "a recording of ROS 1 (.bag)", "mcap convert in.bag out.mcap"},
}

// DamagedMagic reports whether head begins an MCAP file whose magic bytes are damaged: most of them
// are right, or a Header record of plausible length follows, which no text can contain.
func DamagedMagic(head []byte) bool {
	const magic = len(mcap.Magic)
	if len(head) < magic || bytes.HasPrefix(head, []byte(mcap.Magic)) {
		return false
	}
	right := 0
	for k := range magic {
		if head[k] == mcap.Magic[k] {
			right++
		}
	}
	if right > magic/2 {
		return true
	}
	const prefix, longest = 9, 1 << 16 // opcode and length of a record; limit for two short texts
	if len(head) < magic+prefix || head[magic] != byte(mcap.OpHeader) {
		return false
	}
	length := binary.LittleEndian.Uint64(head[magic+1:])
	return length >= 8 && length < longest
}

// looksLikeOSI reports whether a file begins with a plausible length and a message whose first
// field is a nested message with number 1 or 2, as in all top-level OSI messages.
func looksLikeOSI(head []byte, size int64) bool {
	if len(head) < 5 {
		return false
	}
	length := int64(binary.LittleEndian.Uint32(head))
	return length > 1 && length <= osifile.MaxMessage && (size < 0 || length+4 <= size) &&
		(head[4] == 0x0a || head[4] == 0x12)
}

// Open opens a file; see [OpenAt]. A pipe is read as a stream, and a device is refused.
func Open(path string, o Options) (Source, error) {
	f, err := regular.OpenStream(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	var s Source
	switch {
	case err != nil:
	case info.IsDir():
		err = FolderError(path)
	case info.Mode().IsRegular():
		s, err = OpenAt(path, f.File, info.Size(), o)
	default:
		s, err = OpenStream(path, f, o)
	}
	if err != nil {
		_ = f.Close() // was only read
		return nil, err
	}
	return &owner{s, f}, nil
}

// owner is a source that also closes the content that it reads.
type owner struct {
	Source
	content io.Closer
}

// Close closes the source and the content.
func (o *owner) Close() error { return errors.Join(o.Source.Close(), o.content.Close()) }

// unwrap returns the wrapped source.
func (o *owner) unwrap() Source { return o.Source }

// OpenAt opens a trace of size bytes, by its index if it has one. The name is used in errors and,
// for .osi files, to find the message type.
func OpenAt(name string, from io.ReaderAt, size int64, o Options) (Source, error) {
	content, err := Unpack(name, from, size)
	if err != nil {
		return nil, err
	}
	s, err := content.Open(name, o)
	if err != nil {
		_ = content.Close() // was only read
		return nil, err
	}
	if content.Damage != nil {
		s = &cutSource{s, content.Damage}
	}
	if content.packing != nil {
		s = &owner{s, content}
	}
	return s, nil
}

// Open opens the unpacked content as a trace. name is the name of the file. Closing the source does
// not close the content.
func (u *Unpacked) Open(name string, o Options) (Source, error) {
	size := u.Size
	head := make([]byte, min(size, HeadSize))
	if _, err := u.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	format, err := Recognize(name, head, size)
	if err != nil {
		return nil, err
	}
	for _, f := range formats {
		switch {
		case f.format != format:
		case f.open != nil:
			return f.open(name, u, size, o)
		default:
			s, err := f.stream(name, io.NewSectionReader(u, 0, size), size, o)
			return watch(s, o), err
		}
	}
	return nil, unknown(name, head, u.packing)
}

// OpenStream opens a trace that can be read only once, for example from a pipe.
func OpenStream(name string, from io.Reader, o Options) (Source, error) {
	buffered := bufio.NewReaderSize(from, 1<<16)
	head, err := buffered.Peek(HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	packed := packingOf(head)
	if packed != nil {
		if from, err = packed.stream(name, buffered); err != nil {
			return nil, err
		}
		buffered = bufio.NewReaderSize(from, 1<<16)
		if head, err = buffered.Peek(HeadSize); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	format, err := Recognize(name, head, -1)
	if err != nil {
		return nil, err
	}
	if format == Unknown && o.Type != "" {
		format = OSIFile
	}
	for _, f := range formats {
		if f.format == format {
			s, err := f.stream(name, buffered, -1, o)
			return watch(s, o), err
		}
	}
	return nil, unknown(name, head, packed)
}

func unknown(name string, head []byte, packed *packing) error {
	if packed != nil {
		return packed.foreign(name)
	}
	found := "an empty file"
	if len(head) > 0 {
		found = fmt.Sprintf("a file that begins with %q", head[:min(len(head), 12)])
	}
	if encoding := charset.Of(head); encoding != "" {
		return fault.New(ErrFormat, fault.In(name), "text in "+encoding, Readable()).
			WithHint("save a text as UTF-8")
	}
	err := fault.New(ErrFormat, fault.In(name), found, Readable())
	if DamagedMagic(head) {
		err.Hint =
			"it looks like MCAP whose first 8 bytes are damaged; gosmp repair saves the messages"
	}
	return err
}

package trace

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/trace/mcap"
)

// Format is the format of a trace.
type Format string

// The known formats. Unknown stands for any other content.
const (
	Unknown   Format = ""
	OSIFile   Format = "osi"
	MCAP      Format = "mcap"
	JSONLines Format = "jsonl"
	CSV       Format = "csv"     // the fields of one channel; write-only
	Text      Format = "txth"    // protobuf text of one channel
	Objects   Format = "objects" // moving objects of all channels as CSV; write-only
)

// entry describes a format.
type entry struct {
	format     Format
	extensions []string // of the names of files, in lower case
	title      string   // human-readable
	short      string   // the title in lists, if different
	remark     string   // about the content, for the help on writing; may be empty
	types      bool     // whether a file states the types of its messages
	text       bool     // whether a file is text, which users may edit
	fields     bool     // whether a file holds fields of messages with any schema instead of bytes
	one        bool     // whether a file holds a single channel
	live       bool     // whether runs are recorded in this format

	// begins reports whether a file looks like this format, given its first bytes, the extension of
	// its name, and its size in bytes (-1 if unknown). It is nil for write-only formats.
	begins func(head []byte, extension string, size int64) bool
	open   func(name string, from io.ReaderAt, size int64, o Options) (Source, error) // nil: stream
	stream func(name string, from io.Reader, size int64, o Options) (Source, error)
	create func(to io.Writer, o SinkOptions) (Sink, error) // nil: the format is read-only
}

// formats describes the formats in the order in which content is recognized. A new format needs an
// entry here and a reader, a writer, or both. Commands, their help and their errors follow from it.
var formats = [...]entry{
	{
		format: MCAP, extensions: []string{".mcap"}, title: "MCAP", types: true,
		live: true,
		begins: func(head []byte, _ string, _ int64) bool {
			return bytes.HasPrefix(head, []byte(mcap.Magic))
		},
		open: openMCAP, stream: newScan, create: newMCAPSink,
	},
	{
		format: JSONLines, extensions: []string{".jsonl", ".ndjson"}, title: "JSON Lines",
		types: true, text: true, fields: true,
		begins: func(head []byte, extension string, _ int64) bool {
			return bytes.HasPrefix(head, []byte("{\"topic\"")) ||
				bytes.HasPrefix(head, []byte("{")) &&
					(extension == ".jsonl" || extension == ".ndjson")
		},
		stream: newLines, create: newLineSink,
	},
	{
		format: CSV, extensions: []string{".csv"}, title: "CSV",
		remark: "the fields of one channel", text: true, fields: true, create: newTableSink,
	},
	{
		format: Text, extensions: []string{".txth"},
		title: "OSI single-channel trace in protobuf text", short: "protobuf text (.txth)",
		remark: "protobuf text", text: true, one: true,
		begins: func(head []byte, extension string, _ int64) bool {
			return extension == ".txth" || looksLikeText(head)
		},
		stream: newText, create: newTextSink,
	},
	{
		format: Objects, title: "objects as CSV", remark: "a row for each moving object",
		text: true, create: newObjectSink,
	},
	{
		format: OSIFile, extensions: []string{".osi"}, title: "OSI single-channel trace",
		short: "an .osi file", one: true, live: true,
		begins: func(head []byte, extension string, size int64) bool {
			return extension == ".osi" || looksLikeOSI(head, size)
		},
		stream: newOSI, create: newOSISink,
	},
}

// Readable names the readable formats for help and error messages: "MCAP, JSON Lines or an .osi
// file".
func Readable() string {
	var names []string
	for _, f := range formats {
		if f.begins != nil {
			names = append(names, cmp.Or(f.short, f.title))
		}
	}
	return alternatives(names)
}

// Extensions lists the extensions of readable files for help and error messages: ".mcap, .jsonl".
func Extensions() string {
	var names []string
	for _, f := range formats {
		if f.begins != nil && len(f.extensions) > 0 {
			names = append(names, f.extensions[0])
		}
	}
	return strings.Join(names, ", ")
}

// alternatives joins names as in "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Writable returns the formats in which a trace can be written.
func Writable() []Format { return chosen(func(f entry) bool { return f.create != nil }) }

// ReadAndWritten returns the formats in which a trace can be written and read back.
func ReadAndWritten() []Format {
	return chosen(func(f entry) bool { return f.create != nil && f.begins != nil })
}

// Live returns the formats in which runs are recorded. If a run is killed, everything recorded so
// far can be read.
func Live() []Format { return chosen(func(f entry) bool { return f.live }) }

func chosen(test func(entry) bool) (list []Format) {
	for _, f := range formats {
		if test(f) {
			list = append(list, f.format)
		}
	}
	return list
}

// Endings describes the file names of some formats, for error messages: "a name that ends in .mcap
// or .osi". Formats without their own extension are omitted.
func Endings(list []Format) string {
	var names []string
	for _, f := range list {
		if known := f.entry().extensions; len(known) > 0 {
			names = append(names, known[0])
		}
	}
	return "a name that ends in " + alternatives(names)
}

// FormatOf returns the trace format for the extension of a file name, or [Unknown] for other
// extensions.
func FormatOf(name string) Format {
	extension := strings.ToLower(filepath.Ext(name))
	for _, f := range formats {
		if slices.Contains(f.extensions, extension) {
			return f.format
		}
	}
	return Unknown
}

// entry returns the description of a format, or the zero entry for [Unknown].
func (f Format) entry() (found entry) {
	for _, x := range formats {
		if x.format == f {
			found = x
		}
	}
	return found
}

// StatesTypes reports whether a trace in this format states the types of its messages. For .osi
// files, the file name or the user must state the type.
func (f Format) StatesTypes() bool { return f.entry().types }

// IsText reports whether a trace in this format is text. Users fix damage in a text file by editing
// the line, because gosmp repair does not write text formats.
func (f Format) IsText() bool { return f.entry().text }

// CanBeRepaired reports whether gosmp repair writes traces in this format.
func (f Format) CanBeRepaired() bool { return f.entry().begins != nil && !f.IsText() }

// StoresFields reports whether a trace in this format stores the fields of messages of any schema
// instead of their bytes. For such a format, ROS messages must be converted to JSON.
func (f Format) StoresFields() bool { return f.entry().fields }

// HasOneChannel reports whether a trace in this format holds a single channel.
func (f Format) HasOneChannel() bool { return f.entry().one }

// Remark returns a remark about the content of the format, such as "protobuf text", or "".
func (f Format) Remark() string { return f.entry().remark }

// Title returns the human-readable name of the format, such as "JSON Lines".
func (f Format) Title() string { return f.entry().title }

// Create starts a new trace. It fails for read-only formats.
func Create(to io.Writer, format Format, o SinkOptions) (Sink, error) {
	if create := format.entry().create; create != nil {
		return create(to, o)
	}
	var names []string
	for _, f := range Writable() {
		names = append(names, string(f))
	}
	return nil, fault.New(ErrFormat, fault.Place{}, fmt.Sprintf("%q", format),
		"one of "+strings.Join(names, ", "))
}

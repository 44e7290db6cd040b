package trace

import (
	"bytes"
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
	CSV       Format = "csv"     // the fields of one channel; only written
	Text      Format = "txth"    // protobuf text of one channel
	Objects   Format = "objects" // the moving objects of all channels as CSV; only written
)

// entry describes a format.
type entry struct {
	format     Format
	extensions []string // of the names of files, in lower case
	title      string   // human-readable
	types      bool     // whether a file states the types of its messages
	text       bool     // whether a file is text, which people correct by hand

	// begins reports whether a file begins like this format, given the first bytes, the extension
	// of its name, and its size in bytes (-1 if unknown). It is nil for write-only formats.
	begins func(head []byte, extension string, size int64) bool
	open   func(name string, from io.ReaderAt, size int64, o Options) (Source, error) // nil: stream
	stream func(name string, from io.Reader, size int64, o Options) (Source, error)
	create func(to io.Writer, o SinkOptions) (Sink, error) // nil: the format is read-only
}

// formats describes the formats in the order in which content is recognized. A new format needs an
// entry here and a reader, a writer, or both.
var formats = [...]entry{
	{
		format: MCAP, extensions: []string{".mcap"}, title: "MCAP", types: true,
		begins: func(head []byte, _ string, _ int64) bool {
			return bytes.HasPrefix(head, []byte(mcap.Magic))
		},
		open: openMCAP, stream: newScan, create: newMCAPSink,
	},
	{
		format: JSONLines, extensions: []string{".jsonl", ".ndjson"}, title: "JSON Lines",
		types: true, text: true,
		begins: func(head []byte, extension string, _ int64) bool {
			return bytes.HasPrefix(head, []byte("{\"topic\"")) ||
				bytes.HasPrefix(head, []byte("{")) &&
					(extension == ".jsonl" || extension == ".ndjson")
		},
		stream: newLines, create: newLineSink,
	},
	{format: CSV, extensions: []string{".csv"}, title: "CSV", text: true, create: newTableSink},
	{
		format: Text, extensions: []string{".txth"},
		title: "OSI single-channel trace in protobuf text", text: true,
		begins: func(head []byte, extension string, _ int64) bool {
			return extension == ".txth" || looksLikeText(head)
		},
		stream: newText, create: newTextSink,
	},
	{format: Objects, title: "objects as CSV", text: true, create: newObjectSink},
	{
		format: OSIFile, extensions: []string{".osi"}, title: "OSI single-channel trace",
		begins: func(head []byte, extension string, size int64) bool {
			return extension == ".osi" || looksLikeOSI(head, size)
		},
		stream: newOSI, create: newOSISink,
	},
}

// readable names the readable formats in error messages.
const readable = "an .osi file, MCAP, JSON Lines or protobuf text (.txth)"

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

// IsText reports whether a trace in this format is text. Damage in a text file is corrected by
// editing the line; gosmp repair does not write text formats.
func (f Format) IsText() bool { return f.entry().text }

// Title returns the human-readable name of the format, such as "JSON Lines".
func (f Format) Title() string { return f.entry().title }

// Create starts a new trace. It fails for read-only formats.
func Create(to io.Writer, format Format, o SinkOptions) (Sink, error) {
	var names []string
	for _, f := range formats {
		if f.create == nil {
			continue
		}
		if f.format == format {
			return f.create(to, o)
		}
		names = append(names, string(f.format))
	}
	return nil, fault.New(ErrFormat, fault.Place{}, fmt.Sprintf("%q", format),
		"one of "+strings.Join(names, ", "))
}

package trace

import (
	"fmt"
	"io"

	"gosmp/internal/fault"
	"gosmp/internal/release"
	"gosmp/proto/osi"
	"gosmp/trace/mcap"
	osifile "gosmp/trace/osi"
)

const osiVersion = osi.Version

// SinkOptions say how a trace is written; formats that have no use for one ignore it.
type SinkOptions struct {
	Compression mcap.Compression // of MCAP
	ChunkSize   int              // of MCAP, in bytes; 0 is 4 MiB
	// of OSI's record in MCAP: description, authors, ...; see [IsComputed]
	Metadata map[string]string
	Columns  []string // of CSV; empty: those of the first message
}

// Attacher is a sink that takes what [Options.Attached] hands over: that of MCAP. All channels of
// OSI messages are added before.
type Attacher interface{ Attach(record any) error }

// Create begins a trace. It fails for formats that cannot be written.
func Create(to io.Writer, format Format, o SinkOptions) (Sink, error) {
	switch format {
	case OSIFile:
		return &osiSink{to: osifile.NewWriter(to)}, nil
	case MCAP:
		w, err := mcap.NewWriter(to, mcap.Options{Library: "gosmp " + release.Version, Compression: o.Compression, ChunkSize: o.ChunkSize})
		if err != nil {
			return nil, err
		}
		return &mcapSink{writer: w, given: o.Metadata, ids: map[*Channel]uint16{}}, nil
	case JSONLines:
		return newLineSink(to), nil
	case CSV:
		return newTableSink(to, o), nil
	case Text:
		return newTextSink(to), nil
	case Objects:
		return newObjectSink(to), nil
	}
	return nil, fault.New(ErrFormat, fault.Place{}, fmt.Sprintf("%q", format),
		"osi, mcap, jsonl, csv, txth or objects")
}

package trace

import (
	"gosmp/proto/osi"
	"gosmp/trace/mcap"
)

const osiVersion = osi.Version

// SinkOptions say how a trace is written; formats that have no use for one ignore it.
type SinkOptions struct {
	Compression mcap.Compression // of MCAP
	ChunkSize   int              // of MCAP, in bytes; 0 is 4 MiB
	// of OSI's record in MCAP: description, authors, ...; see [IsComputed]
	Metadata map[string]string
	Columns  []string // of CSV; empty: the fields of the first message
}

// Attacher is a sink that takes what [Options.Attached] hands over: the sink for MCAP. All channels
// of OSI messages have to be added first.
type Attacher interface{ Attach(record any) error }

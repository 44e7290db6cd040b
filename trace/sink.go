package trace

import (
	"gosmp/proto/osi"
	"gosmp/trace/mcap"
)

const osiVersion = osi.Version

// SinkOptions control how a trace is written. Formats ignore options that do not apply to them.
type SinkOptions struct {
	Compression mcap.Compression // of MCAP
	ChunkSize   int              // of MCAP, in bytes; 0 is 4 MiB
	// for OSI's record in MCAP: description, authors, ...; see [IsComputed]
	Metadata map[string]string
	Columns  []string // of CSV; empty: the fields of the first message
}

// Attacher is a sink that accepts what [Options.Attached] receives. Only the MCAP sink does. All
// channels of OSI messages must be added first.
type Attacher interface{ Attach(record any) error }

package run

import (
	"fmt"
	"os"
	"time"

	"gosmp/importer"
	"gosmp/run/fileuse"
	"gosmp/run/usage"
	"gosmp/trace"
	"gosmp/trace/compare"
)

// TestOptions describes a test of an FMU: a trace is replayed into its binary inputs, and its
// binary outputs are compared with expected outputs and judged by conditions.
type TestOptions struct {
	FMU   string // FILE or NAME=FILE, where NAME is the prefix of topics
	Trace string
	Type  string // message type of an .osi file whose name does not contain it

	// Inputs maps binary inputs to topics. By default, the topic with the name of the input, or the
	// only topic of its type.
	Inputs []Assignment
	Expect []string // traces of expected outputs, and conditions (.yaml, .yml)
	Update bool     // write the outputs of this run as the expected outputs

	Tolerances []compare.Tolerance
	Channels   []string // topics or types of the expected trace to compare; nil for all
	TimeLimit  float64  // s; maximum difference of message times
	ExactIDs   bool     // tracking ids must be equal rather than just consistent
	Most       int      // number of differences to keep, at least one

	// Absolute replays messages at their own times. Otherwise the trace starts at the start time.
	Absolute    bool
	StartTime   *float64 // s; nil for 0 or, with Absolute, the time of the first message
	StopTime    *float64 // s; nil for a step after the last message
	StepSize    *float64 // s; nil for the FMU's proposal, or else the interval of messages
	StartValues []Assignment
	Timeout     time.Duration // of a step or phase of the FMU; 0 for none
	LoggingOn   bool
	Log         Log                     // may be nil
	Observe     func(*Simulation) error // may add observers; may be nil
	Reserve     *importer.Reserve       // shared by successive runs; may be nil

	Record string // keeps the inputs and outputs of the run (.mcap)
}

// check reports invalid combinations before anything runs.
func (c *TestOptions) check() error {
	if c.Record != "" && trace.FormatOf(c.Record) != trace.MCAP {
		return usage.Unexpected(
			"--record",
			fmt.Sprintf("%q", c.Record),
			"a name that ends in .mcap",
		)
	}
	if c.Most < 0 || c.TimeLimit < 0 {
		return usage.Unexpected(
			"--show and --time-tolerance",
			fmt.Sprintf("%v and %v", c.Most, c.TimeLimit),
			"non-negative numbers",
		)
	}
	if len(c.Expect) == 0 {
		return usage.Unexpected("--expect", "none", "a trace of expected outputs, or conditions")
	}
	for _, name := range c.Expect {
		if fileuse.Same(name, c.Trace) {
			return usage.Unexpected("--expect", fmt.Sprintf("%q, which is the trace that is played",
				name), "a trace of its own")
		}
		if _, err := os.Stat(name); err != nil && (!c.Update || isConditions(name)) {
			if !isConditions(name) {
				err = fmt.Errorf("%w; --update writes it", err)
			}
			return usage.Invalid("--expect", err)
		}
	}
	if err := c.fileUse().Check(); fileuse.IsFull(err) {
		return &OutputError{err}
	} else if err != nil {
		return err
	}
	return nil
}

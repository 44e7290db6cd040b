package sweep

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// LargestRow bounds a row as JSON, in bytes. It is less than a line of a store and than a
	// message of a NATS server with its default configuration, so that both can keep every row.
	LargestRow = 960 << 10

	longestCause = 64 << 10
	longestHash  = 128
)

// bounded returns a row that stores and queues can keep. A cause that is too long, which may be
// text from a statechart, is cut; a row that is still too large becomes an error.
func (r Row) bounded() Row {
	if len(r.Cause) > longestCause {
		end := longestCause
		for end > 0 && !utf8.RuneStart(r.Cause[end]) {
			end--
		}
		r.Cause = fmt.Sprintf("%s ... (%d bytes more)", r.Cause[:end], len(r.Cause)-end)
	}
	if r.mostBytes() <= LargestRow {
		return r
	}
	text, err := json.Marshal(r)
	if err != nil || len(text) <= LargestRow { // the error is reported when the row is written
		return r
	}
	return r.Oversized(len(text), LargestRow)
}

// Oversized returns the row of a run whose own row has more bytes than can be stored.
func (r *Row) Oversized(found, most int) Row {
	return Row{ID: r.ID, Outcome: Faulty, Seed: r.Seed, Time: r.Time, Steps: r.Steps,
		Cause: fmt.Sprintf("its row has %d bytes and %d numbers, expected at most %d bytes: "+
			"let it return fewer numbers", found, len(r.Metrics), most)}
}

// mostBytes returns an upper bound on the size of a row as JSON.
func (r *Row) mostBytes() int {
	const fixed, number, escaped = 400, 32, 6
	n := fixed + escaped*(len(r.Cause)+len(r.TraceHash))
	for name := range r.Metrics {
		n += number + escaped*len(name)
	}
	return n
}

// Check returns an error for a row that is impossible for a run. It is meant for rows from other
// programs, which may be forged.
func (r *Row) Check() error {
	switch {
	case !slices.Contains(Outcomes, r.Outcome):
		return fmt.Errorf("found the outcome %.40q, expected one of %s", r.Outcome,
			strings.Join(Outcomes, ", "))
	case r.Elapsed < 0:
		return fmt.Errorf("found a computing time of %g s, expected a positive number", r.Elapsed)
	case r.Steps < 0:
		return fmt.Errorf("found %d steps, expected a positive number", r.Steps)
	case len(r.TraceHash) > longestHash:
		return fmt.Errorf("found a trace hash of %d characters, expected at most %d",
			len(r.TraceHash), longestHash)
	case len(r.Cause) > 2*longestCause:
		return fmt.Errorf("found a cause of %d bytes, expected at most %d", len(r.Cause),
			longestCause)
	}
	return nil
}

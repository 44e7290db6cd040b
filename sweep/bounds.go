package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
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

	mostWarnings   = 20
	longestWarning = 2 << 10
)

// bounded returns a row that stores and queues can keep. Texts that are too long, which may come
// from a statechart, are cut; a row that is still too large becomes an error.
func (r Row) bounded() Row {
	r.Cause = cut(r.Cause, longestCause)
	if n := len(r.Warnings); n > 0 {
		r.Warnings = slices.Clone(r.Warnings[:min(n, mostWarnings)])
		for k, text := range r.Warnings {
			r.Warnings[k] = cut(text, longestWarning)
		}
		if n > mostWarnings {
			r.Warnings[mostWarnings-1] = fmt.Sprintf("%d more warnings", n-mostWarnings+1)
		}
	}
	r.Notes = maps.Clone(r.Notes)
	for name, text := range r.Notes {
		if r.Notes[name] = cut(text, longestWarning); len(r.Notes) > mostWarnings ||
			len(name) > longestWarning {
			delete(r.Notes, name)
		}
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

// cut shortens a text.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return fmt.Sprintf("%s ... (%d bytes more)", text[:most], len(text)-most)
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
	for _, text := range r.Warnings {
		n += number + escaped*len(text)
	}
	for name, text := range r.Notes {
		n += number + escaped*(len(name)+len(text))
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
	case len(r.Warnings) > mostWarnings:
		return fmt.Errorf("found %d warnings, expected at most %d", len(r.Warnings), mostWarnings)
	case len(r.Notes) > mostWarnings:
		return fmt.Errorf("found %d notes, expected at most %d", len(r.Notes), mostWarnings)
	}
	for name, text := range r.Notes {
		if len(name)+len(text) > 4*longestWarning {
			return fmt.Errorf("found a note of %d bytes, expected at most %d", len(name)+len(text),
				2*longestWarning)
		}
	}
	for _, text := range r.Warnings {
		if len(text) > 2*longestWarning {
			return fmt.Errorf("found a warning of %d bytes, expected at most %d", len(text),
				longestWarning)
		}
	}
	return nil
}

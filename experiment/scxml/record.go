package scxml

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gosmp/timebase"
)

// RecordKind states what a Record reports.
type RecordKind uint8

// The kinds of events in a machine that an observer sees.
const (
	Started   RecordKind = iota // a machine starts; Text is its chart
	Took                        // an event is taken from a queue
	Followed                    // a transition is taken: State is its source, Text its targets
	Entered                     // State becomes active
	Left                        // State is no longer active
	Logged                      // Text was written by a log element
	Sent                        // Event was sent; Text states the receiver and the time
	Raised                      // Event was put into the internal queue
	Cancelled                   // the delayed event with the send id Text was dropped
	Invoked                     // State starts the machine Text
	Dropped                     // Event arrived at a machine that has ended
	Ended                       // the machine has ended; State is its final state
	Broken                      // the machine was ended by an error; Text is the error
)

var recordNames = [...]string{"start", "event", "transition", "enter", "leave", "log", "send",
	"raise", "cancel", "invoke", "drop", "end", "broken"}

// String returns the word that appears in a log.
func (k RecordKind) String() string { return recordNames[k] }

// Record is something that happened in a machine. Records are in the order of occurrence; the same
// charts, events and seed give the same records.
type Record struct {
	Time    timebase.Time
	Machine string // session id
	Kind    RecordKind
	State   string
	Event   string
	Text    string
	Line    int // line of the element concerned; 0 if there is none
}

// String returns the record as one line: seconds, machine, kind, and the other fields that are set.
func (r Record) String() string {
	line := make([]byte, 0, 96)
	line = append(appendSeconds(line, r.Time), ' ')
	line = append(append(line, r.Machine...), ' ')
	line = append(line, r.Kind.String()...)
	for _, part := range [...]string{r.State, r.Event} {
		if part != "" {
			line = append(append(line, ' '), part...)
		}
	}
	if r.Text != "" {
		line = append(append(line, ": "...), strings.ReplaceAll(r.Text, "\n", `\n`)...)
	}
	return string(line)
}

// Keep appends a record to a list that a run keeps for its report, and bounds the list in any case:
// it cuts texts to longest bytes, and when the list reaches most records, it keeps only the newest
// three quarters.
func Keep(list []Record, r Record, most, longest int) []Record {
	if n := len(r.Text); n > longest {
		r.Text = fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(r.Text[:longest], ""), n)
	}
	if len(list) >= most {
		list = append(make([]Record, 0, most), list[most/4:]...)
	}
	return append(list, r)
}

// Seconds returns a time in seconds with all nine decimals, so that logs line up.
func Seconds(t timebase.Time) string {
	return string(appendSeconds(make([]byte, 0, 32), t))
}

func appendSeconds(line []byte, t timebase.Time) []byte {
	u := uint64(t)
	if t < 0 {
		line, u = append(line, '-'), -u
	}
	line = append(strconv.AppendUint(line, u/1e9, 10), '.')
	const decimals = 9
	nanoseconds := strconv.AppendUint(make([]byte, 0, decimals), u%1e9, 10)
	for range decimals - len(nanoseconds) {
		line = append(line, '0')
	}
	return append(line, nanoseconds...)
}

// WriteLog returns an observer that writes each record as a line. The first error of w ends the log
// and is kept in failed.
func WriteLog(w io.Writer, failed *error) func(Record) {
	return func(r Record) {
		if *failed == nil {
			_, *failed = fmt.Fprintln(w, r)
		}
	}
}

package scxml

import (
	"fmt"
	"io"
	"strings"

	"gosmp/timebase"
)

// RecordKind says what a Record reports.
type RecordKind uint8

// What happens in a machine, as an observer sees it.
const (
	Started   RecordKind = iota // a machine starts; Text is its chart
	Took                        // an event is taken from a queue
	Followed                    // a transition is taken: State is its source, Text its targets
	Entered                     // State becomes active
	Left                        // State is no longer active
	Logged                      // Text is what a log element wrote
	Sent                        // Event was sent; Text says to whom and for when
	Raised                      // Event was put into the internal queue
	Cancelled                   // the delayed event with the send id Text was dropped
	Invoked                     // State starts the machine Text
	Dropped                     // Event came for a machine that has ended
	Ended                       // the machine has ended; State is its final state
	Broken                      // the machine was ended by an error; Text is the error
)

var recordNames = [...]string{"start", "event", "transition", "enter", "leave", "log", "send", "raise", "cancel", "invoke", "drop", "end", "broken"}

// String is the word that stands in a log.
func (k RecordKind) String() string { return recordNames[k] }

// Record is one thing that happened in a machine. Records come in the order in which things happen;
// the same charts, events and seed give the same records.
type Record struct {
	Time    timebase.Time
	Machine string // session id
	Kind    RecordKind
	State   string
	Event   string
	Text    string
	Line    int // of the element concerned, 0 if there is none
}

// String is the record as one line: seconds, machine, kind, and what else is set.
func (r Record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", Seconds(r.Time), r.Machine, r.Kind)
	for _, part := range []string{r.State, r.Event} {
		if part != "" {
			b.WriteByte(' ')
			b.WriteString(part)
		}
	}
	if r.Text != "" {
		b.WriteString(": ")
		b.WriteString(strings.ReplaceAll(r.Text, "\n", `\n`))
	}
	return b.String()
}

// Seconds is a time in seconds with all nine decimals, so that logs line up.
func Seconds(t timebase.Time) string {
	sign := ""
	u := uint64(t)
	if t < 0 {
		sign, u = "-", -u
	}
	return fmt.Sprintf("%s%d.%09d", sign, u/1e9, u%1e9)
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

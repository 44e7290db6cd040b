package trial

import (
	"encoding/json"
	"fmt"
	"strings"

	"gosmp/experiment/scxml"
)

// MachineError is an event error.* that a machine did not handle, because it had no transition for
// it or had ended. This means that something the machine was supposed to do or see did not happen.
type MachineError struct {
	Machine string  `json:"machine"`
	Event   string  `json:"event"`
	File    string  `json:"file,omitempty"` // "" for an invoked machine
	Line    int     `json:"line,omitempty"`
	Time    float64 `json:"time"` // of the first occurrence, in s
	Text    string  `json:"text"`
	Count   int     `json:"count"`
}

// String returns the error as one line.
func (e MachineError) String() string {
	text := e.Machine + ": " + e.Event
	if e.File != "" {
		text += " in " + e.File
	}
	if e.File != "" && e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	text += fmt.Sprintf(" at %v s, for which it has no transition: %s", e.Time, e.Text)
	if e.Count > 1 {
		text += fmt.Sprintf(" (%d times)", e.Count)
	}
	return text
}

// mostErrors bounds the different errors that are kept; further ones are only counted.
const mostErrors = 100

const errorEvent = "error."

// errorLog finds the errors that machines do not handle. It follows the machines' records in order.
type errorLog struct {
	List   []MachineError
	More   int                       // errors that were not kept
	Raised map[string][]scxml.Record // by machine: errors not yet taken
	Taken  map[string]*scxml.Record  // by machine: error taken, without a transition so far
	file   func(machine string) string
}

func newErrorLog(file func(machine string) string) *errorLog {
	return &errorLog{Raised: map[string][]scxml.Record{}, Taken: map[string]*scxml.Record{},
		file: file}
}

// see processes one record.
func (l *errorLog) see(r scxml.Record) {
	switch r.Kind {
	case scxml.Raised:
		if isError(r.Event) {
			l.Raised[r.Machine] = append(l.Raised[r.Machine], r)
		}
	case scxml.Took:
		l.leave(r.Machine)
		if isError(r.Event) {
			taken := r // only this copy is on the heap
			l.Taken[r.Machine] = &taken
			if list := l.Raised[r.Machine]; len(list) > 0 && list[0].Event == r.Event &&
				list[0].Text == r.Text {
				l.Raised[r.Machine] = list[1:]
			}
		}
	case scxml.Followed:
		delete(l.Taken, r.Machine)
	case scxml.Ended, scxml.Broken:
		l.leave(r.Machine)
		for _, raised := range l.Raised[r.Machine] {
			l.add(raised)
		}
		delete(l.Raised, r.Machine)
	}
}

func isError(event string) bool { return strings.HasPrefix(event, errorEvent) || event == "error" }

// leave counts an error that a machine took without a transition.
func (l *errorLog) leave(machine string) {
	if r := l.Taken[machine]; r != nil {
		l.add(*r)
		delete(l.Taken, machine)
	}
}

// rest counts the unhandled errors of all machines. The machines must be at rest.
func (l *errorLog) rest() {
	for _, machine := range sorted(l.Taken) {
		l.leave(machine)
	}
}

// add counts an error. Its data states where it arose.
func (l *errorLog) add(r scxml.Record) {
	e := MachineError{Machine: r.Machine, Event: r.Event, File: l.file(r.Machine),
		Time: r.Time.Seconds(), Text: r.Text, Count: 1}
	var data struct {
		Line   int
		Reason string
	}
	if json.Unmarshal([]byte(r.Text), &data) == nil && data.Reason != "" {
		e.Line, e.Text = data.Line, data.Reason
	} else {
		_ = json.Unmarshal([]byte(r.Text), &e.Text) // a text, or the unchanged data
	}
	for k := range l.List {
		if x := &l.List[k]; x.Machine == e.Machine && x.Event == e.Event && x.Line == e.Line &&
			x.Text == e.Text {
			x.Count++
			return
		}
	}
	if len(l.List) == mostErrors {
		l.More++
		return
	}
	l.List = append(l.List, e)
}

// errorLog returns the error log of the trial, creating it on first use.
func (t *Trial) errorLog() *errorLog {
	if t.errors == nil {
		t.errors = newErrorLog(nil)
	}
	t.errors.file = t.fileOf
	return t.errors
}

// fileOf returns the file of a machine of the description.
func (t *Trial) fileOf(machine string) string {
	for _, c := range t.charts {
		if c.id == machine {
			return c.chart.File
		}
	}
	return ""
}

package run

import (
	"fmt"
	"io"

	"gosmp/fmi"
	"gosmp/importer"
)

// TextLog is a [Log] that writes a line for each report, in one call of Write. It writes a warning
// of an FMU only once; Close writes how often it occurred.
type TextLog struct {
	w        io.Writer
	warnings map[string]int // of FMUs, by text
	order    []string
}

// NewTextLog returns a log that writes to w.
func NewTextLog(w io.Writer) *TextLog { return &TextLog{w: w, warnings: map[string]int{}} }

func (l *TextLog) line(
	text string,
) {
	_, _ = io.WriteString(l.w, text+"\n")
} // the run continues without its log

var statusWords = map[fmi.Status]string{
	fmi.OK:      "OK",
	fmi.Warning: "WARNING",
	fmi.Discard: "DISCARD",
	fmi.Error:   "ERROR",
	fmi.Fatal:   "FATAL",
	fmi.Pending: "PENDING",
}

// Message writes log messages of FMUs, and calls in the format of FMPy.
func (l *TextLog) Message(m importer.Message) {
	if m.Call {
		l.line("[FMI] " + m.Text)
		return
	}
	if m.Status == fmi.Warning {
		if l.warnings[m.Text]++; l.warnings[m.Text] > 1 {
			return
		}
		l.order = append(l.order, m.Text)
	}
	l.line(fmt.Sprintf("[%s] [%s] %s", statusWords[m.Status], m.Category, m.Text))
}

// Warn writes a warning about the run.
func (l *TextLog) Warn(text string) { l.line("gosmp: warning: " + text) }

// Printed writes a line that an FMU printed.
func (l *TextLog) Printed(line string) { l.line(line) }

// Close writes how often repeated warnings occurred.
func (l *TextLog) Close() {
	for _, text := range l.order {
		if n := l.warnings[text]; n > 1 {
			l.line(fmt.Sprintf("gosmp: the warning %q came %d times", text, n))
		}
	}
	l.order = nil
}

package examine

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// listen judges observations that every run provides: the form of messages, the bytes around
// arrays, and floating-point settings. Only the first fault of each kind counts.
func (a *attempt) listen(r *run) {
	if r.Crashed() {
		return // the output of a broken process is not reliable
	}
	for _, m := range r.Messages {
		// a name used as a format can leave any bytes
		if !m.AfterFree && !m.Cut && !isFormatted(m.Text) {
			a.hear(r, &m)
		}
	}
	a.returned(r)
	for k, rec := range r.Records {
		name := r.play.ops[k].Code
		if rec.Flags&probe.Overrun != 0 && strings.HasPrefix(name, "fmi") {
			a.keep(r, k, "Q8", "that the bytes around an array stay",
				name+" writes before or beyond an array that it was given")
		}
		if rec.Flags&probe.FloatsChanged != 0 && strings.HasPrefix(name, "fmi") {
			a.keep(r, k, "Q7", "rounding and denormal numbers as before",
				name+" changes the floating-point settings of the host")
		}
		if rec.Flags&probe.RegistersUsed != 0 && strings.HasPrefix(name, "fmi") {
			a.keep(r, k, "Q7", emptyRegisters, name+keepsRegisters)
		}
		if rec.Flags&probe.ConstantChange != 0 && strings.HasPrefix(name, "fmi") {
			a.keep(r, k, "Q9", "that it stays", name+" changes a constant array")
		}
	}
}

// isControl reports whether a character controls a terminal, except line feeds and tabs, which
// structure texts.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }

// hear judges one message.
func (a *attempt) hear(r *run, m *probe.Message) {
	at, text := max(0, m.Op), cut(m.Text)
	switch {
	case m.NoText:
		a.keepAs(finding.Error, r, at, "G4", "a text", "the message is NULL")
	case !utf8.ValidString(m.Text), strings.HasSuffix(m.Text, "\n"):
		a.keep(r, at, "G4", "UTF-8 without line end", fmt.Sprintf("the message is %q", text))
	case strings.ContainsFunc(m.Text, isControl):
		a.keep(r, at, "G4", "no control characters", fmt.Sprintf("the message is %q", text))
	}
	if m.BadFormat {
		a.keep(r, at, "G4", "a format, in which % is doubled",
			fmt.Sprintf("the message %q comes from a text with a single %%, which is not a valid "+
				"format", text))
	}
	const pending = 5
	switch {
	case m.Status >= 0 && m.Status <= fatal:
	case m.Status != pending || a.s.major == 3:
		a.keep(r, at, "G4", "one of the statuses of the standard",
			fmt.Sprintf("the message %q has the status %d", text, m.Status))
	case !a.s.slave.Capabilities.Has("canRunAsynchronuously"):
		a.keep(r, at, "G4", "another one, because canRunAsynchronuously is not true",
			fmt.Sprintf("the message %q has the status Pending", text))
	}
	declared := a.s.categories()
	unborn := r.Records[at].Status == probe.StatusNull // categories cannot be chosen for it
	switch {
	case len(declared) == 0 || unborn || m.HasCategory && slices.Contains(declared, m.Category):
	case m.HasCategory:
		a.keep(r, at, "G2", "one of "+listed(declared),
			fmt.Sprintf("the message %q has the category %q, which is not declared", text,
				m.Category))
	default:
		a.keep(r, at, "G2", "one of "+listed(declared),
			fmt.Sprintf("the message %q has NULL for its category", text))
	}
}

// keep records that a rule is refuted, unless the same kind of observation has already refuted it.
func (a *attempt) keep(r *run, at int, rule, expected, found string) {
	a.keepAs(-1, r, at, rule, expected, found)
}

// keepAs is like keep, with a severity; -1 is the one of the rule. An observation with that
// severity, or with error, replaces a milder one.
func (a *attempt) keepAs(severity finding.Severity, r *run, at int, rule, expected, found string) {
	a.heard = withObservation(a.heard, outcome{rule: rule, outcome: Refuted, severity: severity,
		found: found, expected: expected, play: r.play, at: at})
}

// categories returns the names of the declared log categories.
func (s *subject) categories() (list []string) {
	for _, c := range s.model.LogCategories {
		list = append(list, c.Name)
	}
	return list
}

// Package fault holds the one error type of gosmp, which states where something went wrong, what
// was found there, what was expected, and how to fix it.
//
// Packages keep their own sentinels (ErrSnapshot, ErrUsage, ...) and use them as [Error.Kind], so
// that errors.Is finds the kind and errors.As finds the details. A package whose users examine its
// errors exports the type under its own name:
//
//	type Error = fault.Error
//
// The text of an error is one line, because FMI hosts log lines:
//
//	flight.csv:12:7: bad number: found "abc", expected an integer; correct the row
//
// Types: [Error] and [Place]. Constructors: [New] and [Wrap].
package fault

import (
	"errors"
	"strconv"
	"strings"
)

// Error is an error with its location and remedy. Empty parts are left out of the text.
type Error struct {
	Place    Place
	Kind     error  // the sentinel of the package that reports the error; never nil
	Found    string // what was found: quoted text, or a number with its unit
	Expected string // what was expected
	Hint     string // what the user can do next
	// the error that led to this one, if any: from a file, a compiler or another package
	Cause error
}

// New returns an error of a kind at a place, with the text that was found there and the text that
// was expected. Either text may be empty, and so may the place.
func New(kind error, place Place, found, expected string) *Error {
	return &Error{Place: place, Kind: kind, Found: found, Expected: expected}
}

// Wrap returns an error of a kind at a place, with the error that led to it.
func Wrap(kind error, place Place, cause error) *Error {
	return &Error{Place: place, Kind: kind, Cause: cause}
}

// Named returns an error with the name of the file that it concerns, unless it has one already.
func Named(err error, file string) error {
	var e *Error
	if errors.As(err, &e) && e.Place.File == "" {
		copied := *e
		copied.Place.File = file
		return &copied
	}
	return err
}

// WithHint sets what the user can do next, and returns the error.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// WithCause sets the error that led to this one, and returns the error.
func (e *Error) WithCause(cause error) *Error {
	e.Cause = cause
	return e
}

// Error returns the entire error in one line: place, kind, found, expected, cause, hint.
func (e *Error) Error() string {
	var b strings.Builder
	if place := e.Place.String(); place != "" {
		b.WriteString(oneLine(place))
		b.WriteString(": ")
	}
	b.WriteString(e.Kind.Error())
	lead := ": "
	for _, part := range [...]struct{ word, text string }{{"found ", e.Found},
		{"expected ", e.Expected}} {
		if part.text != "" {
			b.WriteString(lead)
			b.WriteString(part.word)
			b.WriteString(oneLine(part.text))
			lead = ", "
		}
	}
	if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(Text(e.Cause))
	}
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// oneLine makes line feeds visible. They can come from names in files, which could begin a line of
// their own with them.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }

// Reason splits an error into a message without the place and a remedy, for a finding.
func Reason(err error) (message, remedy string) {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error(), ""
	}
	plain := *e
	plain.Place, plain.Hint = Place{}, ""
	return plain.Error(), e.Hint
}

// Unwrap returns the kind and, if there is one, the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Place is the location where something was found. Line and Column count from 1, columns in bytes;
// 0 means unknown.
type Place struct {
	File   string `json:"file,omitempty"`   // as the user wrote it
	Entry  string `json:"entry,omitempty"`  // a file inside the archive File
	Line   int    `json:"line,omitempty"`   //
	Column int    `json:"column,omitempty"` //
	// the object concerned: a variable, a state, an option, "road 3, s 12.5"
	Object string `json:"object,omitempty"`
}

// At returns the place of an object that has no file: a variable, an option, an argument.
func At(object string) Place { return Place{Object: object} }

// In returns the place of a whole file.
func In(file string) Place { return Place{File: file} }

// Line returns the place of a line of a file; lines count from 1.
func Line(file string, line int) Place { return Place{File: file, Line: line} }

// String returns "file: entry:line:column: object", without unknown parts.
func (p Place) String() string {
	text := p.File
	if p.Entry != "" {
		text = join(text, p.Entry)
	}
	if p.Line > 0 {
		if text == "" {
			text = "line"
		}
		text += ":" + strconv.Itoa(p.Line)
		if p.Column > 0 {
			text += ":" + strconv.Itoa(p.Column)
		}
	}
	if p.Object != "" {
		text = join(text, strings.ReplaceAll(p.Object, "\n", `\n`))
	}
	return text
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ": " + b
}

package archive

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with a file so that it cannot be read.
var (
	// ErrNotZip reports a file that is no zip archive, or a truncated one.
	ErrNotZip = errors.New("not a zip file")
	// ErrUnsafe reports an archive that must not be unpacked: paths that leave its folder, or names that occur twice.
	ErrUnsafe = errors.New("unsafe archive")
	// ErrTooLarge reports content beyond the bounds of this package.
	ErrTooLarge = errors.New("too large")
	// ErrNoModelDescription reports an archive without a readable modelDescription.xml at its root.
	ErrNoModelDescription = errors.New("no model description")
	// ErrXML reports XML that is not well-formed.
	ErrXML = errors.New("broken XML")
	// ErrNotFMI reports XML that is not the model description of an FMI version that is known here.
	ErrNotFMI = errors.New("not an FMI model description")
)

// InputError tells what is wrong with a file: where, what, and what to do next.
type InputError struct {
	File         string // path of the .fmu, empty if it was read from elsewhere
	Entry        string // the file inside of the archive, empty for the archive itself
	Line, Column int    // where reading the entry stopped, from 1; 0 if unknown
	Cause        error  // wraps one of the kinds
	Hint         string
}

func (e *InputError) Error() string {
	var place []string
	for _, part := range []string{e.File, e.Entry} {
		if part != "" {
			place = append(place, Plain(part))
		}
	}
	text := strings.Join(place, ": ")
	if e.Line > 0 {
		text += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	}
	if text != "" {
		text += ": "
	}
	text += e.Cause.Error()
	if e.Hint != "" {
		text += "\n  " + e.Hint
	}
	return text
}

// Unwrap is the cause.
func (e *InputError) Unwrap() error { return e.Cause }

// Severity says how bad a [Problem] is.
type Severity string

// The severities: an Error breaks a rule that importers rely on, a Warning is unusual or against a recommendation.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is something wrong with an FMU that can be read nevertheless.
type Problem struct {
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`    // where the rule is written, as "FMI 2.0, 2.2.7" or "OSMP A8"
	Place    string   `json:"place"`   // the file inside of the archive, the element or the variable
	Line     int      `json:"line"`    // in modelDescription.xml, from 1; 0 if the problem is elsewhere
	Column   int      `json:"column"`  // as Line
	Message  string   `json:"message"` // what was found and what was expected
}

func (p Problem) String() string {
	place := Plain(p.Place)
	if p.Line > 0 {
		place = fmt.Sprintf("%s (line %d)", place, p.Line)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", p.Severity, place, Plain(p.Message), p.Rule)
}

// Plain is text without what could steer a terminal: line breaks and tabs become blanks, other control characters and invalid
// bytes the Unicode replacement character.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

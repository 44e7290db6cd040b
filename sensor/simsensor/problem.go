package simsensor

import (
	"errors"
	"fmt"
	"strings"

	"gosmp/internal/fault"
)

// Causes of the errors of this package, for [errors.Is].
var (
	// ErrFile reports that the scenario is missing, unreadable, or not a regular file.
	ErrFile = errors.New("scenario file cannot be used")
	// ErrNoData reports that no row can be published.
	ErrNoData = errors.New("scenario without measurements")
	// ErrLoopLength reports that looping was requested and all rows share one time.
	ErrLoopLength = errors.New("looping scenario without length")
	// ErrBadRow reports a row that does not follow the format.
	ErrBadRow = errors.New("malformed row")
	// ErrUnit reports an unknown unit of time.
	ErrUnit = errors.New("unknown unit of time")
	// ErrDriver reports an invalid argument of a simulated driver.
	ErrDriver = errors.New("unknown simulated driver")
	// ErrStart reports a negative start delay.
	ErrStart = errors.New("start delay below zero")
	// ErrChanged reports that the file has changed since it was opened.
	ErrChanged = errors.New("scenario file changed while it was played")
	// ErrRead reports that the file could be opened, but not read to its end.
	ErrRead = errors.New("scenario file cannot be read")
	// ErrState reports bytes passed to RestoreState that are not a state of this scenario.
	ErrState = errors.New("state does not belong to this scenario")
	// ErrClosed reports that the player was used after Close.
	ErrClosed = errors.New("player is closed")
)

// ProblemKind sorts problems, so that a consumer can count and limit them without reading the text.
//
//nolint:errname // most problems are warnings, and only some become errors
type ProblemKind uint8

// Kinds of problems. Up to StampRange the row is rejected: it is not published and has no influence
// on later ones. DecreasingStamp is reported for every such row too, which is published at the time
// of its predecessor. All others are oddities, of which a player reports only the first; those
// after DoubtfulUnit are found only by [Inspect].
//
//nolint:errname // most problems are warnings, and only some become errors
const (
	FileProblem   ProblemKind = iota // the file as a whole; always an error, never a warning
	BadNumber                        // a field that is not an integer
	DecimalNumber                    // a number with decimals or an exponent
	NumberRange                      // a number outside the field's range, or of 64 bits
	EmptyField                       // nothing between two commas
	UnknownSensor                    // column 1 is not one of the ids
	MissingStamp                     // a row without column 2
	GPSFieldCount                    // neither 18 nor 19 fields
	OverlongLine                     // no line feed within 4096 bytes
	StampRange                       // a stamp more than 292 years after its predecessor

	DecreasingStamp

	HeaderNames       // the header does not start with SensorID,Timestamp
	ByteOrderMark     // the file starts with the UTF-8 byte order mark
	CarriageReturn    // lines end with CR LF
	BlankLine         // lines without content
	BlankPadding      // blanks around fields
	TrailingCommas    // empty fields at the end of rows
	ShortRow          // missing trailing fields; reported once for every sensor
	LongRow           // surplus fields; reported once for every sensor
	MixedGPSLayouts   // GPS rows with and without UTC in one file
	LongGap           // an hour or more between two rows
	CounterWrapped    // the stamps of a 32-bit counter start again at 0
	ImplausibleUnit   // row distances that are impossible for any sensor
	DoubtfulUnit      // row distances that do not determine the unit
	RowsAfterEnd      // content after the end row
	VelocityNotSplit  // velocity north is a copy of the ground speed
	HeadingAlwaysZero // heading never filled in
	GeoidSeparation   // the ellipsoid altitude looks like a geoid separation
	ImplausibleUTC    // neither an epoch nor rising
	ImplausibleValue  // a typical value that points to other units or axes
	problemKinds
)

// problemNames are the short descriptions used in messages.
var problemNames = [problemKinds]string{
	BadNumber: "not a number", DecimalNumber: "decimal number", NumberRange: "number out of range",
	EmptyField: "empty field", UnknownSensor: "unknown sensor id",
	MissingStamp: "row without time stamp", GPSFieldCount: "wrong number of gps fields",
	OverlongLine: "overlong line", StampRange: "time stamp too far ahead",
	DecreasingStamp: "decreasing time stamp", HeaderNames: "unusual header",
	ByteOrderMark: "byte order mark", CarriageReturn: "lines end with CR LF",
	BlankLine: "blank line", BlankPadding: "blanks around a field",
	TrailingCommas: "empty fields at the end of a row", ShortRow: "short row", LongRow: "long row",
	MixedGPSLayouts: "gps rows of two layouts", LongGap: "long gap",
	CounterWrapped: "time stamp counter wrapped", ImplausibleUnit: "implausible unit of time",
	DoubtfulUnit: "doubtful unit of time", RowsAfterEnd: "content after the end row",
	VelocityNotSplit:  "gps velocity not split into components",
	HeadingAlwaysZero: "gps heading always 0",
	GeoidSeparation:   "gps ellipsoid altitude looks like a geoid separation",
	ImplausibleUTC:    "implausible gps UTC", ImplausibleValue: "implausible values",
}

// String returns the kind in a few words, "decimal number".
func (k ProblemKind) String() string {
	if k == FileProblem || k >= problemKinds {
		return "file problem"
	}
	return problemNames[k]
}

// Error returns [ProblemKind.String]: the kind of a problem is part of its text.
func (k ProblemKind) Error() string { return k.String() }

// Is makes [errors.Is] find [ErrBadRow] in the errors of strict mode.
func (k ProblemKind) Is(target error) bool { return target == ErrBadRow && k.Bad() }

// ID returns the kind as an identifier for programs, "decimal-number", which never changes between
// releases.
func (k ProblemKind) ID() string {
	if k == FileProblem || k >= problemKinds {
		return "file"
	}
	return strings.ReplaceAll(strings.ToLower(problemNames[k]), " ", "-")
}

// Rejected reports whether a row with this problem is not published.
func (k ProblemKind) Rejected() bool { return k >= BadNumber && k <= StampRange }

// Bad reports whether strict mode rejects a file with this problem: a rejected row or a decreasing
// stamp.
func (k ProblemKind) Bad() bool { return k >= BadNumber && k <= DecreasingStamp }

// Problem is an error or oddity in a file; it is a warning if it comes through [Options.Warn]. Its
// Kind is a [ProblemKind], or the sentinel of an error that concerns the file as a whole. Columns
// count bytes.
//
//nolint:errname // most problems are warnings
type Problem = fault.Error

// KindOf returns the kind of a problem; problems of the file as a whole are of kind [FileProblem].
func KindOf(p Problem) ProblemKind {
	if k := ProblemKind(0); errors.As(p.Kind, &k) {
		return k
	}
	return FileProblem
}

// quote returns at most 40 bytes of input with everything unprintable escaped.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q...", b[:most])
	}
	return fmt.Sprintf("%q", b)
}

package cosim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

// Connection carries the values of one variable to another: before each step of the receiving
// participant, and during initialization. The conversions are applied in order; then the value is
// converted to the type of To.
type Connection struct {
	From, To string // participant.variable
	// FromIndices and ToIndices restrict an end to one element of an array. There is one index per
	// dimension, starting at 1, as in SSP and in the names of elements. Without indices, the end
	// includes all elements.
	FromIndices, ToIndices []int
	Conversions            []Conversion
	// Initial allows any value to set a parameter, but only during initialization. A connection
	// from a calculated parameter to a parameter behaves this way even without it.
	Initial bool
	// Extrapolation describes how the value continues within a step.
	Extrapolation Extrapolation
	Timing        Timing
}

// Timing determines in which step the values of a connection arrive.
type Timing uint8

// The timings.
const (
	// AsOrdered values arrive in the step that produces them, unless the connection closes a cycle
	// that is cut there, or the algorithm is [Parallel].
	AsOrdered Timing = iota
	// Lagging values always arrive one step later. The receiver steps before the producer.
	Lagging
	// Prompt values always arrive in the step that produces them. A run that cannot guarantee this
	// is refused.
	Prompt
)

// link is a connection between two frames.
type link struct {
	from, to     *member
	output       int // the number of a variable of the producer
	input        int
	connection   Connection
	in, out      *Frame
	fromAt, toAt int // the first element, in the variable and, once bound, in the frame
	toPort       int // of in, once bound
	size         int // elements
	blob         bool
	lags         bool
	initial      bool // to a parameter: does not affect the order of the steps
	slopes       bool
	jumper       jumper // of a continuous input whose source knows where its values jump, else nil
	convert      func(uint64) uint64
	line         *line   // of a link with linear extrapolation, else nil
	factor       float64 // of the conversions, for slopes of the producer
	keptLine     *line   // line at the point to return to
	narrows      bool    // values may not fit into the kind of the input
	kind         Kind    // of the input
	unsigned     bool    // the values of the output are UInt64
}

func (l *link) name() string { return l.connection.String() }

// String formats the connection like "a.y[2] = b.u".
func (c Connection) String() string {
	return end(c.From, c.FromIndices) + " = " + end(c.To, c.ToIndices)
}

// end returns the name of one end of a connection, with its indices.
func end(name string, indices []int) string {
	if len(indices) == 0 {
		return name
	}
	texts := make([]string, len(indices))
	for k, n := range indices {
		texts[k] = strconv.Itoa(n)
	}
	return name + "[" + strings.Join(texts, ",") + "]"
}

// elements returns the position and the number of the elements that indices select: all elements,
// or a single one in row-major order. If the indices are invalid, expected describes the valid
// ones.
func (v *Variable) elements(indices []int) (first, count int, expected string) {
	if len(indices) == 0 {
		return 0, v.Size, ""
	}
	dimensions := v.shape()
	switch {
	case len(dimensions) == 0:
		return 0, 0, "no indices, because it is not an array"
	case len(indices) != len(dimensions):
		return 0, 0, fmt.Sprintf("%d indices, one for each dimension", len(dimensions))
	}
	for k, n := range indices {
		if n < 1 || n > dimensions[k] {
			return 0, 0, fmt.Sprintf("index %d between 1 and %d", k+1, dimensions[k])
		}
		first = first*dimensions[k] + n - 1
	}
	return first, 1, ""
}

// copy transfers the values of the link.
func (l *link) copy() error {
	if l.in.Times != nil {
		l.in.Times[l.toPort] = l.from.shownAt
	}
	if l.blob {
		copy(l.in.Blobs[l.toAt:l.toAt+l.size], l.out.Blobs[l.fromAt:l.fromAt+l.size])
		return nil
	}
	to, from := l.in.Cells[l.toAt:l.toAt+l.size], l.out.Cells[l.fromAt:l.fromAt+l.size]
	if l.slopes {
		copy(l.in.Slopes[l.toAt:l.toAt+l.size], l.out.Slopes[l.fromAt:l.fromAt+l.size])
	}
	if l.convert == nil {
		copy(to, from)
		l.sample(to)
		return nil
	}
	for k, v := range from {
		v = l.convert(v)
		if l.narrows && (!holds(l.kind, int64(v)) || l.unsigned && int64(v) < 0) {
			return fault.New(ErrRange, fault.At(l.name()), string(AppendValue(nil,
				l.from.variables[l.output].Kind, v)), "a value of "+l.kind.String())
		}
		to[k] = v
	}
	l.sample(to)
	return nil
}

// sample records values for extrapolation.
func (l *link) sample(cells []uint64) {
	if l.line == nil {
		return
	}
	l.line.sample(l.from.shownAt, cells)
	if l.out.Slopes != nil {
		for k, slope := range l.out.Slopes[l.fromAt : l.fromAt+l.size] {
			l.line.slopes[k] = slope * l.factor
		}
	}
}

// Fit reports why a connection cannot carry the values of one variable to another: their roles,
// kinds, sizes and message types have to agree. Nil means that an engine accepts the connection.
func Fit(from, to *Variable, c Connection) error {
	_, err := (&link{connection: c}).fit(from, to)
	return err
}

// fit determines how values are converted, or why they cannot be converted. The note is for the
// user.
func (l *link) fit(from, to *Variable) (note string, err error) {
	c := &l.connection
	refuse := func(found, expected string) error {
		return fault.New(ErrConnection, fault.At(c.String()), found, expected)
	}
	if to.Role != Input && (to.Role != Parameter || from.Role != Calculated && !c.Initial) {
		return "", refuse(fmt.Sprintf("%s is not an input", c.To), "an input")
	}
	var sizeFrom, sizeTo int
	var expected string
	if l.fromAt, sizeFrom, expected = from.elements(c.FromIndices); expected != "" {
		return "", refuse(end(c.From, c.FromIndices), expected)
	}
	if l.toAt, sizeTo, expected = to.elements(c.ToIndices); expected != "" {
		return "", refuse(end(c.To, c.ToIndices), expected)
	}
	if sizeFrom != sizeTo {
		return "", refuse(fmt.Sprintf("%d elements", sizeFrom), fmt.Sprint(sizeTo))
	}
	l.size, l.blob, l.initial = sizeFrom, from.Kind.IsBlob(), to.Role == Parameter
	var wrong string
	narrow := from.Enumeration || to.Enumeration
	if from.Enumeration && to.Kind.IsFloat() {
		return "", refuse("an enumeration", "an integer or an enumeration at the other end")
	}
	l.narrows = narrow && isInteger(from.Kind) && isInteger(to.Kind) && conversion(from.Kind,
		to.Kind) == nil
	l.kind, l.unsigned = to.Kind, from.Kind == UInt64
	if l.convert, wrong = compile(from.Kind, to.Kind, narrow, c.Conversions); wrong != "" {
		return "", refuse(from.Kind.String(), wrong)
	}
	same, version := compareMIME(from.MIMEType, to.MIMEType)
	if !same && (from.DeclaredMIME != "" || to.DeclaredMIME != "") {
		same, version = compareMIME(cmp.Or(from.DeclaredMIME, from.MIMEType),
			cmp.Or(to.DeclaredMIME, to.MIMEType))
	}
	if !same {
		return "", refuse(from.MIMEType, to.MIMEType)
	}
	if version != "" {
		note = fmt.Sprintf("%s: messages of version %s for a reader of version %s", c,
			parameterOf(from.MIMEType, version), parameterOf(to.MIMEType, version))
	}
	return note, nil
}

// compareMIME compares types and parameters, ignoring order and blanks. An empty type and
// application/octet-stream match everything. Types whose version parameters have the same major
// number are considered equal, because OSI messages can be read across minor versions; if the rest
// of the version differs, the result version is the name of that parameter.
func compareMIME(a, b string) (same bool, version string) {
	general := func(s string) bool { return s == "" || s == "application/octet-stream" }
	if general(a) || general(b) {
		return true, ""
	}
	one, other := mimeParts(a), mimeParts(b)
	if slices.Equal(one, other) {
		return true, ""
	}
	isVersion := func(part string) bool { return strings.HasPrefix(part, "version=") }
	first, second := slices.IndexFunc(one, isVersion), slices.IndexFunc(other, isVersion)
	switch {
	case first >= 0 && second >= 0 && major(one[first]) != major(other[second]):
		return false, ""
	case first >= 0 && second >= 0:
		version = "version"
	}
	return slices.Equal(slices.DeleteFunc(one, isVersion), slices.DeleteFunc(other, isVersion)),
		version
}

func major(version string) string {
	number, _, _ := strings.Cut(version, ".")
	return number
}

// parameterOf returns the value of a parameter of a MIME type.
func parameterOf(mime, name string) string {
	for _, part := range mimeParts(mime) {
		if value, found := strings.CutPrefix(part, name+"="); found {
			return value
		}
	}
	return ""
}

func mimeParts(s string) []string {
	parts := strings.Split(s, ";")
	for k := range parts {
		parts[k] = strings.ReplaceAll(strings.ToLower(strings.Join(strings.Fields(parts[k]), "")),
			`"`, "")
	}
	slices.Sort(parts[1:])
	return parts
}

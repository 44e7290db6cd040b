package cosim

import (
	"fmt"
	"slices"
	"strings"
)

// Connection carries the values of one variable to another: before each step of the receiving
// participant, and during initialization. The conversions apply in turn; then the value is
// converted to the type of To.
type Connection struct {
	From, To    string // participant.variable
	Conversions []Conversion
	// Initial allows any value to set a parameter, during initialization only. A connection from a
	// calculated parameter to a parameter behaves in this way without it.
	Initial bool
}

// link is a connection between two frames.
type link struct {
	from, to     *member
	output       int // of the producer, the number of a variable
	input        int
	connection   Connection
	in, out      *Frame
	fromAt, toAt int
	size         int
	blob         bool
	lags         bool
	slopes       bool
	convert      func(uint64) uint64
}

func (l *link) name() string { return l.connection.From + " = " + l.connection.To }

// copy transfers the values.
func (l *link) copy() {
	if l.blob {
		copy(l.in.Blobs[l.toAt:l.toAt+l.size], l.out.Blobs[l.fromAt:l.fromAt+l.size])
		return
	}
	to, from := l.in.Cells[l.toAt:l.toAt+l.size], l.out.Cells[l.fromAt:l.fromAt+l.size]
	if l.slopes {
		copy(l.in.Slopes[l.toAt:l.toAt+l.size], l.out.Slopes[l.fromAt:l.fromAt+l.size])
	}
	if l.convert == nil {
		copy(to, from)
		return
	}
	for k, v := range from {
		to[k] = l.convert(v)
	}
}

// fit determines how values are converted, or why they cannot be. The note is for the user.
func (l *link) fit(from, to *Variable) (note string, err error) {
	c := &l.connection
	refuse := func(found, expected string) error {
		return &Error{Kind: ErrConnection, Place: at(c.From + " = " + c.To), Found: found, Expected: expected}
	}
	switch {
	case to.Role != Input && (to.Role != Parameter || from.Role != Calculated && !c.Initial):
		return "", refuse(fmt.Sprintf("%s is no input", c.To), "an input")
	case from.Size != to.Size:
		return "", refuse(fmt.Sprintf("%d elements", from.Size), fmt.Sprint(to.Size))
	}
	l.size, l.blob = from.Size, from.Kind.IsBlob()
	var wrong string
	if l.convert, wrong = compile(from.Kind, to.Kind, c.Conversions); wrong != "" {
		return "", refuse(from.Kind.String(), wrong)
	}
	same, version := compareMIME(from.MIMEType, to.MIMEType)
	if !same {
		return "", refuse(from.MIMEType, to.MIMEType)
	}
	if version != "" {
		note = fmt.Sprintf("%s = %s: messages of version %s for a reader of version %s", c.From, c.To,
			parameterOf(from.MIMEType, version), parameterOf(to.MIMEType, version))
	}
	return note, nil
}

// compareMIME compares type and parameters, ignoring their order and blanks; an empty type and
// application/octet-stream match everything. Types whose parameter version has the same major
// number are the same; version is the name of that parameter if the rest of it differs, as OSI
// messages can be read across minor versions.
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
	return slices.Equal(slices.DeleteFunc(one, isVersion), slices.DeleteFunc(other, isVersion)), version
}

func major(version string) string {
	number, _, _ := strings.Cut(version, ".")
	return number
}

// parameterOf is the value of a parameter of a MIME type.
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
		parts[k] = strings.ReplaceAll(strings.ToLower(strings.Join(strings.Fields(parts[k]), "")), `"`, "")
	}
	slices.Sort(parts[1:])
	return parts
}

package simsensor

import (
	"fmt"
	"strings"

	"gosmp/timebase"
)

// Unit is the unit of the time stamps of a file. The format's description says milliseconds, its zero value; recordings of the
// real system are in microseconds.
type Unit uint8

// The units that a file may be in.
const (
	Milliseconds Unit = iota
	Microseconds
	Seconds
	Nanoseconds
)

var units = [...]struct {
	name string
	span timebase.Duration
}{
	Milliseconds: {"ms", timebase.Millisecond},
	Microseconds: {"us", timebase.Microsecond},
	Seconds:      {"s", timebase.Second},
	Nanoseconds:  {"ns", timebase.Nanosecond},
}

// ParseUnit reads "ms", "us", "s" or "ns"; "µs" in either Unicode spelling is "us". Anything else is an [ErrUnit].
func ParseUnit(name string) (Unit, error) {
	switch name {
	case "µs", "μs":
		return Microseconds, nil
	}
	for u := range units {
		if units[u].name == name {
			return Unit(u), nil
		}
	}
	hint := "state the unit of the file's second column; the format's description uses ms, recordings of the real system us"
	if lower := string(lower([]byte(strings.TrimSpace(name)))); lower != name {
		if _, err := ParseUnit(lower); err == nil {
			hint = fmt.Sprintf("write %q", lower)
		}
	}
	return 0, &Problem{Cause: ErrUnit, Found: quote([]byte(name)), Expected: `one of "ms", "us", "s", "ns"`, Hint: hint}
}

// valid says that u is one of the four.
func (u Unit) valid() bool { return int(u) < len(units) }

// String is the unit's symbol as [ParseUnit] reads it.
func (u Unit) String() string {
	if !u.valid() {
		return fmt.Sprintf("unit %d", uint8(u))
	}
	return units[u].name
}

// Duration is the length of one unit; 0 for a value that is none of the constants.
func (u Unit) Duration() timebase.Duration {
	if !u.valid() {
		return 0
	}
	return units[u].span
}

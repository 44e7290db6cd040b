package simsensor

import (
	"fmt"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Unit is the unit of the time stamps of a file. The format's description specifies milliseconds,
// which is the zero value; recordings from the real system are in microseconds.
type Unit uint8

// The units that a file may be in, and Auto. Auto selects the unit in which most sensors have a
// usual rate, and milliseconds, with a [DoubtfulUnit] problem, if no unit has more such sensors
// than any other. A sensor counts if it has three rows or more; its rate is the mean distance of
// its rows without the longest hundredth of the distances. The first 64 KiB of the file decide or,
// if they are not enough, up to 1 MiB. docs/SIMSENSOR.md has the table of usual rates.
const (
	Milliseconds Unit = iota
	Microseconds
	Seconds
	Nanoseconds
	Auto
)

const unitCount = 4

// Units returns the units that a file may be in, the documented one first.
func Units() [unitCount]Unit { return [...]Unit{Milliseconds, Microseconds, Seconds, Nanoseconds} }

const autoName = "auto"

var units = [unitCount]struct {
	name string
	span timebase.Duration
}{
	Milliseconds: {"ms", timebase.Millisecond},
	Microseconds: {"us", timebase.Microsecond},
	Seconds:      {"s", timebase.Second},
	Nanoseconds:  {"ns", timebase.Nanosecond},
}

// ParseUnit reads "auto", "ms", "us", "s" or "ns"; "µs" in either Unicode spelling is "us".
// Anything else is an [ErrUnit].
func ParseUnit(name string) (Unit, error) {
	switch name {
	case "µs", "μs":
		return Microseconds, nil
	case autoName:
		return Auto, nil
	}
	for u := range units {
		if units[u].name == name {
			return Unit(u), nil
		}
	}
	hint := `"auto" decides by the rows of the file; the format's description uses ms, ` +
		`recordings of the real system us`
	if lower := string(lower([]byte(strings.TrimSpace(name)))); lower != name {
		if _, err := ParseUnit(lower); err == nil {
			hint = fmt.Sprintf("write %q", lower)
		}
	}
	return 0, fault.New(ErrUnit, fault.Place{}, quote([]byte(name)),
		`one of "auto", "ms", "us", "s", "ns"`).WithHint(hint)
}

// valid reports whether u is one of the four, or [Auto].
func (u Unit) valid() bool { return u <= Auto }

// String returns the unit's symbol as [ParseUnit] reads it.
func (u Unit) String() string {
	switch {
	case u == Auto:
		return autoName
	case !u.valid():
		return fmt.Sprintf("unit %d", uint8(u))
	}
	return units[u].name
}

// Duration returns the length of one unit; 0 for [Auto] and for a value that is not one of the
// constants.
func (u Unit) Duration() timebase.Duration {
	if int(u) >= len(units) {
		return 0
	}
	return units[u].span
}

package fmi

import "fmt"

// Status is the result of an FMI function; the numbers are the same as in fmi2Status and
// fmi3Status.
type Status int32

// The statuses (FMI 2.0, 2.1.3; FMI 3.0, 2.2).
const (
	OK      Status = iota // no problem
	Warning               // a problem occurred, but the simulation can continue
	Discard               // the call could not be completed; the instance remains usable
	Error                 // the instance can only be restored, reset or freed
	Fatal                 // all instances of the FMU are lost
	Pending               // FMI 2.0: a step continues in the background
)

var statusNames = [...]string{"OK", "Warning", "Discard", "Error", "Fatal", "Pending"}

// String returns the name in FMI 2.0, such as "fmi2OK". FMI 2.0 defines all statuses.
func (s Status) String() string { return s.Name(FMI2) }

// Name returns the name in the given version, such as "fmi3OK".
func (s Status) Name(v Version) string {
	prefix := fmt.Sprintf("fmi%d", v)
	if v == FMI1 {
		prefix = "fmi"
	}
	if s < OK || int(s) >= len(statusNames) {
		return fmt.Sprintf("%sStatus(%d)", prefix, int32(s))
	}
	return prefix + statusNames[s]
}

// rank orders statuses by their effect on the whole run. A step that continues in the background is
// worse than a completed step, and better than a refused step.
func (s Status) rank() int {
	if s == Pending {
		return int(Discard)*2 - 1
	}
	return int(s) * 2
}

// Worst merges the statuses of several calls into one: the maximum in the order OK, Warning,
// Pending, Discard, Error, Fatal. Without any statuses it returns OK.
func Worst(statuses ...Status) Status {
	worst := OK
	for _, s := range statuses {
		if s.rank() > worst.rank() {
			worst = s
		}
	}
	return worst
}

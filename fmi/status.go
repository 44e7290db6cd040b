package fmi

import "fmt"

// Status is the result of an FMI function; the numbers are the same as in fmi2Status and
// fmi3Status.
type Status int32

// The statuses (FMI 2.0, 2.1.3; FMI 3.0, 2.2).
const (
	OK      Status = iota // no problem
	Warning               // there is a problem, but the simulation can continue
	Discard               // the call could not be completed; the instance stays usable
	Error                 // the instance can only be restored, reset or freed
	Fatal                 // the instance, and with it every instance of the FMU, is lost
	Pending               // FMI 2.0: a step continues in the background
)

var statusNames = [...]string{"OK", "Warning", "Discard", "Error", "Fatal", "Pending"}

// String returns the name in FMI 2.0, which defines all statuses, such as "fmi2OK".
func (s Status) String() string { return s.Name(FMI2) }

// Name returns the name in a version, such as "fmi3OK".
func (s Status) Name(v Version) string {
	if s < OK || int(s) >= len(statusNames) {
		return fmt.Sprintf("fmi%dStatus(%d)", v, int32(s))
	}
	return fmt.Sprintf("fmi%d%s", v, statusNames[s])
}

// rank orders statuses by what they mean for the run as a whole: a step that continues in the
// background is worse than one that is complete, and better than one that was refused.
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

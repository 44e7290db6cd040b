package fmu

// Status is fmi2Status; the numbers are the standard's.
type Status int32

// The statuses of FMI 2.0, 2.1.3.
const (
	OK      Status = iota // all well
	Warning               // something is not quite right, the simulation goes on
	Discard               // the step or the question cannot be answered; the instance stays usable
	Error                 // the instance can only be restored, reset or freed
	Fatal                 // the instance is lost
	Pending               // never returned: gosmp steps synchronously
)

func (s Status) String() string {
	switch s {
	case OK:
		return "fmi2OK"
	case Warning:
		return "fmi2Warning"
	case Discard:
		return "fmi2Discard"
	case Error:
		return "fmi2Error"
	case Fatal:
		return "fmi2Fatal"
	case Pending:
		return "fmi2Pending"
	default:
		return "fmi2Status out of range"
	}
}

// category is the standard log category under which the one line of a status is reported.
func (s Status) category() string {
	switch s {
	case Warning:
		return LogStatusWarning
	case Discard:
		return LogStatusDiscard
	case Fatal:
		return LogStatusFatal
	default:
		return LogStatusError
	}
}

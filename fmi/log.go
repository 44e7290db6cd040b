package fmi

// LogCategory is a category of log messages that the environment can switch on and off.
type LogCategory struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// The names of the standard log categories (FMI 2.0, 2.2.4; FMI 3.0, 2.4.5). FMI 3.0 removed
// LogStatusPending and LogAll.
const (
	LogEvents                = "logEvents"
	LogSingularLinearSystems = "logSingularLinearSystems"
	LogNonlinearSystems      = "logNonlinearSystems"
	LogDynamicStateSelection = "logDynamicStateSelection"
	LogStatusWarning         = "logStatusWarning"
	LogStatusDiscard         = "logStatusDiscard"
	LogStatusError           = "logStatusError"
	LogStatusFatal           = "logStatusFatal"
	LogStatusPending         = "logStatusPending"
	LogAll                   = "logAll"
)

// Category returns the standard log category for messages with the given status, or an empty string
// for OK.
func (s Status) Category() string {
	switch s {
	case Warning:
		return LogStatusWarning
	case Discard:
		return LogStatusDiscard
	case Error:
		return LogStatusError
	case Fatal:
		return LogStatusFatal
	case Pending:
		return LogStatusPending
	}
	return ""
}

package cli

// Seconds is a time given as a flag: a number such as 0.02, or a quotient such as 1/60.
type Seconds float64

// Value returns the time in seconds, or nil if the flag was not given.
func (s *Seconds) Value() *float64 { return (*float64)(s) }

package cli

import "gosmp/timebase"

// Seconds is the value of a flag for a time: a number such as 0.02, or a quotient such as 1/60.
type Seconds float64

// UnmarshalText reads a time.
func (s *Seconds) UnmarshalText(text []byte) error {
	r, err := timebase.ParseSeconds(string(text))
	if err == nil {
		*s = Seconds(r.Seconds())
	}
	return err
}

// Value is the time in seconds; nil if the flag was not given.
func (s *Seconds) Value() *float64 { return (*float64)(s) }

package session

import "gosmp/cmd/gosmp/internal/cli"

// Endless is a command that, with some flags, serves or waits for others until it is interrupted.
type Endless interface {
	// Endless returns the cause and the remedy if the command does not end on its own with its
	// flags, or two empty texts.
	Endless() (cause, remedy string)
}

// CheckEnd returns an error if a command does not end on its own. In a session, nothing would end
// it: a signal ends the whole session.
func CheckEnd(command any) error {
	c, is := command.(Endless)
	if !is {
		return nil
	}
	cause, remedy := c.Endless()
	if cause == "" {
		return nil
	}
	return cli.Unexpected("session", cause, "a command that ends on its own ("+remedy+")")
}

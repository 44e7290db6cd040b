package main

import (
	"bufio"
	"errors"
	"os"

	"gosmp/sensor/simsensor/demodrive"
)

type demoCommand struct {
	Out string `short:"o" placeholder:"FILE" help:"File to write; standard output when not given."`
}

// Run writes the demo scenario.
func (c *demoCommand) Run() error {
	if c.Out == "" {
		return demodrive.Write(os.Stdout)
	}
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(demodrive.Write(w), w.Flush(), f.Close())
}

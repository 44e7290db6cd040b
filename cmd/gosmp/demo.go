package main

import "gosmp/sensor/simsensor/demodrive"

type demoCommand struct {
	Out string `short:"o" default:"-" placeholder:"FILE" help:"File to write; - is standard output, which is the default."`
}

// Run writes the demo scenario.
func (c *demoCommand) Run() error { return writeFile(c.Out, demodrive.Write) }

// Package demo implements gosmp demo, which writes the demo recording.
package demo

import (
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/sensor/simsensor/demodrive"
)

// Command implements gosmp demo.
type Command struct {
	Out string `short:"o" default:"-" placeholder:"FILE" help:"File to write; -, the default, is standard output."`
}

// Run writes the demo scenario.
func (c *Command) Run() error { return cli.WriteFile(c.Out, demodrive.Write) }

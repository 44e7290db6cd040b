// Command gosmp works with simsensor files and OSMP FMUs from the command line; see gosmp --help.
package main

import (
	"os"

	"github.com/alecthomas/kong"
)

// cli is the command line: one field per command.
type cli struct {
	Demo  demoCommand  `cmd:"" help:"Write the demo scenario, a drive of 60 s with all six sensors, as a simsensor file."`
	Check checkCommand `cmd:"" help:"Check simsensor files: malformed rows, timing, and values that look implausible."`
}

func main() {
	var c cli
	parser := kong.Must(&c,
		kong.Name("gosmp"),
		kong.Description("Simsensor recordings, OSI messages and OSMP FMUs."),
		kong.UsageOnError(),
	)
	context, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	context.FatalIfErrorf(context.Run())
}

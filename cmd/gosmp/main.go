// Command gosmp works with simsensor files and OSMP FMUs from the command line; see gosmp --help.
package main

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"gosmp/sensor/simsensor"
)

// cli is the command line: one field per command.
type cli struct {
	Version kong.VersionFlag `help:"Print versions and revision, which a bug report should name, and exit."`

	Sensors    sensorsCommand            `cmd:"" help:"Replay simsensor files in real time, one line for each published event."`
	Check      checkCommand              `cmd:"" help:"Check simsensor files: malformed rows, timing, and values that look implausible."`
	Demo       demoCommand               `cmd:"" help:"Write the demo scenario, a drive of 60 s with all six sensors, as a simsensor file."`
	Inspect    inspectCommand            `cmd:"" help:"Show FMUs: variables, OSMP binary variables, capabilities, platforms, documentation, problems."`
	Birdseye   birdseyeCommand           `cmd:"" help:"Draw a scene from above: the truth, the field of view, and the detections."`
	New        newCommand                `cmd:"" help:"Write the Go module of a new model: an FMU that builds and runs at once, with a test."`
	Completion kongcompletion.Completion `cmd:"" help:"Print the line that switches on completion in your shell (bash, zsh, fish)."`
}

func main() { os.Exit(run()) }

// run is main for tests, too.
func run() int {
	parser := newParser()
	kongcompletion.Register(parser)
	command, err := parser.Parse(os.Args[1:])
	if err != nil { // kong would print the usage to standard output, into what the caller has asked for
		parser.Stdout = os.Stderr
	}
	parser.FatalIfErrorf(err)
	command.FatalIfErrorf(command.Run(command))
	return 0
}

// exit ends the process.
func exit(code int) { os.Exit(exitCode(code)) }

// exitCode makes kong's code for wrong usage the usual one, which the programs that are FMUs have, too.
func exitCode(code int) int {
	if code == 80 {
		return 2
	}
	return code
}

func newParser() *kong.Kong {
	var drivers []string
	for _, d := range simsensor.Drivers() {
		drivers = append(drivers, d.Name)
	}
	return kong.Must(&cli{},
		kong.Name("gosmp"),
		kong.Description("Simsensor recordings, OSI messages and OSMP FMUs."),
		kong.UsageOnError(),
		kong.Exit(exit),
		kong.Vars{
			"version": versions(), "drivers": strings.Join(drivers, ", "), "sections": sectionNames(), "pictures": strings.Join(pictureFormats(), ", "),
		},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
}

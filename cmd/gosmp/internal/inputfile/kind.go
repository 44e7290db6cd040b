package inputfile

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/run/kind"
)

// commands lists, for each kind of file that most commands do not accept, the commands that do.
var commands = map[string][]string{
	kind.Statechart: {"check", "draw", "run"}, kind.Experiment: {"check", "inspect", "run"},
	kind.BIBI: {"check"}, kind.SMACH: {"convert"},
	kind.Map: {"check", "draw", "inspect", "run"}, kind.System: {"check", "draw", "inspect", "run"},
	kind.Bridge: {"bridge", "check"}, kind.Sweep: {"check", "sweep"},
	kind.Scenario: {"check", "explain", "inspect", "run", "sweep"},
}

// Kind returns the kind of the file.
func (in *File) Kind() string {
	if in.Piped {
		return kind.OfContent(in.Name, in.Bytes)
	}
	return kind.Of(in.Name)
}

// Unsuited returns the error for a command that got a file that only other commands accept, and nil
// for any other file.
func (in *File) Unsuited(command, expected string) error {
	if _, err := os.Stat(in.Name); err != nil && !in.Piped {
		return nil // the reader reports why
	}
	is := in.Kind()
	if takers := commands[is]; len(takers) > 0 && !slices.Contains(takers, command) {
		return cli.Unexpected(command, fmt.Sprintf("%s (%s)", in.Name, is), expected+"; use gosmp "+
			strings.Join(takers, " or gosmp "))
	}
	return nil
}

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// Examples of some commands are parsed but not always run: serverNeeded lists commands that wait
// for a peer, and checkoutNeeded lists commands that copy parts of the checkout, which takes a long
// time.
var (
	serverNeeded   = []string{"work", "sim check", "bridge topics", "bridge echo"}
	checkoutNeeded = []string{"new", "bridge generate"}
)

// TestExamples_EveryCommandHasTwo: a command without examples is incomplete.
func TestExamples_EveryCommandHasTwo(t *testing.T) {
	var names []string
	for _, command := range newParser().Model.Leaves(true) {
		names = append(names, commandName(command))
		require.GreaterOrEqual(t, len(examples[commandName(command)]), 2, commandName(command))
	}
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(examples)))
	for name, list := range examples {
		for _, example := range list {
			command, _, _ := strings.Cut(example, " > ")
			command, _, _ = strings.Cut(command, " < ")
			words := strings.Fields(command)
			context, err := newParser().Parse(words[1:])
			require.NoError(t, err, example)
			require.Equal(t, name, commandName(context.Selected()), example)
		}
	}
}

// TestExamples_Run runs the examples in the order of the help, in a folder with the files they
// name.
func TestExamples_Run(t *testing.T) {
	fmu := os.Getenv("GOSMP_FMU")
	var script strings.Builder
	script.WriteString("exec gosmp demo -o flight.csv\n" +
		"exec gosmp simulate map.xodr --duration 2 --trace drive.mcap\n")
	for _, command := range newParser().Model.Leaves(true) {
		name := commandName(command)
		for _, example := range examples[name] {
			if slices.Contains(serverNeeded, name) ||
				slices.Contains(checkoutNeeded, name) && testing.Short() ||
				fmu == "" && strings.Contains(example, "sensor.fmu") {
				continue
			}
			run, file, redirected := strings.Cut(example, " > ")
			run, input, fed := strings.Cut(run, " < ")
			if fed {
				fmt.Fprintf(&script, "stdin %s\n", input)
			}
			fmt.Fprintf(&script, "exec %s\n", run)
			if redirected {
				fmt.Fprintf(&script, "cp stdout %s\n", file)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "examples.txtar")
	require.NoError(t, os.WriteFile(path, []byte(script.String()), 0o600))
	testscript.Run(t,
		testscript.Params{Files: []string{path}, Setup: func(e *testscript.Env) error {
			if err := os.CopyFS(e.WorkDir, os.DirFS("testdata/examples")); err != nil {
				return err
			}
			if err := link(e.WorkDir, "map.xodr", "../../examples/maps/motorway.xodr"); err != nil {
				return err
			}
			e.Setenv("HOME", e.WorkDir)
			return link(e.WorkDir, "sensor.fmu", fmu)
		}})
}

// link creates a link to a file in a folder.
func link(folder, name, to string) error {
	if to == "" {
		return nil
	}
	target, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	return os.Symlink(target, filepath.Join(folder, name))
}

package main

import (
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gosmp": main, "mocksimulator": mockSimulator})
}

func TestExitCode(t *testing.T) {
	_, err := newParser().Parse([]string{"check"})
	var usage *kong.ParseError
	require.ErrorAs(t, err, &usage)
	require.Equal(t, cli.ExitInput, cli.ExitCode(err))
	require.Equal(t, cli.ExitDone, cli.ExitCode(nil))
	require.Equal(t, cli.ExitInput, cli.ExitCode(os.ErrNotExist))
	require.Equal(t, cli.ExitVerdict, cli.ExitCode(fmt.Errorf("file: %w",
		cli.Negative("not all files pass"))))
	require.Equal(t, cli.ExitFailed, cli.ExitCode(fmt.Errorf("out: %w",
		cli.OutputFailed(os.ErrClosed))))
}

// TestPageNamesAllCommands keeps docs/COMMANDS.md complete.
func TestPageNamesAllCommands(t *testing.T) {
	page, err := os.ReadFile("../../docs/COMMANDS.md")
	require.NoError(t, err)
	for _, command := range newParser().Model.Leaves(true) {
		require.Contains(t, string(page), "`"+command.FullPath())
	}
}

func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fmu":       packCommand,
			"elf":       elfCommand,
			"messages":  messagesCommand,
			"interrupt": interruptCommand,
			"views":     viewsCommand,
			"cut":       cutCommand,
			"freeport":  freePortCommand,
			"format":    formatCommand,
		},
	})
}

// freePortCommand sets a variable to an unused address of this machine.
func freePortCommand(ts *testscript.TestScript, _ bool, arguments []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(arguments[0], l.Addr().String())
	ts.Check(l.Close())
}

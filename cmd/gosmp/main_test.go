package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gosmp": main})
}

func TestExitCode(t *testing.T) {
	_, err := newParser().Parse([]string{"check"})
	var usage *kong.ParseError
	require.ErrorAs(t, err, &usage)
	require.Equal(t, 2, exitCode(usage.ExitCode()))
	require.Equal(t, 1, exitCode(1))
}

func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fmu": packCommand,
			"elf": elfCommand,
		},
	})
}

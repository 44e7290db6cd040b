package main

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// TestParserFor_IsThatOfAllCommands: a parser for one command knows as much about it as the parser
// for all commands.
func TestParserFor_IsThatOfAllCommands(t *testing.T) {
	help := func(grammar any, words []string) (text string) {
		var out bytes.Buffer
		p := parserOf(grammar, kong.Writers(&out, &out), kong.Exit(func(int) {}))
		_, _ = p.Parse(words) // continues after the help, because this parser does not exit
		return out.String()
	}
	names := 0
	for _, f := range reflect.VisibleFields(reflect.TypeFor[line]()) {
		name := nameOfCommand(f)
		if name == "" {
			continue
		}
		names++
		words := []string{name, "--help"}
		require.NotEqual(t, reflect.TypeFor[*line](), reflect.TypeOf(grammarFor(words)))
		require.Equal(t, help(&line{}, words), help(grammarFor(words), words), name)
	}
	require.Len(t, newParser().Model.Children, names)
	require.Equal(t, help(&line{}, []string{"--version"}), help(grammarFor([]string{"--version"}),
		[]string{"--version"}))
	for _, words := range [][]string{{}, {"--help"}, {"rnu"}, {"-x", "run"}} {
		require.IsType(t, &line{}, grammarFor(words))
	}
}

// BenchmarkParser measures how long a command takes before it starts its work.
func BenchmarkParser(b *testing.B) {
	for b.Loop() {
		parserFor([]string{"check", "file"})
	}
}

// BenchmarkParserOfAll measures the same for a command line that does not start with a command.
func BenchmarkParserOfAll(b *testing.B) {
	for b.Loop() {
		newParser()
	}
}

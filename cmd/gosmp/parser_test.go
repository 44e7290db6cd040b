package main

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
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
	for _, words := range [][]string{{}, {""}, {"", "run"}, {"--help"}, {"rnu"}, {"-x", "run"}} {
		require.IsType(t, &line{}, grammarFor(words))
	}
}

// TestComplain_ElsewhereKnownFlags gives each command every flag that only other commands have. The
// error names flags of the command, or commands that have the flag.
func TestComplain_ElsewhereKnownFlags(t *testing.T) {
	tree := allCommands()
	flagsOf := map[*kong.Node]map[string]bool{}
	all := map[string]bool{}
	for _, leaf := range tree.Leaves(true) {
		flagsOf[leaf] = map[string]bool{}
		for _, group := range leaf.AllFlags(true) {
			for _, f := range group {
				flagsOf[leaf]["--"+f.Name], all["--"+f.Name] = true, true
			}
		}
	}
	named := regexp.MustCompile(`--[a-z][a-z-]*`)
	pairs := 0
	for leaf, own := range flagsOf {
		words := strings.Fields(leaf.FullPath())[1:]
		parser := parserFor(words)
		for flag := range all {
			if own[flag] {
				continue
			}
			_, err := parser.Parse(append(slices.Clone(words), flag+"=1"))
			require.Error(t, err)
			var out bytes.Buffer
			cli.Complain(&out, err, nil, func() *kong.Node { return tree })
			text, _, _ := strings.Cut(out.String(), "\n")
			if !strings.Contains(text, "unknown flag") { // the command also lacks an argument
				continue
			}
			pairs++
			_, meant, found := strings.Cut(text, "did you mean")
			if !found {
				require.Regexp(t, "unknown flag "+flag+"; gosmp .* (has|have) it", text)
				continue
			}
			for _, name := range named.FindAllString(meant, -1) {
				require.True(t, own[name], "%s: %s", leaf.FullPath(), text)
			}
		}
	}
	require.Greater(t, pairs, 1000)
}

// TestComplain_PurposeOfFlags: an unknown flag leads to the flag with the same purpose.
func TestComplain_PurposeOfFlags(t *testing.T) {
	for line, want := range map[string]string{
		"simulate a.xodr --stop-time=1": `unknown flag --stop-time, did you mean "--duration"?`,
		"simulate a.xodr --step-size=1": `unknown flag --step-size, did you mean "--step"?`,
		"simulate a.xodr --rng-seed=1":  `unknown flag --rng-seed, did you mean "--seed"?`,
		"simulate a.xodr --record=1":    `unknown flag --record, did you mean "--trace"?`,
		"run a.fmu --stopTime=1":        `unknown flag --stopTime, did you mean "--stop-time"?`,
		"run a.fmu --result-file=1": `unknown flag --result-file, did you mean "--output-file" or ` +
			`"--trajectories"?`,
		"run a.fmu --tolerans=1":        `unknown flag --tolerans, did you mean "--tolerance"?`,
		"plot a.csv --stop-time=1":      `unknown flag --stop-time, did you mean "--until"?`,
		"sweep a.yaml --stop-time=1":    "unknown flag --stop-time; gosmp run, gosmp convert and gosmp test have it",
		"draw a.osi --type=sensorview":  `unknown flag --type, did you mean "--as"?`,
		"sweep plan a.yaml --workers=2": `unknown flag --workers, did you mean "--cpus"?`,
	} {
		words := strings.Fields(line)
		_, err := parserFor(words).Parse(words)
		require.Error(t, err)
		var out bytes.Buffer
		cli.Complain(&out, err, nil, allCommands)
		require.True(t, strings.HasPrefix(out.String(), "gosmp: error: "+want+"\nusage: "),
			out.String())
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

// TestParserOf_FillsInVariables: no text of any command keeps a variable, and a variable's value is
// where the text names it.
func TestParserOf_FillsInVariables(t *testing.T) {
	tree := allCommands()
	seen := 0
	require.NoError(t, kong.Visit(tree, func(v kong.Visitable, next kong.Next) error {
		var all []string
		switch v := v.(type) {
		case *kong.Node:
			all = []string{v.Help}
			require.NotEmpty(t, v.Help, v.Name)
		case *kong.Value:
			all = []string{v.Help, v.Default, v.Enum}
			require.NotEmpty(t, v.Help, v.Name)
			if v.Flag != nil {
				all = append(all, v.Flag.PlaceHolder)
			}
			if strings.Contains(v.OrigHelp, "${default}") {
				require.Contains(t, v.Help, v.Default)
				seen++
			}
			if strings.Contains(v.OrigHelp, "${enum}") {
				require.Contains(t, v.Help, v.Enum)
				seen++
			}
		}
		for _, text := range all {
			require.NotContains(t, text, "${")
		}
		return next(nil)
	}))
	require.Positive(t, seen)
	require.Equal(t, "a 1 b ${other} ${open", filled("a ${x} b ${other} ${open",
		kong.Vars{"x": "1"}))
}

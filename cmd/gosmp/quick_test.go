package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// quickOf returns the quick parser of a command, and a function that parses with kong alone.
func quickOf(t *testing.T, command string) (q *quick, kongs func(words []string) (any, error)) {
	t.Helper()
	grammar := grammarFor([]string{command})
	q = newQuick(parserOf(grammar), reflect.ValueOf(grammar).Elem(), command)
	require.NotNil(t, q, command)
	return q, func(words []string) (any, error) {
		other := grammarFor(words)
		exited := kong.Exit(func(int) { panic("exited") })
		_, err := parserOf(other, exited).Parse(words)
		return other, err
	}
}

// textsFor returns valid and invalid texts for a flag.
func textsFor(f *kong.Flag) []string {
	texts := []string{"1", "0.5", "x", "a=b", "", "a,b", "-1", "true", "3s", ".", "1/60", "absent"}
	return append(texts, f.EnumSlice()...)
}

// TestQuick_ParsesLikeKong: a command line that the quick parser accepts has the same values as
// with kong, no matter which command lines the parser has parsed before.
func TestQuick_ParsesLikeKong(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	for _, command := range []string{"run", "check", "inspect", "test", "metrics", "report"} {
		q, kongs := quickOf(t, command)
		plain := []string{command}
		for _, f := range q.node.Flags {
			if f.Required {
				plain = append(plain, "--"+f.Name+"=file")
			}
		}
		require.True(t, q.parse(append(plain, "file")), command)
		rapid.Check(t, func(t *rapid.T) {
			words := []string{command}
			word := func() {
				f := q.node.Flags[rapid.IntRange(0, len(q.node.Flags)-1).Draw(t, "flag")]
				value := rapid.SampledFrom(append(textsFor(f), "file")).Draw(t, "value")
				switch rapid.IntRange(0, 9).Draw(t, "form") {
				case 0:
					words = append(words, "--"+f.Name, value)
				case 1:
					words = append(words, "--"+f.Name)
				case 2:
					words = append(words, "-"+string(f.Short)+value)
				case 3:
					words = append(words, rapid.SampledFrom([]string{"-", "--", "--no-json",
						"b.fmu", "-o"}).Draw(t, "other"))
				default:
					words = append(words, "--"+f.Name+"="+value)
				}
			}
			for _, f := range q.node.Flags {
				if f.Required && rapid.Bool().Draw(t, "required") {
					words = append(words, "--"+f.Name+"=file")
				}
			}
			for range rapid.IntRange(0, 3).Draw(t, "before") {
				word()
			}
			for range rapid.IntRange(0, 2).Draw(t, "files") {
				words = append(words, rapid.SampledFrom([]string{"a.fmu", "x=b.fmu", "file"}).Draw(t,
					"file"))
			}
			for range rapid.IntRange(0, 3).Draw(t, "after") {
				word()
			}
			if !q.parse(words) {
				return
			}
			expected, err := kongs(words)
			if err != nil {
				t.Fatalf("%q: kong refuses it: %v", words, err)
			}
			got := q.grammar.Addr().Interface()
			if !reflect.DeepEqual(expected, got) {
				t.Fatalf("%q:\nkong  %+v\nquick %+v", words, expected, got)
			}
		})
	}
}

// TestQuick_Forms: the command lines of the Python package are parsed quickly, and lines with errors
// or rare forms are left to kong.
func TestQuick_Forms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	q, _ := quickOf(t, "run")
	for _, words := range [][]string{
		{"run", "a.fmu", "--json", "--stop-time=1", "--start-value=a=b", "--start-value=c=-1"},
		{"run", "a.fmu", "b.fmu", "--output-file", "x.csv", "--algorithm=parallel"},
		{"run", "--initial-fmu-state-file=" + file, "a.fmu"},
	} {
		require.True(t, q.parse(words), "%q", words)
	}
	for _, words := range [][]string{
		{"run"},
		{"run", "--json"},
		{"run", "a.fmu", "--absent"},
		{"run", "a.fmu", "--help"},
		{"run", "a.fmu", "--stop-time"},
		{"run", "a.fmu", "--stop-time=soon"},
		{"run", "a.fmu", "--stop-time", "-1"},
		{"run", "a.fmu", "--algorithm=other"},
		{"run", "a.fmu", "--initial-fmu-state-file=" + file + ".absent"},
		{"run", "a.fmu", "-o", "x.csv"},
		{"run", "-"},
		{"run", "a.fmu", "--json", "b.fmu"},
	} {
		require.False(t, q.parse(words), "%q", words)
	}
	for _, command := range []string{"sweep", "experiment"} { // they have commands of their own
		grammar := grammarFor([]string{command})
		require.Nil(t, newQuick(parserOf(grammar), reflect.ValueOf(grammar).Elem(), command))
	}
}

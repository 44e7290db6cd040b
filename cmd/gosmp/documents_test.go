package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shellEnd matches the end of a shell command. The text after it is not passed to gosmp.
var shellEnd = regexp.MustCompile(`^(\||\|\||&|&&|;|<.*|[12]?>.*|#.*)$`)

// inline matches a command line within a sentence.
var inline = regexp.MustCompile("`gosmp ([^`]+)`")

// documented returns the gosmp command lines on a page: lines of code that start with its name, and
// code within sentences.
func documented(text string) (lines []string) {
	for _, found := range inline.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Join(strings.Fields(found[1]), " "))
	}
	text = regexp.MustCompile(`\\\n\s*`).ReplaceAllString(text, " ")
	fenced := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			continue
		}
		trimmed = strings.TrimPrefix(trimmed, "$ ")
		trimmed = strings.TrimPrefix(trimmed, "go run ./cmd/")
		if (fenced || strings.HasPrefix(line, "    ")) && strings.HasPrefix(trimmed, "gosmp ") {
			lines = append(lines, strings.TrimPrefix(trimmed, "gosmp "))
		}
	}
	return lines
}

// incomplete matches errors of command lines that are shortened in a sentence, or that name one of
// the reader's files.
var incomplete = regexp.MustCompile(
	`^expected |^missing flags|missing value|found no value|but got "EOL"|no such file`)

// words splits a command line as a shell does, up to the end of the command.
func words(line string) (list []string) {
	var word strings.Builder
	quote, open := rune(0), false
	flush := func() {
		if open {
			list = append(list, word.String())
		}
		word.Reset()
		open = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case quote == 0 && r == ' ':
			flush()
			if n := len(list); n > 0 && shellEnd.MatchString(list[n-1]) {
				return list[:n-1]
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	flush()
	if n := len(list); n > 0 && shellEnd.MatchString(list[n-1]) {
		return list[:n-1]
	}
	return list
}

// Every command line on a page uses only commands, flags and values that exist.
func TestDocuments_CommandLinesAreValid(t *testing.T) {
	top := root(t)
	list, err := exec.Command("git", "-C", top, "ls-files", "*.md").Output()
	require.NoError(t, err)
	count := 0
	for _, page := range strings.Fields(string(list)) {
		if page == "CHANGELOG.md" { // it describes earlier versions
			continue
		}
		text, err := os.ReadFile(filepath.Join(top, page))
		require.NoError(t, err)
		for _, line := range documented(string(text)) {
			count++
			arguments := words(line)
			if slices.Contains(arguments, "--help") || slices.Contains(arguments, "--version") ||
				strings.Contains(line, "...") {
				continue // these end the program or are incomplete
			}
			if _, err := newParser().Parse(arguments); err != nil &&
				!incomplete.MatchString(err.Error()) {
				t.Errorf("%s: gosmp %s: %v", page, line, err)
			}
		}
	}
	require.Greater(t, count, 150)
}

// The commands in the scenario tutorial, and in the jobs of its example, all occur in a script that
// the tests run.
func TestTutorial_OfScenarios(t *testing.T) {
	top := root(t)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(top, name))
		require.NoError(t, err)
		return string(text)
	}
	script := read("cmd/gosmp/testdata/run/scenario.txtar")
	_, tutorial, found := strings.Cut(read("docs/OPENSCENARIO.md"), "\n## From scratch")
	require.True(t, found)
	tutorial, _, _ = strings.Cut(tutorial, "\n## ")
	lines := documented(tutorial)
	require.Greater(t, len(lines), 7)
	for _, line := range strings.Split(read("examples/ccrs/ci.yml"), "\n") {
		if command, is := strings.CutPrefix(strings.TrimSpace(line), "- run: gosmp "); is {
			lines = append(lines, command)
		}
	}
	require.Greater(t, len(lines), 11)
	for _, line := range lines {
		require.Contains(t, script, "exec gosmp "+line)
	}
}

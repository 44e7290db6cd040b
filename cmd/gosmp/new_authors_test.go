package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/osmp"
)

// fenced is a block of docs/AUTHORS.md between two fences. The words after the first fence give its
// type:
//
//	sh            commands, run one block after the other in a separate folder; a cd persists
//	sh checkout   the same, in the checkout of gosmp
//	sh fmpy       the same, if GOSMP_PYTHON names a Python with fmpy; otherwise left out
//	text          part of the output of the previous block; ... stands for anything
//	diff FILE     a change of a file: the lines without + must occur in it exactly once
//	go append FILE, python FILE   the end of a file, and a whole one
//	go PATH       an excerpt of a file of gosmp that is compiled, or of a template of gosmp new
type fenced struct {
	words []string
	text  string
	line  int
}

func authors(t *testing.T) (text string, blocks []fenced) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), "docs", "AUTHORS.md"))
	require.NoError(t, err)
	inside := false
	for n, line := range strings.SplitAfter(string(data), "\n") {
		switch words, fence := strings.CutPrefix(line, "```"); {
		case fence && inside:
			inside = false
		case fence:
			inside = true
			blocks = append(blocks, fenced{words: strings.Fields(words), line: n + 1})
		case inside:
			blocks[len(blocks)-1].text += line
		}
	}
	require.False(t, inside, "a fence is missing")
	require.Greater(t, len(blocks), 20)
	return string(data), blocks
}

// reader is a new user who follows the page.
type reader struct {
	*testing.T

	folder, state string
	env           []string
	printed       string
	skipped       bool // the last commands were left out
}

// TestAuthorsTutorial follows all instructions of docs/AUTHORS.md in order, as a new user would.
func TestAuthorsTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("packs FMUs, which takes a while")
	}
	_, blocks := authors(t)
	r := newReader(t)
	for _, b := range blocks {
		r.do(b)
	}
	text, err := exec.Command("gofmt", "-l", r.folder).CombinedOutput()
	require.NoError(t, err, string(text))
	require.Empty(t, string(text), "the page's code is not formatted")
}

// TestAuthorsExcerpts compares the excerpts in docs/AUTHORS.md with the files that they come from.
func TestAuthorsExcerpts(t *testing.T) {
	_, blocks := authors(t)
	r, compared := &reader{T: t}, 0
	for _, b := range blocks {
		if len(b.words) == 2 && b.words[0] == "go" {
			r.excerpt(b, b.words[1])
			compared++
		}
	}
	require.Greater(t, compared, 5)
}

func newReader(t *testing.T) *reader {
	t.Helper()
	place := t.TempDir()
	r := &reader{T: t, folder: filepath.Join(place, "models"), state: filepath.Join(place,
		"folder")}
	programs := filepath.Join(place, "bin")
	for _, folder := range []string{r.folder, programs} {
		require.NoError(t, os.Mkdir(folder, 0o755))
	}
	if python := os.Getenv("GOSMP_PYTHON"); python != "" {
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", python)
		require.NoError(t, os.WriteFile(filepath.Join(programs, "python3"), []byte(script), 0o700))
	}
	r.env = append(append(os.Environ(), offline(t)...),
		"GOBIN="+programs, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	return r
}

// do follows the instructions in one block.
func (r *reader) do(b fenced) {
	r.Helper()
	require.NotEmpty(r, b.words, "line %d: the fence does not say what it holds", b.line)
	what, file := b.words[0], b.words[len(b.words)-1]
	switch key := strings.Join(b.words[:max(1, len(b.words)-1)], " "); {
	case what == "sh":
		r.run(b)
	case what == "text":
		r.expect(b)
	case what == "diff" && len(b.words) == 2:
		r.change(b, filepath.Join(r.folder, file))
	case key == "go append":
		was, err := os.ReadFile(filepath.Join(r.folder, file))
		require.NoError(r, err)
		require.NoError(r, os.WriteFile(filepath.Join(r.folder, file),
			[]byte(string(was)+"\n"+b.text), 0o600))
	case what == "python" && len(b.words) == 2:
		require.NoError(r, os.WriteFile(filepath.Join(r.folder, file), []byte(b.text), 0o600))
	case what == "go" && len(b.words) == 2:
		r.excerpt(b, file)
	default:
		r.Fatalf("line %d: there is no test for %v", b.line, b.words)
	}
}

// run runs commands in the folder where the previous ones ended.
func (r *reader) run(b fenced) {
	r.Helper()
	folder := r.folder
	r.skipped = false
	switch last := b.words[len(b.words)-1]; {
	case last == "checkout":
		folder = root(r.T)
	case last == "fmpy" && os.Getenv("GOSMP_PYTHON") == "":
		r.Logf("line %d is left out: GOSMP_PYTHON names no Python with fmpy", b.line)
		r.skipped = true
		return
	}
	c := exec.Command("sh", "-euc", b.text+"\npwd > \"$0\"", r.state)
	c.Dir, c.Env = folder, r.env
	text, err := c.CombinedOutput()
	require.NoError(r, err, "line %d: %s\n%s", b.line, b.text, text)
	r.printed = string(text)
	if folder == r.folder {
		now, err := os.ReadFile(r.state)
		require.NoError(r, err)
		r.folder = strings.TrimSpace(string(now))
	}
}

// expect requires that the output contains the lines of a block, in order.
func (r *reader) expect(b fenced) {
	r.Helper()
	if r.skipped {
		return
	}
	pattern := ""
	for line := range strings.Lines(b.text) {
		var parts []string
		for part := range strings.SplitSeq(strings.TrimRight(line, "\n"), "...") {
			parts = append(parts, regexp.QuoteMeta(part))
		}
		pattern += `(?m:^` + strings.Join(parts, ".*") + `.*$)(?s:.*)`
	}
	require.Regexp(r, pattern, r.printed, "line %d", b.line)
}

// change applies a change to a file.
func (r *reader) change(b fenced, path string) {
	r.Helper()
	var before, after string
	for line := range strings.Lines(b.text) {
		require.Contains(r, " +-", line[:1],
			"line %d: a line of a diff begins with a blank, + or -", b.line)
		if line[0] != '+' {
			before += line[1:]
		}
		if line[0] != '-' {
			after += line[1:]
		}
	}
	text, err := os.ReadFile(path)
	require.NoError(r, err)
	require.Equal(r, 1, strings.Count(string(text), before),
		"line %d: expected the text to be changed exactly once:\n%s", b.line, before)
	require.NoError(r, os.WriteFile(path, []byte(strings.Replace(string(text), before, after, 1)),
		0o600))
}

// excerpt requires that a file of gosmp contains the code.
func (r *reader) excerpt(b fenced, path string) {
	r.Helper()
	if strings.HasPrefix(path, "template/") {
		path = "build/scaffold/" + path
	}
	text, err := os.ReadFile(filepath.Join(root(r.T), path))
	require.NoError(r, err)
	require.Contains(r, string(text), b.text, "line %d: %s does not contain this", b.line, path)
}

func TestAuthorsTableHasEveryKindOfBinaryVariable(t *testing.T) {
	text, _ := authors(t)
	for _, k := range osmp.Kinds() {
		_, message, _ := strings.Cut(k.MIMEType, "type=")
		message, _, _ = strings.Cut(message, ";")
		name := "`" + strings.TrimPrefix(k.Prefix, "OSMP") + "`"
		if message == "SensorViewConfiguration" {
			name = "–" // both are declared by ConfigRequest
			k.Causality = "parameter"
		}
		require.Contains(t, text, fmt.Sprintf("| %s | %s | %s | ", name, message, k.Causality))
	}
}

func TestAuthorsLinksLeadSomewhere(t *testing.T) {
	text, _ := authors(t)
	var headings []string
	for line := range strings.Lines(text) {
		if title, is := strings.CutPrefix(line, "#"); is {
			title = strings.ToLower(strings.TrimSpace(strings.TrimLeft(title, "#")))
			headings = append(headings, "#"+strings.NewReplacer(" ", "-", ".", "", ",",
				"").Replace(title))
		}
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, links)
	for _, l := range links {
		if strings.HasPrefix(l[1], "#") {
			require.True(t, slices.Contains(headings, l[1]), "%s is not one of %v", l[1], headings)
			continue
		}
		require.FileExists(t, filepath.Join(root(t), "docs", l[1]))
	}
}

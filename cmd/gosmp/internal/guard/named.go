package guard

import (
	"html"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The bounds of the search for names: files beyond them name nothing.
const (
	largestText = 4 << 20
	mostFiles   = 10_000
)

// texts that may name other files, by their endings.
var naming = []string{".exc", ".bibi", ".ssd", ".ssv", ".ssm", ".scxml", ".xml", ".xosc", ".json",
	".yaml", ".yml", ".exd"}

// Named are the files that a file names, and those that these name: all words, quoted texts and
// contents of elements that are paths of files that exist, from the folder of the file that names
// them. So it needs no knowledge of formats, and cannot forget an attribute. The files of a folder
// are all that are in it.
func Named(file string) (list []string) {
	seen := map[string]bool{filepath.Clean(file): true}
	waiting := []string{file}
	for len(waiting) > 0 && len(seen) < mostFiles {
		next := waiting[0]
		waiting = waiting[1:]
		for _, name := range namedIn(next) {
			if clean := filepath.Clean(name); !seen[clean] {
				seen[clean] = true
				list, waiting = append(list, name), append(waiting, name)
			}
		}
	}
	return list
}

// namedIn are the files that one file names itself.
func namedIn(file string) (list []string) {
	info, err := os.Stat(file)
	if err != nil {
		return nil
	}
	if info.IsDir() {
		entries, _ := os.ReadDir(file) // what cannot be read is not written over, either
		for _, e := range entries[:min(len(entries), mostFiles)] {
			if e.Type().IsRegular() {
				list = append(list, filepath.Join(file, e.Name()))
			}
		}
		return list
	}
	ending := strings.ToLower(filepath.Ext(file))
	if !info.Mode().IsRegular() || info.Size() > largestText || !slices.Contains(naming, ending) {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, largestText))
	if err != nil {
		return nil
	}
	tried := map[string]bool{}
	for _, word := range words(string(text)) {
		if _, err := strconv.ParseFloat(word, 64); err == nil || tried[word] {
			continue
		}
		tried[word] = true
		path := filepath.FromSlash(word)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		if exists(path) != nil {
			list = append(list, path)
		}
	}
	return list
}

// longestName bounds what is taken for a path.
const longestName = 1024

// words are the parts of a text that may be paths.
func words(text string) (list []string) {
	add := func(word string) {
		word = strings.TrimSpace(word)
		if word == "" || len(word) > longestName || strings.Contains(word, "\x00") {
			return
		}
		list = append(list, word)
		if path, is := strings.CutPrefix(word, "file:"); is && !strings.HasPrefix(path, "//") {
			list = append(list, path)
		}
		if strings.Contains(word, "&") {
			list = append(list, html.UnescapeString(word))
		}
		if u, err := url.Parse(word); err == nil && (u.Scheme == "" || u.Scheme == "file") &&
			u.Path != word {
			list = append(list, u.Path)
		}
	}
	for _, quote := range []string{`"`, "'"} {
		for k, part := range strings.Split(text, quote) {
			if k > 0 {
				add(part)
			}
		}
	}
	for line := range strings.Lines(text) {
		_, value, _ := strings.Cut(line, ": ")
		add(value)
		add(strings.TrimPrefix(strings.TrimSpace(line), "- "))
		for _, part := range strings.FieldsFunc(line,
			func(r rune) bool { return r == '<' || r == '>' }) {
			add(part)
		}
		for _, word := range strings.FieldsFunc(line, separates) {
			add(word)
		}
	}
	return list
}

func separates(r rune) bool { return strings.ContainsRune(" \t\r\n<>=,;()[]{}\"'", r) }

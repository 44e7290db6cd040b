package fileuse

import (
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The limits of the search for names. Files beyond them name nothing.
const (
	largestText = 4 << 20
	mostFiles   = 10_000
)

// naming lists the extensions of texts that may name other files.
var naming = []string{".exc", ".bibi", ".ssd", ".ssv", ".ssm", ".scxml", ".xml", ".xosc", ".json",
	".yaml", ".yml", ".exd", ".sdf", ".world", ".launch"}

// members lists the extensions of files that are read in a folder, by the extension of the file
// that names the folder: scenarios name folders of catalogs, and bridges name folders of message
// definitions.
var members = map[string][]string{".xosc": {".xosc"}, ".json": {".msg", ".idl"}}

// Named returns the files that a file names, the files that these name, and so on. Any word, quoted
// text or content of an element counts if it is the path of an existing file, relative to the
// folder of the naming file or else to a folder of the library. Named thus needs no knowledge of
// formats, and cannot miss an attribute. A folder names all files in it, and an unpacked FMU names
// all files below it.
func Named(file string, library ...string) (list []string) {
	seen := map[string]bool{filepath.Clean(file): true}
	waiting := []string{file}
	folders := make([]nearby, len(library))
	for k, folder := range library {
		folders[k] = look(folder)
	}
	for len(waiting) > 0 && len(seen) < mostFiles {
		next := waiting[0]
		waiting = waiting[1:]
		for _, name := range namedIn(next, folders) {
			if clean := filepath.Clean(name); !seen[clean] {
				seen[clean] = true
				list, waiting = append(list, name), append(waiting, name)
			}
		}
	}
	return list
}

// namedIn returns the files that a file itself names.
func namedIn(file string, library []nearby) (list []string) {
	info, err := os.Stat(file)
	if err != nil {
		return nil
	}
	if info.IsDir() {
		return filesOf(file)
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
	here, tried := look(filepath.Dir(file)), map[string]bool{}
	for _, word := range words(string(text)) {
		if _, err := strconv.ParseFloat(word, 64); err == nil || tried[word] {
			continue
		}
		tried[word] = true
		list = append(list, found(file, filepath.FromSlash(word), here, library)...)
	}
	return list
}

// found returns the files that a word in a file leads to, from the folder of the file or from a
// folder of the library.
func found(file, word string, here nearby, library []nearby) []string {
	path, may := word, true
	if !filepath.IsAbs(word) {
		path, may = filepath.Join(here.folder, word), here.may(word)
	}
	if may && exists(path) != nil {
		return []string{path}
	}
	endings := members[strings.ToLower(filepath.Ext(file))]
	if may && endings != nil && named(word) && isFolder(path) {
		return below(path, memberDepth, func(name string) bool {
			return slices.Contains(endings, strings.ToLower(filepath.Ext(name)))
		})
	}
	for _, folder := range library {
		for _, candidate := range []string{word, filepath.Base(word)} {
			path := filepath.Join(folder.folder, candidate)
			switch {
			case !filepath.IsLocal(candidate) || !folder.may(candidate):
			case exists(path) != nil:
				return []string{path}
			case isFMU(path):
				return filesOf(path)
			}
		}
	}
	return nil
}

// named reports whether a word that leads to a folder contains a name. Words without one, such as a
// slash, occur in every text.
func named(word string) bool {
	return !slices.Contains([]string{".", "..", string(filepath.Separator)}, filepath.Base(word))
}

// isFMU reports whether a folder is an unpacked FMU.
func isFMU(folder string) bool {
	return exists(filepath.Join(folder, "modelDescription.xml")) != nil
}

// filesOf returns the files of a folder that is read.
func filesOf(folder string) (list []string) {
	if isFMU(folder) {
		return below(folder, fmuDepth, func(string) bool { return true })
	}
	entries, _ := os.ReadDir(folder) // what cannot be read cannot be overwritten, either
	for _, e := range entries[:min(len(entries), mostFiles)] {
		if e.Type().IsRegular() {
			list = append(list, filepath.Join(folder, e.Name()))
		}
	}
	return list
}

// The depths to which folders are searched for message packages and for FMUs.
const (
	memberDepth = 3
	fmuDepth    = 20
)

// below returns the files below a folder, down to a depth, that pass a test.
func below(folder string, depth int, test func(name string) bool) (list []string) {
	visited := 0
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		visited++
		below, _ := filepath.Rel(folder, path)
		switch {
		case visited > mostFiles:
			return fs.SkipAll
		case err != nil, e.IsDir() && strings.Count(below, string(filepath.Separator)) >= depth-1:
			return fs.SkipDir // what cannot be read cannot be overwritten, either
		case e.Type().IsRegular() && test(e.Name()):
			list = append(list, path)
		}
		return nil
	})
	return list
}

// longestName is the maximum length of words that may be paths.
const longestName = 1024

// words returns the parts of a text that may be paths.
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

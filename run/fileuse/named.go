package fileuse

import (
	"bytes"
	"html"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/xmltext"
)

// The limits at which the search for names ends.
const (
	largestText = 16 << 20 // bytes of a file with an extension of [naming]
	longestHead = 1 << 20  // bytes of any other text
	sample      = 512      // bytes examined to distinguish text from other content
	mostFiles   = 10_000
)

// naming lists the usual extensions of texts that name other files. Texts with other extensions may
// also name files, because commands recognize their inputs by content.
var naming = []string{".exc", ".bibi", ".ssd", ".ssv", ".ssm", ".scxml", ".xml", ".xosc", ".json",
	".yaml", ".yml", ".exd", ".sdf", ".world", ".launch"}

// silent lists the extensions of texts that name no files, and may be large. Traces in text form
// are not among them, because searching only their beginning is enough.
var silent = []string{".xodr", ".msg", ".idl", ".html", ".svg"}

// members lists the extensions of files that are read in folders named by a text: scenarios name
// catalog folders, and bridges name folders of message definitions.
var members = []string{".xosc", ".msg", ".idl"}

// Named returns the files named by a file, the files named by these, and so on. Any word, quoted
// text or element content counts if it is the path of an existing file, relative to the folder of
// the naming file or else to a folder of the library. Named thus needs no knowledge of formats and
// cannot miss an attribute. Texts count regardless of their extension. A folder names all files in
// it, and an unpacked FMU names all files below it.
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
	if !info.Mode().IsRegular() {
		return nil
	}
	here, tried := look(filepath.Dir(file)), map[string]bool{}
	for word := range words(textOf(file)) {
		if tried[word] {
			continue
		}
		tried[word] = true
		if path := filepath.FromSlash(word); here.mayLead(path) || len(library) > 0 {
			list = append(list, found(path, here, library)...)
		}
	}
	return list
}

// textOf returns the text of a file, or its beginning, or "" if the file is not a text or names no
// files.
func textOf(file string) string {
	ending := strings.ToLower(filepath.Ext(file))
	if slices.Contains(silent, ending) {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // was only read
	start := make([]byte, sample)
	n, _ := io.ReadFull(f, start) // a shorter file is whole
	start = start[:n]
	if bytes.ContainsRune(start, 0) && !xmltext.IsUTF16(start) {
		return ""
	}
	limit := int64(longestHead)
	if slices.Contains(naming, ending) {
		limit = largestText
	}
	rest, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return ""
	}
	text := slices.Concat(start, rest)
	if decoded, err := xmltext.UTF8(text); err == nil {
		text = decoded
	}
	return string(text)
}

// found returns the files that a word in a file refers to, in the folder of the file or in a folder
// of the library.
func found(word string, here nearby, library []nearby) []string {
	path, may := word, true
	if !filepath.IsAbs(word) {
		path, may = filepath.Join(here.folder, word), here.may(word)
	}
	if may && exists(path) != nil {
		return []string{path}
	}
	if may && named(word) && isFolder(path) {
		if isFMU(path) {
			return filesOf(path)
		}
		if files := below(path, memberDepth, isMember); len(files) > 0 {
			return files
		}
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

func isMember(name string) bool {
	return slices.Contains(members, strings.ToLower(filepath.Ext(name)))
}

// named reports whether a word that refers to a folder contains a name. Words without one, such as
// a slash, occur in every text.
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
	entries, _ := os.ReadDir(folder) // unreadable folders cannot be overwritten either
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
			return fs.SkipDir // unreadable folders cannot be overwritten either
		case e.Type().IsRegular() && test(e.Name()):
			list = append(list, path)
		}
		return nil
	})
	return list
}

// longestName is the maximum length of words that may be paths.
const longestName = 1024

// words returns the parts of a text that may be paths. Most parts of tables are numbers, which are
// left out.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range parts(text) {
			part = strings.TrimSpace(part)
			if part == "" || len(part) > longestName || isNumber(part) {
				continue
			}
			for _, word := range spellings(part) {
				if !strings.Contains(word, "\x00") && !yield(word) {
					return
				}
			}
		}
	}
}

// isNumber reports whether a word is a decimal number.
func isNumber(word string) bool {
	if !strings.ContainsRune("+-.0123456789", rune(word[0])) {
		return false
	}
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
}

// parts returns the texts between quotes, after a colon, in a list item, between tags, and between
// other separators.
func parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, quote := range []string{`"`, "'"} {
			k := 0
			for part := range strings.SplitSeq(text, quote) {
				if k++; k > 1 && !yield(part) {
					return
				}
			}
		}
		for line := range strings.Lines(text) {
			_, value, _ := strings.Cut(line, ": ")
			if !yield(value) || !yield(strings.TrimPrefix(strings.TrimSpace(line), "- ")) {
				return
			}
			for part := range strings.FieldsFuncSeq(line, isBracket) {
				if !yield(part) {
					return
				}
			}
			for word := range strings.FieldsFuncSeq(line, separates) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// spellings returns a part of a text and the paths that it may represent: without file:, with
// entities of XML, escapes of JSON and YAML, or codes of a URL replaced.
func spellings(part string) []string {
	list := []string{part}
	if path, is := strings.CutPrefix(part, "file:"); is && !strings.HasPrefix(path, "//") {
		list = append(list, path)
	}
	if strings.Contains(part, "&") {
		list = append(list, html.UnescapeString(part))
	}
	if strings.Contains(part, `\`) {
		escaped := strings.ReplaceAll(part, `\/`, "/")
		if word, err := strconv.Unquote(`"` + escaped + `"`); err == nil {
			list = append(list, word)
		}
	}
	if !strings.HasPrefix(part, "file:") && !strings.ContainsAny(part, "%?#") {
		return list // the path of a URL without these is the text itself
	}
	if u, err := url.Parse(part); err == nil && (u.Scheme == "" || u.Scheme == "file") &&
		u.Path != part {
		list = append(list, u.Path)
	}
	return list
}

func isBracket(r rune) bool { return r == '<' || r == '>' }

func separates(r rune) bool { return strings.ContainsRune(" \t\r\n<>=,;()[]{}\"'", r) }

package fileuse

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/regular"
	"gosmp/internal/xmltext"
)

// The limits at which the search for names ends.
const (
	largestText = 16 << 20 // bytes of a file with an extension of [naming]
	longestHead = 1 << 20  // bytes of any other text
	sample      = 512      // bytes examined to distinguish text from other content
	mostFiles   = 10_000
	mostFolders = 100         // in which names are looked up
	mostKept    = largestText // bytes of texts that are kept in memory
)

// mapExtension may be missing where a scenario names its map.
const mapExtension = ".xodr"

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
// the naming file, of another file found in this way, to the working directory, or else to a folder
// of the library. Named thus needs no knowledge of formats and cannot miss an attribute. Texts
// count regardless of their extension, as do the descriptions in FMUs and packed systems, whose
// start values may be names of files. A folder names all files in it, and an unpacked FMU names all
// files below it.
func Named(file string, library ...string) []string {
	s := search{seen: map[string]bool{filepath.Clean(file): true}, by: map[string][]nearby{},
		walked: map[string]bool{}, read: map[string]searched{}}
	for _, folder := range library {
		s.library = append(s.library, look(folder))
	}
	s.from(filepath.Base(file)) // FMUs look up start values in the working directory
	s.from(file)
	first := len(s.folders)
	s.follow([]string{file})
	// The values of a plan are relative to the folder of its experiment, and some names in a system
	// structure are relative to a component. So each text is searched again for names in folders
	// that were not known before.
	for known := first; len(s.folders) > known && len(s.list) < mostFiles; {
		known = len(s.folders)
		s.follow(append([]string{file}, s.list...))
	}
	return s.list
}

// search is a search for the files that a file names.
type search struct {
	list    []string
	seen    map[string]bool
	library []nearby
	folders []nearby            // of the texts
	by      map[string][]nearby // the folders that have a name, in lower case
	any     []nearby            // folders that may have any name
	walked  map[string]bool     // folders whose files are in the list
	read    map[string]searched // the texts that have been searched
	kept    int                 // bytes of texts in memory

	hinted    *hints // of the folders
	hintedFor int    // the number of these folders
}

// searched describes a text after a search.
type searched struct {
	text    string // empty if it is too large to be kept
	folders int    // the number of folders in which its names have been looked up
}

// follow adds the files that these files name, the files named by these, and so on.
func (s *search) follow(waiting []string) {
	for len(waiting) > 0 && len(s.seen) < mostFiles {
		next := waiting[0]
		waiting = waiting[1:]
		for _, name := range s.namedIn(next) {
			if clean := filepath.Clean(name); !s.seen[clean] {
				s.seen[clean] = true
				s.list, waiting = append(s.list, name), append(waiting, name)
			}
		}
	}
}

// from adds the folder of a text to the folders in which names are looked up.
func (s *search) from(file string) nearby {
	folder := filepath.Dir(file)
	for _, known := range s.folders {
		if known.folder == folder {
			return known
		}
	}
	n := look(folder)
	if len(s.folders) == mostFolders {
		return n
	}
	s.folders = append(s.folders, n)
	if n.names == nil {
		s.any = append(s.any, n)
	}
	for name := range n.names {
		s.by[name] = append(s.by[name], n)
	}
	return n
}

// namedIn returns the files that a file itself names, apart from the ones that it returned for the
// same file before.
func (s *search) namedIn(file string) (list []string) {
	before, again := s.read[file]
	if again && before.folders == len(s.folders) {
		return nil
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return filesOf(file)
	case !info.Mode().IsRegular():
		return nil
	}
	text := before.text
	if text == "" {
		if text = textOf(file, info.Size()); text == "" {
			return nil
		}
	}
	here, tried := s.from(file), map[string]bool{}
	h := s.hints(here)
	if again {
		h = hintsOf(s.folders[before.folders:])
		h.root = &hints{} // absolute paths have been found
	}
	for word := range words(text, h) {
		if !tried[word] {
			tried[word] = true
			list = append(list, s.found(filepath.FromSlash(word), here)...)
		}
	}
	s.keep(file, text)
	return list
}

// keep records that a text has been searched, and keeps it in memory unless it is too large.
func (s *search) keep(file, text string) {
	if s.read[file].text == "" {
		if s.kept+len(text) > mostKept {
			text = ""
		}
		s.kept += len(text)
	}
	s.read[file] = searched{text, len(s.folders)}
}

// hints returns the hints for a text in a folder.
func (s *search) hints(here nearby) *hints {
	if s.hinted == nil {
		s.hinted = hintsOf(nil)
		s.hinted.every = len(s.library) > 0 // where the last part of a path counts, too
		s.hinted.root = rootHints()
	}
	for ; s.hintedFor < len(s.folders); s.hintedFor++ {
		s.hinted.add(s.folders[s.hintedFor])
	}
	if len(s.folders) < mostFolders {
		return s.hinted
	}
	h := hintsOf(append(slices.Clip(s.folders), here))
	h.every, h.root = h.every || s.hinted.every, s.hinted.root
	return h
}

// found returns the files that a word in a file refers to.
func (s *search) found(path string, here nearby) []string {
	if path == "" {
		return nil
	}
	if filepath.IsAbs(path) {
		if isRoot := path == filepath.Dir(path); isRoot || !here.mayLead(path) {
			return nil // every text contains slashes
		}
		return s.named(path)
	}
	list := s.namedFrom(here, path)
	if len(s.folders) > 1 {
		for _, folder := range s.with(path) {
			if folder.folder != here.folder {
				list = append(list, s.namedFrom(folder, path)...)
			}
		}
	}
	if len(list) > 0 {
		return list
	}
	return s.inLibrary(path)
}

// with returns the folders in which a relative path may refer to a file.
func (s *search) with(path string) []nearby {
	first := firstPart(path)
	if isWild(first) {
		return s.folders
	}
	if list := s.by[strings.ToLower(first)]; len(s.any) == 0 {
		return list
	}
	return s.folders
}

// inLibrary returns the files of the library that a path refers to.
func (s *search) inLibrary(path string) []string {
	for _, folder := range s.library {
		for _, candidate := range []string{path, filepath.Base(path)} {
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

// namedFrom returns the files that a path relative to a folder refers to.
func (s *search) namedFrom(folder nearby, path string) []string {
	if !folder.may(path) {
		return nil
	}
	return s.named(filepath.Join(folder.folder, path))
}

// named returns the file that a path refers to, or the files that are read in a folder. A map may
// be named without its extension.
func (s *search) named(path string) []string {
	for _, file := range []string{path, path + mapExtension} {
		if exists(file) != nil {
			return []string{file}
		}
	}
	if s.walked[path] || !isFolder(path) {
		return nil
	}
	s.walked[path] = true
	if isFMU(path) {
		return filesOf(path)
	}
	return below(path, memberDepth, isMember)
}

// textOf returns the text of a file of a given size, or its beginning, or "" if the file is not a
// text or names no files.
func textOf(file string, size int64) string {
	ending := strings.ToLower(filepath.Ext(file))
	if slices.Contains(silent, ending) {
		return ""
	}
	f, err := regular.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // was only read
	limit := int64(longestHead)
	if slices.Contains(naming, ending) {
		limit = largestText
	}
	text := make([]byte, min(size, limit+sample))
	n, _ := io.ReadFull(f, text[:min(sample, len(text))]) // a shorter file is whole
	switch start := text[:n]; {
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return textIn(f)
	case bytes.ContainsRune(start, 0) && !xmltext.IsUTF16(start):
		return ""
	}
	rest, err := io.ReadFull(f, text[n:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	text = text[:n+rest]
	if decoded, err := xmltext.UTF8(text); err == nil {
		text = decoded
	}
	return string(text)
}

func isMember(name string) bool {
	return slices.Contains(members, strings.ToLower(filepath.Ext(name)))
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
	return below(folder, 1, func(string) bool { return true })
}

// The depths to which folders are searched for message packages and for FMUs.
const (
	memberDepth = 8
	fmuDepth    = 20
)

// below returns the files below a folder, down to a depth, that pass a test. Links count like the
// files and folders to which they lead.
func below(folder string, depth int, test func(name string) bool) (list []string) {
	visited := 0
	var visit func(folder string, depth int)
	visit = func(folder string, depth int) {
		entries, _ := os.ReadDir(folder) // unreadable folders cannot be overwritten either
		for _, e := range entries {
			if visited++; visited > mostFiles {
				return
			}
			path := filepath.Join(folder, e.Name())
			switch linked := e.Type()&fs.ModeSymlink != 0; {
			case e.IsDir(), linked && isFolder(path):
				if depth > 1 {
					visit(path, depth-1)
				}
			case (e.Type().IsRegular() || linked && exists(path) != nil) && test(e.Name()):
				list = append(list, path)
			}
		}
	}
	visit(folder, depth)
	return list
}

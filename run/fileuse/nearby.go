package fileuse

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// nearby holds the names in a folder. Most words of a text are not paths. Their first part is not
// among these names, so it is not necessary to query the file system for each of them.
type nearby struct {
	folder string
	names  map[string]bool // in lower case, maps also without extension; nil for any name
}

// look reads the names in a folder. Any name is possible if the folder cannot be read or has too
// many files, and on Windows, where a file has several names.
func look(folder string) nearby {
	n := nearby{folder: folder}
	f, err := os.Open(folder)
	if err != nil || runtime.GOOS == "windows" {
		return n
	}
	defer func() { _ = f.Close() }() // was only read
	names, err := f.Readdirnames(mostFiles)
	if len(names) == mostFiles || err != nil {
		return n
	}
	n.names = make(map[string]bool, len(names))
	for _, name := range names {
		name = strings.ToLower(name)
		n.names[name], n.names[strings.TrimSuffix(name, mapExtension)] = true, true
	}
	return n
}

// root holds the names in the root folder, because XML end tags look like absolute paths.
var root = sync.OnceValue(func() nearby { return look(string(filepath.Separator)) })

// rootHints are the hints of the root folder.
var rootHints = sync.OnceValue(func() *hints { return hintsOf([]nearby{root()}) })

// mayLead reports whether a path, absolute or relative to the folder, may refer to a file.
func (n nearby) mayLead(path string) bool {
	if rooted, is := strings.CutPrefix(path, string(filepath.Separator)); is {
		return root().may(rooted)
	}
	return n.may(path)
}

// may reports whether a path relative to the folder may refer to a file.
func (n nearby) may(path string) bool {
	first := firstPart(path)
	return n.names == nil || isWild(first) || n.names[strings.ToLower(first)]
}

// firstPart returns the first part of a relative path.
func firstPart(path string) string {
	if strings.Contains(path, "..") {
		path = filepath.Clean(path)
	}
	first, _, _ := strings.Cut(path, string(filepath.Separator))
	return first
}

// isWild reports whether the first part of a path may refer to files in any folder. Names with
// non-ASCII characters may have other spellings.
func isWild(first string) bool {
	return first == "" || first == "." || first == ".." ||
		strings.ContainsFunc(first, func(r rune) bool { return r > 0x7f })
}

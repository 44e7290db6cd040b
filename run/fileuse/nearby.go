package fileuse

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// nearby holds the names in a folder. Most words of a text are not paths: their first part is not
// among these names, so the file system need not be asked about each of them.
type nearby struct {
	folder string
	names  map[string]bool // in lower case; nil if any name is possible
}

// look reads the names in a folder. Any name is possible in a folder that cannot be read or has too
// many files, and on Windows, where a file has several names.
func look(folder string) nearby {
	n := nearby{folder: folder}
	f, err := os.Open(folder)
	if err != nil || runtime.GOOS == "windows" {
		return n
	}
	defer func() { _ = f.Close() }() // it was only read
	names, err := f.Readdirnames(mostFiles)
	if len(names) == mostFiles || err != nil {
		return n
	}
	n.names = make(map[string]bool, len(names))
	for _, name := range names {
		n.names[strings.ToLower(name)] = true
	}
	return n
}

// may reports whether a path relative to the folder may lead to a file. Names with non-ASCII
// characters may have other spellings.
func (n nearby) may(path string) bool {
	first, _, _ := strings.Cut(filepath.Clean(path), string(filepath.Separator))
	if n.names == nil || first == "." || first == ".." || n.names[strings.ToLower(first)] {
		return true
	}
	return strings.ContainsFunc(first, func(r rune) bool { return r > 0x7f })
}

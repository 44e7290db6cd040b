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
	names  map[string]bool // in lower case; nil if any name is possible
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
		n.names[strings.ToLower(name)] = true
	}
	return n
}

// root holds the names in the root folder, because XML end tags look like absolute paths.
var root = sync.OnceValue(func() nearby { return look(string(filepath.Separator)) })

// mayLead reports whether a path, absolute or relative to the folder, may refer to a file.
func (n nearby) mayLead(path string) bool {
	if rooted, is := strings.CutPrefix(path, string(filepath.Separator)); is {
		return root().may(rooted)
	}
	return n.may(path)
}

// may reports whether a path relative to the folder may refer to a file. Names with non-ASCII
// characters may have other spellings.
func (n nearby) may(path string) bool {
	if strings.Contains(path, "..") {
		path = filepath.Clean(path)
	}
	first, _, _ := strings.Cut(path, string(filepath.Separator))
	if n.names == nil || first == "" || first == "." || first == ".." ||
		n.names[strings.ToLower(first)] {
		return true
	}
	return strings.ContainsFunc(first, func(r rune) bool { return r > 0x7f })
}

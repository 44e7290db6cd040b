// Package startfile recognizes start values that name files which an FMU cannot read. Only the FMU
// knows what its texts mean: an absolute path counts as the name of a file, and so does the text of
// a variable that is named like one.
package startfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Missing returns the reason why the file that a start value names cannot be read, or nil if the
// value names no file, or a file to write, or one that is in the working directory or elsewhere.
// A nil function elsewhere finds nothing.
func Missing(variable, value string, elsewhere func(name string) bool) error {
	switch {
	case value == "" || isWritten(variable):
		return nil
	case filepath.IsAbs(value):
		return usable(value)
	case !namesFile(variable):
		return nil
	}
	err := usable(value)
	if err == nil || elsewhere != nil && elsewhere(filepath.ToSlash(value)) {
		return nil
	}
	return err
}

// In reports whether the entries of an archive contain a file or folder, in any folder.
func In(entries []string, name string) bool {
	name = "/" + strings.Trim(strings.TrimPrefix(name, "./"), "/") + "/"
	return slices.ContainsFunc(entries, func(entry string) bool {
		return strings.Contains("/"+entry+"/", name)
	})
}

// usable returns the reason why a file cannot be read, or nil. A folder may be what the FMU wants.
func usable(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is not there")
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return nil
	case info.Size() == 0:
		return errors.New("it is empty")
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// namesFile reports whether a variable is named like one that holds the name of a file.
func namesFile(variable string) bool { return hasWord(variable, "file", "path") }

// isWritten reports whether a variable is named like one that holds the name of a file to write.
func isWritten(variable string) bool {
	return hasWord(variable, "out", "log", "result", "record", "dump", "save", "write")
}

// misleading removes words that contain a word for files to write, although they name inputs.
var misleading = strings.NewReplacer("route", "", "routing", "", "layout", "", "catalog", "")

func hasWord(variable string, words ...string) bool {
	last := misleading.Replace(strings.ToLower(variable[strings.LastIndex(variable, ".")+1:]))
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.Contains(last, word)
	})
}

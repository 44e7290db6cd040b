package fault

import (
	"io/fs"
	"os"
	"strings"
)

// Text returns the text of an error in which names of files stay within their line. Errors of the
// operating system contain them as they are, and another file may have chosen the name.
func Text(err error) string {
	text := err.Error()
	if !strings.Contains(text, "\n") {
		return text
	}
	for _, name := range filesIn(err) {
		if strings.Contains(name, "\n") {
			text = strings.ReplaceAll(text, name, oneLine(name))
		}
	}
	return text
}

// filesIn lists the names of files in an error and its causes.
func filesIn(err error) (list []string) {
	switch e := err.(type) { //nolint:errorlint // the whole tree is visited
	case *fs.PathError:
		return []string{e.Path}
	case *os.LinkError:
		return []string{e.Old, e.New}
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			return filesIn(cause)
		}
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			list = append(list, filesIn(cause)...)
		}
	}
	return list
}

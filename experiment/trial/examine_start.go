package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/internal/finding"
)

// startFiles reports start values that name files which an FMU cannot read. Only the FMU knows what
// its texts mean, so these are warnings: an absolute path counts as the name of a file, and so does
// the text of a variable that is named like one.
func (x *examiner) startFiles(p experiment.Participant) {
	for _, s := range p.Start {
		v, known := x.parts[p.Name][s.Name]
		if !known || v.Kind != cosim.String || s.Value == "" || isWritten(s.Name) {
			continue
		}
		err := x.startFile(p, s)
		if err == nil {
			continue
		}
		x.add("BI05", finding.Warning, x.inBIBI(s.Position, p.Name+"."+s.Name),
			fmt.Sprintf("the start value %s names the file %q: %v", s.Name, s.Value, err),
			"correct the name, or put the file there")
	}
}

func (x *examiner) startFile(p experiment.Participant, s experiment.StartValue) error {
	if filepath.IsAbs(s.Value) {
		return usable(s.Value)
	}
	if !namesFile(s.Name) || usable(s.Value) == nil {
		return nil
	}
	for _, folder := range []string{"", path.Dir(x.t.description.BIBI.Src)} {
		name := path.Join(folder, filepath.ToSlash(s.Value))
		if _, err := fs.Stat(x.t.options.Files, name); err == nil {
			return nil
		}
	}
	m, err := x.t.options.FMU(p)
	if err == nil && slices.ContainsFunc(m.Files, func(file string) bool {
		return strings.HasSuffix("/"+file, "/"+filepath.ToSlash(s.Value))
	}) {
		return nil
	}
	return errors.New("it is not there")
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
func namesFile(variable string) bool {
	return hasWord(variable, "file", "path")
}

// isWritten reports whether a variable is named like one that holds the name of a file to write.
func isWritten(variable string) bool {
	return hasWord(variable, "out", "log", "result", "record", "dump", "save", "write")
}

func hasWord(variable string, words ...string) bool {
	last := strings.ToLower(variable[strings.LastIndex(variable, ".")+1:])
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.Contains(last, word)
	})
}

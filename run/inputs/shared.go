package inputs

import (
	"cmp"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/experiment"
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/ssp"
	"gosmp/internal/decimal"
	"gosmp/mocksim/foreign"
	"gosmp/sweep"
)

// share adds files that all runs read but that do not belong to a package of the experiment: files
// named in start values, files of systems outside the experiment's folder, and programs.
// A worker on another machine needs these files itself.
func (w *Files) share(files ...Placed) { w.shared = append(w.shared, files...) }

// attachShared adds the shared files to a case.
func (w *Files) attachShared(x *sweep.Case) error {
	for _, p := range w.shared {
		if err := w.attach(x, p); err != nil {
			return err
		}
	}
	return nil
}

// attach adds a file to a case, unless the case has it. It leaves out what is not a file, and files
// that cannot be found, which the run itself reports.
func (w *Files) attach(x *sweep.Case, p Placed) error {
	if info, err := os.Stat(p.File); err != nil || !info.Mode().IsRegular() ||
		slices.ContainsFunc(x.Files, func(f sweep.File) bool { return f.Name == p.Place }) {
		return nil //nolint:nilerr // see above
	}
	sum, err := w.of(p.File)
	if err == nil {
		x.Files = append(x.Files, sweep.File{Name: p.Place, Digest: hex.EncodeToString(sum[:])})
	}
	return err
}

// beside returns a file at its place relative to the folder of the experiment.
func (w *Files) beside(file string) Placed {
	return Placed{Beside(w.experiment, file), file}
}

// start returns the file that a start value names: FILE, or @FILE for binary data. A name that is
// not absolute is relative to the folder of the experiment, in which runs work.
func (w *Files) start(value string) []Placed {
	if _, err := decimal.Float(value, 64); err == nil || value == "" {
		return nil
	}
	var list []Placed
	for _, name := range []string{value, strings.TrimPrefix(value, "@")} {
		file := Placed{name, Named(filepath.Dir(w.experiment), name)}
		if !slices.Contains(list, file) {
			list = append(list, file)
		}
	}
	return list
}

// defaults returns the files in the default values of the variables of an FMU.
func (w *Files) defaults(f *archive.FMU) (list []Placed) {
	for _, v := range f.Model.Variables {
		if v.Type != fmi.String || v.Causality == fmi.Output {
			continue
		}
		for _, value := range v.Start {
			list = append(list, w.start(value)...)
		}
	}
	return list
}

// needs returns the files that an FMU or a system needs in addition to its own file.
func (w *Files) needs(file, variant string) []Placed {
	key := Placed{variant, file}
	if known, is := w.needed[key]; is {
		return known
	}
	var list []Placed
	switch {
	case strings.EqualFold(filepath.Ext(file), ".fmu"):
		if f, err := archive.Open(file); err == nil { // the run reports an unusable FMU
			list = w.defaults(f)
		}
	case experiment.IsSystem(file):
		list = w.ofSystem(file, variant)
	}
	if w.needed == nil {
		w.needed = map[Placed][]Placed{}
	}
	w.needed[key] = list
	return list
}

// ofSystem returns the files that a system consists of, and those that its start values name.
func (w *Files) ofSystem(file, variant string) (list []Placed) {
	s, _, _ := ssp.Load(file, ssp.Options{Library: w.library, Variant: variant})
	if s == nil { // the run reports this
		return nil
	}
	defer func() { _ = s.Close() }() // opened for reading only
	for _, name := range s.Files() {
		if !sameFile(name, file) {
			list = append(list, w.beside(name))
		}
	}
	for _, c := range s.Components {
		if c.FMU != nil {
			list = append(list, w.defaults(c.FMU)...)
		}
		for _, start := range c.Starts {
			for _, value := range start.Values {
				if start.Type == fmi.String {
					list = append(list, w.start(value)...)
				}
			}
		}
	}
	return list
}

func sameFile(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

// program returns the files of exec:COMMAND: the program, and words that are files, such as a
// script and its options. Programs that belong to the operating system count as a part of the
// machine, like its libraries.
func (w *Files) program(address string) (list []Placed) {
	command, is := strings.CutPrefix(address, "exec:")
	if !is {
		return nil
	}
	// models' and simulators' commands are split differently
	for _, words := range [][]string{strings.Fields(command), foreign.Words(command)} {
		for k, word := range words {
			if k > 0 || strings.ContainsRune(filepath.ToSlash(word), '/') {
				list = append(list, w.word(word)...)
			} else if found, err := exec.LookPath(word); err == nil && !isPlatform(found) {
				list = append(list, Placed{found, found})
			}
		}
	}
	return list
}

// word returns the file that a word of a command names: FILE or OPTION=FILE.
func (w *Files) word(text string) (list []Placed) {
	for _, name := range []string{text, text[strings.IndexByte(text, '=')+1:]} {
		file := Named(filepath.Dir(w.experiment), name)
		if name != "" && !isPlatform(file) {
			list = append(list, Placed{name, file})
		}
	}
	return list
}

// isPlatform reports whether a program is in a folder of the operating system.
func isPlatform(file string) bool {
	for _, folder := range []string{"/bin", "/sbin", "/lib", "/lib64", "/usr/bin",
		"/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/share", "/System", "/Library",
		cmp.Or(os.Getenv("SystemRoot"), `C:\Windows`)} {
		if relative, err := filepath.Rel(folder, file); err == nil && filepath.IsLocal(relative) {
			return true
		}
	}
	return false
}

// attachVaried attaches the files to which the settings of a case lead: the map and the catalogs
// that the values of parameters select.
func (w *Files) attachVaried(x *sweep.Case) error {
	if w.varied == nil {
		return nil
	}
	for _, file := range w.varied(x.Set) {
		if err := w.attach(x, w.beside(file)); err != nil {
			return err
		}
	}
	return nil
}

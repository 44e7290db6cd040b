package ssp

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
)

// fmuFile is a parsed FMU with its variables by name and alias.
type fmuFile struct {
	fmu    *archive.FMU
	byName map[string]*archive.Variable
	// container of the FMU's own files, for sources relative to it; nil until needed
	home     *container
	messages map[string]message
}

func (f *fmuFile) variable(name string) *archive.Variable {
	if f == nil {
		return nil
	}
	return f.byName[name]
}

// readFMU reads the FMU of a component.
func (l *loader) readFMU(e *element, source string) {
	c := e.component
	if !l.locate(e, source) {
		return
	}
	e.fmu = l.fmu(c.home, c.name, e.place())
	if e.fmu == nil {
		return
	}
	c.FMU = e.fmu.fmu
	l.checkInterface(e)
	for _, p := range e.ports {
		l.comparePort(e, p)
	}
}

// fromLibrary finds an FMU: in the container of the document, or else in the first folder of the
// library that contains it.
func (l *loader) fromLibrary(home *container, name string) (*container, string) {
	if home.has(name) {
		return home, name
	}
	for _, folder := range l.options.Library {
		if l.library[folder] == nil {
			l.library[folder] = openFolder(folder)
			l.system.packages = append(l.system.packages, l.library[folder])
		}
		for _, candidate := range []string{name, path.Base(name)} {
			if c := l.library[folder]; filepath.IsLocal(candidate) && c.has(candidate) {
				return c, candidate
			}
		}
	}
	return home, name
}

// fmu reads an FMU once; it returns nil if the FMU cannot be read.
func (l *loader) fmu(home *container, name string, from fault.Place) *fmuFile {
	key := documentKey{home, name}
	if f, is := l.fmus[key]; is {
		return f
	}
	l.fmus[key] = nil
	if info, err := os.Stat(home.path(name)); !home.packed() && err == nil && info.IsDir() {
		l.stop("SSP-S1", from, name+" is a folder, expected an FMU", "pack the folder as an FMU")
		return nil
	}
	r, size, err := home.open(name, maxEntry)
	if err != nil {
		l.absent(home, name, err, from)
		return nil
	}
	defer r.release()
	f, err := archive.Read(r, size)
	if err != nil {
		l.stop("SSP-S7", from, fmt.Sprintf("%s is not a readable FMU: %v", name, err),
			"export the FMU again")
		return nil
	}
	l.examine(name, r, size, from)
	found := &fmuFile{fmu: f, byName: map[string]*archive.Variable{}}
	for k := range f.Model.Variables {
		v := &f.Model.Variables[k]
		found.byName[v.Name] = v
		for _, a := range v.Aliases {
			found.byName[a.Name] = v
		}
	}
	l.fmus[key] = found
	return found
}

// examine reports the number of faults in an FMU and the rules that it violates.
func (l *loader) examine(name string, r io.ReaderAt, size int64, from fault.Place) {
	if l.options.Examine == nil {
		return
	}
	list := l.options.Examine(r, size)
	errs, warnings := list.Count(finding.Error), list.Count(finding.Warning)
	if errs+warnings == 0 {
		return
	}
	var ids []string
	for _, f := range list {
		if f.Severity > finding.Note && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	l.find("SSP-F1", from, fmt.Sprintf("%s itself has %s and %s: %s", name,
		quantity.Of(errs, "error"), quantity.Of(warnings, "warning"), strings.Join(ids, ", ")),
		"gosmp check "+path.Base(name)+" explains them")
}

// inFMU returns the container of the files in the FMU of a component.
func (l *loader) inFMU(e *element) *container {
	if e.fmu == nil || e.component == nil {
		return nil
	}
	if e.fmu.home == nil {
		r, size, err := e.component.home.open(e.component.name, maxEntry)
		if err != nil {
			return nil
		}
		c, err := readPackage(r, size)
		if err != nil {
			r.release()
			return nil
		}
		p := e.component.home.place(e.component.name)
		c.file, c.within, c.close = p.File, p.Entry, func() error { r.release(); return nil }
		e.fmu.home = c
		l.system.packages = append(l.system.packages, c)
	}
	return e.fmu.home
}

// checkInterface compares the interface required by a component with the interfaces of its FMU.
func (l *loader) checkInterface(e *element) {
	m := e.component.FMU.Model
	var kinds []string
	for _, i := range m.Interfaces {
		kinds = append(kinds, string(i.Kind))
	}
	mode := e.component.Mode
	if mode == "any" {
		mode = string(fmi.CoSimulation)
	}
	if !slices.Contains(kinds, mode) {
		l.find("SSP-S7", e.place(), fmt.Sprintf("the FMU has no %s, only %s", mode,
			strings.Join(kinds, ", ")),
			"export it with that interface, or change implementation")
		return
	}
	l.checkLibrary(e, m.Interface(fmi.InterfaceType(mode)).ModelIdentifier)
}

// machines maps Go's names of processor architectures to their names in FMUs.
var machines = map[string]string{"amd64": "x86_64", "386": "x86", "arm64": "aarch64"}

func (l *loader) checkLibrary(e *element, identifier string) {
	var have []string
	for _, p := range e.component.FMU.Platforms {
		for _, b := range p.Binaries {
			base := path.Base(b.Name)
			if strings.TrimSuffix(base, path.Ext(base)) != identifier {
				continue
			}
			if p.System == runtime.GOOS && p.Machine == machines[runtime.GOARCH] {
				return
			}
			have = append(have, p.Name)
		}
	}
	what := "none at all"
	if len(have) > 0 {
		what = "only for " + strings.Join(have, ", ")
	}
	l.find("SSP-S7", e.place(), fmt.Sprintf("the FMU has no library %s for this system (%s/%s), %s",
		identifier, runtime.GOOS, runtime.GOARCH, what),
		"build the FMU for this system")
}

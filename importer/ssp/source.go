package ssp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
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

// reference is a parsed source: a file in a container, and the text after the #.
type reference struct {
	name     string // in the container; empty for the document itself
	fragment string
	foreign  bool // the scheme is unknown
}

// resolve turns a source in a document into a file in its container.
func (l *loader) resolve(d *document, base, source string, from fault.Place) (reference, bool) {
	if strings.Contains(source, `\`) {
		l.find("SSP-S1", from, fmt.Sprintf(`the source %q has a backslash`, source), "write /")
		source = strings.ReplaceAll(source, `\`, "/")
	}
	u, err := url.Parse(source)
	if err != nil || strings.ContainsAny(source, " \"<>^`{|}") {
		l.findAs(finding.Warning, "SSP-S1", from,
			fmt.Sprintf("the source %q is not a URI: some tools look for another name", source),
			"write a blank as %20, and encode similar characters in the same way")
	}
	if err != nil {
		u = &url.URL{Path: source}
	}
	r := reference{name: u.Path, fragment: u.Fragment, foreign: u.Scheme != "" &&
		u.Scheme != "file"}
	if r.foreign || u.Opaque != "" {
		l.stop("SSP-S2", from, fmt.Sprintf("the source %q has an unsupported scheme",
			source), "write a relative path")
		return r, false
	}
	if u.Host != "" && u.Host != "localhost" {
		l.stop("SSP-S2", from,
			fmt.Sprintf("the source %q names the computer %q, but only local files are read",
				source, u.Host), "write a relative path")
		return r, false
	}
	if u.RawQuery != "" || u.ForceQuery {
		l.stop("SSP-S1", from,
			fmt.Sprintf(
				"the source %q has a question mark, which begins a query and is not part of a name",
				source),
			"write %3F for a question mark in a name")
		return r, false
	}
	if r.name == "" {
		return r, true
	}
	absolute := u.Scheme != "" || path.IsAbs(r.name)
	if !absolute {
		r.name = path.Join(path.Dir(base), r.name)
	}
	if climbs := r.name == ".." || strings.HasPrefix(r.name, "../"); absolute || climbs ||
		slices.Contains(strings.Split(u.Path, "/"), "..") {
		return r, l.outside(d, source, absolute, climbs, from)
	}
	return r, true
}

// resolveFile is like resolve, for a source that must name a file, not a part of it.
func (l *loader) resolveFile(d *document, base, source string, from fault.Place) (reference, bool) {
	r, ok := l.resolve(d, base, source, from)
	if ok && r.name == "" {
		l.stop("SSP-S1", from, fmt.Sprintf("the source %q names no file", source),
			"write the path of a file; a system of this file needs type=\""+definitionType+`"`)
		return r, false
	}
	return r, ok
}

// outside adds a finding for a source that is absolute or leads upward, and returns whether it can
// be followed nevertheless.
func (l *loader) outside(d *document, source string, absolute, climbs bool, from fault.Place) bool {
	what := "climbs by .."
	if absolute {
		what = "is absolute"
	}
	if d.home.packed() {
		report := l.find
		if absolute || climbs {
			report = l.stop
		}
		report("SSP-S2", from, fmt.Sprintf("the source %q %s, which a package does not allow",
			source, what),
			"put the file into resources/ and write resources/...")
		return !absolute && !climbs
	}
	l.findAs(finding.Warning, "SSP-S2", from,
		fmt.Sprintf("the source %q %s: other tools need not follow it", source, what),
		"put the file next to the description and write a relative path")
	return true
}

// readComponent reads a component: an FMU, or another description that replaces it with a system.
func (l *loader) readComponent(parent *element, n *node, name string) *element {
	e := &element{name: name, node: n, doc: parent.doc, parent: parent,
		portByName: map[string]*port{}}
	source, has := n.Attribute("source")
	media := n.Get("type", FMUType)
	l.depth++
	defer func() { l.depth-- }()
	if has && (media == definitionType || media == packageType) {
		return l.readNested(e, source, media)
	}
	e.component = &Component{
		Type: media, Source: source, Mode: n.Get("implementation", "any"),
		Description: n.Get("description", ""), Place: e.place(), Annotations: annotations(n),
		Step: stepOf(e.doc, n, componentSteps),
	}
	l.readPorts(e)
	switch {
	case !has || source == "":
	case isTable(n, media, source):
		l.readTable(e, source)
	case media == FMUType:
		l.readFMU(e, source)
	}
	l.checkComponent(e, has, source, media)
	return e
}

// vehicleAnnotation marks an intended placeholder: an experiment replaces it by a vehicle.
const vehicleAnnotation = "gosmp.vehicle"

// checkComponent reports content that is legal but causes problems in some tools.
func (l *loader) checkComponent(e *element, has bool, source, media string) {
	vehicle := slices.ContainsFunc(e.component.Annotations,
		func(a fmi.Annotation) bool { return a.Tool == vehicleAnnotation })
	switch {
	case !has && vehicle:
	case !has:
		l.findAs(finding.Warning, "SSP-S3", e.place(),
			"the component has no source: it is a placeholder, and cannot be run",
			"name an FMU as its source")
	case source == "":
		l.findAs(finding.Warning, "SSP-S3", e.place(),
			fmt.Sprintf("source=\"\" with the type %q: a built-in component of a tool", media),
			"use an FMU instead")
	case e.component.Type == TableType:
	case media != FMUType:
		l.findAs(finding.Warning, "SSP-S3", e.place(), fmt.Sprintf("gosmp cannot run the type %q",
			media), "use an FMU instead")
	}
}

// readNested reads the system that another description provides in place of a component.
func (l *loader) readNested(e *element, source, media string) *element {
	from := e.place()
	r, ok := l.resolve(e.doc, e.doc.name, source, from)
	if !ok {
		return l.placeholder(e, media, source)
	}
	if l.depth > maxNesting || r.name == "" && r.fragment == "" {
		l.stop("SSP-S1", from,
			fmt.Sprintf(
				"the source %q leads back to this description: the system would contain itself",
				source),
			"name another description")
		return l.placeholder(e, media, source)
	}
	d, node := l.nestedSystem(e, r, media, from)
	if node == nil {
		return l.placeholder(e, media, source)
	}
	for a := e.parent; a != nil; a = a.parent {
		if a.node == node {
			l.stop("SSP-S1", from,
				fmt.Sprintf(
					"the source %q is a system that contains this "+
						"component: it would contain itself",
					source),
				"name another description")
			return l.placeholder(e, media, source)
		}
	}
	s := l.readSystem(d, node, e.name, e.parent)
	s.outer, s.outerDoc = e.node, e.doc
	l.compareInterface(e, s)
	return s
}

// placeholder creates a component without executable content, so that its connectors can be
// checked.
func (l *loader) placeholder(e *element, media, source string) *element {
	e.component = &Component{Type: media, Source: source, Place: e.place()}
	l.readPorts(e)
	return e
}

// nestedSystem finds the system that the source of a component refers to.
func (l *loader) nestedSystem(e *element, r reference, media string, from fault.Place) (*document,
	*node) {
	if r.name == "" {
		if n := systemByID(e.doc.root.In(ssd, "System"), r.fragment); n != nil {
			return e.doc, n
		}
		l.stop("SSP-S1", from, fmt.Sprintf("no system of this file has the id %q", r.fragment),
			"give the system that id")
		return nil, nil
	}
	home, name := e.doc.home, r.name
	if media == packageType {
		inner := l.innerPackage(home, name, from)
		if inner == nil {
			return nil, nil
		}
		home, name = inner, "SystemStructure.ssd"
		if r.fragment != "" {
			name = r.fragment
		}
	}
	d := l.read(home, name, description, from, "SSP-S1")
	if d == nil {
		return nil, nil
	}
	return d, d.root.In(ssd, "System")
}

func systemByID(n *node, id string) *node {
	if n == nil || n.Get("id", "") == id {
		return n
	}
	for _, c := range n.In(ssd, "Elements").AllIn(ssd, "System") {
		if found := systemByID(c, id); found != nil {
			return found
		}
	}
	return nil
}

// innerPackage opens a package in a container.
func (l *loader) innerPackage(home *container, name string, from fault.Place) *container {
	key := documentKey{home, name}
	if c, is := l.packages[key]; is {
		return c
	}
	l.packages[key] = nil
	r, size, err := home.open(name, maxEntry)
	if err != nil {
		l.absent(home, name, err, from)
		return nil
	}
	c, err := readPackage(r, size)
	if err != nil {
		r.release()
		l.stop("SSP-Z1", home.place(name), "not a package: "+err.Error(), "write the package again")
		return nil
	}
	p := home.place(name)
	c.file, c.within, c.close = p.File, p.Entry, func() error { r.release(); return nil }
	l.packages[key] = c
	l.system.packages = append(l.system.packages, c)
	l.checkPackage(c)
	return c
}

// absent reports a file that is named by a source but cannot be read.
func (l *loader) absent(home *container, name string, err error, from fault.Place) {
	if errors.Is(err, fs.ErrNotExist) {
		l.stop("SSP-S1", from, fmt.Sprintf("%s does not exist%s", name,
			butLike(home.similar(name))), "correct the source or add the file")
		return
	}
	l.stop("SSP-S1", from, fmt.Sprintf("%s cannot be read: %v", name, err), "write the file again")
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
	if m.Major() == fmi.FMI1 {
		l.find("SSP-S7", e.place(), "an FMU of FMI 1.0, which few tools still run",
			"export it for FMI 2.0 or 3.0")
		return
	}
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

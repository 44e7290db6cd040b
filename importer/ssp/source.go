package ssp

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

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
		Step: l.stepOf(e.doc, n, componentSteps),
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
		l.stop("SSP-Z1", home.place(name), "not a usable package: "+err.Error(),
			"write the package again")
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
			butLike(home.similar(name))),
			"correct the source, add the file, or name its folder with --library-path")
		return
	}
	l.stop("SSP-S1", from, fmt.Sprintf("%s cannot be read: %v", name, err), "write the file again")
}

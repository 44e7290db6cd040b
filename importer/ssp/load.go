package ssp

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

var (
	// ErrUnreadable reports a file that cannot be opened.
	ErrUnreadable = errors.New("cannot be read")
	// ErrSystem reports a system that cannot be run as described by its files.
	ErrSystem = errors.New("unusable system")
)

// Error is an error with its location: a file and a line.
type Error = fault.Error

// Options control how a system is read.
type Options struct {
	// Variant is the description in the root of a package that is used; empty means
	// SystemStructure.ssd. The extension may be omitted.
	Variant string
	// For names a tool, one of [Tools]: content that this tool cannot read is reported, too.
	For string
	// Examine, unless nil, finds faults in an FMU. For each component whose FMU has errors or
	// warnings, one finding contains their number (SSP-F1).
	Examine func(r io.ReaderAt, size int64) finding.List
	// Library lists folders that are searched for FMUs, by path and by name, if the FMUs are not at
	// the locations in their sources.
	Library []string
}

// Load reads a package (.ssp) or a description (.ssd) and resolves the system in it. The list has
// everything that [Check] reports. The error has the kind [ErrUnreadable] if there is no such file.
// If the system cannot be run as described by its files, the error has the kind [ErrSystem], once
// for each reason, and the system is returned as far as it could be read. The caller must call
// [System.Close] for any system that is not nil.
func Load(name string, o Options) (*System, finding.List, error) {
	if err := knownTool(o.For); err != nil {
		return nil, nil, err
	}
	l := newLoader(o)
	home, entry, err := l.begin(name)
	if err != nil {
		return nil, nil, err
	}
	l.system.File = name
	l.system.packages = append(l.system.packages, home)
	if d := l.top(home, entry); d != nil {
		l.build(d)
	}
	for _, f := range l.findings {
		if f.Severity == finding.Error {
			l.system.refusals = append(l.system.refusals, refusal(f))
		}
	}
	l.otherVariants(home, entry)
	l.findings.Sort()
	l.system.Findings = l.findings
	return l.system, l.findings, l.refused()
}

// otherVariants checks the structure of the unused descriptions in a package.
func (l *loader) otherVariants(home *container, entry string) {
	if !home.packed() {
		return
	}
	faults := l.faults
	for _, other := range home.descriptions() {
		if other != entry {
			l.read(home, other, description, home.place(other), "SSP-Z2")
		}
	}
	l.faults = faults
}

// Runnable returns the reasons not to run the system as errors of the kind [ErrSystem], and nil if
// there are none: every finding of severity error, except in descriptions of the package other than
// this one. A run of such a system would not do what its files say, or only in this tool.
func (s *System) Runnable() error {
	if more := len(s.refusals) - mostRefusals; more > 0 {
		return errors.Join(append(s.refusals[:mostRefusals:mostRefusals], fmt.Errorf(
			"%w: %d more errors, which gosmp check reports", ErrSystem, more))...)
	}
	return errors.Join(s.refusals...)
}

// mostRefusals is the maximum number of findings in the error of [System.Runnable].
const mostRefusals = 10

// Files returns the paths of all files that were read to load the system, sorted: descriptions,
// parameters, dictionaries, FMUs and tables. A file that could not be read may be among them. A
// package counts as one file.
func (s *System) Files() (list []string) {
	for _, c := range s.packages {
		list = append(list, c.files()...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Close closes the files of the system.
func (s *System) Close() error {
	var all error
	for k := len(s.packages) - 1; k >= 0; k-- { // inner packages first
		all = errors.Join(all, s.packages[k].close())
	}
	s.packages = nil
	return all
}

// begin opens the file given by the user and returns the name of the description in it; the name is
// empty if a package has none.
func (l *loader) begin(name string) (*container, string, error) {
	unreadable := func(err error) error {
		return fault.Wrap(ErrUnreadable, fault.In(name), err)
	}
	zipped, err := isZip(name)
	if err != nil {
		return nil, "", unreadable(err)
	}
	if zipped || strings.EqualFold(filepath.Ext(name), ".ssp") {
		home := l.openTop(name)
		return home, l.variant(home), nil
	}
	return openFolder(filepath.Dir(name)), filepath.Base(name), nil
}

// openTop opens a package. A damaged package leaves nothing open.
func (l *loader) openTop(name string) *container {
	home, err := openPackage(name)
	if err != nil {
		l.stop("SSP-Z1", fault.Place{File: name}, "not a usable package: "+err.Error(),
			"write the package again")
		return openFolder(filepath.Dir(name))
	}
	l.checkPackage(home)
	return home
}

// isZip reports whether a file is a zip archive, judging by its first bytes.
func isZip(name string) (bool, error) {
	r, _, err := openFile(name, 1<<40)
	if err != nil {
		return false, err
	}
	defer r.release()
	head := make([]byte, 4)
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return string(head) == "PK\x03\x04" || string(head) == "PK\x05\x06", nil
}

// variant selects the description in a package.
func (l *loader) variant(home *container) string {
	if !home.packed() {
		return ""
	}
	wanted := l.options.Variant
	if wanted == "" {
		wanted = "SystemStructure"
	}
	if !strings.HasSuffix(wanted, ".ssd") {
		wanted += ".ssd"
	}
	if home.byName[wanted] != nil {
		return wanted
	}
	others := home.descriptions()
	hint := "put SystemStructure.ssd into the root of the package"
	message := "the package has no " + wanted + " in its root"
	for _, f := range home.zip.File {
		if strings.HasSuffix(f.Name, "/"+wanted) {
			message += "; it lies in " + strings.TrimSuffix(f.Name, wanted)
			hint = "pack the content of that folder, without the folder itself"
			break
		}
	}
	if len(others) > 0 {
		message += "; there " + are(len(others)) + " " + strings.Join(others, ", ")
		hint = "name one of them as the variant"
	}
	l.stop("SSP-Z2", fault.Place{File: home.file}, message, hint)
	return ""
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// top reads the description selected by the user.
func (l *loader) top(home *container, entry string) *document {
	if entry == "" {
		return nil
	}
	if home.packed() {
		l.system.Entry = entry
	}
	return l.read(home, entry, description, home.place(entry), "SSP-Z2")
}

// build resolves a system from its description.
func (l *loader) build(d *document) {
	s := l.system
	s.Version, s.Name = d.root.Get("version", ""), d.root.Get("name", "")
	s.Description = d.root.Get("description", "")
	n := d.root.In(ssd, "System")
	if n == nil {
		l.faults = append(l.faults, fault.New(ErrSystem, d.place(d.root), "", "an element System"))
		return
	}
	s.Title = n.Get("name", "")
	if name, has := n.Attribute("name"); has && name == "" {
		l.find("SSP-S4", d.place(n), "an element without a name", "give it a name")
	}
	top := l.readSystem(d, n, s.Title, nil)
	l.readBindings(top)
	l.bind(top)
	l.readConnections(top)
	l.flatten(top)
	l.joinMessages(top)
	for _, e := range top.leaves() {
		l.settle(e.component)
	}
	for _, p := range top.ports {
		p.connector.unit, p.connector.items = p.unit(), p.items
		s.Interface = append(s.Interface, p.connector)
	}
	l.experiment(d)
	l.judge(top)
	l.judgeTool(top)
}

package check

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/entries"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/xmldoc"
)

// descriptionName is the file in an FMU that describes the model.
const descriptionName = "modelDescription.xml"

// Options select the findings.
type Options struct {
	// Notes enables findings that apply to most FMUs, such as a missing author or exports beyond
	// FMI.
	Notes bool
	// Glibc is the oldest version of the GNU C library on any host, such as 2.31; empty if the
	// version is irrelevant.
	Glibc string
}

// Report holds the findings.
type Report struct {
	FMU      *archive.FMU // nil if it cannot be read
	Findings finding.List // in the order archive, description, binaries
}

// examiner checks one FMU.
type examiner struct {
	reporter
	options Options
	fmu     *archive.FMU
	model   *archive.ModelDescription
	root    *xmldoc.Node // of modelDescription.xml
	entries map[string]*zip.File

	texts     map[string][]byte   // contents of archive files that have been read
	libraries map[string]*library // by name
	buffer    bytes.Buffer        // holds the platform file that is being read

	object string // variable, type or unit that is being checked

	document string      // archive file that is being checked
	language fmi.Version // version whose grammar applies to it

	variables   []*variable
	byName      map[string]*variable
	byReference map[uint32]*variable    // of FMI 3.0
	types       map[string]*xmldoc.Node // elements of TypeDefinitions by name
	units       map[string]*fmi.Unit
	gaps        int                // entries of ModelStructure that name no variable
	states      map[*variable]bool // states whose derivatives ModelStructure lists
}

// File checks the FMU at a path. It returns an error for files that cannot be read or are not FMUs;
// every other fault is a finding.
func File(name string, o Options) (*Report, error) {
	f, err := archive.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	fmu, root, err := archive.OutlineWithDocument(name)
	return finish(f, info.Size(), fmu, root, err, o)
}

// Read checks an FMU of size bytes; see [File].
func Read(r io.ReaderAt, size int64, o Options) (*Report, error) {
	fmu, root, err := archive.ReadOutline(r, size)
	return finish(r, size, fmu, root, err, o)
}

// finish checks an FMU that has been read, or reports why the FMU could not be read.
func finish(r io.ReaderAt, size int64, fmu *archive.FMU, root *xmldoc.Node, unreadable error,
	o Options) (*Report, error) {
	if errors.Is(unreadable, archive.ErrNotZip) && !beginsLikeZip(r) {
		return nil, unreadable
	}
	x := &examiner{options: o, fmu: fmu, root: root,
		reporter: reporter{major: fmi.FMI2, notes: o.Notes},
		document: descriptionName, texts: map[string][]byte{}}
	z, err := entries.Read(r, size)
	if err != nil {
		if unreadable == nil {
			return nil, err
		}
		x.unreadable(unreadable)
		return &Report{Findings: x.list}, nil
	}
	x.entries = map[string]*zip.File{}
	for _, e := range z.File {
		if _, twice := x.entries[e.Name]; !twice {
			x.entries[e.Name] = e
		}
	}
	x.takeVersion()
	x.outline()
	x.archive(z, r, size)
	if unreadable != nil {
		if x.list.Count(finding.Error) == 0 {
			x.unreadable(unreadable)
		}
		return &Report{Findings: x.list}, nil
	}
	from := len(x.list)
	x.description()
	slices.SortStableFunc(x.list[from:], func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column))
	})
	x.documents()
	x.binaries()
	return &Report{FMU: fmu, Findings: append(finding.List{}, x.list...)}, nil
}

func beginsLikeZip(r io.ReaderAt) bool {
	var begin [4]byte
	n, _ := r.ReadAt(begin[:], 0)
	return n == len(begin) && string(begin[:]) == "PK\x03\x04"
}

// unreadable reports the fault that stopped the reader.
func (x *examiner) unreadable(err error) {
	rule, place := "Z1", fault.Place{}
	var e *archive.Error
	f := fact{what: err.Error()}
	if errors.As(err, &e) {
		place = e.Place
		place.File = ""
		if place.Entry == "" && place.Line > 0 {
			place.Entry = x.document
		}
		f = fact{what: e.Kind.Error(), found: e.Found, expected: e.Expected, remedy: e.Hint}
		if e.Cause != nil {
			f.what += ": " + e.Cause.Error()
		}
	}
	switch {
	case errors.Is(err, archive.ErrUnsafe):
		rule = "Z2"
	case errors.Is(err, archive.ErrNoModelDescription):
		rule = "Z5"
	case errors.Is(err, archive.ErrXML):
		rule = "X1"
	case errors.Is(err, archive.ErrNotFMI):
		rule = "X2"
	}
	x.error(rule, place, f)
}

// takeVersion determines the version of the model description. The stated version determines the
// ids of findings even if the document is unreadable.
func (x *examiner) takeVersion() {
	if x.fmu != nil {
		x.model = x.fmu.Model
		x.major, x.language = x.model.Major(), x.model.Major()
		return
	}
	if content, err := x.content(descriptionName); err == nil {
		x.guessVersion(content)
	}
}

// guessVersion looks for the version in a document that may be broken.
func (x *examiner) guessVersion(content []byte) {
	_, after, found := bytes.Cut(content, []byte("fmiVersion="))
	if found && len(after) > 1 && after[1] >= '1' && after[1] <= '3' {
		x.major = fmi.Version(after[1] - '0')
	}
}

// has reports whether the archive has a file or folder with the given name.
func (x *examiner) has(name string) bool {
	if x.entries[name] != nil {
		return true
	}
	for other := range x.entries {
		if strings.HasPrefix(other, strings.TrimSuffix(name, "/")+"/") {
			return true
		}
	}
	return false
}

// at returns the place of an element in the model description.
func (x *examiner) at(n *xmldoc.Node) fault.Place {
	object := x.object
	if object == "" {
		object = n.Value("name")
	}
	return fault.Place{Entry: x.document, Line: n.Line, Column: n.Column, Object: object}
}

// in returns the place of a file in the archive.
func in(name string) fault.Place { return fault.Place{Entry: archive.Plain(name)} }

// description checks the model description.
func (x *examiner) description() {
	x.collect()
	x.schema(x.root)
	x.identity()
	x.definitions()
	x.experiment()
	for _, v := range x.variables {
		x.object = v.Name
		x.variable(v)
	}
	x.object = ""
	x.names()
	x.aliases()
	x.structure()
	x.capabilities()
}

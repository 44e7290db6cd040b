package archive

import (
	"archive/zip"
	"cmp"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// Documentation describes the documentation of the FMU.
type Documentation struct {
	Entry        string `json:"entry"` // the start page, empty if there is none
	Title        string `json:"title"` // of that page
	Files        []File `json:"files"` // all in documentation/, without licences
	LicenseEntry string `json:"licenseEntry"`
	Licenses     []File `json:"licenses"` // all in documentation/licenses/
	// the page that names what has to be installed
	ExternalDependencies string `json:"externalDependencies"`
	Icon                 string `json:"icon"`
	// there is a description of terminals and icons
	TerminalsAndIcons bool `json:"terminalsAndIcons"`
}

// Bits of the general purpose flags of a zip entry.
const (
	flagEncrypted      = 1 << 0
	flagDataDescriptor = 1 << 3
)

// contents sorts the entries of an archive into an FMU.
type contents struct {
	entries []*zip.File
	fmu     *FMU
	budget  int64 // bytes of binaries that may still be examined
}

func (c *contents) read() {
	f := c.fmu
	f.Files, f.Sources, f.Resources, f.Platforms = []File{}, []File{}, []File{}, []Platform{}
	f.Documentation = Documentation{Files: []File{}, Licenses: []File{}}
	c.entries = slices.DeleteFunc(slices.Clone(c.entries),
		func(e *zip.File) bool { return strings.HasSuffix(e.Name, "/") })
	slices.SortFunc(c.entries, func(a, b *zip.File) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range c.entries {
		c.checkEntry(e)
		c.sort(e)
	}
	c.checkCase()
	c.documentation()
	c.checkPlatforms()
}

// sort puts an entry where it belongs.
func (c *contents) sort(e *zip.File) {
	f := c.fmu
	file := File{Name: e.Name, Size: size(e.UncompressedSize64), CompressedSize: size(e.CompressedSize64)}
	f.Files = append(f.Files, file)
	folder, rest, _ := strings.Cut(e.Name, "/")
	switch folder {
	case "sources":
		f.Sources = append(f.Sources, file)
	case "resources":
		f.Resources = append(f.Resources, file)
	case "documentation":
		if strings.HasPrefix(rest, "licenses/") {
			f.Documentation.Licenses = append(f.Documentation.Licenses, file)
		} else {
			f.Documentation.Files = append(f.Documentation.Files, file)
		}
	case "binaries":
		c.binary(e, file, rest)
	}
}

// size converts a number of bytes from a header, which may contain any number.
func size(n uint64) int64 { return int64(min(n, 1<<63-1)) }

// problem notes what is wrong with an entry.
func (c *contents) problem(s finding.Severity, rule, entry, format string, values ...any) {
	c.fmu.Problems = append(c.fmu.Problems, finding.Finding{
		ID: rule, Severity: s, Place: fault.Place{Entry: entry}, Message: fmt.Sprintf(format,
			values...),
	})
}

// checkEntry checks the rules for the zip itself (FMI 2.0, 2.3; FMI 3.0, 2.5). FMI 1.0 has none.
func (c *contents) checkEntry(e *zip.File) {
	rule := "FMI 2.0, 2.3"
	switch c.fmu.Model.Major() {
	case 1:
		return
	case 3:
		rule = "FMI 3.0, 2.5"
	}
	if e.Mode()&fs.ModeSymlink != 0 {
		c.problem(finding.Error, rule, e.Name, "a link, expected files only")
	}
	if e.Flags&flagEncrypted != 0 {
		c.problem(finding.Error, rule, e.Name, "encrypted, which is forbidden")
	}
	switch {
	case e.Method != zip.Store && e.Method != zip.Deflate:
		c.problem(finding.Error, rule, e.Name,
			"compressed by method %d, expected 0 (store) or 8 (deflate)", e.Method)
	case e.Method == zip.Store && e.Flags&flagDataDescriptor != 0:
		c.problem(finding.Warning, rule, e.Name,
			"stored with bit 3 of the flags set, which is for deflate only")
	}
	if version := e.ReaderVersion & 0xFF; version > 20 {
		c.problem(finding.Warning, rule, e.Name,
			"needs version %d.%d of the zip format, expected at most 2.0", version/10, version%10)
	}
}

// checkCase reports names that collide on file systems that ignore case.
func (c *contents) checkCase() {
	seen := map[string]string{}
	for _, e := range c.entries {
		key := strings.ToLower(e.Name)
		if other, twice := seen[key]; twice {
			c.problem(finding.Warning, "gosmp", e.Name,
				"differs from %s by case only: on Windows and macOS one overwrites the other",
				other)
		}
		seen[key] = e.Name
	}
}

// has returns the first of the names that exists in the archive.
func (c *contents) has(names ...string) string {
	for _, name := range names {
		if c.entry(name) != nil {
			return name
		}
	}
	return ""
}

// entry returns the entry of that name, or nil.
func (c *contents) entry(name string) *zip.File {
	at, found := slices.BinarySearchFunc(c.entries, name, func(e *zip.File,
		name string) int {
		return cmp.Compare(e.Name, name)
	})
	if !found {
		return nil
	}
	return c.entries[at]
}

// documentation finds the pages that have a fixed name.
func (c *contents) documentation() {
	d := &c.fmu.Documentation
	d.Entry = c.has("documentation/index.html")
	if c.fmu.Model.Major() == 1 {
		d.Entry = c.has("documentation/_main.html", "documentation/index.html")
	}
	d.LicenseEntry = c.has("documentation/licenses/license.txt",
		"documentation/licenses/license.html",
		"documentation/licenses/license.spdx")
	d.ExternalDependencies = c.has("documentation/externalDependencies.txt",
		"documentation/externalDependencies.html")
	d.Icon = c.has("terminalsAndIcons/icon.png", "model.png")
	d.TerminalsAndIcons = c.has("terminalsAndIcons/terminalsAndIcons.xml") != ""
	if d.Entry != "" {
		d.Title = title(begin(c.entry(d.Entry), 1<<18))
	}
	rule := "FMI " + c.fmu.Model.FMIVersion
	if len(d.Files) > 0 && d.Entry == "" {
		c.problem(finding.Warning, rule, "documentation",
			"no start page, expected documentation/index.html")
	}
	if len(d.Licenses) > 0 && d.LicenseEntry == "" {
		c.problem(finding.Warning, rule, "documentation/licenses",
			"no main licence file, expected license.txt or license.html")
	}
}

var titleElement = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// title returns the title of an HTML page, in one line.
func title(page []byte) string {
	found := titleElement.FindSubmatch(page)
	if found == nil {
		return ""
	}
	return strings.Join(strings.Fields(html.UnescapeString(strings.ToValidUTF8(string(found[1]),
		"\uFFFD"))), " ")
}

// begin returns the first n bytes of an entry, or as many as can be read.
func begin(e *zip.File, n int64) []byte {
	r, err := e.Open()
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }() // only read
	text := make([]byte, min(n, size(e.UncompressedSize64)))
	have, _ := io.ReadFull(r, text)
	return text[:have]
}

// base returns the name of a file without folder and extension.
func base(name string) string {
	name = path.Base(name)
	return strings.TrimSuffix(name, path.Ext(name))
}

package archive

import (
	"archive/zip"
	"cmp"
	"html"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Documentation describes the documentation of the FMU.
type Documentation struct {
	Entry        string `json:"entry"` // start page; empty if there is none
	Title        string `json:"title"` // of that page
	Files        []File `json:"files"` // everything in documentation/, except licenses
	LicenseEntry string `json:"licenseEntry"`
	Licenses     []File `json:"licenses"` // all in documentation/licenses/
	// page that lists what must be installed
	ExternalDependencies string `json:"externalDependencies"`
	Icon                 string `json:"icon"`
	// whether terminals and icons are described
	TerminalsAndIcons bool `json:"terminalsAndIcons"`
}

// flagEncrypted is a bit of the general purpose flags of a zip entry.
const flagEncrypted = 1 << 0

// contents assigns the entries of an archive to the parts of an FMU.
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
		c.sort(e)
	}
	c.documentation()
}

// sort adds an entry to the part of the FMU to which it belongs.
func (c *contents) sort(e *zip.File) {
	f := c.fmu
	file := File{Name: e.Name, Size: size(e.UncompressedSize64),
		CompressedSize: size(e.CompressedSize64)}
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

// size converts a number of bytes from a header; the header may contain any number.
func size(n uint64) int64 { return int64(min(n, 1<<63-1)) }

// has returns the first of the given names that exists in the archive.
func (c *contents) has(names ...string) string {
	for _, name := range names {
		if c.entry(name) != nil {
			return name
		}
	}
	return ""
}

// entry returns the entry with the given name, or nil.
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
}

var titleElement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
})

// title returns the title of an HTML page as a single line.
func title(page []byte) string {
	found := titleElement().FindSubmatch(page)
	if found == nil {
		return ""
	}
	return strings.Join(strings.Fields(html.UnescapeString(strings.ToValidUTF8(string(found[1]),
		"\uFFFD"))), " ")
}

// begin returns the first n bytes of an entry, or fewer if no more can be read.
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

// base returns the name of a file without its folder and extension.
func base(name string) string {
	name = path.Base(name)
	return strings.TrimSuffix(name, path.Ext(name))
}

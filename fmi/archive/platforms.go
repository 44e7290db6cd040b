package archive

import (
	"archive/zip"
	"path"
	"slices"
	"strings"

	"gosmp/internal/sharedlib"
)

// Platform is a folder in binaries/.
type Platform struct {
	Name string `json:"name"` // name of the folder: linux64, x86_64-windows ...
	// linux, windows or darwin; empty for a folder name that no FMI version defines
	System   string   `json:"system"`
	Machine  string   `json:"machine"`  // x86, x86_64, aarch64 ...; empty like System
	Binaries []Binary `json:"binaries"` // all of its files by name
}

// Binary is a file of a platform.
type Binary struct {
	File
	Format   string   `json:"format"`   // ELF, PE or Mach-O; empty for other files
	Machines []string `json:"machines"` // on which it runs; several for a universal Mach-O file
	// whether format and machine match the folder; nil if unknown
	Matches *bool    `json:"matches"`
	Needs   []string `json:"needs"` // shared libraries that it needs for loading
	GLIBC   string   `json:"glibc"` // newest version of the GNU C library that it requires
	// whether importers load this library, which is named after a modelIdentifier
	Entry   bool     `json:"entry"`
	Exports []string `json:"-"` // functions that other binaries can call
}

// MaxBinary is the maximum size of a library; only the beginning of a larger library is examined.
const MaxBinary = 128 << 20

const (
	maxBinaries = 1 << 30 // total size that is read in one archive
	headerBytes = 1 << 16
)

// target is the system and machine for which the binaries in a folder are built.
type target struct{ system, machine string }

// oldPlatforms are the platform names of FMI 1.0 and 2.0.
var oldPlatforms = map[string]target{
	"win32": {"windows", "x86"}, "win64": {"windows", "x86_64"}, "linux32": {"linux", "x86"},
	"linux64":  {"linux", "x86_64"},
	"darwin32": {"darwin", "x86"}, "darwin64": {"darwin", "x86_64"},
}

// The terms in platform tuples (FMI 3.0, 2.5.1).
var (
	machines = []string{"aarch32", "aarch64", "riscv32", "riscv64", "x86", "x86_64", "ppc32",
		"ppc64"}
	systems = []string{"darwin", "linux", "windows"}
)

// extensions are the file name extensions of the libraries that importers load.
var extensions = map[string]string{"windows": ".dll", "linux": ".so", "darwin": ".dylib"}

// formats are the library formats of each system.
var formats = map[string]string{"windows": "PE", "linux": "ELF", "darwin": "Mach-O"}

// targetOf returns the target that a folder name denotes.
func targetOf(name string) target {
	if t, found := oldPlatforms[name]; found {
		return t
	}
	words := strings.Split(name, "-") // a third part names the ABI of a static library
	if len(words) < 2 || len(words) > 3 || !slices.Contains(machines, words[0]) ||
		!slices.Contains(systems, words[1]) {
		return target{}
	}
	return target{machine: words[0], system: words[1]}
}

// binary adds a file of binaries/; rest is its path relative to that folder.
func (c *contents) binary(e *zip.File, file File, rest string) {
	folder, name, below := strings.Cut(rest, "/")
	if !below {
		return
	}
	list := &c.fmu.Platforms
	if n := len(*list); n == 0 || (*list)[n-1].Name != folder {
		t := targetOf(folder)
		*list = append(*list,
			Platform{Name: folder, System: t.system, Machine: t.machine, Binaries: []Binary{}})
	}
	p := &(*list)[len(*list)-1]
	b := Binary{File: file}
	b.Entry = !strings.Contains(name, "/") && slices.Contains(c.fmu.Model.ModelIdentifiers(),
		base(name)) && isLibrary(p, name)
	content, whole := c.content(e)
	b.Examine(p, content, whole)
	p.Binaries = append(p.Binaries, b)
}

// Examine sets the fields that depend on the content of a file of platform p; an outline leaves
// them empty. If content is not the whole file, only its beginning is considered.
func (b *Binary) Examine(p *Platform, content []byte, whole bool) {
	l, known := sharedlib.Identify(content[:min(len(content), headerBytes)])
	if known && whole {
		l, _ = sharedlib.Parse(content)
	}
	b.Format, b.Machines, b.Needs, b.GLIBC = l.Format, l.Machines, l.Needs, l.Glibc
	b.Exports = l.Exports
	if b.Format != "" && p.System != "" {
		matches := b.Format == formats[p.System] && slices.Contains(b.Machines, p.Machine)
		b.Matches = &matches
	}
}

// isLibrary reports whether a file has the extension of a library of this platform, or of any
// platform if it is unknown.
func isLibrary(p *Platform, name string) bool {
	extension := path.Ext(name)
	if p.System == "" {
		return extension == ".dll" || extension == ".so" || extension == ".dylib"
	}
	return extension == extensions[p.System]
}

// content reads a file up to the limits. Unless the file is a library, it reads only the beginning.
func (c *contents) content(e *zip.File) (content []byte, whole bool) {
	head := begin(e, min(headerBytes, c.budget))
	c.budget -= int64(len(head))
	_, known := sharedlib.Identify(head)
	if !known || e.UncompressedSize64 > MaxBinary || int64(e.UncompressedSize64) > c.budget {
		return head, false
	}
	content = begin(e, MaxBinary)
	c.budget -= int64(len(content))
	return content, uint64(len(content)) == e.UncompressedSize64
}

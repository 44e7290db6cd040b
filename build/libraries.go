//go:build !fmucore

package build

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	_ "embed" // of the loader
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// coreTag is the build tag of the core.
const coreTag = "fmucore"

// loaderSource is compiled anew for every FMU, because the name of the core is in it.
//
//go:embed loader.c
var loaderSource []byte

// libraries are the two that lie in binaries/.
type libraries struct {
	loader, core         string // paths on this machine
	loaderName, coreName string // in the FMU
	glibc                string // the newest version of glibc that one of them asks for
}

func (l *libraries) entries(platform string) []entry {
	return []entry{
		{name: "binaries/" + platform + "/" + l.loaderName, path: l.loader, executable: true},
		{name: "binaries/" + platform + "/" + l.coreName, path: l.core, executable: true},
	}
}

// coreName is file name and SONAME of the core.
func (p *packing) coreName(guid string) string {
	return p.definition.ModelIdentifier + "-core-" + guid[:16] + ".so"
}

// identify derives the guid from all that decides how the FMU behaves: the model description, the code and the resources. The
// core is linked without a guid for this, because the guid will be in it.
func (p *packing) identify(ctx context.Context) error {
	p.say("compiling the core with %s and %s (half a minute the first time)", p.program.env.GOVERSION, p.program.env.CC)
	nameless := p.path("nameless.so")
	if err := p.linkCore(ctx, nameless, "", p.coreName(strings.Repeat("0", 32))); err != nil {
		return err
	}
	xml, err := p.modelDescription("")
	if err != nil {
		return err
	}
	entries := []entry{{name: "modelDescription.xml", data: xml}, {name: "core", path: nameless},
		{name: "loader.c", data: loaderSource}, {name: "fmi2.h", path: filepath.Join(p.program.header, "fmi2.h")}}
	for _, r := range p.Resources {
		entries = append(entries, entry{name: "resources/" + r.Name, path: r.Path})
	}
	sortByName(entries)
	sum := sha256.New()
	for _, e := range entries {
		if err := e.hash(sum); err != nil {
			return err
		}
	}
	p.guid = hex.EncodeToString(sum.Sum(nil))[:32]
	return nil
}

// hash adds an entry: name, digest of the content.
func (e *entry) hash(sum hash.Hash) error {
	content, err := e.open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // it was only read
	digest := sha256.New()
	if _, err := io.Copy(digest, content); err != nil {
		return fmt.Errorf("%s: %w", e.path, err)
	}
	_, err = fmt.Fprintf(sum, "%q %x\n", e.name, digest.Sum(nil))
	return err
}

// link makes the two libraries and examines them.
func (p *packing) link(ctx context.Context) (*libraries, error) {
	l := &libraries{loaderName: p.definition.ModelIdentifier + ".so", coreName: p.coreName(p.guid)}
	l.loader, l.core = p.path(l.loaderName), p.path(l.coreName)
	p.say("linking %s", l.coreName)
	if err := p.linkCore(ctx, l.core, p.guid, l.coreName); err != nil {
		return nil, err
	}
	if err := p.compileLoader(ctx, l); err != nil {
		return nil, err
	}
	return l, l.examine()
}

// linkCore builds the program as a C shared library. Nothing in it tells of the folder, the time or the version control.
func (p *packing) linkCore(ctx context.Context, to, guid, soname string) error {
	flags := fmt.Sprintf("-s -w -buildid= -X %[1]s.guid=%[2]s -X %[1]s.startValues=%[3]s "+
		"'-extldflags=-Wl,-soname,%[4]s -Wl,--build-id=none'", boundary, guid, url.QueryEscape(strings.Join(p.Start, "\n")), soname)
	_, err := p.run(ctx, p.program.folder, "go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false",
		"-tags", coreTag, "-ldflags", flags, "-o", to, p.program.name)
	if err != nil {
		return &PackError{"core", fmt.Errorf("%w: %w", ErrBuild, err),
			"correct the program, or if the C library's headers are missing: apt-get install gcc libc6-dev"}
	}
	return nil
}

// compileLoader compiles loader.c. Without the usual start files it has neither constructor nor destructor, so that it can be
// unloaded at any time.
func (p *packing) compileLoader(ctx context.Context, l *libraries) error {
	source := p.path("loader.c")
	if err := os.WriteFile(source, loaderSource, 0o600); err != nil {
		return err
	}
	compiler := strings.Fields(p.program.env.CC)
	_, err := p.run(ctx, "", compiler[0], append(compiler[1:], loaderFlags(p.program.header, l.coreName, source, l.loader)...)...)
	if err != nil {
		return &PackError{"loader", fmt.Errorf("%w: %w", ErrBuild, err), "install a C compiler by: apt-get install gcc libc6-dev"}
	}
	return nil
}

func loaderFlags(header, core, source, to string) []string {
	return []string{"-std=c11", "-O2", "-fPIC", "-shared", "-nostartfiles", "-fvisibility=hidden", "-Wall", "-Wextra",
		"-I", header, `-DGOSMP_CORE="` + core + `"`, "-o", to, source, "-ldl",
		"-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags", "-Wl,--build-id=none", "-Wl,-z,defs", "-Wl,-s"}
}

// examine makes sure that what was built can work: that the core exports whatever the loader hands on.
func (l *libraries) examine() error {
	offered, _, err := examineLibrary(l.loader)
	if err != nil {
		return err
	}
	provided, glibc, err := examineLibrary(l.core)
	if err != nil {
		return err
	}
	l.glibc = glibc
	for _, name := range offered {
		if !slices.Contains(provided, name) {
			return &PackError{l.coreName, fmt.Errorf("%w: it does not export %s", ErrBuild, name),
				"pack with loader and " + boundary + " of the same version of gosmp"}
		}
	}
	return nil
}

// examineLibrary lists the functions that a library exports, and the newest version of glibc that it needs.
func examineLibrary(path string) (exports []string, glibc string, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %s: %w", ErrBuild, filepath.Base(path), err)
	}
	defer func() { _ = f.Close() }() // it was only read
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, "", fmt.Errorf("%w: %s: %w", ErrBuild, filepath.Base(path), err)
	}
	for _, s := range symbols {
		if version, found := strings.CutPrefix(s.Version, "GLIBC_"); found && newer(version, glibc) {
			glibc = version
		}
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			exports = append(exports, s.Name)
		}
	}
	return exports, glibc, nil
}

// newer compares versions like 2.34 number by number.
func newer(a, b string) bool {
	return slices.Compare(numbers(a), numbers(b)) > 0
}

func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		var n int
		if _, err := fmt.Sscan(part, &n); err != nil {
			return list
		}
		list = append(list, n)
	}
	return list
}

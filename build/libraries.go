//go:build !fmucore

package build

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/fault"
	"gosmp/internal/toolchain"
)

// coreTag is the build tag of the core.
const coreTag = "fmucore"

// loaderSources are the sources of the loader. It is compiled again for every FMU because it
// contains the name of the core.
//
//go:embed loader/*.c loader/*.h
var loaderSources embed.FS

const loaderFolder = "loader" // in the temporary folder, as in the sources

// libraries returns the files in binaries/, with a folder for each platform.
func (p *packing) libraries(v fmi.Version) (list []entry) {
	for _, t := range p.program.targets {
		folder := "binaries/" + t.folderIn(v) + "/"
		list = append(list,
			entry{name: folder + p.loaderName(t), path: t.loaders[v], executable: true},
			entry{name: folder + p.coreName(t, p.guid), path: t.core, executable: true})
	}
	return list
}

// identify derives the guid from everything that determines the behaviour of the FMU: the model
// description, the code for every platform and the resources. For this, the cores are linked
// without a guid, because they will contain it.
func (p *packing) identify(ctx context.Context) error {
	entries, err := p.descriptions()
	if err != nil {
		return err
	}
	for _, header := range []string{"fmi2.h", "fmi3.h", "binaries.h", "integers.h", "process.h",
		"visible.h"} {
		entries = append(entries, entry{name: header, path: filepath.Join(p.program.header,
			header)})
	}
	loader, err := p.writeLoader()
	if err != nil {
		return err
	}
	entries = append(entries, loader...)
	for _, t := range p.program.targets {
		p.say("compiling the core for %s with %s and %s (half a minute the first time)", t.folder,
			p.program.env.GOVERSION,
			t.compiler.Name())
		nameless := p.path(t.folder + "-nameless" + t.extension())
		if err := p.linkCore(ctx, t, nameless, "", p.coreName(t, strings.Repeat("0",
			32))); err != nil {
			return err
		}
		entries = append(entries, entry{name: "binaries/" + t.folder + "/core", path: nameless})
	}
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

// descriptions returns the model descriptions, without a guid, of all versions that the model
// supports, including versions that are not being packed: the FMUs of all versions have the same
// guid and the same core.
func (p *packing) descriptions() (entries []entry, err error) {
	for _, v := range []struct {
		name string
		d    *fmu.Definition
	}{{"modelDescription.xml", p.definition}, {"modelDescription3.xml", p.twin}} {
		if v.d == nil || v.d.Check() != nil && !slices.Contains(p.definitions(), v.d) {
			continue
		}
		xml, err := modelDescription(v.d, "")
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: v.name, data: xml})
	}
	return entries, nil
}

// hash adds an entry to sum: its name and the digest of its content.
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

// link builds the two libraries for every platform and examines them.
func (p *packing) link(ctx context.Context) error {
	for _, t := range p.program.targets {
		folder := p.path(t.folder)
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		name := p.coreName(t, p.guid)
		t.core = filepath.Join(folder, name)
		p.say("linking %s/%s", t.folder, name)
		if err := p.linkCore(ctx, t, t.core, p.guid, name); err != nil {
			return err
		}
		for _, e := range p.editions {
			if err := p.compileLoader(ctx, t, e.version, name); err != nil {
				return err
			}
		}
		if err := t.examine(); err != nil {
			return err
		}
	}
	return nil
}

// linkCore builds the program as a C shared library. Nothing in it depends on the folder, the time
// or version control.
func (p *packing) linkCore(ctx context.Context, t *target, to, guid, name string) error {
	linker := "-Wl,-s"
	if !t.windows() {
		linker += " -Wl,--build-id=none -Wl,-soname," + name
	}
	words := append([]string{"build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false",
		"-tags", coreTag}, t.flags...)
	words = append(words, "-ldflags", fmt.Sprintf(
		"-s -w -buildid= -X runtime.godebugDefault=%[5]s -X %[1]s.guid=%[2]s -X "+
			"%[1]s.startValues=%[3]s '-extldflags=%[4]s'",
		boundary, guid, p.startValues(), linker, p.runtimeSettings()), "-o", to, p.program.name)
	if _, err := p.goCommand(ctx, p.program.folder, t.env, words...); err != nil {
		return fault.Wrap(ErrBuild, fault.At("core for "+t.folder), err).
			WithHint("correct the program")
	}
	return nil
}

// runtimeSettings returns the settings that the go command would use for the program (//go:debug),
// and one that keeps Go's runtime from using signals to pause threads. These threads belong to the
// host: a signal interrupts their system calls, and is handled on their alternate signal stack,
// which may be too small. Without signals, a pause of the garbage collector waits for the next
// function call.
func (p *packing) runtimeSettings() string {
	const quiet = "asyncpreemptoff=1"
	if p.program.settings == "" {
		return quiet
	}
	return p.program.settings + "," + quiet
}

// startValues returns the changed start values as a URL query, which is valid in a linker flag. The
// core sets them again.
func (p *packing) startValues() string {
	values := url.Values{}
	for _, pair := range p.Start {
		name, _, _ := strings.Cut(pair, "=")
		if v := p.named(name); v != nil {
			values.Set(name, fmi.FormatValue(v.Start))
		}
	}
	return values.Encode()
}

// named finds a variable, which may exist in only one of the versions.
func (p *packing) named(name string) *fmu.Variable {
	if v := p.definition.Variables.Named(name); v != nil || p.twin == nil {
		return v
	}
	return p.twin.Variables.Named(name)
}

// writeLoader writes the sources of the loader to a folder, so that they can be compiled.
func (p *packing) writeLoader() (sources []entry, err error) {
	files, err := loaderSources.ReadDir(loaderFolder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		sources = append(sources, entry{name: file.Name(), path: filepath.Join(p.path(loaderFolder),
			file.Name())})
	}
	return sources, os.CopyFS(p.path("."), loaderSources)
}

// sources returns the C files for a platform and a version of FMI in a folder: as with Go, files
// whose names end in _linux or _windows are for that system alone, and files whose names end in
// _fmi2 or _fmi3 for that version alone.
func (q *platform) sources(folder string, v fmi.Version) (list []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.c"))
	for _, file := range files {
		_, part, found := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".c"), "_")
		if !found || !slices.Contains([]string{"linux", "windows", "fmi2", "fmi3"}, part) ||
			part == q.goos || part == fmt.Sprintf("fmi%d", v) {
			list = append(list, file)
		}
	}
	return list, err
}

// compileLoader compiles the loader for a version of FMI.
func (p *packing) compileLoader(ctx context.Context, t *target, v fmi.Version, core string) error {
	sources, err := t.sources(p.path(loaderFolder), v)
	if err != nil {
		return err
	}
	folder := p.path(t.folder, fmt.Sprintf("fmi%d", v))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	t.loaders[v] = filepath.Join(folder, p.loaderName(t))
	err = t.compiler.Build(ctx, p.runner(), toolchain.Unit{
		Output: t.loaders[v], Sources: sources, Flags: t.loaderFlags(p.program.header, v, core),
		Libraries: t.loaderLibraries(),
	})
	if err != nil && ctx.Err() == nil {
		return fault.Wrap(ErrBuild, fault.At("loader for "+t.folder), err)
	}
	return err
}

// loaderFlags returns the flags of the C compiler. On Linux, the loader is linked without the usual
// start files, which zig omits anyway, so it has neither constructors nor destructors. Its core is
// found next to it.
func (t *target) loaderFlags(header string, v fmi.Version, core string) []string {
	flags := []string{"-std=c11", "-O2", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-I",
		header,
		fmt.Sprintf("-DGOSMP_FMI=%d", v), `-DGOSMP_CORE="` + core + `"`, "-Wl,-s"}
	switch {
	case t.windows():
		return flags
	case !t.compiler.IsZig:
		flags = append(flags, "-nostartfiles")
	}
	return append(flags, "-fPIC", "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags",
		"-Wl,--build-id=none", "-Wl,-z,defs")
}

// loaderLibraries returns the libraries of the loader, which come after the sources.
func (t *target) loaderLibraries() []string {
	if t.windows() {
		return nil
	}
	return []string{"-lpthread", "-ldl"}
}

//go:build !fmucore

package build

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/toolchain"
)

// platform describes a folder in binaries/ (FMI 2.0.5, 2.3; FMI 3.0, 2.5.1.4), and the tools that
// build for it.
type platform struct {
	folder       string
	folder3      string // in FMI 3.0
	name         string // for display
	goos, goarch string
	// zig's name of the target, with the oldest glibc supported; empty if crossTool is used
	zigTarget string
	crossTool string   // prefix of the GNU cross compiler
	processor []string // settings of the go command for the oldest processor supported
	flags     []string // of go build
}

// platforms lists all platforms that the packer supports. macOS is missing: only a Mac can link
// such a library, and none has been tested. Zig compiles for most of them: one pinned program with
// the C libraries of every target. Only linux32 needs the GNU linker: Go relies on it to add up two
// relocations at the same place, where zig's linker applies only the second.
var platforms = []platform{
	{"linux64", "x86_64-linux", "64-bit Linux on x86", "linux", "amd64", "x86_64-linux-gnu.2.17",
		"", []string{"GOAMD64=v1"}, nil},
	{"aarch64-linux", "aarch64-linux", "64-bit Linux on ARM", "linux", "arm64",
		"aarch64-linux-gnu.2.17", "", []string{"GOARM64=v8.0"}, unfused},
	{"win64", "x86_64-windows", "64-bit Windows on x86", "windows", "amd64", "x86_64-windows-gnu",
		"", []string{"GOAMD64=v1"}, nil},
	{"linux32", "x86-linux", "32-bit Linux on x86", "linux", "386", "", "i686-linux-gnu-gcc",
		[]string{"GO386=sse2"}, nil},
	{"win32", "x86-windows", "32-bit Windows on x86", "windows", "386", "x86-windows-gnu", "",
		[]string{"GO386=sse2"}, nil},
}

// unfused keeps the Go compiler for ARM from joining a multiplication and an addition into one
// instruction that rounds only once, which would change the last bits of results. The option
// belongs to the compiler's own search for such differences.
var unfused = []string{"-gcflags=all=-d=fmahash=n"}

// folderIn returns the name of the folder in a version of FMI.
func (p *platform) folderIn(v fmi.Version) string {
	if v >= fmi.FMI3 {
		return p.folder3
	}
	return p.folder
}

func (p *platform) windows() bool { return p.goos == "windows" }

// extension returns the file name extension of shared libraries, with the dot.
func (p *platform) extension() string {
	if p.windows() {
		return ".dll"
	}
	return ".so"
}

// PlatformNames lists the folders in binaries/ that the packer can fill.
func PlatformNames() (names []string) {
	for k := range platforms {
		names = append(names, platforms[k].folder)
	}
	return names
}

// target is a platform for which the FMU is being built: its compiler and the two libraries that it
// builds.
type target struct {
	*platform
	compiler toolchain.Compiler
	env      []string // settings of the go command
	core     string   // path on this machine
	loaders  map[fmi.Version]string
	glibc    string // the newest version of glibc that one of them requires
}

// loaderName returns the file name of the loader in the FMU.
func (p *packing) loaderName(t *target) string {
	return p.definition.ModelIdentifier + t.extension()
}

// coreName returns the file name of the core, which on Linux is also its SONAME.
func (p *packing) coreName(t *target, guid string) string {
	return p.definition.ModelIdentifier + "-core-" + guid[:16] + t.extension()
}

// targets finds the requested platforms, in the order of the table, and their compilers.
func (p *packing) targets(ctx context.Context, env *environment) ([]*target, error) {
	if len(p.Platforms) == 0 {
		t, err := p.native(ctx, env)
		return []*target{t}, err
	}
	var list []*target
	for k := range platforms {
		if !slices.Contains(p.Platforms, platforms[k].folder) {
			continue
		}
		compiler, err := p.compiler(ctx, &platforms[k])
		if err != nil {
			return nil, err
		}
		list = append(list, cross(&platforms[k], compiler))
	}
	return list, nil
}

// native returns the platform of this machine, with its own C compiler.
func (p *packing) native(ctx context.Context, env *environment) (*target, error) {
	k := slices.IndexFunc(platforms, func(q platform) bool {
		return q.goos == env.GOOS && q.goarch == env.GOARCH
	})
	if k < 0 || platforms[k].windows() {
		return nil, fault.New(ErrUsage, fault.At(env.GOOS+"/"+env.GOARCH),
			"a platform on which FMUs cannot be built", "").
			WithHint("build on Linux; -platforms " + strings.Join(PlatformNames(), ",") +
				" builds for other systems there")
	}
	compiler, err := toolchain.Native(env.CC)
	if err == nil {
		err = compiler.Check(ctx, p.runner())
	}
	return &target{platform: &platforms[k], compiler: compiler, env: platforms[k].processor,
		loaders: map[fmi.Version]string{}}, err
}

// cross returns another platform, or this one with the libraries of an old system. Environment
// variables for the C compiler of this machine do not apply to it.
func cross(q *platform, compiler toolchain.Compiler) *target {
	return &target{
		platform: q, compiler: compiler, loaders: map[fmi.Version]string{},
		env: append([]string{"GOOS=" + q.goos, "GOARCH=" + q.goarch, "CC=" + compiler.CC(),
			"CGO_CFLAGS=-O2 -g0", "CGO_CPPFLAGS=", "CGO_LDFLAGS="}, q.processor...),
	}
}

// compiler finds the C compiler for a platform and reports which one it is, because the bytes
// depend on its version.
func (p *packing) compiler(ctx context.Context, q *platform) (c toolchain.Compiler, err error) {
	if q.zigTarget == "" {
		c, err = toolchain.Cross(ctx, p.runner(), q.crossTool,
			"install it by: apt-get install gcc-i686-linux-gnu libc6-dev-i386-cross")
	} else if c, err = toolchain.Zig(ctx, p.runner(), p.Zig, q.zigTarget); err == nil {
		p.zigVersion = c.Version
		p.zigHome, err = c.Home()
	}
	if err != nil {
		return c, fmt.Errorf("compiler for %s: %w", q.folder, err)
	}
	p.say("%s is built with %s %s", q.folder, cmp.Or(q.crossTool, "zig"), c.Version)
	return c, nil
}

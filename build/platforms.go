//go:build !fmucore

package build

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// platform is a place in binaries/ (FMI 2.0.5, 2.3), and what builds for it.
type platform struct {
	folder       string
	name         string // for people
	goos, goarch string
	crossTools   []string // C compiler for use on another machine; the version is the oldest glibc that will do
	processor    []string // settings of the go command: the plainest processor of the kind
	flags        []string // of go build
}

// platforms are all that the packer knows. macOS is none of them: nobody has loaded such a library yet, and only a Mac can link one.
var platforms = []platform{
	{"linux64", "64-bit Linux on x86", "linux", "amd64", zigFor("x86_64-linux-gnu.2.17"), []string{"GOAMD64=v1"}, nil},
	{"aarch64-linux", "64-bit Linux on ARM", "linux", "arm64", zigFor("aarch64-linux-gnu.2.17"), []string{"GOARM64=v8.0"}, unfused},
	{"win64", "64-bit Windows on x86", "windows", "amd64", zigFor("x86_64-windows-gnu"), []string{"GOAMD64=v1"}, nil},
	{"linux32", "32-bit Linux on x86", "linux", "386", []string{"i686-linux-gnu-gcc"}, []string{"GO386=sse2"}, nil},
	{"win32", "32-bit Windows on x86", "windows", "386", zigFor("x86-windows-gnu"), []string{"GO386=sse2"}, nil},
}

// zigFor is the compiler of most platforms: one program of one version, with the libraries of all of them. Only linux32 needs the
// GNU linker: Go has it add up two relocations of the same place there, of which zig's linker obeys the second alone.
func zigFor(platform string) []string { return []string{zig, "cc", "-target", platform} }

// zig stands for the path of the zig compiler.
const zig = "zig"

// unfused keeps the Go compiler for ARM from joining a multiplication and an addition into one instruction that rounds only once,
// which would change the last bits of results. The option belongs to the compiler's own search for such differences.
var unfused = []string{"-gcflags=all=-d=fmahash=n"}

func (p *platform) windows() bool { return p.goos == "windows" }

// extension is that of shared libraries, with the dot.
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

// target is a platform that the FMU is being built for: its compiler and the two libraries that come out.
type target struct {
	*platform
	compiler     []string // the C compiler of this machine with its first arguments
	env          []string // settings of the go command
	isZig        bool     // the compiler is zig
	loader, core string   // paths on this machine
	glibc        string   // the newest version of glibc that one of them asks for
}

// loaderName is that in the FMU.
func (p *packing) loaderName(t *target) string { return p.definition.ModelIdentifier + t.extension() }

// coreName is the file name of the core, on Linux also its SONAME.
func (p *packing) coreName(t *target, guid string) string {
	return p.definition.ModelIdentifier + "-core-" + guid[:16] + t.extension()
}

// targets finds the platforms that were asked for, in the order of the table, and their compilers.
func (p *packing) targets(ctx context.Context, env *environment) ([]*target, error) {
	if len(p.Platforms) == 0 {
		t, err := native(env)
		return []*target{t}, err
	}
	for _, name := range p.Platforms {
		if !slices.Contains(PlatformNames(), name) {
			return nil, &PackError{"platform " + name, fmt.Errorf("%w: no such platform", ErrUsage),
				"expected some of " + strings.Join(PlatformNames(), ", ")}
		}
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

// native is the platform of this machine, with its own C compiler.
func native(env *environment) (*target, error) {
	k := slices.IndexFunc(platforms, func(q platform) bool { return q.goos == env.GOOS && q.goarch == env.GOARCH })
	if k < 0 || platforms[k].windows() {
		return nil, &PackError{env.GOOS + "/" + env.GOARCH, fmt.Errorf("%w: FMUs are not built on this platform", ErrUsage),
			"build on Linux; -platforms " + strings.Join(PlatformNames(), ",") + " builds for other systems there"}
	}
	compiler := strings.Fields(env.CC)
	if len(compiler) == 0 {
		return nil, &PackError{"CC", fmt.Errorf("%w: go env CC is empty", ErrTool), "set CC to a C compiler"}
	}
	if _, err := exec.LookPath(compiler[0]); err != nil {
		return nil, &PackError{compiler[0], fmt.Errorf("%w: %w", ErrTool, err),
			"install a C compiler by: apt-get install gcc libc6-dev (or set CC to the one that you have)"}
	}
	return &target{platform: &platforms[k], compiler: compiler, env: platforms[k].processor}, nil
}

// cross is another platform, or this one with the libraries of an old system. What the environment says to the C compiler of this
// machine is not for that of another.
func cross(q *platform, compiler []string) *target {
	command := `"` + compiler[0] + `" ` + strings.Join(compiler[1:], " ")
	return &target{
		platform: q, isZig: q.crossTools[0] == zig, compiler: compiler,
		env: append([]string{"GOOS=" + q.goos, "GOARCH=" + q.goarch, "CC=" + command,
			"CGO_CFLAGS=-O2 -g0", "CGO_CPPFLAGS=", "CGO_LDFLAGS="}, q.processor...),
	}
}

// tool is a program that is installed here.
type tool struct{ path, version string }

// resolve follows links to the place where the rest of the tool lies.
func (t tool) resolve() (tool, error) {
	path, err := filepath.EvalSymlinks(t.path)
	return tool{path, t.version}, err
}

// compiler finds the C compiler for a platform and says which one it is, because its version decides the bytes.
func (p *packing) compiler(ctx context.Context, q *platform) ([]string, error) {
	name, question, hint := q.crossTools[0], "-dumpversion", "install it by: apt-get install gcc-i686-linux-gnu libc6-dev-i386-cross"
	if name == zig {
		question, hint = "version", "install it by: pip install ziglang; -zig takes the path of the program"
		if p.Zig != "" {
			name = p.Zig
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path) // the compilers run in other folders
	}
	var version []byte
	if err == nil {
		version, err = p.run(ctx, place{}, path, question)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &PackError{name, fmt.Errorf("%w: %w", ErrTool, err), q.folder + " needs this C compiler; " + hint}
	}
	found := tool{path, strings.TrimSpace(string(version))}
	p.say("%s is built with %s %s", q.folder, q.crossTools[0], found.version)
	if q.crossTools[0] == zig {
		if p.zig, err = found.resolve(); err != nil {
			return nil, &PackError{path, fmt.Errorf("%w: %w", ErrTool, err), hint}
		}
	}
	return append([]string{path}, q.crossTools[1:]...), nil
}

package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// ErrMissing is the kind of errors about a required program that is not installed or is incomplete.
var ErrMissing = errors.New("tool missing")

// The commands that install compilers, for hints.
const (
	InstallGo = "install Go from https://go.dev/dl or by: apt-get install golang"
	InstallC  = "install a C compiler by: apt-get install gcc libc6-dev (or set " +
		"CC to an installed compiler)"
	installZ = "install it by: pip install ziglang"
)

// Compiler is a C compiler that takes the options of gcc.
type Compiler struct {
	Command []string // its absolute path and the arguments that always come first
	Version string   // as it reports itself; empty for this machine's compiler
	IsZig   bool     // it includes the C libraries of its targets
}

// Native returns the C compiler of this machine; command is its name and first arguments, as in the
// variable CC or in "go env CC".
func Native(command string) (Compiler, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return Compiler{}, fault.New(ErrMissing, fault.At("CC"), "", "the name of a C compiler").
			WithHint(InstallC)
	}
	path, err := find(words[0])
	if err != nil {
		return Compiler{}, fault.Wrap(ErrMissing, fault.At(words[0]), err).WithHint(InstallC)
	}
	return Compiler{Command: append([]string{path}, words[1:]...)}, nil
}

// Zig returns the compiler zig for a target such as x86_64-linux-gnu.2.17. An empty path means the
// zig in PATH.
func Zig(ctx context.Context, r Runner, path, target string) (Compiler, error) {
	if path == "" {
		path = "zig"
	}
	c, err := ask(ctx, r, path, "version", installZ)
	if err != nil {
		return Compiler{}, err
	}
	c.IsZig = true
	c.Command = append(c.Command, "cc", "-target", target)
	return c, nil
}

// Cross returns a GNU compiler for another machine, by its name in PATH; install is the hint for
// installing it.
func Cross(ctx context.Context, r Runner, name, install string) (Compiler, error) {
	return ask(ctx, r, name, "-dumpversion", install)
}

// ask finds a compiler and queries its version.
func ask(ctx context.Context, r Runner, name, question, install string) (Compiler, error) {
	path, err := find(name)
	var version []byte
	if err == nil {
		version, err = r.Output(ctx, Call{Program: path, Arguments: []string{question}})
	}
	switch {
	case ctx.Err() != nil:
		return Compiler{}, ctx.Err()
	case err != nil:
		return Compiler{}, fault.Wrap(ErrMissing, fault.At(name), err).WithHint(install)
	}
	return Compiler{Command: []string{path}, Version: strings.TrimSpace(string(version))}, nil
}

func find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// Home returns the folder of the compiler's own files, with links resolved.
func (c Compiler) Home() (string, error) {
	path, err := filepath.EvalSymlinks(c.Command[0])
	return filepath.Dir(path), err
}

// Name returns the compiler's name for display.
func (c Compiler) Name() string { return filepath.Base(c.Command[0]) }

// CC returns the compiler in the form of the go command's variable CC.
func (c Compiler) CC() string {
	return strings.TrimSpace(`"` + c.Command[0] + `" ` + strings.Join(c.Command[1:], " "))
}

// probe is a program that needs the compiler, the headers of the C library, an assembler and a
// linker.
const probe = "#include <dlfcn.h>\n#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n"

// Check compiles and links an empty program. If a part other than the compiler itself is missing,
// the error names it. The check takes a few milliseconds.
func (c Compiler) Check(ctx context.Context, r Runner) (err error) {
	folder, err := os.MkdirTemp("", "gosmp-probe-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	source := filepath.Join(folder, "probe.c")
	if err := os.WriteFile(source, []byte(probe), 0o600); err != nil {
		return err
	}
	err = c.Build(ctx, r, Unit{Output: filepath.Join(folder, "probe"), Sources: []string{source}})
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fault.Wrap(ErrMissing, fault.At(c.Name()), err).
		WithHint("install compiler, linker and the headers of the C library by: " +
			"apt-get install gcc libc6-dev")
}

// Unit describes one compiler run.
type Unit struct {
	Output    string   // path of the program or library
	Sources   []string // paths of .c files
	Flags     []string // before the sources
	Libraries []string // after the sources, such as -lpthread
}

// Build compiles and links. It returns the errors of [Runner.Output].
func (c Compiler) Build(ctx context.Context, r Runner, u Unit) error {
	words := slices.Concat(c.Command[1:], u.Flags, []string{"-o", u.Output}, u.Sources, u.Libraries)
	if _, err := r.Output(ctx, Call{Program: c.Command[0], Arguments: words}); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(u.Output), err)
	}
	return nil
}

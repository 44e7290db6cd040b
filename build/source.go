//go:build !fmucore

package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// source is what the go command knows about the program: its parts and the tools that build it.
type source struct {
	folder  string // where the go command runs; empty is the current one
	name    string // of the main package
	env     environment
	header  string // folder of fmi2.h
	modules []module
}

// environment is the part of "go env" that is used.
type environment struct{ CC, GOOS, GOARCH, GOROOT, GOVERSION string }

// module is one that the core is linked from.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// platforms maps Go's names of a platform to the folder in binaries/.
var platforms = map[string]string{"linux/amd64": "linux64", "linux/arm64": "aarch64-linux"}

func (s *source) platform() string { return platforms[s.env.GOOS+"/"+s.env.GOARCH] }

// boundary is the package with the exported functions, and with the header that the loader is compiled against as well.
const boundary = "gosmp/export"

const installGo = "install Go from https://go.dev/dl or by: apt-get install golang"

// inspect asks the go command about tools, packages and modules.
func (p *packing) inspect(ctx context.Context) (*source, error) {
	s := &source{name: p.Package}
	if info, err := os.Stat(p.Package); err == nil && info.IsDir() {
		s.folder, s.name = p.Package, "."
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, &PackError{"go", fmt.Errorf("%w: %w", ErrTool, err), installGo}
	}
	text, err := p.run(ctx, s.folder, "go", "env", "-json", "CC", "GOOS", "GOARCH", "GOROOT", "GOVERSION")
	if err == nil {
		err = json.Unmarshal(text, &s.env)
	}
	if err != nil {
		return nil, &PackError{"go env", fmt.Errorf("%w: %w", ErrTool, err), installGo}
	}
	if s.platform() == "" {
		return nil, &PackError{s.env.GOOS + "/" + s.env.GOARCH, fmt.Errorf("%w: FMUs are not built for this platform", ErrUsage),
			"build on Linux, amd64 or arm64"}
	}
	compiler := strings.Fields(s.env.CC)
	if len(compiler) == 0 {
		return nil, &PackError{"CC", fmt.Errorf("%w: go env CC is empty", ErrTool), "set CC to a C compiler"}
	}
	if _, err := exec.LookPath(compiler[0]); err != nil {
		return nil, &PackError{compiler[0], fmt.Errorf("%w: %w", ErrTool, err),
			"install a C compiler by: apt-get install gcc libc6-dev (or set CC to the one that you have)"}
	}
	return s, p.list(ctx, s)
}

// list finds the packages of the core, as "go list" sees them with the tag of the core.
func (p *packing) list(ctx context.Context, s *source) error {
	text, err := p.run(ctx, s.folder, "go", "list", "-tags", coreTag, "-deps", "-json=ImportPath,Name,Dir,Module", s.name)
	if err != nil {
		return &PackError{"package " + p.Package, fmt.Errorf("%w: %w", ErrBuild, err),
			"run this in a folder of the module, or name the folder of the main package with -package"}
	}
	last := ""
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var found struct {
			ImportPath, Name, Dir string
			Module                *module
		}
		if err := decoder.Decode(&found); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		last = found.Name
		if found.ImportPath == boundary {
			s.header = found.Dir
		}
		if m := found.Module; m != nil && !slices.ContainsFunc(s.modules, func(k module) bool { return k.Path == m.Path }) {
			s.modules = append(s.modules, *m)
		}
	}
	slices.SortFunc(s.modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	switch {
	case last != "main":
		return &PackError{"package " + p.Package, fmt.Errorf("%w: package %s, expected main", ErrUsage, last),
			"name the package of the program that registers the model"}
	case s.header == "":
		return &PackError{"package " + p.Package, fmt.Errorf("%w: it does not import %s", ErrUsage, boundary),
			"register the model: func init() { export.Register(definition) }"}
	}
	return nil
}

// run starts a program and returns what it prints; if it fails, the error holds what it complained about.
func (p *packing) run(ctx context.Context, folder, name string, arguments ...string) ([]byte, error) {
	if p.Verbose {
		p.say("%s %s", name, strings.Join(arguments, " "))
	}
	c := exec.CommandContext(ctx, name, arguments...)
	c.Dir = folder
	c.Env = append(c.Environ(), "CGO_ENABLED=1")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	var complaint bytes.Buffer
	c.Stderr = &complaint
	text, err := c.Output()
	switch {
	case err == nil:
		return text, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%s %s: %w\n%s", name, arguments[0], err, strings.TrimSpace(complaint.String()))
}

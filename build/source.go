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
	targets []*target
	header  string // folder of fmi2.h
	modules []module

	settings string // GODEBUG that the go command gives to the program
}

// environment is the part of "go env" that is used.
type environment struct{ CC, GOOS, GOARCH, GOROOT, GOVERSION string }

// module is one that the core is linked from.
type module struct {
	Path, Version, Dir string
	Main               bool
}

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
	text, err := p.run(ctx, place{folder: s.folder}, "go", "env", "-json", "CC", "GOOS", "GOARCH", "GOROOT", "GOVERSION")
	if err == nil {
		err = json.Unmarshal(text, &s.env)
	}
	if err != nil {
		return nil, &PackError{"go env", fmt.Errorf("%w: %w", ErrTool, err), installGo}
	}
	if s.targets, err = p.targets(ctx, &s.env); err != nil {
		return nil, err
	}
	for _, t := range s.targets {
		if err := p.list(ctx, s, t); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

// list adds the packages of the core for one platform, as "go list" sees them with the tag of the core.
func (p *packing) list(ctx context.Context, s *source, t *target) error {
	text, err := p.run(ctx, place{s.folder, t.env}, "go", "list", "-tags", coreTag, "-deps", "-json=ImportPath,Name,Dir,Module,DefaultGODEBUG", s.name)
	if err != nil {
		return &PackError{"package " + p.Package, fmt.Errorf("%w: %w", ErrBuild, err),
			"run this in a folder of the module, or name the folder of the main package with -package"}
	}
	last := ""
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var found struct {
			ImportPath, Name, Dir, DefaultGODEBUG string
			Module                                *module
		}
		if err := decoder.Decode(&found); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		last, s.settings = found.Name, found.DefaultGODEBUG
		if found.ImportPath == boundary {
			s.header = found.Dir
		}
		if m := found.Module; m != nil && !slices.ContainsFunc(s.modules, func(k module) bool { return k.Path == m.Path }) {
			s.modules = append(s.modules, *m)
		}
	}
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

// place is where a program runs: a folder, empty for the current one, and settings that come on top of the environment.
type place struct {
	folder string
	env    []string
}

// run starts a program and returns what it prints; if it fails, the error holds what it complained about.
func (p *packing) run(ctx context.Context, at place, name string, arguments ...string) ([]byte, error) {
	if p.Verbose {
		p.say("%s", strings.Join(slices.Concat(at.env, []string{name}, arguments), " "))
	}
	c := exec.CommandContext(ctx, name, arguments...)
	c.Dir = at.folder
	c.Env = append(append(c.Environ(), "CGO_ENABLED=1"), at.env...)
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

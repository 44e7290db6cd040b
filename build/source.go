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
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/toolchain"
)

// source is the go command's report about the program: its parts and the tools that build it.
type source struct {
	folder  string // where the go command runs; empty: current folder
	name    string // of the main package
	env     environment
	targets []*target
	header  string // folder of fmi2.h
	modules []module

	settings string // GODEBUG settings that the go command gives the program
}

// environment is the part of "go env" that is used.
type environment struct{ CC, GOOS, GOARCH, GOROOT, GOVERSION string }

// module is a module that is linked into the core.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// boundary is the package with the exported functions, and with the header against which the loader
// is compiled, too.
const boundary = "gosmp/export"

// inspect asks the go command about tools, packages and modules.
func (p *packing) inspect(ctx context.Context) (*source, error) {
	s := &source{name: p.Package}
	if info, err := os.Stat(p.Package); err == nil && info.IsDir() {
		s.folder, s.name = p.Package, "."
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fault.Wrap(ErrTool, fault.At("go"), err).WithHint(toolchain.InstallGo)
	}
	text, err := p.goCommand(ctx, s.folder, nil, "env", "-json", "CC", "GOOS", "GOARCH", "GOROOT",
		"GOVERSION")
	if err == nil {
		err = json.Unmarshal(text, &s.env)
	}
	if err != nil {
		return nil, fault.Wrap(ErrTool, fault.At("go env"), err).WithHint(toolchain.InstallGo)
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

// list adds the packages of the core for one platform, as "go list" sees them with the tag of the
// core.
func (p *packing) list(ctx context.Context, s *source, t *target) error {
	text, err := p.goCommand(ctx, s.folder, t.env, "list", "-tags", coreTag, "-deps",
		"-json=ImportPath,Name,Dir,Module,DefaultGODEBUG", s.name)
	if err != nil {
		return fault.Wrap(ErrBuild, fault.At("package "+p.Package), err).
			WithHint("run this in a folder of the module, or give the folder of the main package " +
				"with -package")
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
		if m := found.Module; m != nil && !slices.ContainsFunc(s.modules,
			func(k module) bool { return k.Path == m.Path }) {
			known := *m
			// for a copy in the folder vendor the go command states no folder
			if known.Dir == "" {
				known.Dir = vendored(found.Dir, found.ImportPath, known.Path)
			}
			s.modules = append(s.modules, known)
		}
	}
	switch {
	case last != "main":
		return fault.New(ErrUsage, fault.At("package "+p.Package), "package "+last,
			"package main").WithHint("name the package of the program that registers the model")
	case s.header == "":
		return fault.New(ErrUsage, fault.At("package "+p.Package), "no import of "+boundary,
			"").WithHint("register the model: func init() { export.Register(definition) }")
	}
	return nil
}

// runner returns a runner that starts programs and shows slow ones.
func (p *packing) runner() toolchain.Runner {
	say := func(line string) { p.say("%s", line) }
	r := toolchain.Runner{Progress: say}
	if p.Verbose {
		r.Commands = say
	}
	return r
}

// goCommand runs the go command in a folder; empty means the current one. cgo is on, even if the
// packer itself was built without it.
func (p *packing) goCommand(ctx context.Context, folder string, env []string, words ...string) (
	[]byte, error) {
	return p.runner().Output(ctx, toolchain.Call{
		Program: "go", Arguments: words, Folder: folder,
		Env: slices.Concat([]string{"CGO_ENABLED=1"}, env),
	})
}

// vendored returns the folder of a module, given the folder of one of its packages.
func vendored(folder, importPath, module string) string {
	below := strings.TrimPrefix(importPath, module)
	return strings.TrimSuffix(folder, filepath.FromSlash(below))
}

//go:build !fmucore

package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/fault"
)

// Config describes what to pack.
type Config struct {
	Output string // path of the .fmu file; its folder is created if necessary
	// versions of FMI to pack the model for; none means FMI 2.0. With both, Output is the FMU for
	// FMI 2.0, and the name of the FMU for FMI 3.0 ends in [TwinSuffix]
	Versions []fmi.Version
	// main package that registers the model: an import path, or the path of its folder
	Package string
	// folders in binaries/ of FMI 2.0, see PlatformNames; none: this machine's, by its C compiler
	Platforms []string
	// path of the zig compiler that builds for Platforms; empty: the one in PATH
	Zig       string
	Resources []Resource // files to pack into resources/
	Bundled   []Bundled  // files that the model provides; those without Content are omitted
	// changed start values, as name=value, which the core sets again
	Start []string
	// path of the FMU's own licence; empty: the LICENSE of its module, if any
	License       string
	Documentation string // HTML sections for documentation/index.html
	// the model's own checks, before anything slow begins; nil: there are none
	Examine  Examiner
	Messages io.Writer // receives progress and warnings; nil drops them
	Verbose  bool      // show the executed commands
	// stop after the checks that need neither compiler nor network; build nothing
	CheckOnly bool
}

// Pack builds the FMUs of the model d, which the main package registers. Start values in c.Start
// are already part of d. If it fails, an [Error] states what is wrong and what to do.
func Pack(ctx context.Context, d *fmu.Definition, c Config) (err error) {
	began := time.Now()
	if c.Messages == nil {
		c.Messages = io.Discard
	}
	work, err := os.MkdirTemp("", "gosmp-pack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if work, err = filepath.Abs(work); err != nil { // the compilers run in other folders
		return err
	}
	p, err := newPacking(d, c, work)
	if err != nil {
		return err
	}
	if err := p.gather(); err != nil || c.CheckOnly {
		return err
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	for _, e := range p.editions {
		size, err := writeZip(ctx, e.output, e.entries)
		if err != nil {
			return err
		}
		p.say("%s: %.1f MB, guid %s, %.1f s", e.output, float64(size)/1e6, p.guid,
			time.Since(began).Seconds())
	}
	return nil
}

// gather determines the content of the FMU and has the model examine it, before anything slow
// starts.
func (p *packing) gather() error {
	for _, b := range p.Bundled {
		if b.Content == nil {
			continue
		}
		path := p.path("bundled", filepath.FromSlash(b.Name))
		if err := writeBundled(path, b.Content); err != nil {
			return fault.Wrap(ErrInput, fault.At("resources/"+b.Name), err)
		}
		p.Resources = append(p.Resources, Resource{Name: b.Name, Path: path})
	}
	if err := p.check(p.definitions()); err != nil {
		return err
	}
	if p.Examine == nil {
		return nil
	}
	return p.Examine(p.editions[0].definition, p.Resources,
		func(text string) { p.say("warning: %s", text) })
}

func writeBundled(path string, content func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// check finds mistakes before anything slow starts.
func (c *Config) check(definitions []*fmu.Definition) error {
	var errs []error
	for _, d := range definitions {
		errs = append(errs, d.Check())
	}
	switch info, err := os.Stat(c.Output); {
	case !strings.HasSuffix(c.Output, ".fmu"):
		errs = append(errs, fault.New(ErrUsage, fault.At("-o"), c.Output,
			"a name that ends in .fmu"))
	case err == nil && info.IsDir():
		errs = append(errs, fault.New(ErrUsage, fault.In(c.Output), "a folder with this name", "").
			WithHint("remove it, or choose a different name"))
	}
	if c.Package == "" {
		errs = append(errs, fault.New(ErrUsage, fault.At("-package"),
			"a program without the name of its main package", "").
			WithHint("name the folder of its main package with -package, or start it with "+
				"go run <folder>"))
	}
	for _, name := range c.Platforms {
		if !slices.Contains(PlatformNames(), name) {
			errs = append(errs, fault.New(ErrUsage, fault.At("-platforms"), "the platform "+name,
				"some of "+strings.Join(PlatformNames(), ", ")))
		}
	}
	seen := map[string]bool{}
	for _, r := range c.Resources {
		if seen[r.Name] {
			errs = append(errs, fault.New(ErrUsage, fault.At("resource "+r.Name),
				"two files with this name", "").WithHint("choose another name"))
		}
		seen[r.Name] = true
		errs = append(errs, r.check())
	}
	return errors.Join(errs...)
}

// check examines the file and its name, which must be valid on all systems on which the FMU may be
// unpacked.
func (r Resource) check() error {
	if !fs.ValidPath(r.Name) || r.Name == "." || strings.ContainsAny(r.Name, "\\:*?\"<>|\x00\r\n") {
		return fault.New(ErrUsage, fault.At("resource "+r.Name),
			"a name that a file in an FMU cannot have",
			"a relative path with forward slashes and without .. or any of \\ : * ? \" < > |")
	}
	info, err := os.Stat(r.Path)
	switch {
	case err != nil:
		return fault.Wrap(ErrInput, fault.In(r.Path), err).
			WithHint("check the path; the file was to be packed as resources/" + r.Name)
	case !info.Mode().IsRegular():
		return fault.New(ErrInput, fault.In(r.Path), "something of type "+
			info.Mode().Type().String(), "a regular file")
	case info.Size() == 0:
		return fault.New(ErrInput, fault.In(r.Path), "an empty file", "content")
	}
	return nil
}

// packing is an FMU under construction.
type packing struct {
	Config
	work       string          // temporary folder
	definition *fmu.Definition // for FMI 2.0
	twin       *fmu.Definition // for FMI 3.0, nil if there is none
	editions   []*edition
	program    *source
	zigHome    string // folder of the zig compiler, if that is in use
	zigVersion string
	guid       string
}

// build creates everything that goes into the zip file.
func (p *packing) build(ctx context.Context) (err error) {
	if p.program, err = p.inspect(ctx); err != nil {
		return err
	}
	if err = p.identify(ctx); err != nil {
		return err
	}
	if err := p.link(ctx); err != nil {
		return err
	}
	licences, err := p.licences()
	if err != nil {
		return err
	}
	icon, err := drawIcon()
	if err != nil {
		return err
	}
	for _, e := range p.editions {
		if err := p.fill(e, licences, icon); err != nil {
			return err
		}
	}
	return nil
}

// say reports progress.
func (p *packing) say(format string, a ...any) { show(p.Messages, format+"\n", a...) }

// show prints a line for the user. A failure to print cannot be reported anywhere.
func show(w io.Writer, format string, a ...any) { _, _ = fmt.Fprintf(w, format, a...) }

func (p *packing) path(parts ...string) string {
	return filepath.Join(append([]string{p.work}, parts...)...)
}

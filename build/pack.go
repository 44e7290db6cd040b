//go:build !fmucore

package build

import (
	"bytes"
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

	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/fault"
)

// Config describes what to pack.
type Config struct {
	Output string // path of the .fmu file; its folder is created if necessary
	// main package that registers the model: an import path, or the path of its folder
	Package string
	// folders in binaries/, see PlatformNames; none: this machine's, by its C compiler
	Platforms []string
	// path of the zig compiler that builds for Platforms; empty: the one in PATH
	Zig       string
	Resources []Resource // files to pack into resources/
	Bundled   []Bundled  // files that the model provides; those without Content are left out
	// start values that were changed, as name=value, for the core to repeat
	Start []string
	// path of the FMU's own licence; empty: the LICENSE of its module, if any
	License       string
	Documentation string // HTML sections for documentation/index.html
	// the model's own checks, before anything slow begins; nil: there are none
	Examine  Examiner
	Messages io.Writer // receives progress and warnings; nil drops them
	Verbose  bool      // show the commands that are run
	// end after the checks that need neither compiler nor network; nothing is built
	CheckOnly bool
}

// Pack builds the FMU of the model d, which the main package registers as its own, and writes it to
// c.Output. Start values in c.Start are already part of d. An [Error] says what is wrong and what
// to do.
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
	p := &packing{Config: c, work: work, definition: d}
	if err := p.gather(); err != nil || c.CheckOnly {
		return err
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	size, err := writeZip(ctx, c.Output, p.entries)
	if err == nil {
		p.say("%s: %.1f MB, guid %s, %.1f s", c.Output, float64(size)/1e6, p.guid,
			time.Since(began).Seconds())
	}
	return err
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
			return &Error{Place: fault.At("resources/" + b.Name), Kind: ErrInput, Cause: err}
		}
		p.Resources = append(p.Resources, Resource{Name: b.Name, Path: path})
	}
	if err := p.check(p.definition); err != nil {
		return err
	}
	if p.Examine == nil {
		return nil
	}
	return p.Examine(p.definition, p.Resources, func(text string) { p.say("warning: %s", text) })
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
func (c *Config) check(d *fmu.Definition) error {
	errs := []error{d.Check()}
	switch info, err := os.Stat(c.Output); {
	case !strings.HasSuffix(c.Output, ".fmu"):
		errs = append(errs, &Error{Place: fault.At("-o"), Kind: ErrUsage, Found: c.Output, Expected: "a name that ends in .fmu"})
	case err == nil && info.IsDir():
		errs = append(errs, &Error{Place: Place{File: c.Output}, Kind: ErrUsage,
			Found: "a folder of that name",
			Hint:  "remove it or choose another name"})
	}
	if c.Package == "" {
		errs = append(errs, &Error{Place: fault.At("-package"), Kind: ErrUsage,
			Found: "a program without the name of its main package",
			Hint:  "name the folder of its main package with -package, or start it with go run <folder>"})
	}
	for _, name := range c.Platforms {
		if !slices.Contains(PlatformNames(), name) {
			errs = append(errs, &Error{Place: fault.At("-platforms"), Kind: ErrUsage,
				Found:    "the platform " + name,
				Expected: "some of " + strings.Join(PlatformNames(), ", ")})
		}
	}
	seen := map[string]bool{}
	for _, r := range c.Resources {
		if seen[r.Name] {
			errs = append(errs, &Error{Place: fault.At("resource " + r.Name), Kind: ErrUsage,
				Found: "two files of that name",
				Hint:  "choose another name"})
		}
		seen[r.Name] = true
		errs = append(errs, r.check())
	}
	return errors.Join(errs...)
}

// check examines the name, which has to suit all systems on which the FMU may be unpacked, and the
// file.
func (r Resource) check() error {
	if !fs.ValidPath(r.Name) || r.Name == "." || strings.ContainsAny(r.Name, "\\:*?\"<>|\x00\r\n") {
		return &Error{Place: fault.At("resource " + r.Name), Kind: ErrUsage,
			Found:    "a name that no file in an FMU can have",
			Expected: "a relative path with forward slashes and without .. or any of \\ : * ? \" < > |"}
	}
	info, err := os.Stat(r.Path)
	switch {
	case err != nil:
		return &Error{Place: Place{File: r.Path}, Kind: ErrInput, Cause: err,
			Hint: "check the path; the file was to be packed as resources/" + r.Name}
	case !info.Mode().IsRegular():
		return &Error{Place: Place{File: r.Path}, Kind: ErrInput, Found: "something of type " +
			info.Mode().Type().String(),
			Expected: "a regular file"}
	case info.Size() == 0:
		return &Error{Place: Place{File: r.Path}, Kind: ErrInput, Found: "an empty file", Expected: "content"}
	}
	return nil
}

// packing is an FMU under construction.
type packing struct {
	Config
	work       string // temporary folder
	definition *fmu.Definition
	program    *source
	zigHome    string // folder of the zig compiler, if that is in use
	zigVersion string
	guid       string
	entries    []entry
}

// build makes everything that goes into the zip.
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
	xml, err := p.modelDescription(p.guid)
	if err != nil {
		return err
	}
	html, err := p.documentation(licences)
	if err != nil {
		return err
	}
	icon, err := drawIcon()
	if err != nil {
		return err
	}
	p.entries = append(p.libraries(), licences.entries()...)
	p.entries = append(p.entries,
		entry{name: "modelDescription.xml", data: xml}, entry{name: "model.png", data: icon},
		entry{name: "documentation/index.html", data: html})
	for _, r := range p.Resources {
		p.entries = append(p.entries, entry{name: "resources/" + r.Name, path: r.Path})
	}
	return nil
}

func (p *packing) modelDescription(guid string) ([]byte, error) {
	d := *p.definition
	d.GUID = guid
	var b bytes.Buffer
	err := modeldescription.Render(&b, &d)
	return b.Bytes(), err
}

// say reports progress.
func (p *packing) say(format string, a ...any) { show(p.Messages, format+"\n", a...) }

// show prints a line for the user. A failure to print cannot be reported anywhere.
func show(w io.Writer, format string, a ...any) { _, _ = fmt.Fprintf(w, format, a...) }

func (p *packing) path(parts ...string) string {
	return filepath.Join(append([]string{p.work}, parts...)...)
}

package experiment

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gosmp/experiment/scxml"
	"gosmp/internal/decimal"
	"gosmp/internal/entries"
	"gosmp/internal/fault"
	"gosmp/internal/regular"
)

// Error is an error that states its place.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrMissing reports files of an experiment that do not exist.
	ErrMissing = errors.New("files are missing")
	// ErrPackage reports an archive that cannot be unpacked.
	ErrPackage = errors.New("unusable package")
)

// Bounds on a package, which protect against small archives that unpack to huge files.
const (
	maxPacked = 4 << 30 // total bytes of all files
	maxFiles  = 10_000
	maxName   = 1024 // bytes
)

// Closure lists the files that belong to an experiment, sorted, as paths relative to its directory:
// the document itself and the files that it, its BIBI document and its charts name. The result
// missing lists the files that are named but cannot be used, with reasons.
func Closure(name string, d *Description, files fs.FS) (list []string, missing []string) {
	c := &closure{files: files, seen: map[string]bool{}}
	c.add(name)
	for _, n := range d.Named() {
		c.add(n.Src)
	}
	if src := d.Environment.Src; IsScenario(src) && c.has(src) {
		if doc, err := scenarioOf(files, src); err == nil {
			for _, name := range scenarioFiles(files, src, doc) {
				c.add(name)
			}
		}
	}
	if src := d.BIBI.Src; strings.EqualFold(path.Ext(src), ".ssd") && c.has(src) {
		c.structure(src)
	} else if !IsSystem(src) && c.has(src) {
		if document, err := ReadFile(files, src); err == nil {
			if b, _ := ReadBIBI(src, document, Options{}); b != nil {
				for _, n := range b.Named() {
					c.add(path.Join(path.Dir(src), n.Src))
				}
			}
		}
	}
	for _, machines := range [][]Machine{d.Control, d.Evaluation} {
		for _, m := range machines {
			switch {
			case m.Chart != nil:
				c.element(name, m.Chart)
				chart, _ := scxml.InspectElement(name, m.Chart, Config(files, ""))
				c.invoked(name, chart)
			case m.Kind == SCXML:
				c.chart(m.Src)
			}
		}
	}
	for name := range c.seen {
		list = append(list, name)
	}
	slices.Sort(list)
	return list, c.missing
}

// Sources returns the files that a system structure description (.ssd) names as the sources of its
// elements, as paths in files, sorted; those that do not exist are left out.
func Sources(files fs.FS, src string) (list []string) {
	c := &closure{files: files, seen: map[string]bool{}}
	c.structure(src)
	for name := range c.seen {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// StartTexts returns the start values of the FMUs of an experiment that are not numbers, and
// therefore may name files, without duplicates.
func StartTexts(d *Description, files fs.FS) (list []string) {
	src := d.BIBI.Src
	if src == "" || IsSystem(src) {
		return nil
	}
	document, err := ReadFile(files, src)
	if err != nil {
		return nil
	}
	b, _ := ReadBIBI(src, document, Options{})
	if b == nil {
		return nil
	}
	for _, p := range b.FMUs {
		for _, s := range p.Start {
			_, err := decimal.Float(s.Value, 64)
			if err != nil && s.Value != "" && !slices.Contains(list, s.Value) {
				list = append(list, s.Value)
			}
		}
	}
	return list
}

type closure struct {
	files   fs.FS
	seen    map[string]bool
	missing []string
}

func (c *closure) has(src string) bool {
	name, err := clean(src)
	return err == nil && c.seen[name]
}

// add adds a file and reports whether it is new and exists.
func (c *closure) add(src string) bool {
	name, err := clean(src)
	if err == nil && c.seen[name] {
		return false
	}
	if err = find(c.files, src); err != nil {
		if text := fmt.Sprintf("%s: %v", src, err); !slices.Contains(c.missing, text) {
			c.missing = append(c.missing, text)
		}
		return false
	}
	c.seen[name] = true
	return true
}

// structure adds the files that the elements of a system structure refer to, also in the structures
// that it names. Packages (.ssp) contain everything that belongs to them. A source inside a
// component, such as parameters in an FMU, is not a file of its own.
func (c *closure) structure(src string) {
	text, err := ReadFile(c.files, src)
	if err != nil {
		return
	}
	e, err := scxml.ParseXML(text)
	if err != nil {
		return
	}
	var visit func(*scxml.Element)
	visit = func(e *scxml.Element) {
		source, given := e.Attr("source")
		if base, _ := e.Attr("sourceBase"); given && source != "" && base != "component" {
			name := path.Join(path.Dir(strings.ReplaceAll(src, `\`, "/")), source)
			if c.add(name) && strings.EqualFold(path.Ext(name), ".ssd") {
				c.structure(name)
			}
		}
		for _, child := range e.Elements() {
			visit(child)
		}
	}
	visit(e)
}

// chart adds the files that a chart names; charts that invoke each other in a cycle are visited
// once.
func (c *closure) chart(src string) {
	name, err := clean(src)
	if err != nil || !c.seen[name] {
		return
	}
	text, err := ReadFile(c.files, name)
	if err != nil {
		return
	}
	if e, err := scxml.ParseXML(text); err == nil {
		c.element(name, e)
		chart, _ := scxml.Inspect(name, text, Config(c.files, name))
		c.invoked(name, chart)
	}
}

// invoked adds the charts that a chart invokes. If it computes a name while it runs, all charts
// below its directory may be meant.
func (c *closure) invoked(file string, chart *scxml.Chart) {
	if chart == nil {
		return
	}
	list, all := scxml.InvokedFiles(chart)
	for _, src := range list {
		if name := NextTo(file, src); c.add(name) {
			c.chart(name)
		}
	}
	if all {
		return
	}
	visited := 0
	_ = fs.WalkDir(c.files, path.Dir(file), func(name string, e fs.DirEntry, err error) error {
		if visited++; visited > maxFiles {
			return fs.SkipAll
		}
		if err != nil { // an unreadable directory has no usable charts
			return nil //nolint:nilerr // see above
		}
		if !e.IsDir() && strings.EqualFold(path.Ext(name), ".scxml") && c.add(name) {
			c.chart(name)
		}
		return nil
	})
}

func (c *closure) element(file string, e *scxml.Element) {
	if src, given := e.Attr("src"); given && slices.Contains([]string{"data", "script", "invoke"},
		e.Name) {
		name := path.Join(path.Dir(file), strings.TrimPrefix(src, "file:"))
		if c.add(name) && e.Name == "invoke" {
			c.chart(name)
		}
	}
	for _, child := range e.Elements() {
		c.element(file, child)
	}
}

// Pack writes a zip archive of an experiment with all files that belong to it. The same files yield
// the same bytes. Unless incomplete is set, it fails with an ErrMissing that names all unusable
// files, if there are any.
func Pack(w io.Writer, name string, d *Description, files fs.FS, incomplete bool) error {
	list, missing := Closure(name, d, files)
	if len(missing) > 0 && !incomplete {
		return fault.New(ErrMissing, fault.In(d.File), strings.Join(missing, "; "), "").
			WithHint("add them, or pack without them with --incomplete")
	}
	z := zip.NewWriter(w)
	for _, name := range list {
		if err := packFile(z, files, name); err != nil {
			return err
		}
	}
	return z.Close()
}

func packFile(z *zip.Writer, files fs.FS, name string) error {
	f, err := regular.OpenIn(files, name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0,
		0, time.UTC)}
	h.SetMode(0o644)
	to, err := z.CreateHeader(h)
	if err == nil {
		_, err = io.Copy(to, f)
	}
	return err
}

// Unpack writes the files of a package into a directory, which must be new or empty, and returns
// the names of the experiments in it.
func Unpack(archive, dir string) (experiments []string, err error) {
	info, err := os.Stat(archive)
	if err == nil {
		err = regular.Check(archive, info)
	}
	if err != nil {
		return nil, err
	}
	z, err := entries.Open(archive)
	if errors.Is(err, entries.ErrDirectory) {
		return nil, fault.Wrap(ErrPackage, fault.In(archive), err)
	}
	if err != nil {
		return nil, fault.New(ErrPackage, fault.In(archive), "",
			"a zip archive, as written by gosmp experiment pack").WithCause(err)
	}
	defer func() { _ = z.Close() }() // nothing was written
	if err := judgePackage(archive, info.Size(), z.File); err != nil {
		return nil, err
	}
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return nil, fault.New(ErrPackage, fault.In(dir), "a directory with files",
			"a new or empty one")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as other programs do
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // its files are closed
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if strings.EqualFold(path.Ext(f.Name), ".exc") {
			experiments = append(experiments, filepath.Join(dir, filepath.FromSlash(f.Name)))
		}
		if err := unpackFile(root, f); err != nil {
			return nil, damaged(archive, f, err)
		}
	}
	return experiments, nil
}

// judgePackage refuses names that point outside, and too many files, before anything is written.
func judgePackage(archive string, size int64, list []*zip.File) error {
	if len(list) > maxFiles {
		return fault.New(ErrPackage, fault.In(archive), fmt.Sprintf("%d files", len(list)),
			fmt.Sprintf("at most %d", maxFiles))
	}
	allowed := entries.Allowed(size, maxPacked)
	if sum := entries.Unpacked(list); sum > allowed {
		return fault.New(ErrPackage, fault.In(archive), fmt.Sprintf("%d bytes in its files", sum),
			fmt.Sprintf("at most %d in an archive of %d bytes", allowed, size))
	}
	if first, second := entries.Overlap(list); first != nil {
		return fault.New(ErrPackage, fault.Place{File: archive, Entry: second.Name},
			fmt.Sprintf("compressed bytes that %q has, too", first.Name), "bytes of its own")
	}
	if wrong, err := entries.Misstated(list, size); err != nil {
		return damaged(archive, wrong, err)
	}
	seen := map[string]bool{}
	for _, f := range list {
		name := strings.TrimSuffix(f.Name, "/")
		if !filepath.IsLocal(filepath.FromSlash(name)) || !fs.ValidPath(name) ||
			name == "." || strings.ContainsAny(name, "\x00\\") || len(name) > maxName ||
			f.Mode()&(fs.ModeType&^fs.ModeDir) != 0 || seen[strings.ToLower(name)] {
			return fault.New(ErrPackage, fault.Place{File: archive, Entry: f.Name},
				"a link, or a name that leads outside, occurs twice, or is too long",
				"files with names of their own inside the package")
		}
		seen[strings.ToLower(name)] = true
	}
	return nil
}

// damaged names the file in an archive that cannot be read. Errors about written files name those
// files.
func damaged(archive string, f *zip.File, err error) error {
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) && wrong.Path != archive {
		return err
	}
	return fault.Wrap(ErrPackage, fault.Place{File: archive, Entry: f.Name}, err)
}

func unpackFile(root *os.Root, f *zip.File) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // nothing was written
	name := filepath.FromSlash(f.Name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	to, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from) // fails if there are more bytes than the archive states
	return errors.Join(err, to.Close())
}

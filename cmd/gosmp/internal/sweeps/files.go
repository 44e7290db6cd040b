package sweeps

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gosmp/experiment"
	"gosmp/importer/system"
	"gosmp/internal/release"
	"gosmp/run"
	"gosmp/sweep"
)

// digests remembers the digest of each file until the file changes.
type digests struct {
	mu    sync.Mutex
	known map[string]digest
}

type digest struct {
	info fs.FileInfo
	sum  [sha256.Size]byte
}

// of returns the digest of the content of a file.
func (d *digests) of(name string) (sum [sha256.Size]byte, err error) {
	// Stat is called before reading the file, so that the next call notices a change in the
	// meantime.
	info, err := os.Stat(name)
	if err != nil {
		return sum, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if k, is := d.known[name]; is && os.SameFile(k.info, info) && k.info.Size() == info.Size() &&
		k.info.ModTime().Equal(info.ModTime()) {
		return k.sum, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer func() { _ = f.Close() }() // opened read-only
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	sum = [sha256.Size]byte(h.Sum(nil))
	if d.known == nil {
		d.known = map[string]digest{}
	}
	d.known[name] = digest{info, sum}
	return sum, nil
}

// verify returns an error unless the file that a setting names has the same content as for the
// sweep.
func (d *digests) verify(dir string, f sweep.File) error {
	switch sum, err := d.of(named(dir, f.Name)); {
	case err != nil:
		return fmt.Errorf(
			"a file in the settings of the run cannot be read here: %w; workers need the same "+
				"files under the same names as the sweep", err)
	case hex.EncodeToString(sum[:]) != f.Digest:
		return fmt.Errorf(
			"%s, in the settings of the run, is not the same file as for the sweep; workers need "+
				"the same files under the same names as the sweep", f.Name)
	}
	return nil
}

// named returns the file that a value names for a run. Runs work in the folder of the experiment.
func named(dir, value string) string {
	if filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	return filepath.Join(dir, value)
}

// inputs holds the files that determine the runs of a sweep.
type inputs struct {
	experiment string
	library    []string // folders with FMUs that are not at their paths
	models     []placed // that take part in a scenario, with the files that they need
	borrowed   []string // files of the library that packed systems lack
	digests
	checking sync.Mutex
	changed  error // once it is noticed
}

// placed is a file at the place where a description names it. The file itself may be in a library.
type placed struct{ place, file string }

// atPlace returns a file that is where a description names it.
func atPlace(file string) placed { return placed{file, file} }

func newInputs(experiment string, library []string) *inputs {
	return &inputs{experiment: experiment, library: library}
}

// identify computes the digest of everything that all runs of the experiment share. An FMU, a
// system and a scenario have no description.
func (w *inputs) identify() (base string, d *experiment.Description, err error) {
	dir, name := filepath.Split(w.experiment)
	h := sha256.New()
	if run.IsPlain(w.experiment) {
		sum, err := w.of(w.experiment)
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintf(h, "gosmp %s\nrun %s %x\n", release.Version, name, sum)
		if err := w.identifyBorrowed(h, w.experiment); err != nil {
			return "", nil, err
		}
		return hex.EncodeToString(h.Sum(nil)), nil, nil
	}
	if run.IsScenario(w.experiment) {
		base, err = w.identifyScenario(h)
		return base, nil, err
	}
	text, err := os.ReadFile(w.experiment)
	if err != nil {
		return "", nil, err
	}
	files := run.FilesOf(filepath.Clean(dir), w.library)
	d, findings := experiment.Read(name, text, experiment.Options{})
	for _, f := range findings {
		if f.Severity.String() == "error" {
			return "", nil, fmt.Errorf("%s: %s [%s]; run gosmp check", w.experiment, f.Message,
				f.ID)
		}
	}
	needed := *d
	// these are only shown and have no effect on runs
	needed.Thumbnail, needed.Visual, needed.Skin = "", nil, nil
	list, missing := experiment.Closure(name, &needed, files)
	// a run itself reports missing files that it needs
	fmt.Fprintf(h, "gosmp %s\nmissing %q\n", release.Version, missing)
	for _, file := range list {
		found := run.Located(filepath.Clean(dir), file, w.library)
		sum, err := w.of(found)
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintf(h, "%s %x\n", file, sum)
		if err := w.identifyBorrowed(h, found); err != nil {
			return "", nil, err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), d, nil
}

// identifyBorrowed adds the files that a packed system takes from the library to the identity.
func (w *inputs) identifyBorrowed(h hash.Hash, file string) error {
	if !strings.EqualFold(filepath.Ext(file), ".ssp") {
		return nil
	}
	files, err := run.Borrowed(file, w.library)
	if err != nil {
		return nil //nolint:nilerr // the run reports unreadable packages
	}
	for _, name := range files {
		sum, err := w.of(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "borrowed %s %x\n", filepath.Base(name), sum)
	}
	w.borrowed = append(w.borrowed, files...)
	return nil
}

// attach adds the files named by the settings of cases, because their content affects the runs,
// too.
func (w *inputs) attach(cases []sweep.Case) error {
	dir := filepath.Dir(w.experiment)
	for k := range cases {
		for _, x := range cases[k].Set {
			if _, err := strconv.ParseFloat(x.Value, 64); err == nil || x.Value == "" {
				continue
			}
			for _, p := range w.named(dir, x) {
				if info, err := os.Stat(p.file); err != nil || !info.Mode().IsRegular() {
					continue // not a file, or an error that the run itself reports
				}
				sum, err := w.of(p.file)
				if err != nil {
					return err
				}
				cases[k].Files = append(cases[k].Files, sweep.File{Name: p.place,
					Digest: hex.EncodeToString(sum[:])})
			}
		}
	}
	return nil
}

// named returns the files that a setting names, at their places for a run in dir. For a model of a
// scenario, it also returns the files that the model needs.
func (w *inputs) named(dir string, x sweep.Setting) []placed {
	if !slices.Contains(modelRoles, x.Name) {
		return []placed{{x.Value, named(dir, x.Value)}}
	}
	at := run.Placed(x.Value)
	if run.IsProgram(at.Value) {
		return nil
	}
	_, name := system.Named(at.Value)
	list := []placed{{name, named(dir, name)}}
	for _, p := range sources(list[0].file, w.library) {
		if relative, err := filepath.Rel(dir, p.place); err == nil {
			p.place = filepath.ToSlash(relative)
		}
		list = append(list, p)
	}
	return list
}

// errChanged is the error for a file that changes while a sweep runs.
var errChanged = errors.New("the file has changed since the sweep began")

// checkUnchanged returns an error if the content of a file no longer matches the identities of the
// runs. A file that was rewritten with the same content has not changed.
func (w *inputs) checkUnchanged() error {
	w.checking.Lock()
	defer w.checking.Unlock()
	for name, before := range w.known {
		if w.changed != nil {
			break
		}
		if sum, err := w.of(name); err != nil {
			w.changed = fmt.Errorf("%w: %w", errChanged, err)
		} else if sum != before.sum {
			w.changed = fmt.Errorf(
				"%s: %w, so further runs would belong to a different "+
					"experiment; start the sweep again", name, errChanged)
		}
	}
	return w.changed
}

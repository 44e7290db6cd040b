// Package inputs determines the files on which the runs of a sweep depend: the experiment, system,
// FMU or scenario with everything that it names, the models of a scenario, and the files that the
// settings of a case name.
//
// A run is identified by the content of these files together with its settings, so that its row is
// reused only for the same experiment ([Files.Identify], [Files.Attach]). A file that changes while
// the runs are computed is an error ([Files.CheckUnchanged]). Workers on other machines obtain a
// package of the files ([Files.Package], [Unpacked]), and find out whether the files that settings
// name are the same there ([Digests.Verify]).
package inputs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gosmp/experiment"
	"gosmp/importer/system"
	"gosmp/internal/regular"
	"gosmp/internal/release"
	"gosmp/run"
	"gosmp/sweep"
)

// Files holds the files that determine the runs of a sweep.
type Files struct {
	experiment string
	library    []string            // folders with FMUs that are not at their paths
	models     []Placed            // that take part in a scenario, with the files that they need
	borrowed   []string            // files of the library that packed systems lack
	shared     []Placed            // files that all runs read in addition to the package
	needed     map[Placed][]Placed // files that a model needs; its place is the variant
	// files to which the settings of a case lead; nil for none
	varied func(set []sweep.Setting) []string
	Digests
	checking sync.Mutex
	changed  error // once it is noticed
}

// Placed is a file at the place where a description names it. The file itself may be in a library.
type Placed struct{ Place, File string }

// At returns a file that is where a description names it.
func At(file string) Placed { return Placed{file, file} }

// New returns the files of the runs of an experiment, an FMU, a system or a scenario. FMUs that are
// not at their paths are looked up in the folders of the library. The models are those that take
// part in a scenario; see [Models].
func New(experiment string, library []string, models ...Placed) *Files {
	return &Files{experiment: experiment, library: library, models: models}
}

// Borrowed returns the files that packed systems lack and that come from the library. Identify
// finds them.
func (w *Files) Borrowed() []string { return w.borrowed }

// Identify computes the digest of everything that all runs of the experiment share. An FMU, a
// system and a scenario have no description.
func (w *Files) Identify() (base string, d *experiment.Description, err error) {
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
		w.share(w.needs(w.experiment, "")...)
		return hex.EncodeToString(h.Sum(nil)), nil, nil
	}
	if run.IsScenario(w.experiment) {
		base, err = w.identifyScenario(h)
		return base, nil, err
	}
	text, err := regular.ReadFile(w.experiment)
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
	w.shareOf(&needed, files, list)
	return hex.EncodeToString(h.Sum(nil)), d, nil
}

// shareOf shares the files that an experiment needs in addition to those in the list.
func (w *Files) shareOf(d *experiment.Description, files fs.FS, list []string) {
	dir := filepath.Dir(w.experiment)
	for _, text := range experiment.StartTexts(d, files) {
		w.share(w.start(text)...)
	}
	for _, file := range list {
		w.share(w.needs(run.Located(dir, file, w.library), "")...)
	}
	w.share(w.program(d.Environment.Simulator)...)
	if src := d.Environment.Src; experiment.IsScenario(src) {
		w.varied = run.VariedFiles(run.Located(dir, src, w.library))
	}
	w.shared = slices.DeleteFunc(w.shared, func(p Placed) bool {
		return slices.Contains(list, p.Place)
	})
}

// identifyBorrowed adds the files that a packed system takes from the library to the identity.
func (w *Files) identifyBorrowed(h hash.Hash, file string) error {
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

// Attach adds the files that affect the runs of cases but that do not belong to a package of the
// experiment: those that settings name, and those that all runs read. Identify finds the latter.
func (w *Files) Attach(cases []sweep.Case) error {
	for k := range cases {
		for _, x := range cases[k].Set {
			for _, p := range w.named(x) {
				if err := w.attach(&cases[k], p); err != nil {
					return err
				}
			}
		}
		if err := w.attachVaried(&cases[k]); err != nil {
			return err
		}
		if err := w.attachShared(&cases[k]); err != nil {
			return err
		}
	}
	return nil
}

// named returns the files that a setting names, at their places for a run in the folder of the
// experiment. For a model of a scenario, it also returns the files that the model needs.
func (w *Files) named(x sweep.Setting) []Placed {
	switch {
	case x.Name == "--simulator":
		return w.program(x.Value)
	case x.Name == "--variant":
		return w.ofVariant(x.Value)
	case x.Name == "--start-value": // of a model of a scenario
		return w.start(x.Value[strings.IndexByte(x.Value, '=')+1:])
	case !slices.Contains(ModelOptions, x.Name):
		return w.start(x.Value)
	}
	at := run.Placed(x.Value)
	if run.IsProgram(at.Value) {
		return w.program(at.Value)
	}
	dir := filepath.Dir(w.experiment)
	_, name := system.Named(at.Value)
	list := []Placed{{name, Named(dir, name)}}
	for _, p := range sources(list[0].File, w.library) {
		if relative, err := filepath.Rel(dir, p.Place); err == nil {
			p.Place = filepath.ToSlash(relative)
		}
		list = append(list, p)
	}
	for _, p := range w.needs(list[0].File, "") {
		if !slices.ContainsFunc(list, func(known Placed) bool {
			return sameFile(known.File, p.File)
		}) {
			list = append(list, p)
		}
	}
	return list
}

// ofVariant returns what a description other than the first one of a packed system needs.
func (w *Files) ofVariant(name string) (list []Placed) {
	for _, p := range append(slices.Clone(w.models), At(w.experiment)) {
		if strings.EqualFold(filepath.Ext(p.File), ".ssp") {
			list = append(list, w.needs(p.File, name)...)
		}
	}
	return list
}

// ErrChanged is the error for a file that changes while a sweep runs.
var ErrChanged = errors.New("the file has changed since the sweep began")

// CheckUnchanged returns an error if the content of a file no longer matches the identities of the
// runs. A file that was rewritten with the same content has not changed.
func (w *Files) CheckUnchanged() error {
	w.checking.Lock()
	defer w.checking.Unlock()
	for name, before := range w.known {
		if w.changed != nil {
			break
		}
		if sum, err := w.of(name); err != nil {
			w.changed = fmt.Errorf("%w: %w", ErrChanged, err)
		} else if sum != before.sum {
			w.changed = fmt.Errorf(
				"%s: %w, so further runs would belong to a different "+
					"experiment; start the sweep again", name, ErrChanged)
		}
	}
	return w.changed
}

package inputs

import (
	"archive/zip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gosmp/experiment"
	"gosmp/internal/regular"
	"gosmp/run"
)

// scenarioFiles returns all files that runs of a scenario use: the scenario, its catalogs, its map
// and the models.
func (w *Files) scenarioFiles() ([]Placed, error) {
	files, err := run.ScenarioFiles(w.experiment)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(w.models)
	for _, file := range files {
		list = append(list, At(file))
	}
	var all []Placed
	for _, p := range list {
		whole, err := filepath.Abs(p.Place)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(p.File); err == nil { // the run reports missing files
			all = append(all, Placed{whole, p.File})
		}
	}
	slices.SortFunc(all, func(a, b Placed) int { return strings.Compare(a.Place, b.Place) })
	return slices.CompactFunc(all, func(a, b Placed) bool { return a.Place == b.Place }), nil
}

// commonFolder returns the innermost folder that contains the places of all files.
func commonFolder(files []Placed) string {
	folder := filepath.Dir(files[0].Place)
	for _, file := range files {
		for {
			relative, err := filepath.Rel(folder, file.Place)
			if err == nil && filepath.IsLocal(relative) || folder == filepath.Dir(folder) {
				break
			}
			folder = filepath.Dir(folder)
		}
	}
	return folder
}

// Package returns the name of the experiment in a package of the files, and a function that writes
// the package. The description is the one that [Files.Identify] returned. Writing fails if a file
// has changed, so that the content of the package matches its identity.
func (w *Files) Package(d *experiment.Description) (name string, pack func(io.Writer) error,
	err error) {
	dir, name := filepath.Split(w.experiment)
	write := func(to io.Writer) error {
		return experiment.Pack(to, name, d, run.FilesOf(filepath.Clean(dir), w.library), true)
	}
	switch {
	case run.IsScenario(w.experiment):
		if name, write, err = w.scenarioPackage(); err != nil {
			return "", nil, err
		}
	case d == nil:
		write = func(to io.Writer) error {
			z := zip.NewWriter(to)
			if err := add(z, filepath.Base(w.experiment), w.experiment, zip.Store); err != nil {
				return err
			}
			return z.Close()
		}
	}
	return name, func(to io.Writer) error {
		if err := write(to); err != nil {
			return err
		}
		return w.CheckUnchanged()
	}, nil
}

// scenarioPackage is like Package, for a scenario. Files have the same relative paths in the
// package as below their common folder.
func (w *Files) scenarioPackage() (name string, pack func(io.Writer) error, err error) {
	files, err := w.scenarioFiles()
	if err != nil {
		return "", nil, err
	}
	root := commonFolder(files)
	whole, err := filepath.Abs(w.experiment)
	if err != nil {
		return "", nil, err
	}
	if name, err = filepath.Rel(root, whole); err != nil {
		return "", nil, err
	}
	return filepath.ToSlash(name), func(to io.Writer) error {
		z := zip.NewWriter(to)
		for _, file := range files {
			entry, err := filepath.Rel(root, file.Place)
			if err != nil {
				return err
			}
			if err := add(z, filepath.ToSlash(entry), file.File, zip.Deflate); err != nil {
				return err
			}
		}
		return z.Close()
	}, nil
}

// add adds a file to a package. The time of the entry is fixed, so that the same files make the
// same package.
func add(z *zip.Writer, entry, file string, method uint16) error {
	f, err := regular.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened read-only
	to, err := z.CreateHeader(&zip.FileHeader{Name: entry, Method: method,
		Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err == nil {
		_, err = io.Copy(to, f)
	}
	return err
}

// Unpacked returns the files of an experiment with that name in an unpacked package.
func Unpacked(dir, name string) (*Files, error) {
	w := New(filepath.Join(dir, filepath.FromSlash(name)), nil)
	if !run.IsScenario(name) {
		return w, nil
	}
	var err error
	w.models, err = modelsIn(dir, w.experiment)
	return w, err
}

// modelsIn returns the models in an unpacked package: all files that are not part of the scenario.
func modelsIn(dir, scenario string) (models []Placed, err error) {
	files, err := run.ScenarioFiles(scenario)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !slices.Contains(files, name) &&
			!strings.HasPrefix(e.Name(), ".") {
			models = append(models, At(name)) // sorted by name
		}
		return err
	})
	slices.SortFunc(models, func(a, b Placed) int { return strings.Compare(a.Place, b.Place) })
	return models, err
}

package sweeps

import (
	"archive/zip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gosmp/run"
)

// scenarioFiles returns all files that runs of a scenario use: the scenario, its catalogs, its map
// and the models.
func (w *inputs) scenarioFiles() ([]placed, error) {
	files, err := run.ScenarioFiles(w.experiment)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(w.models)
	for _, file := range files {
		list = append(list, atPlace(file))
	}
	var all []placed
	for _, p := range list {
		whole, err := filepath.Abs(p.place)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(p.file); err == nil { // the run reports missing files
			all = append(all, placed{whole, p.file})
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return strings.Compare(a.place, b.place) })
	return slices.CompactFunc(all, func(a, b placed) bool { return a.place == b.place }), nil
}

// commonFolder returns the innermost folder that contains the places of all files.
func commonFolder(files []placed) string {
	folder := filepath.Dir(files[0].place)
	for _, file := range files {
		for {
			relative, err := filepath.Rel(folder, file.place)
			if err == nil && filepath.IsLocal(relative) || folder == filepath.Dir(folder) {
				break
			}
			folder = filepath.Dir(folder)
		}
	}
	return folder
}

// scenarioPackage returns the name of the scenario in its package, and a function that writes the
// package. Files have the same relative paths in it as below their common folder.
func (w *inputs) scenarioPackage() (name string, pack func(io.Writer) error, err error) {
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
			if err := packBelow(z, root, file); err != nil {
				return err
			}
		}
		return z.Close()
	}, nil
}

func packBelow(z *zip.Writer, root string, p placed) error {
	name, err := filepath.Rel(root, p.place)
	if err != nil {
		return err
	}
	f, err := os.Open(p.file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened read-only
	to, err := z.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate,
		Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err == nil {
		_, err = io.Copy(to, f)
	}
	return err
}

// modelsIn returns the models in an unpacked package: all files that are not part of the scenario.
func modelsIn(dir, scenario string) (models []placed, err error) {
	files, err := run.ScenarioFiles(scenario)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !slices.Contains(files, name) &&
			!strings.HasPrefix(e.Name(), ".") {
			models = append(models, atPlace(name)) // sorted by name
		}
		return err
	})
	slices.SortFunc(models, func(a, b placed) int { return strings.Compare(a.place, b.place) })
	return models, err
}

package inputs

import (
	"encoding/hex"
	"fmt"
	"hash"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/experiment"
	"gosmp/importer/system"
	"gosmp/internal/release"
	"gosmp/run"
)

// identifyScenario is like Identify, for a scenario, whose files determine the runs.
func (w *Files) identifyScenario(h hash.Hash) (base string, err error) {
	files, err := run.ScenarioFiles(w.experiment)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "gosmp %s\nscenario\n", release.Version)
	for _, file := range files {
		sum, err := w.of(file)
		if err != nil {
			continue // for instance the map; the run reports missing files
		}
		relative, err := filepath.Rel(filepath.Dir(w.experiment), file)
		if err != nil {
			relative = file
		}
		fmt.Fprintf(h, "%s %x\n", filepath.ToSlash(relative), sum)
	}
	var lines []string
	for _, m := range w.models {
		sum, err := w.of(m.File)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("model %s %x\n", Beside(w.experiment, m.Place),
			sum))
	}
	slices.Sort(lines) // workers of a queue find the files in a different order
	fmt.Fprint(h, strings.Join(lines, ""))
	for _, m := range w.models {
		if err := w.identifyBorrowed(h, m.File); err != nil {
			return "", err
		}
		w.share(w.needs(m.File, "")...)
	}
	w.shared = slices.DeleteFunc(w.shared, func(p Placed) bool {
		return slices.ContainsFunc(w.models, func(m Placed) bool {
			return sameFile(m.File, p.File)
		})
	})
	w.varied = run.VariedFiles(w.experiment)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ModelOptions lists the options that give a scenario models.
var ModelOptions = []string{"--sut", "--on", "--drive"}

// Models returns the files of models that take part in a scenario, without duplicates. The texts
// are values of [ModelOptions]; programs have no files here.
func Models(texts, library []string) (files []Placed) {
	for _, text := range texts {
		at := run.Placed(text)
		if run.IsProgram(at.Value) {
			continue
		}
		_, file := system.Named(at.Value)
		files = append(files, At(filepath.Clean(file)))
		files = append(files, sources(file, library)...)
	}
	slices.SortFunc(files, func(a, b Placed) int { return strings.Compare(a.Place, b.Place) })
	return slices.CompactFunc(files, func(a, b Placed) bool { return a.Place == b.Place })
}

// sources returns the files that a system description (.ssd) names; missing ones come from a
// library.
func sources(file string, library []string) (list []Placed) {
	if !strings.EqualFold(filepath.Ext(file), ".ssd") {
		return nil
	}
	dir, name := filepath.Split(file)
	dir = filepath.Clean(dir)
	for _, source := range experiment.Sources(run.FilesOf(dir, library), name) {
		list = append(list, Placed{filepath.Join(dir, filepath.FromSlash(source)),
			run.Located(dir, source, library)})
	}
	return list
}

// Beside returns the path of a file, with slashes, relative to the folder of a scenario,
// which is the working directory of its runs. The path is the same on all machines that have the
// files in the same places.
func Beside(scenario, file string) string {
	home, err := filepath.Abs(filepath.Dir(scenario))
	if err != nil {
		return file
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	if relative, err := filepath.Rel(home, whole); err == nil {
		return filepath.ToSlash(relative)
	}
	return whole
}

package inputfile

import (
	"path/filepath"
	"slices"

	"gosmp/experiment"
	"gosmp/importer/ssp"
	"gosmp/internal/finding"
	"gosmp/run"
)

// Experiment reads the description of an experiment and checks it together with the files that it
// names, which are also looked for in the folders of a library. The description is nil if the
// document is not an experiment.
func (in *File) Experiment(o experiment.CheckOptions, library []string) (
	*experiment.Description, finding.List, error) {
	document, err := in.Text()
	if err != nil {
		return nil, nil, err
	}
	dir := "."
	if !in.Piped {
		dir = filepath.Dir(in.Name)
	}
	d, list := experiment.Check(in.Name, document, run.FilesOf(dir, library), o)
	for i, f := range list { // in the files that the experiment names
		if f.Place.File != in.Name {
			list[i].Place.File = filepath.Join(dir, filepath.FromSlash(f.Place.File))
		}
	}
	if d != nil && experiment.IsSystem(d.BIBI.Src) {
		wiring := filepath.Join(dir, filepath.FromSlash(d.BIBI.Src))
		list = append(list, checkWiring(d, wiring, library)...)
	}
	return d, list, nil
}

// checkWiring checks the system structure of an experiment. Its components without a source are
// vehicles, and the experiment says when it ends.
func checkWiring(d *experiment.Description, file string, library []string) finding.List {
	list, err := ssp.Check(file, ssp.Options{Library: library})
	if err != nil {
		return nil // the check of the description reports that the file is missing
	}
	return slices.DeleteFunc(list, func(f finding.Finding) bool {
		vehicle := slices.ContainsFunc(d.Environment.Poses,
			func(p experiment.RobotPose) bool { return f.Place.Object == "component "+p.Robot })
		return f.ID == "SSP-E1" || f.ID == "SSP-S3" && vehicle
	})
}

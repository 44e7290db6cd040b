package content

import (
	"path/filepath"
	"slices"

	"gosmp/experiment"
	"gosmp/importer/ssp"
	"gosmp/internal/finding"
	"gosmp/run"
	"gosmp/scenario"
	scenariocheck "gosmp/scenario/check"
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
	if d != nil && experiment.IsScenario(d.Environment.Src) {
		list = append(list, checkScene(list, run.Located(dir, d.Environment.Src, library))...)
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

// checkScene checks the scenario of an experiment with the files that it names. It leaves out what
// is already in the list.
func checkScene(known finding.List, file string) finding.List {
	d, err := scenario.Open(file)
	if err != nil {
		return nil // the check of the description reports this
	}
	return slices.DeleteFunc(scenariocheck.Document(d), func(f finding.Finding) bool {
		return f.Severity < finding.Warning || slices.ContainsFunc(known,
			func(k finding.Finding) bool {
				return k.ID == f.ID && k.Place.Line == f.Place.Line && k.Message == f.Message
			})
	})
}

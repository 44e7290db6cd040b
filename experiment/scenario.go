package experiment

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gosmp/internal/finding"
	"gosmp/scenario"
)

// IsScenario reports whether src is the name of an OpenSCENARIO scenario, which may be the
// environment of an experiment: its entities are the vehicles.
func IsScenario(src string) bool { return strings.EqualFold(path.Ext(src), ".xosc") }

// scenarioOf parses the scenario of an experiment.
func scenarioOf(files fs.FS, src string) (*scenario.Document, error) {
	text, err := ReadFile(files, src)
	if err != nil {
		return nil, err
	}
	return scenario.Parse(src, text)
}

// entityNames returns the names of the entities of a scenario.
func entityNames(d *scenario.Document) (names []string) {
	for _, e := range d.Root.Child("Entities").All("ScenarioObject") {
		names = append(names, e.Value("name"))
	}
	return names
}

// scenarioFiles returns the catalogs and the map of a scenario, as paths relative to the
// experiment.
func scenarioFiles(files fs.FS, src string, d *scenario.Document) (list []string) {
	beside := func(name string) string {
		return path.Join(path.Dir(strings.ReplaceAll(src, `\`, "/")),
			strings.ReplaceAll(name, `\`, "/"))
	}
	resolved, _ := d.ResolveAll(nil) // its faults are reported when the scenario runs
	if resolved == nil {
		return nil
	}
	if l := resolved.Root.Child("CatalogLocations"); l != nil {
		for _, location := range l.Children {
			folder := beside(location.Child("Directory").Value("path"))
			if IsScenario(folder) { // a catalog is named instead of its folder
				if find(files, folder) == nil {
					list = append(list, folder)
				}
				continue
			}
			entries, _ := fs.ReadDir(files, folder) // the check of the scenario reports this
			for _, e := range entries {
				if !e.IsDir() && IsScenario(e.Name()) {
					list = append(list, path.Join(folder, e.Name()))
				}
			}
		}
	}
	for _, e := range []string{"LogicFile", "SceneGraphFile"} {
		if name := resolved.Root.Path("RoadNetwork", e).Value("filepath"); name != "" &&
			(e == "LogicFile" || find(files, beside(name)) == nil) { // the scene graph is optional
			list = append(list, beside(name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// cast checks the scenario used as the environment, and records its entities.
func (c *checker) cast() {
	env := &c.d.Environment
	if !IsScenario(env.Src) || find(c.files, env.Src) != nil {
		return
	}
	d, err := scenarioOf(c.files, env.Src)
	if err != nil {
		c.broken("EX08", env.Position, fmt.Sprintf("%s is not a scenario: %v", env.Src, err),
			"run gosmp check on it")
		return
	}
	for _, f := range d.Understood() {
		if f.Severity == finding.Error {
			c.list = append(c.list, f)
		}
	}
	if c.entities = entityNames(d); c.entities == nil {
		c.broken("EX08", env.Position, env.Src+" has no entities, so that nothing can move",
			"name a scenario, and not a catalog or a distribution")
	}
	for _, p := range env.Poses {
		if slices.Contains(c.entities, p.Robot) {
			c.add("EX08", finding.Warning, p.Position, fmt.Sprintf(
				"the pose of %q has no effect: %s says where it starts", p.Robot, env.Src),
				"remove it")
		} else {
			c.broken("EX08", p.Position, fmt.Sprintf("%s has no entity %q", env.Src, p.Robot),
				"expected one of "+strings.Join(c.entities, ", "))
		}
	}
}

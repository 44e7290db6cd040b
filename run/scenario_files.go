package run

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/regular"
	"gosmp/scenario"
	"gosmp/sweep"
)

// ScenarioFiles returns the files that determine the runs of a scenario: the scenario itself, the
// catalogs in its folders, and its map, as paths relative to the working directory. Parameters in
// the paths have the values that the scenario declares.
func ScenarioFiles(name string) ([]string, error) {
	d, err := scenario.Open(name)
	if err != nil {
		return nil, err
	}
	return (&Scene{Document: d}).files(name), nil
}

// files returns the files that determine the runs of a scene, which is in a file; see
// [ScenarioFiles].
func (s *Scene) files(name string) []string {
	files := append(pathsOf(s.Document, s.Values), name)
	slices.Sort(files)
	return slices.Compact(files)
}

// VariedFiles returns a function that returns the catalogs and the map of a scenario for the
// settings of a case, or nil if no setting can change them. The settings are parameters and, as
// --map, the map; others are ignored.
func VariedFiles(name string) func(set []sweep.Setting) []string {
	whole, err := documentOf(name)
	if err != nil {
		return nil // a run reports this
	}
	document := locating(whole)
	known, varied := globalParameters(whole), variesPaths(document.Root)
	return func(set []sweep.Setting) []string {
		d, needed := *document, varied
		values := scenario.Values{}
		for _, x := range set {
			switch {
			case x.Name == "--map":
				d.Map, needed = filepath.FromSlash(x.Value), true
				if !filepath.IsAbs(d.Map) {
					d.Map = filepath.Join(filepath.Dir(name), d.Map)
				}
			case slices.Contains(known, x.Name):
				values[x.Name] = x.Value
			}
		}
		if !needed {
			return nil
		}
		return pathsOf(&d, values)
	}
}

// locating returns the part of a document that locates its files, which takes far less time to
// resolve than the whole.
func locating(d *scenario.Document) *scenario.Document {
	part, root := *d, *d.Root
	root.Children = nil
	for _, e := range d.Root.Children {
		if slices.Contains([]string{"FileHeader", "ParameterDeclarations", "CatalogLocations",
			"RoadNetwork"}, e.Name) {
			root.Children = append(root.Children, e)
		}
	}
	part.Root = &root
	return &part
}

// variesPaths reports whether paths contain parameters.
func variesPaths(root *scenario.Element) bool {
	paths := []string{root.Path("RoadNetwork", "LogicFile").Value("filepath")}
	if locations := root.Child("CatalogLocations"); locations != nil {
		for _, l := range locations.Children {
			paths = append(paths, l.Child("Directory").Value("path"))
		}
	}
	return slices.ContainsFunc(paths, func(p string) bool { return strings.Contains(p, "$") })
}

// pathsOf returns the catalogs and the map of a document with these values of its parameters,
// sorted.
func pathsOf(d *scenario.Document, values scenario.Values) (files []string) {
	s, _ := d.ResolveAll(values) // a run reports the failures
	if s.Root == nil {
		return nil
	}
	if locations := s.Root.Child("CatalogLocations"); locations != nil {
		for _, l := range locations.Children {
			catalogs, _ := scenario.CatalogFiles(d.Beside(l.Child("Directory").Value("path")))
			files = append(files, catalogs...) // a run reports a folder that cannot be read
		}
	}
	if name := s.MapFile(); name != "" {
		files = append(files, name)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// hashOf returns the SHA-256 of a file, or "" if there is no file.
func hashOf(name string) string {
	content, err := regular.ReadFile(name)
	if name == "" || err != nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

package check

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"gosmp/internal/finding"
	"gosmp/scenario"
)

// sceneGraph checks the file with the scene graph. A run does not need it.
func (c *checker) sceneGraph() {
	e := c.resolved.Root.Path("RoadNetwork", "SceneGraphFile")
	name := e.Value("filepath")
	if name == "" {
		return
	}
	c.backslash(e, "filepath")
	path := c.document.Beside(name)
	switch err := readable(path); {
	case errors.Is(err, fs.ErrNotExist):
		c.add(idScene, e.PlaceOf("filepath"), "found no file "+path+
			", expected the scene graph", "")
	case err != nil:
		c.add(idScene, e.PlaceOf("filepath"), "found a scene graph that cannot be read: "+
			err.Error(), "")
	}
}

// readable returns the reason why a file cannot be read, or nil. Opening special files such as
// pipes could wait forever, so it only requires that they exist.
func readable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New(path + " is a folder")
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// ofFiles lists the rules about files.
var ofFiles = []string{idFile, idScene, idReference, scenario.RuleFolder}

// unusable returns the findings about a scenario at a point of a distribution that concern other
// files, and all errors.
func unusable(d *scenario.Document, values scenario.Values) (list finding.List) {
	for _, f := range document(d, values) {
		if f.Severity == finding.Error || slices.Contains(ofFiles, f.ID) {
			list = append(list, f)
		}
	}
	return list
}

// LacksMap reports whether one of the findings is about a map or scenario that cannot be read.
func LacksMap(list finding.List) bool {
	return slices.ContainsFunc(list, func(f finding.Finding) bool { return f.ID == idFile })
}

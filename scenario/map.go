package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"gosmp/internal/fault"
)

// ErrMap reports that the map of a scenario does not exist.
var ErrMap = errors.New("map not found")

// extension is the extension of OpenDRIVE files.
const extension = ".xodr"

// MapFile returns the path of the map, relative to the working folder. The path is empty if the
// scenario has no map and takes place on a plane. A name without an extension, such as Town01,
// means the file with .xodr appended, unless a file with the bare name exists. If [Scenario.Map] is
// a file, it is used instead; if it is a folder, it is searched for the name in the document.
func (s *Scenario) MapFile() string {
	path := s.Root.Path("RoadNetwork", "LogicFile").Value("filepath")
	switch {
	case path == "" && !isFolder(s.Map):
		return s.Map
	case path == "":
		return ""
	case s.Map == "":
		return completed(besides(s.File, path))
	case isFolder(s.Map):
		return completed(filepath.Join(s.Map, filepath.Base(besides("", path))))
	}
	return s.Map
}

// HasMap returns an [ErrMap] if the map does not exist.
func (s *Scenario) HasMap() error {
	name := s.MapFile()
	if name == "" {
		return nil
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) && !isFolder(name) {
		return nil
	}
	place := fault.Place{File: s.File, Object: "RoadNetwork"}
	if logic := s.Root.Path("RoadNetwork", "LogicFile"); logic != nil {
		place = logic.PlaceOf("filepath")
	}
	return fault.New(ErrMap, place, "no file "+name, "the map (OpenDRIVE)").
		WithHint("--map names another file, or the folder in which the map is")
}

// completed returns a path. It appends the extension of maps if only the file with the extension
// exists.
func completed(path string) string {
	if _, err := os.Stat(path); err == nil && !isFolder(path) ||
		strings.EqualFold(filepath.Ext(path), extension) {
		return path
	}
	if _, err := os.Stat(path + extension); err == nil {
		return path + extension
	}
	return path
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}

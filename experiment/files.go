package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/regular"
)

// maxText bounds the documents of an experiment.
const maxText = 16 << 20

// Named is a file that an experiment names.
type Named struct {
	What     string // "thumbnail", "configuration", …
	Src      string // slashes, relative to the experiment
	Rule     string // rule of the finding if the file does not exist
	Needed   bool   // the experiment cannot run without it
	Position Position
}

// Named lists the files that the description names, in the order of the schema.
func (d *Description) Named() (list []Named) {
	add := func(what, src, rule string, needed bool, at Position) {
		if src != "" {
			list = append(list, Named{what, src, rule, needed, at})
		}
	}
	add("thumbnail", d.Thumbnail, "EX22", false, d.ThumbnailAt)
	for _, c := range d.Configurations {
		add("configuration", c.Src, "EX06", false, c.Position)
	}
	add("environmentModel", d.Environment.Src, "EX22",
		IsMap(d.Environment.Src) || IsScenario(d.Environment.Src), d.Environment.Position)
	if d.Visual != nil {
		add("visualModel", d.Visual.Src, "EX22", false, d.Visual.Position)
	}
	if d.Skin != nil {
		add("skinModel", d.Skin.Src, "EX22", false, d.Skin.Position)
	}
	add("bibiConf", d.BIBI.Src, "EX22", true, d.BIBI.Position)
	for _, machines := range [][]Machine{d.Control, d.Evaluation} {
		for _, m := range machines {
			if m.Chart == nil {
				add("state machine "+m.ID, m.Src, "EX22", m.Kind == SCXML, m.Position)
			}
		}
	}
	if d.Launch != nil {
		add("rosLaunch", d.Launch.Src, "EX22", false, d.Launch.Position)
	}
	return list
}

// Named lists the files that the BIBI document names.
func (b *BIBI) Named() (list []Named) {
	for _, p := range b.FMUs {
		list = append(list, Named{"FMU " + p.Name, p.Src, "BI04", true, p.Position})
	}
	if b.Brain != "" && !strings.EqualFold(path.Ext(b.Brain), ".fmu") {
		list = append(list, Named{"brainModel", b.Brain, "BI03", false, Position{}})
	}
	for _, body := range b.Bodies {
		if path.Ext(body.Model) != "" {
			list = append(list, Named{"bodyModel", body.Model, "BI03", false, body.Position})
		}
	}
	for _, f := range b.Functions {
		if f.Src != "" {
			list = append(list, Named{"transferFunction", f.Src, "BI03", false, f.Position})
		}
	}
	for _, c := range b.Files {
		list = append(list, Named{"configuration", c.Src, "BI02", false, c.Position})
	}
	return list
}

// IsMap reports whether src is the name of an OpenDRIVE map.
func IsMap(src string) bool { return strings.EqualFold(path.Ext(src), ".xodr") }

// IsSystem reports whether src is the name of a system structure, which may replace a BIBI
// document.
func IsSystem(src string) bool {
	ext := strings.ToLower(path.Ext(src))
	return ext == ".ssd" || ext == ".ssp"
}

// errOutside reports a name that points outside of the experiment's directory.
var errOutside = errors.New("the name leads outside the directory of the experiment")

// clean returns a name as a path for fs.FS.
func clean(src string) (string, error) {
	name := path.Clean(strings.ReplaceAll(strings.TrimPrefix(src, "file:"), `\`, "/"))
	if !fs.ValidPath(name) {
		return "", errOutside
	}
	return name, nil
}

// find returns the reason why a named file cannot be used, or nil.
func find(files fs.FS, src string) error {
	name, err := clean(src)
	if err != nil {
		return err
	}
	info, err := fs.Stat(files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is not there")
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular(): // opening a pipe could wait forever
		return nil
	}
	f, err := files.Open(name)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	_ = f.Close() // nothing was written
	return nil
}

// ReadFile reads a text that belongs to an experiment.
func ReadFile(files fs.FS, src string) ([]byte, error) {
	name, err := clean(src)
	if err != nil {
		return nil, err
	}
	f, err := regular.OpenIn(files, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("%s has more than %d MB", src, maxText>>20)
	}
	return text, err
}

// Loader returns a loader for the files that a chart names, relative to the chart file.
func Loader(files fs.FS, chart string) scxml.Loader {
	return func(src string) ([]byte, error) {
		return ReadFile(files, NextTo(chart, src))
	}
}

// NextTo returns the path of a file that a chart names.
func NextTo(chart, src string) string {
	return path.Join(path.Dir(strings.ReplaceAll(chart, `\`, "/")),
		strings.TrimPrefix(src, "file:"))
}

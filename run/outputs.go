package run

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/importer/ssp"
	"gosmp/run/results"
	"gosmp/run/usage"
	"gosmp/timebase"
)

const outputVariable = "--output-variable"

// visible is a variable that can be recorded, with the name shown to the user.
type visible struct {
	label    string
	variable cosim.Variable
	watch    func(label string) *cosim.Signal
	whole    string // with the name of its FMU, which the label omits if there is only one FMU
}

// timeColumn is the first column of all results. A variable with that name appears with its full
// name.
const timeColumn = "time"

// outputs chooses the variables to record.
type outputs struct {
	options *Options
	list    []visible
	find    func(name string) (*visible, error) // by any of its names
	columns []results.Column
	labels  map[string]bool
	watched map[string]*cosim.Signal // by name in the engine
}

// choose returns columns for the variables that the user names, or else for all outputs.
func (o *outputs) choose() ([]results.Column, error) {
	o.watched, o.labels = map[string]*cosim.Signal{}, map[string]bool{}
	format := o.options.format()
	for k := range o.list {
		v := &o.list[k]
		if len(o.options.OutputVariables) == 0 && v.variable.Role == cosim.Output &&
			v.variable.Kind != cosim.Binary &&
			(format.HasTexts() || !v.variable.Kind.IsBlob()) {
			o.add(v, v.label, results.Whole)
		}
	}
	for _, text := range o.options.OutputVariables {
		if err := o.chosen(text, format); err != nil {
			return nil, err
		}
	}
	if o.options.ArrayColumns {
		o.columns = results.Elements(o.columns)
	}
	return o.columns, nil
}

// signal watches a variable, unless it is already watched.
func (o *outputs) signal(v *visible, label string) *cosim.Signal {
	s := v.watch(label)
	if known := o.watched[s.Name()]; known != nil {
		return known
	}
	o.watched[s.Name()] = s
	return s
}

// add adds a column, unless it already exists.
func (o *outputs) add(v *visible, label string, element int) {
	if label == timeColumn && v.whole != "" {
		label = v.whole
	}
	c := results.Column{Label: label, Signal: o.signal(v, label), Element: element}
	if !o.labels[label] {
		o.labels[label] = true
		o.columns = append(o.columns, c)
	}
}

// chosen adds a variable, an element of an array, or the matches of a pattern.
func (o *outputs) chosen(text string, format results.Format) error {
	v, err := o.find(text)
	switch {
	case err == nil && v.variable.Kind.IsBlob() && o.options.OutputFile != "" && !format.HasTexts():
		return usage.Unexpected(outputVariable, fmt.Sprintf("%s of type %v", text,
			v.variable.Kind),
			"a variable with numbers; --output-messages "+text+
				"=FILE records it, and so do files that end in .parquet or .mcap")
	case err == nil:
		o.add(v, text, results.Whole)
		return nil
	case o.element(text):
		return nil
	case !strings.ContainsAny(text, "*?"):
		return err
	}
	if !o.matching(text, format) {
		return usage.Unexpected(outputVariable, fmt.Sprintf("%q", text),
			"a pattern that matches a variable with numbers")
	}
	return nil
}

// element adds an element of an array, such as u[2].
func (o *outputs) element(text string) bool {
	name, indices := ssp.CutIndices(text)
	v, err := o.find(name)
	if err != nil || len(indices) == 0 {
		return false
	}
	array := v.watch(name).Variable
	k := array.Element(indices)
	if k >= 0 {
		o.add(v, text, k)
	}
	return k >= 0
}

// matching adds the variables whose names match a pattern, in which * stands for any characters and
// ? for one. Brackets stand for themselves; a pattern with brackets also matches elements of
// arrays.
func (o *outputs) matching(pattern string, format results.Format) (found bool) {
	elements := strings.ContainsRune(pattern, '[')
	pattern = plain(strings.NewReplacer("[", `\[`, `\`, `\\`).Replace(pattern))
	hits := func(name string) bool {
		// A star would stop at a slash, so replace slashes by a character that no name contains.
		hit, err := path.Match(pattern, plain(name))
		return err == nil && hit
	}
	for k := range o.list {
		v := &o.list[k]
		kind := v.variable.Kind
		if kind == cosim.Clock || kind == cosim.Binary || kind.IsBlob() && !format.HasTexts() {
			continue
		}
		for _, name := range []string{v.label, v.whole} {
			if name != "" && (hits(name) || elements && len(v.variable.Dimensions) > 0) {
				if o.matched(v, name, hits) {
					found = true
					break
				}
			}
		}
	}
	return found
}

// matched adds a variable if a pattern matches its name, or else those of its elements that match.
func (o *outputs) matched(v *visible, name string, hits func(name string) bool) (found bool) {
	if hits(name) {
		o.add(v, name, results.Whole)
		return true
	}
	shape := v.watch(v.label).Variable.Dimensions
	for n := range cosim.Elements(shape) {
		if label := name + cosim.Index(shape, n); hits(label) {
			o.add(v, label, n)
			found = true
		}
	}
	return found
}

func plain(text string) string { return strings.ReplaceAll(text, "/", "\x00") }

// format returns the format of the results: the format that the user names, or else the format that
// the file name implies.
func (o *Options) format() results.Format {
	if o.OutputFormat != "" {
		return results.Format(o.OutputFormat)
	}
	return results.FormatOf(o.OutputFile)
}

// recordColumns records columns to the output file, which create opens. The step of the run is
// base.
func (o *Options) recordColumns(columns []results.Column, base cosim.Grid,
	create func(flag, path string) (io.Writer, error)) (*results.Recorder, error) {
	if err := o.checkFormat(); err != nil {
		return nil, err
	}
	var every timebase.Grid
	if o.OutputInterval != nil {
		every = cosim.Every(*o.OutputInterval)
		if every.IsZero() || every.Seconds() < base.Seconds() {
			return nil, usage.Unexpected("--output-interval", *o.OutputInterval,
				fmt.Sprintf("at least the step, %v s", base.Seconds()))
		}
	}
	f, err := create("--output-file", o.OutputFile)
	if err != nil {
		return nil, err
	}
	return results.New(o.format(), f, columns, every)
}

// otherFormats lists extensions of formats that cannot be written.
var otherFormats = []string{".mat", ".osi", ".json", ".jsonl", ".xlsx", ".xls", ".ods",
	".h5", ".hdf5", ".arrow", ".feather", ".npy", ".npz", ".sqlite", ".db", ".html", ".svg", ".png",
	".pdf", ".fmu", ".ssp", ".ssd", ".exc", ".bibi", ".xosc", ".xodr", ".scxml", ".xml", ".yaml",
	".yml", ".zip", ".gz"}

// checkFormat refuses to write a format to a file whose name implies another format, unless the
// user chooses the format.
func (o *Options) checkFormat() error {
	if o.OutputFormat != "" {
		if !slices.Contains(results.Formats(), o.format()) {
			return usage.Unexpected("--output-format", o.OutputFormat, "csv, parquet or mcap")
		}
		return nil
	}
	extension := strings.ToLower(filepath.Ext(o.OutputFile))
	if !slices.Contains(otherFormats, extension) {
		return nil
	}
	expected := "the name of a file of CSV, Parquet or MCAP, such as out.csv"
	switch extension {
	case ".osi":
		expected += "; --record writes messages"
	case ".svg", ".png", ".pdf":
		expected += "; --plot draws"
	}
	return usage.Unexpected("--output-file", o.OutputFile, expected)
}

package run

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/run/usage"
)

// watchOutputs watches what is recorded: the variables that the user names, else all outputs.
func (r *Simulation) watchOutputs() error {
	names := r.outputNames()
	if chosen := r.Options.OutputVariables; len(chosen) > 0 {
		var err error
		if names, err = r.chosenNames(chosen); err != nil {
			return err
		}
	}
	for _, name := range names {
		p, v, err := r.find(outputVariable, name)
		if err != nil {
			return err
		}
		r.signals = append(r.signals, r.Engine.Watch(p.Name+"."+v.Name).SetLabel(name))
	}
	return nil
}

const outputVariable = "--output-variable"

// chosenNames replaces patterns by the names of the variables with numbers that they match.
func (r *Simulation) chosenNames(chosen []string) (names []string, err error) {
	for _, text := range chosen {
		_, v, err := r.find(outputVariable, text)
		switch {
		case err == nil && v.Kind.IsBlob() && r.Options.OutputFile != "":
			return nil, usage.Unexpected(outputVariable, fmt.Sprintf("%s of type %v", text, v.Kind),
				"a variable with numbers; --output-messages "+text+"=FILE records it")
		case err == nil:
			names = append(names, text)
			continue
		case !strings.ContainsAny(text, "*?"):
			return nil, err
		}
		matching := r.matching(text)
		if len(matching) == 0 {
			return nil, usage.Unexpected(outputVariable, fmt.Sprintf("%q", text),
				"a pattern that matches a variable with numbers")
		}
		for _, name := range matching {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// matching lists the variables that a pattern matches, in which * stands for any characters and ?
// for one. Brackets are those of names.
func (r *Simulation) matching(pattern string) (names []string) {
	pattern = strings.NewReplacer("[", `\[`, `\`, `\\`).Replace(pattern)
	for _, p := range r.System.Parts {
		for _, v := range p.Variables() {
			name := r.System.Label(p, v.Name)
			// A slash, at which a star would stop, is replaced by what no name contains.
			hit, err := path.Match(plain(pattern), plain(name))
			if err == nil && hit && !v.Kind.IsBlob() && v.Kind != cosim.Clock {
				names = append(names, name)
			}
		}
	}
	return names
}

func plain(text string) string { return strings.ReplaceAll(text, "/", "\x00") }

// otherFormats are extensions that promise something else than CSV.
var otherFormats = []string{".mat", ".parquet", ".mcap", ".osi", ".json", ".jsonl", ".xlsx", ".xls",
	".ods",
	".h5", ".hdf5", ".arrow", ".feather", ".npy", ".npz", ".sqlite", ".db", ".html", ".svg", ".png",
	".pdf"}

// checkFormat refuses to write CSV under a name that promises another format.
func checkFormat(option, file string) error {
	extension := strings.ToLower(filepath.Ext(file))
	if !slices.Contains(otherFormats, extension) {
		return nil
	}
	expected := "the name of a CSV file, such as out.csv"
	switch extension {
	case ".mcap", ".osi":
		expected += "; --record writes messages"
	case ".svg", ".png", ".pdf":
		expected += "; --plot draws"
	}
	return usage.Unexpected(option, file, expected)
}

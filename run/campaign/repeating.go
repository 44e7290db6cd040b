package campaign

import (
	"slices"
	"strconv"
	"strings"

	"gosmp/experiment/trial"
	"gosmp/run"
	"gosmp/sweep"
)

// A sweep may run an FMU or a system of FMUs instead of an experiment. Its runs set start values,
// and options of gosmp run, which start with --.

// RepeatCommand returns the command that repeats a run.
func RepeatCommand(experiment string, library []string, r sweep.Result) string {
	if run.IsPlain(experiment) {
		return plainCommand(experiment, library, r.Case.Set)
	}
	if run.IsScenario(experiment) {
		return scenarioCommand(experiment, library, r.Row.Seed, r.Case.Set)
	}
	words := []string{"gosmp run", trial.Quoted(experiment), "--rng-seed",
		strconv.FormatUint(r.Row.Seed, 10)}
	for _, x := range r.Case.Set {
		words = append(words, "--set", trial.Quoted(x.Name+"="+x.Value))
	}
	for _, w := range libraryWords(library) {
		words = append(words, trial.Quoted(w))
	}
	return strings.Join(words, " ")
}

// plainWords returns the command line arguments for the settings of a run.
func plainWords(set []sweep.Setting) (words []string) {
	for _, x := range set {
		if strings.HasPrefix(x.Name, "--") {
			words = append(words, x.Name+"="+x.Value)
		} else {
			words = append(words, "--start-value", x.Name+"="+x.Value)
		}
	}
	return words
}

// plainCommand returns the command that repeats a run.
func plainCommand(file string, library []string, set []sweep.Setting) string {
	words := []string{"gosmp run", trial.Quoted(file)}
	for _, w := range slices.Concat(plainWords(set), libraryWords(library)) {
		words = append(words, trial.Quoted(w))
	}
	return strings.Join(words, " ")
}

// libraryWords returns the command line arguments for the folders of a library.
func libraryWords(folders []string) (words []string) {
	for _, folder := range folders {
		words = append(words, "--library-path", folder)
	}
	return words
}

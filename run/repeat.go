package run

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gosmp/experiment/trial"
	"gosmp/run/fileuse"
)

// without lists fields on which no result depends, or whose options have another place in the
// command, beside output files.
var without = []string{"Files", "OutputFormat", "OutputVariables", "RecordOnly", "LogCategories"}

// usual holds the defaults of options that are never empty.
var usual = map[string]string{"StartFrom": StartFromWorld, "Dismissed": DismissedWarn}

// repeating returns the options on which the result of a run depends, as on the command line, but
// for those about the fields in left.
func (o *Options) repeating(left ...string) (words []string) {
	all := reflect.ValueOf(o).Elem()
	for _, r := range fileRoles {
		if r.role == fileuse.Out || slices.Contains(without, r.field) ||
			slices.Contains(left, r.field) {
			continue
		}
		for _, text := range written(all.FieldByName(r.field).Interface()) {
			if text != "" && text != usual[r.field] {
				words = append(words, r.option, text)
			}
		}
	}
	for _, x := range []struct {
		option string
		value  *float64
	}{{"--step-size", o.StepSize}, {"--duration", o.Duration}, {"--tolerance", o.Tolerance}} {
		if x.value != nil {
			words = append(words, x.option, strconv.FormatFloat(*x.value, 'g', -1, 64))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.StepSizes)) {
		words = append(words, "--step-size",
			name+"="+strconv.FormatFloat(o.StepSizes[name], 'g', -1, 64))
	}
	if o.Point != nil {
		words = append(words, "--point", strconv.Itoa(*o.Point))
	}
	if o.DisableControllers {
		words = append(words, "--disable-controllers")
	}
	if o.speed() > 0 {
		words = append(words, "--real-time", strconv.FormatFloat(o.speed(), 'g', -1, 64))
	}
	return append(words, o.processes()...)
}

// processes returns the options for the processes of FMUs on which the result of a run depends.
func (o *Options) processes() (words []string) {
	if o.Timeout > 0 {
		words = append(words, "--timeout", o.Timeout.String())
	}
	if o.Memory > 0 {
		words = append(words, "--memory", strconv.FormatInt(o.Memory, 10))
	}
	how := map[bool]string{false: "process", true: "shared"}
	if o.Shared {
		words = append(words, "--isolate", how[true])
	}
	for _, name := range slices.Sorted(maps.Keys(o.Isolation)) {
		words = append(words, "--isolate", name+"="+how[o.Isolation[name]])
	}
	return words
}

// written returns the values of an option as on the command line.
func written(option any) (list []string) {
	switch x := option.(type) {
	case string:
		return []string{x}
	case []string:
		return x
	case []Assignment:
		for _, a := range x {
			list = append(list, strings.TrimPrefix(a.Variable+"="+a.Value, "="))
		}
	case []trial.Setting:
		for _, s := range x {
			list = append(list, s.String())
		}
	case []Connection:
		for _, c := range x {
			list = append(list, c.From+"="+c.To)
		}
	}
	return list
}

// repetition returns the command that repeats the run of a scenario.
func (o *Options) repetition() string {
	words := append([]string{o.Files[0]}, o.repeating()...)
	if o.Range != DefaultRange {
		words = append(words, "--range", strconv.FormatFloat(o.Range, 'g', -1, 64))
	}
	if o.AllStartValues {
		words = append(words, "--set-all-start-values")
	}
	if o.Halve {
		words = append(words, "--halve")
	}
	if o.Seed != DefaultSeed {
		words = append(words, "--seed", strconv.FormatUint(o.Seed, 10))
	}
	for k, w := range words {
		words[k] = trial.Quoted(w)
	}
	return "gosmp run " + strings.Join(words, " ")
}

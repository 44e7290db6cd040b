package run

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepetition_KeepsTexts: only the option whose default a text is omits it.
func TestRepetition_KeepsTexts(t *testing.T) {
	o := Defaults("ccrs.xosc")
	o.StartFrom, o.Dismissed = StartFromWorld, DismissedWarn
	require.Equal(t, "gosmp run ccrs.xosc", o.repetition())
	o.Map, o.Require = StartFromWorld, []string{DismissedWarn}
	require.Equal(t, "gosmp run ccrs.xosc --require warn --map world", o.repetition())
	o.Map, o.Require, o.StartFrom, o.Dismissed = "", nil, StartFromFMU, DismissedFail
	require.Equal(t, "gosmp run ccrs.xosc --start-from fmu --dismissed fail", o.repetition())
}

// TestRepetition_HasEveryOption: the command has each option of a scenario, except for those on
// which no result depends.
func TestRepetition_HasEveryOption(t *testing.T) {
	irrelevant := []string{
		"--view", "--output-interval", "--array-columns", "--output-file", "--output-variable",
		"--output-format", "--record", "--record-only", "--allow-origin", "--allow-driving-from",
		"--token", "--tls-cert", "--tls-key", "--core", "--visible", "--logging-on", "--log-category",
		"--log-fmi-calls", "--report", "--junit", "--trajectories",
	}
	tested := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Options]()) {
		value, is := samples()[field.Type]
		if !is {
			continue
		}
		o := Defaults("ccrs.xosc")
		reflect.ValueOf(&o).Elem().FieldByName(field.Name).Set(reflect.ValueOf(value))
		for _, name := range o.given(func(u users) bool { return u&(ofScenarios|ofModels|ofModelFMUs) != 0 }) {
			tested[name] = true
			if !slices.Contains(irrelevant, name) {
				require.Contains(t, o.repetition(), name, field.Name)
			}
		}
	}
	for _, x := range options {
		if x.users&(ofScenarios|ofModels|ofModelFMUs) != 0 && !slices.Contains(irrelevant, x.name) {
			require.True(t, tested[x.name], x.name)
		}
	}
}

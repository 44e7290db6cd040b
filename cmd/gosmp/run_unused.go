package main

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// experimentUses are the flags of run that an experiment uses beside its own: by their fields.
var experimentUses = []string{"Files", "Variant", "RealTime", "Bridge", "JSON", "OutputFile", "OutputVariable", "Record", "Timeout", "LoggingOn", "experimentFlags"}

// unused lists the flags that were given and that none of the fields uses, in the order of the help.
func (c *runCommand) unused(uses []string) (flags []string) {
	none := runCommand{Algorithm: "sequential", trafficFlags: trafficFlags{Actors: defaultActors, Range: defaultReach}, chartFlags: chartFlags{Seed: defaultSeed}}
	var compare func(given, none reflect.Value)
	compare = func(given, none reflect.Value) {
		for k := range given.NumField() {
			field := given.Type().Field(k)
			switch {
			case slices.Contains(uses, field.Name):
			case field.Anonymous:
				compare(given.Field(k), none.Field(k))
			case !equal(given.Field(k), none.Field(k)):
				flags = append(flags, flagName(field))
			}
		}
	}
	compare(reflect.ValueOf(*c), reflect.ValueOf(none))
	return flags
}

func equal(given, none reflect.Value) bool {
	if given.Kind() == reflect.Slice {
		return given.Len() == none.Len()
	}
	return given.Equal(none)
}

var innerCapital = regexp.MustCompile(`([a-z])([A-Z])`)

// flagName is the name of the flag that kong makes of a field.
func flagName(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return "--" + name
	}
	return "--" + strings.ToLower(innerCapital.ReplaceAllString(field.Name, "$1-$2"))
}

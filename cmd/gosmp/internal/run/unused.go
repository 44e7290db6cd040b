package run

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// experimentUses are the flags of run that an experiment uses beside its own: by their fields.
var experimentUses = []string{"Files", "Variant", "RealTime", "Bridge", "JSON", "OutputFile", "OutputVariable", "Record", "Timeout", "LoggingOn", "experimentFlags"}

// unused lists the flags that were given and that none of the fields uses, in the order of the help.
func (c *Command) unused(uses []string) (flags []string) {
	return given(*c, Command{Algorithm: "sequential", trafficFlags: defaultTraffic, chartFlags: defaultChart}, uses...)
}

// given lists the flags that differ from what they are if they are not given, in the order of the
// help, except those of some fields.
func given[T any](c, none T, except ...string) (flags []string) {
	var compare func(given, none reflect.Value)
	compare = func(given, none reflect.Value) {
		for k := range given.NumField() {
			field := given.Type().Field(k)
			switch {
			case slices.Contains(except, field.Name):
			case field.Anonymous:
				compare(given.Field(k), none.Field(k))
			case !equal(given.Field(k), none.Field(k)):
				flags = append(flags, flagName(field))
			}
		}
	}
	compare(reflect.ValueOf(c), reflect.ValueOf(none))
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

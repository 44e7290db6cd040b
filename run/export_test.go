package run

import "io"

// Lines returns a writer that passes on the lines of a program.
func Lines(show func(string)) io.Writer { return &lines{print: show} }

// FieldsWithRoles returns the option fields that have file roles.
func FieldsWithRoles() (names []string) {
	for _, r := range fileRoles {
		names = append(names, r.field)
	}
	return names
}

package build

import "gosmp/fmu"

// Resource is a file that the FMU carries.
type Resource struct {
	Name string // path below resources/, with forward slashes
	Path string // of the file on this machine
}

// Examiner judges what a model is to be packed with: its definition, with the start values that were chosen, and its resources. An
// error keeps the FMU from being made; a warning is shown, and packing goes on.
type Examiner func(d *fmu.Definition, resources []Resource, warn func(text string)) error

package build

import (
	"io"

	"gosmp/fmu"
)

// Resource is a file to pack into the FMU.
type Resource struct {
	Name string // path below resources/, with forward slashes
	Path string // of the file on this machine
}

// Bundled is a resource that a model provides, and that can be replaced or left out when the model
// is packed.
type Bundled struct {
	Name string // below resources/, with forward slashes
	// writes the content unless Flag names a file; the same bytes every time
	Content func(io.Writer) error
	// of "pack": takes the path of another file, or nothing for no file
	Flag     string
	Help     string // what Flag is for
	Sentence string // for the FMU's documentation, if the file is packed
	// Parameter is a parameter that names a file in resources/. If another file takes the place of
	// this one, the parameter starts with Name, so that the model can tell that it was chosen.
	Parameter string
}

// Examiner checks what a model is to be packed with: its definition, with the start values that
// were chosen, and its resources. An error prevents packing; a warning is shown, and packing
// continues.
type Examiner func(d *fmu.Definition, resources []Resource, warn func(text string)) error

package build

import (
	"io"

	"gosmp/fmu"
)

// Resource is a file that the FMU carries.
type Resource struct {
	Name string // path below resources/, with forward slashes
	Path string // of the file on this machine
}

// Bundled is a resource that a model brings along, and that whoever packs it can replace or leave
// out.
type Bundled struct {
	Name     string                // below resources/, with forward slashes
	Content  func(io.Writer) error // writes what is carried unless Flag names a file; the same bytes every time
	Flag     string                // of "pack": takes the path of another file, or nothing to carry none
	Help     string                // what Flag is for
	Sentence string                // for the FMU's documentation, when the file is carried
}

// Examiner judges what a model is to be packed with: its definition, with the start values that
// were chosen, and its resources. An error keeps the FMU from being made; a warning is shown, and
// packing goes on.
type Examiner func(d *fmu.Definition, resources []Resource, warn func(text string)) error

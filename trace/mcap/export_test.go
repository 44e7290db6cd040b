package mcap

import "io"

// NewPaddingWriter returns a writer that appends bytes to the fields of records, as a later version
// of the format might.
func NewPaddingWriter(to io.Writer, options Options, padding []byte) (*Writer, error) {
	return newWriter(to, options, padding)
}

// In returns the file with its bytes replaced.
func (f *File) In(from io.ReaderAt) *File {
	other := *f
	other.from = from
	return &other
}

// SalvageLZ4 is salvageLZ4.
var SalvageLZ4 = salvageLZ4

package check

import (
	"io"

	"gosmp/fmi/check"
	"gosmp/internal/finding"
)

// File checks the FMU at a path against the rules of FMI and of OSMP. It returns an error if the
// file is not an FMU at all.
func File(name string, o check.Options) (finding.List, error) {
	report, err := check.File(name, o)
	return together(report), err
}

// Read is like [File], for an FMU of size bytes. It returns no findings for a file that is not an
// FMU, because the function that reads the file reports this.
func Read(r io.ReaderAt, size int64) finding.List {
	report, err := check.Read(r, size, check.Options{})
	if err != nil {
		return nil
	}
	return together(report)
}

func together(r *check.Report) finding.List {
	if r == nil {
		return nil
	}
	if r.FMU == nil {
		return r.Findings
	}
	return append(r.Findings, Examine(r.FMU.Model).Problems...)
}

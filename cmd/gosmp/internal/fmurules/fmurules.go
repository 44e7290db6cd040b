// Package fmurules finds what is wrong with an FMU by the rules of both FMI and OSMP, for all
// commands that report it.
//
// Functions: [File], [Read].
package fmurules

import (
	"io"

	"gosmp/fmi/check"
	"gosmp/internal/finding"
	osmpcheck "gosmp/osmp/check"
)

// File checks the FMU at a path. The error is about a file that is no FMU at all.
func File(name string, o check.Options) (finding.List, error) {
	report, err := check.File(name, o)
	return together(report), err
}

// Read checks an FMU of size bytes. A file that is not an FMU has no findings, because its reader
// reports that.
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
	return append(r.Findings, osmpcheck.Examine(r.FMU.Model).Problems...)
}

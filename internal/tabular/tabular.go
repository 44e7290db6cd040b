// Package tabular reads tables of separated values, with limits on the size of a row: encoding/csv
// needs twenty times as much memory as a row of empty fields has bytes.
package tabular

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// Limits of a row.
const (
	Longest     = 8 << 20 // bytes
	MostColumns = 500_000
)

// ErrRow is the kind of errors about rows that exceed a limit.
var ErrRow = errors.New("row too large")

// Reader reads the rows of a table.
type Reader struct {
	*csv.Reader
	from   *limited
	failed error // about a row whose end was not read
}

// NewReader returns a reader of a table.
func NewReader(r io.Reader) *Reader {
	from := &limited{from: r, left: Longest}
	return &Reader{Reader: csv.NewReader(from), from: from}
}

// Read reads a row, like the method of [csv.Reader]. It fails with [ErrRow] if the row is too
// large.
func (r *Reader) Read() (fields []string, err error) {
	if r.failed != nil {
		return nil, r.failed
	}
	r.from.left = Longest + 1
	fields, err = r.Reader.Read()
	switch {
	case r.from.left <= 0 && err != nil: // maybe one about the part that was read
		r.failed = fmt.Errorf("%w: found more than %d MB, expected less", ErrRow, Longest>>20)
		return nil, r.failed
	case len(fields) > MostColumns:
		return nil, fmt.Errorf("%w: found %d columns, expected at most %d", ErrRow, len(fields),
			MostColumns)
	}
	return fields, err
}

// limited is the source of a row, which may have a number of bytes.
type limited struct {
	from io.Reader
	left int
}

// Read reads part of the row.
func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, ErrRow
	}
	n, err := l.from.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}

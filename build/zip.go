//go:build !fmucore

package build

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/wholefile"
)

// entry is one file of the FMU; its content is data, or comes from the file at path.
type entry struct {
	name       string
	data       []byte
	path       string
	executable bool
}

func (e *entry) open() (io.ReadCloser, error) {
	if e.path == "" {
		return io.NopCloser(bytes.NewReader(e.data)), nil
	}
	f, err := os.Open(e.path)
	if err != nil {
		return nil, fault.Wrap(ErrInput, fault.In(e.path), err).
			WithHint("the file was to be packed as " + e.name)
	}
	return f, nil
}

func sortByName(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// writeZip writes the archive, and creates its folder if necessary. Readers see either the old file
// or the new one. It returns the size in bytes.
func writeZip(ctx context.Context, path string, entries []entry) (size int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, err
	}
	sortByName(entries)
	if err := wholefile.Write(ctx, path, func(w io.Writer) error {
		return archive(w, entries)
	}); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// archive writes the restricted zip format that FMI requires (FMI 2.0.5, 2.3): deflate only,
// version needed at most 2.0, no links, no extra fields. Modes are fixed, and all times are the
// first day that the format can express.
func archive(w io.Writer, entries []entry) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, e := range entries {
		if err := add(z, e); err != nil {
			return err
		}
	}
	return z.Close()
}

// firstDay is 1 January 1980 in the format's own encoding; a time given as time.Time would add an
// extra field.
const firstDay = 1<<5 | 1

func add(z *zip.Writer, e entry) error {
	header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
	// deprecated for Modified, which adds an extra field
	header.ModifiedDate = firstDay //nolint:staticcheck // see above
	header.SetMode(0o644)
	if e.executable {
		header.SetMode(0o755)
	}
	to, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	from, err := e.open()
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	n, err := io.Copy(to, from)
	if err == nil && n >= math.MaxUint32 {
		err = fault.New(ErrInput, fault.In(e.path), fmt.Sprintf("%d bytes", n),
			"less than 4 GiB, the limit of a zip file without the zip64 extension").
			WithHint("keep the file outside the FMU and set its path when the FMU runs")
	}
	return err
}

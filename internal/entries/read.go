package entries

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"gosmp/internal/regular"
)

// mostDirectory is the maximum number of bytes that are read to list the entries of an archive. An
// archive with as many files as an FMU may have needs half of it. The smallest entries of a
// directory of this length take 200 MB of memory.
const mostDirectory = 32 << 20

// ErrDirectory reports an archive with too many entries, or with too long names and comments.
var ErrDirectory = errors.New("the directory of the archive is too long")

// The record at the end of the directory of a ZIP64 archive.
const (
	endRecord = "PK\x06\x06"
	endLength = 56 // bytes
	endCount  = 32 // offset of the number of entries
	// leastEntry is the number of bytes of an entry in the directory without its name.
	leastEntry = 46
)

// Read lists the entries of an archive of size bytes. The reader of package zip would keep as many
// as there are, because a false number of entries in the archive does not stop it. For a huge
// archive, it would also reserve memory for as many as the archive states.
func Read(r io.ReaderAt, size int64) (*zip.Reader, error) {
	b := &bounded{ReaderAt: r}
	b.left.Store(mostDirectory)
	z, err := zip.NewReader(b, size)
	if b.left.Load() < 0 {
		return nil, fmt.Errorf("%w: expected at most %d MB, for all names, sizes and comments",
			ErrDirectory, mostDirectory>>20)
	}
	b.listed.Store(true)
	return z, err
}

// bounded limits what is read before all entries are listed.
type bounded struct {
	io.ReaderAt
	left   atomic.Int64
	listed atomic.Bool
}

// ReadAt implements io.ReaderAt.
func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.listed.Load() {
		return b.ReaderAt.ReadAt(p, at)
	}
	if b.left.Add(-int64(len(p))) < 0 {
		return 0, ErrDirectory
	}
	n, err := b.ReaderAt.ReadAt(p, at)
	if n >= endLength && string(p[:len(endRecord)]) == endRecord &&
		binary.LittleEndian.Uint64(p[endCount:]) > mostDirectory/leastEntry {
		b.left.Store(-1)
		return 0, ErrDirectory
	}
	return n, err
}

// Archive is an open archive.
type Archive struct {
	*zip.Reader
	file *os.File
}

// File opens an archive, which must be a regular file, and returns its size.
func File(name string) (*os.File, int64, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// Open opens an archive like [File] and lists its entries, like [Read].
func Open(name string) (*Archive, error) {
	f, size, err := File(name)
	if err != nil {
		return nil, err
	}
	z, err := Read(f, size)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Archive{z, f}, nil
}

// Close closes the file.
func (a *Archive) Close() error { return a.file.Close() }

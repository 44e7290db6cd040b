package trace

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"gosmp/internal/fault"
)

// ErrArchive reports an archive that is damaged or not supported.
var ErrArchive = errors.New("unusable archive")

// packing is a format that packs one file.
type packing struct {
	magic, name, hint string
	extension         string
	reader            func(io.Reader) (io.Reader, error)
}

var packings = [...]packing{
	{"\x1f\x8b", "a gzip archive", "unpack it first: gunzip", ".gz",
		func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"\xfd7zXZ\x00", "an xz archive", "unpack it first: xz -d", ".xz", newXZReader},
	{"BZh", "a bzip2 archive", "unpack it first: bunzip2", ".bz2",
		func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first: zstd -d", ".zst", newZstdReader},
}

// newZstdReader accepts everything that the zstd command accepts without --long.
func newZstdReader(r io.Reader) (io.Reader, error) {
	const window = 128 << 20
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// xzReader detects an archive that is cut between two blocks, which package xz mistakes for the
// end.
type xzReader struct {
	unpacked io.Reader
	packed   *lastBytes
}

func newXZReader(r io.Reader) (io.Reader, error) {
	packed := &lastBytes{from: r}
	unpacked, err := xz.NewReader(packed)
	return &xzReader{unpacked, packed}, err
}

// Read implements [io.Reader].
func (r *xzReader) Read(b []byte) (int, error) {
	const footer = "YZ"
	n, err := r.unpacked.Read(b)
	if errors.Is(err, io.EOF) && string(r.packed.last[:]) != footer {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// lastBytes keeps the last bytes read, except for zeros, which may follow an archive.
type lastBytes struct {
	from io.Reader
	last [2]byte
}

// Read implements [io.Reader].
func (r *lastBytes) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	if read := bytes.TrimRight(b[:n], "\x00"); len(read) > 0 {
		both := append(r.last[:], read[max(0, len(read)-len(r.last)):]...)
		copy(r.last[:], both[len(both)-len(r.last):])
	}
	return n, err
}

// packingOf returns the format of an archive by its first bytes, or nil for other files.
func packingOf(head []byte) *packing {
	for k := range packings {
		if bytes.HasPrefix(head, []byte(packings[k].magic)) {
			return &packings[k]
		}
	}
	return nil
}

// UnpackedName returns a file name without the extension of an archive: drive.osi for drive.osi.gz.
func UnpackedName(name string) string {
	extension := filepath.Ext(name)
	if slices.ContainsFunc(packings[:], func(p packing) bool {
		return strings.EqualFold(p.extension, extension)
	}) {
		return strings.TrimSuffix(name, extension)
	}
	return name
}

// extensionOf returns the extension of a file, or of the only file in an archive, in lower case.
func extensionOf(name string) string { return strings.ToLower(filepath.Ext(UnpackedName(name))) }

// Unpacked is the content of a file: the content of the archive (gzip, bzip2, xz, zstd) if it is
// one, or else the file itself.
type Unpacked struct {
	io.ReaderAt
	Size   int64
	Damage error // damage to the archive after this content; of kind [ErrArchive]

	packing *packing // nil if the file is not an archive
	file    *os.File // temporary
}

// Limits of the unpacked size, so that a small file cannot fill the disk.
const (
	mostExpansion  = 1000
	leastExpansion = 64 << 20
)

// Unpack unpacks a file of size bytes to a temporary file, which Close removes. A file that is not
// an archive is used in place. If an archive is damaged, the end of its content may be missing. The
// error is of kind [ErrArchive] if nothing can be unpacked at all, or if the content is more than a
// thousand times as large as the archive.
func Unpack(name string, from io.ReaderAt, size int64) (*Unpacked, error) {
	head := make([]byte, min(size, HeadSize))
	if _, err := from.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	p := packingOf(head)
	if p == nil {
		return &Unpacked{ReaderAt: from, Size: size}, nil
	}
	f, err := os.CreateTemp("", "gosmp-unpacked-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // usable until closed; on Windows, Close removes it
	u := &Unpacked{ReaderAt: f, packing: p, file: f}
	most := max(mostExpansion*size, leastExpansion)
	var failed error
	u.Size, failed = p.copyTo(f, io.NewSectionReader(from, 0, size), most)
	if failed == nil {
		return u, nil
	}
	u.Damage = p.damage(name, failed)
	if errors.Is(u.Damage, ErrArchive) && u.Size > 0 && u.Size <= most {
		return u, nil
	}
	_ = u.Close() // the unpacking error is returned
	return nil, u.Damage
}

// copyTo unpacks at most one byte more than most.
func (p *packing) copyTo(to io.Writer, from io.Reader, most int64) (int64, error) {
	r, err := p.reader(bufio.NewReaderSize(from, 1<<16))
	if err != nil {
		return 0, &archiveError{err}
	}
	if c, is := r.(io.Closer); is {
		defer func() { _ = c.Close() }() // was only read
	}
	n, err := io.Copy(to, io.LimitReader(&archiveReader{r}, most+1))
	if err == nil && n > most {
		err = &archiveError{fmt.Errorf("it becomes more than %d bytes", most)}
	}
	return n, err
}

// archiveError is an error of the archive rather than of the disk.
type archiveError struct{ cause error }

func (e *archiveError) Error() string { return e.cause.Error() }
func (e *archiveError) Unwrap() error { return e.cause }

// archiveReader marks read errors as archive errors.
type archiveReader struct{ from io.Reader }

func (r *archiveReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &archiveError{err}
	}
	return n, err
}

// damage turns an error into an error about the archive, unless it is a disk error.
func (p *packing) damage(name string, err error) error {
	var broken *archiveError
	if !errors.As(err, &broken) {
		return err
	}
	return fault.New(ErrArchive, fault.In(name), p.name+" that is damaged", "").
		WithCause(broken.cause)
}

// Close removes the temporary file.
func (u *Unpacked) Close() error {
	if u.file == nil {
		return nil
	}
	err := u.file.Close()
	_ = os.Remove(u.file.Name()) // usually already gone
	return err
}

// foreign returns the error for an archive whose content is not a trace.
func (p *packing) foreign(name string) error {
	return fault.New(ErrFormat, fault.In(name), p.name+" of something else", Readable()).
		WithHint(p.hint)
}

// cutSource is a source that ends where the archive it reads from is damaged.
type cutSource struct {
	Source
	damage error
}

// Next implements [Source].
func (s *cutSource) Next() (*Message, error) {
	m, err := s.Source.Next()
	if errors.Is(err, io.EOF) {
		err = s.damage
	}
	return m, err
}

// unpackedStream reads an archive as a stream.
type unpackedStream struct {
	from    io.Reader
	packing *packing
	name    string
}

func (p *packing) stream(name string, from io.Reader) (io.Reader, error) {
	r, err := p.reader(from)
	if err != nil {
		return nil, p.damage(name, &archiveError{err})
	}
	return &unpackedStream{r, p, name}, nil
}

func (s *unpackedStream) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = s.packing.damage(s.name, &archiveError{err})
	}
	return n, err
}

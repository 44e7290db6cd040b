package check

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"gosmp/fmi/archive"
	"gosmp/internal/sharedlib"
)

// Limits of unpacking.
const (
	maxUnpacked = 1 << 30   // bytes of all entries together
	maxDocument = 128 << 20 // maximum size of a document that is read as a whole
)

// documentNames are the files that are read as a whole, keyed by folder.
var documentNames = []string{descriptionName, "model.png", "terminalsAndIcons/",
	"documentation/index.html", "documentation/_main.html", "sources/buildDescription.xml"}

// isDocument reports whether a file is kept in memory after it has been read.
func isDocument(name string) bool {
	for _, document := range documentNames {
		if name == document || strings.HasSuffix(document, "/") &&
			strings.HasPrefix(name, document) {
			return true
		}
	}
	return isManifest(name)
}

// unpack reads an entry once. It compares the checksum (Z1), keeps the content of a document, and
// reads the linkage of a library.
func (x *examiner) unpack(e *zip.File) {
	if e.Method != zip.Store && e.Method != zip.Deflate || e.Flags&flagEncrypted != 0 {
		return // reported by entry
	}
	sum := crc32.NewIEEE()
	err := x.take(e, sum)
	// An entry without a data descriptor may state a checksum of 0, which the reader ignores.
	if err == nil && sum.Sum32() != e.CRC32 {
		err = zip.ErrChecksum
	}
	if err != nil {
		x.error("Z1", in(e.Name), fact{what: "cannot be unpacked: " + err.Error(),
			remedy: "the file is damaged: copy it again, or pack the FMU again"})
	}
}

// take reads an entry for [examiner.unpack] and adds all bytes to the checksum.
func (x *examiner) take(e *zip.File, sum io.Writer) error {
	if isDocument(e.Name) && x.entries[e.Name] == e {
		content, err := x.content(e.Name)
		if err != nil || len(content) < maxDocument {
			_, _ = sum.Write(content)
			return err
		}
	}
	r, err := e.Open()
	if err != nil {
		return err
	}
	unpacked := io.TeeReader(r, sum)
	if l := x.libraries[e.Name]; l != nil && x.entries[e.Name] == e {
		err = x.link(l, unpacked, e)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, unpacked)
	}
	return cmp.Or(err, r.Close())
}

// link reads a platform file. It reads only the beginning if the file is too large or not a
// library.
func (x *examiner) link(l *library, r io.Reader, e *zip.File) error {
	const head = 1 << 16
	x.buffer.Reset()
	_, err := io.CopyN(&x.buffer, r, head)
	whole := errors.Is(err, io.EOF)
	_, known := sharedlib.Identify(x.buffer.Bytes())
	if err == nil && known && e.UncompressedSize64 <= archive.MaxBinary {
		x.buffer.Grow(int(min(e.UncompressedSize64, deflated(e))))
		_, err = io.Copy(&x.buffer, r)
		whole = err == nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	l.begun = true
	l.Examine(l.platform, x.buffer.Bytes(), whole)
	if l.whole = whole && known; l.whole {
		l.Linkage, l.readable = sharedlib.Link(x.buffer.Bytes())
	}
	return nil
}

// deflated returns an upper bound for the size of an entry: the maximum size to which its
// compressed bytes can unpack, regardless of its stated size.
func deflated(e *zip.File) uint64 {
	const most = 1032 // bytes from one byte of a deflated stream
	return min(e.CompressedSize64, 1<<32) * most
}

// content reads a file of the archive.
func (x *examiner) content(name string) ([]byte, error) {
	if content, known := x.texts[name]; known {
		return content, nil
	}
	e := x.entries[name]
	if e == nil {
		return nil, os.ErrNotExist
	}
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	content.Grow(int(min(e.UncompressedSize64, deflated(e), maxDocument)) + bytes.MinRead)
	_, err = io.Copy(&content, io.LimitReader(r, maxDocument))
	if err = cmp.Or(err, r.Close()); err != nil {
		return nil, err
	}
	x.texts[name] = content.Bytes()
	return content.Bytes(), nil
}

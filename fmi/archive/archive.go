package archive

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"gosmp/internal/entries"
	"gosmp/internal/fault"
	"gosmp/internal/xmldoc"
)

// FMU is the content of a .fmu file.
type FMU struct {
	Path          string            // path of the file; empty for other sources
	Size          int64             // size of the file in bytes
	Model         *ModelDescription // what modelDescription.xml says
	Files         []File            // all files by name
	Platforms     []Platform        // the folders in binaries/ by name
	Sources       []File            // in sources/
	Resources     []File            // in resources/
	Documentation Documentation
}

// File is a file in the archive.
type File struct {
	Name           string `json:"name"` // the path from the root of the archive
	Size           int64  `json:"size"` // unpacked, in bytes
	CompressedSize int64  `json:"compressedSize"`
}

// maxEntries is the maximum number of files; a zip file without ZIP64 extensions cannot have more
// than 65535.
const maxEntries = 1 << 17

// maxPath is the maximum length of a path, in bytes.
const maxPath = 1024

// Open reads the FMU at a path, which may be a folder with an unpacked FMU, and closes the file. If
// the FMU cannot be read, the error is an [Error].
func Open(name string) (*FMU, error) {
	fmu, _, err := openWith(name, maxBinaries)
	return fmu, err
}

// Outline is like Open, for callers that only run the FMU: it does not examine the files in
// binaries/, so their format, machines and requirements stay empty. It reports only problems in the
// model description.
func Outline(name string) (*FMU, error) {
	fmu, _, err := openWith(name, 0)
	return fmu, err
}

// OutlineWithDocument is like Outline and also returns the XML document of the model description.
func OutlineWithDocument(name string) (*FMU, *xmldoc.Node, error) { return openWith(name, 0) }

// ReadOutline reads an FMU of size bytes like [OutlineWithDocument].
func ReadOutline(r io.ReaderAt, size int64) (*FMU, *xmldoc.Node, error) {
	return readWithin(r, size, 0)
}

func openWith(name string, binaries int64) (*FMU, *xmldoc.Node, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	fmu, root, err := readWithin(f, info.Size(), binaries)
	var input *Error
	if errors.As(err, &input) {
		input.Place.File = Plain(name)
	}
	if err != nil {
		return nil, nil, err
	}
	fmu.Path = name
	return fmu, root, nil
}

// Read reads an FMU of size bytes.
func Read(r io.ReaderAt, size int64) (*FMU, error) {
	fmu, _, err := readWithin(r, size, maxBinaries)
	return fmu, err
}

// readWithin reads an FMU and examines at most the given number of bytes of binaries; 0 produces an
// outline.
func readWithin(r io.ReaderAt, size, binaries int64) (*FMU, *xmldoc.Node, error) {
	z, err := entries.Read(r, size)
	if errors.Is(err, entries.ErrDirectory) {
		return nil, nil, fault.Wrap(ErrTooLarge, fault.Place{}, err)
	}
	if err != nil {
		return nil, nil, notZip(r, size, err)
	}
	list, err := safe(z.File)
	if err != nil {
		return nil, nil, err
	}
	model, root, err := describe(list)
	if err != nil {
		return nil, nil, err
	}
	c := &contents{entries: list, fmu: &FMU{Size: size, Model: model}, budget: binaries}
	c.read()
	return c.fmu, root, nil
}

// notZip returns the error for a file that is not a zip archive; it names the kind of file,
// determined from its first bytes.
func notZip(r io.ReaderAt, size int64, cause error) error {
	var begin [8]byte
	n, _ := r.ReadAt(begin[:], 0)
	text := string(begin[:n])
	e := fault.New(ErrNotZip, fault.Place{}, "", "").
		WithHint("an FMU is a zip file with modelDescription.xml at its root")
	switch {
	case size == 0:
		e.Found = "an empty file"
	case strings.HasPrefix(text, "PK\x03\x04"):
		e.Found, e.Cause = "the beginning of a zip file without the directory at its end", cause
		e.Hint = "the file seems to be truncated or damaged: copy or download it again"
	case strings.HasPrefix(text, "<"):
		e.Found = fmt.Sprintf("%q at the beginning, as in XML", text)
	default:
		e.Found, e.Expected, e.Cause = fmt.Sprintf("%q at the beginning", text), `"PK\x03\x04"`,
			cause
	}
	return e
}

// safe refuses an archive if a file would be unpacked outside the target folder, or if its content
// depends on the unpacking tool. It omits entries that repeat an earlier one.
func safe(all []*zip.File) (list []*zip.File, err error) {
	if len(all) > maxEntries {
		return nil, fault.New(ErrTooLarge, fault.Place{}, fmt.Sprintf("%d entries", len(all)),
			fmt.Sprintf("at most %d", maxEntries))
	}
	if first, second := entries.Overlap(all); first != nil {
		return nil, unsafeEntry(second, "compressed bytes that "+shown(first.Name)+" has, too",
			"it may unpack to an arbitrary size: do not unpack this file; pack the FMU again")
	}
	isFile := map[string]bool{}
	seen := map[string]*zip.File{}
	folders := map[string]bool{} // whose path has been gone up
	for _, e := range all {
		if IsRoot(e) {
			continue
		}
		name := strings.TrimSuffix(e.Name, "/")
		if wrong := WrongName(name); wrong != "" {
			return nil, unsafeEntry(e, "a path that "+wrong,
				"paths in an FMU are relative, with forward slashes, and "+
					"do not lead outside; do not "+
					"unpack this file")
		}
		if first := seen[name]; first != nil {
			if !Same(first, e) {
				return nil, unsafeEntry(e, "this entry twice, with different content",
					"the entry that is used depends on the unpacking tool: pack the FMU again")
			}
			continue
		}
		seen[name] = e
		list = append(list, e)
		isFile[name] = !strings.HasSuffix(e.Name, "/")
	}
	for _, e := range list {
		name := strings.TrimSuffix(e.Name, "/")
		for at := strings.LastIndex(name, "/"); at > 0 &&
			!folders[name[:at]]; at = strings.LastIndex(name[:at], "/") {
			if isFile[name[:at]] {
				return nil, unsafeEntry(e, Plain(name[:at])+" both as a file and as a folder",
					"pack the FMU again")
			}
			folders[name[:at]] = true
		}
	}
	return list, nil
}

// Same reports whether two entries with the same name have the same content. It first compares the
// sizes and checksums stated in the zip file.
func Same(a, b *zip.File) bool {
	if a.Name != b.Name || a.Mode() != b.Mode() || a.CRC32 != b.CRC32 ||
		a.UncompressedSize64 != b.UncompressedSize64 || (a.Flags|b.Flags)&flagEncrypted != 0 {
		return false
	}
	var sums [2][sha256.Size]byte
	for k, e := range []*zip.File{a, b} {
		r, err := e.Open()
		if err != nil {
			return false
		}
		sum := sha256.New()
		_, err = io.Copy(sum, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return false
		}
		sum.Sum(sums[k][:0])
	}
	return sums[0] == sums[1]
}

func unsafeEntry(e *zip.File, found, hint string) error {
	return fault.New(ErrUnsafe, fault.Place{Entry: shown(e.Name)}, found, "").WithHint(hint)
}

// shown returns the name of an entry for messages. It shortens very long names.
func shown(name string) string {
	const most = 200
	if len(name) > most {
		name = name[:most] + "..."
	}
	return Plain(name)
}

// IsRoot reports whether an entry is the root folder itself, which some tools write. It has no
// effect.
func IsRoot(e *zip.File) bool { return e.Name == "./" }

// WrongName describes what is wrong with the path of an entry in an archive; it returns an empty
// string for a valid path.
func WrongName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxPath:
		return fmt.Sprintf("has %d bytes, expected at most %d", len(name), maxPath)
	case strings.Contains(name, `\`):
		return "has a backslash"
	case strings.HasPrefix(name, "/"):
		return "is absolute"
	case strings.Contains(name, ":"):
		return "has a colon, like a drive letter"
	case strings.Contains(name, "\x00"):
		return "has a zero byte"
	case name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, "/../") ||
		strings.HasSuffix(name, "/.."):
		return "leads out of the archive with .."
	case !fs.ValidPath(name) || name == ".":
		return "has an empty part or a dot for a part"
	}
	return ""
}

// describe reads modelDescription.xml.
func describe(entries []*zip.File) (*ModelDescription, *xmldoc.Node, error) {
	var similar string
	for _, e := range entries {
		if e.Name == descriptionName {
			return describeEntry(e)
		}
		if strings.EqualFold(path.Base(e.Name), descriptionName) {
			similar = e.Name
		}
	}
	e := fault.New(ErrNoModelDescription, fault.Place{}, "", descriptionName+
		" at the root of the archive")
	switch {
	case strings.Contains(similar, "/"):
		e.Hint = "there is " + Plain(similar) + ": zip the content of the folder, not the folder"
	case similar != "":
		e.Hint = "there is " + Plain(similar) + ": its name has to be spelled modelDescription.xml"
	}
	return nil, nil, e
}

func describeEntry(e *zip.File) (*ModelDescription, *xmldoc.Node, error) {
	place := fault.Place{Entry: descriptionName}
	fail := func(cause error) (*ModelDescription, *xmldoc.Node, error) {
		return nil, nil, fault.Wrap(ErrNoModelDescription, place, cause).
			WithHint("pack the FMU again")
	}
	if e.Flags&flagEncrypted != 0 {
		return fail(errors.New("it is encrypted, which FMI does not allow"))
	}
	if e.UncompressedSize64 > uint64(documentLimits.Bytes) {
		return nil, nil, fault.New(ErrTooLarge, place,
			fmt.Sprintf("%d bytes", e.UncompressedSize64),
			fmt.Sprintf("at most %d", documentLimits.Bytes))
	}
	r, err := OpenEntry(e)
	if err != nil {
		return fail(err)
	}
	o := xmldoc.Options{Limits: documentLimits,
		Size: int64(min(e.UncompressedSize64, mostInflated*e.CompressedSize64))}
	m, root, err := parse(r, o)
	if closing := r.Close(); err == nil && closing != nil {
		return fail(closing)
	}
	return m, root, err
}

// OpenEntry opens an entry for reading.
func OpenEntry(e *zip.File) (io.ReadCloser, error) {
	r, err := e.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, fmt.Errorf("compressed by method %d, expected 0 (store) or 8 (deflate): %w",
			e.Method, err)
	}
	return r, err
}

// mostInflated is the maximum number of bytes to which one byte of a deflated stream can expand.
const mostInflated = 1032

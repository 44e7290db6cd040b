package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// FMU is what a .fmu file contains.
type FMU struct {
	Path          string            // of the file, empty if it was read from elsewhere
	Size          int64             // of the file in bytes
	Model         *ModelDescription // what modelDescription.xml says
	Files         []File            // all files by name
	Platforms     []Platform        // the folders in binaries/ by name
	Sources       []File            // in sources/
	Resources     []File            // in resources/
	Documentation Documentation
	Problems      []Problem // of the archive and its content, then those of Model
}

// File is a file inside of the archive.
type File struct {
	Name           string `json:"name"` // the path from the root of the archive
	Size           int64  `json:"size"` // unpacked, in bytes
	CompressedSize int64  `json:"compressedSize"`
}

// maxEntries bounds the number of files; a zip file without extensions cannot have more than 65535.
const maxEntries = 1 << 17

// maxPath bounds the length of a path, in bytes.
const maxPath = 1024

// Open reads the FMU at a path. An [InputError] tells why it cannot be read; what is wrong with it otherwise is in Problems.
// Nothing stays open.
func Open(name string) (*FMU, error) {
	info, err := os.Stat(name) // before it is opened, because opening a pipe waits for a writer
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &InputError{File: name, Cause: fmt.Errorf("%w: a folder", ErrNotZip), Hint: "name a .fmu file"}
	case !info.Mode().IsRegular():
		return nil, &InputError{
			File: name, Cause: fmt.Errorf("%w: a device, pipe or socket", ErrNotZip), Hint: "save its content to a file first",
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	fmu, err := Read(f, info.Size())
	var input *InputError
	if errors.As(err, &input) {
		input.File = name
	}
	if err != nil {
		return nil, err
	}
	fmu.Path = name
	return fmu, nil
}

// Read reads an FMU of size bytes.
func Read(r io.ReaderAt, size int64) (*FMU, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, notZip(r, size, err)
	}
	if err := safe(z.File); err != nil {
		return nil, err
	}
	model, err := describe(z.File)
	if err != nil {
		return nil, err
	}
	c := &contents{entries: z.File, fmu: &FMU{Size: size, Model: model, Problems: []Problem{}}}
	c.read()
	c.fmu.Problems = append(c.fmu.Problems, model.Problems...)
	return c.fmu, nil
}

// notZip says what the file is instead, as far as its first bytes tell.
func notZip(r io.ReaderAt, size int64, cause error) error {
	var begin [8]byte
	n, _ := r.ReadAt(begin[:], 0)
	text := string(begin[:n])
	e := &InputError{Hint: "an FMU is a zip file with modelDescription.xml at its root"}
	switch {
	case size == 0:
		e.Cause = fmt.Errorf("%w: the file is empty", ErrNotZip)
	case strings.HasPrefix(text, "PK\x03\x04"):
		e.Cause = fmt.Errorf("%w: it begins like one, but the directory at its end cannot be read (%w)", ErrNotZip, cause)
		e.Hint = "the file seems to be truncated or damaged: copy or download it again"
	case strings.HasPrefix(text, "<"):
		e.Cause = fmt.Errorf("%w: it begins with %q, as XML does", ErrNotZip, text)
	default:
		e.Cause = fmt.Errorf("%w: it begins with %q, expected \"PK\\x03\\x04\" (%w)", ErrNotZip, text, cause)
	}
	return e
}

// safe refuses archives whose files would land outside of their folder, or whose content depends on who unpacks it.
func safe(entries []*zip.File) error {
	if len(entries) > maxEntries {
		return &InputError{Cause: fmt.Errorf("%w: %d entries, expected at most %d", ErrTooLarge, len(entries), maxEntries)}
	}
	isFile := map[string]bool{}
	seen := map[string]bool{}
	folders := map[string]bool{} // whose path has been gone up
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name, "/")
		if wrong := wrongName(name); wrong != "" {
			return &InputError{Entry: e.Name, Cause: fmt.Errorf("%w: the path %s", ErrUnsafe, wrong),
				Hint: "paths in an FMU are relative, with forward slashes, and stay inside; do not unpack this file"}
		}
		if seen[name] {
			return &InputError{Entry: e.Name, Cause: fmt.Errorf("%w: the archive has this entry twice", ErrUnsafe),
				Hint: "which of them counts depends on the tool that unpacks it: pack the FMU again"}
		}
		seen[name] = true
		isFile[name] = !strings.HasSuffix(e.Name, "/")
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name, "/")
		for at := strings.LastIndex(name, "/"); at > 0 && !folders[name[:at]]; at = strings.LastIndex(name[:at], "/") {
			if isFile[name[:at]] {
				return &InputError{Entry: e.Name, Hint: "pack the FMU again",
					Cause: fmt.Errorf("%w: %s is both a file and a folder", ErrUnsafe, Plain(name[:at]))}
			}
			folders[name[:at]] = true
		}
	}
	return nil
}

// wrongName says what is wrong with a path in an archive, if anything.
func wrongName(name string) string {
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
		return "has a colon, as a drive letter would"
	case strings.Contains(name, "\x00"):
		return "has a zero byte"
	case name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, "/../") || strings.HasSuffix(name, "/.."):
		return "climbs out of the archive with .."
	case !fs.ValidPath(name) || name == ".":
		return "has an empty part or a dot for a part"
	}
	return ""
}

// describe reads modelDescription.xml.
func describe(entries []*zip.File) (*ModelDescription, error) {
	var similar string
	for _, e := range entries {
		if e.Name == descriptionName {
			return describeEntry(e)
		}
		if strings.EqualFold(path.Base(e.Name), descriptionName) {
			similar = e.Name
		}
	}
	e := &InputError{Cause: fmt.Errorf("%w: no modelDescription.xml at the root of the archive", ErrNoModelDescription)}
	switch {
	case strings.Contains(similar, "/"):
		e.Hint = "there is " + Plain(similar) + ": zip the content of the folder, not the folder"
	case similar != "":
		e.Hint = "there is " + Plain(similar) + ": its name has to be spelled modelDescription.xml"
	}
	return nil, e
}

func describeEntry(e *zip.File) (*ModelDescription, error) {
	fail := func(cause error) error {
		return &InputError{Entry: e.Name, Cause: fmt.Errorf("%w: %w", ErrNoModelDescription, cause), Hint: "pack the FMU again"}
	}
	if e.Flags&flagEncrypted != 0 {
		return nil, fail(errors.New("it is encrypted, which FMI forbids"))
	}
	if e.UncompressedSize64 > uint64(documentLimits.bytes) {
		return nil, &InputError{Entry: e.Name, Cause: fmt.Errorf("%w: %d bytes, expected at most %d",
			ErrTooLarge, e.UncompressedSize64, documentLimits.bytes)}
	}
	r, err := e.Open()
	if err != nil {
		return nil, fail(err)
	}
	m, err := Parse(r)
	if closing := r.Close(); err == nil && closing != nil {
		err = fail(closing)
	}
	return m, err
}

package check

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/entries"
)

// Bits of the general purpose flags of a zip entry.
const (
	flagEncrypted      = 1 << 0
	flagDataDescriptor = 1 << 3
)

// archive checks the zip file itself (Z1 to Z7).
func (x *examiner) archive(z *zip.Reader, r io.ReaderAt, size int64) {
	x.directory(r, size)
	x.overlap(z.File)
	x.twice(z.File)
	budget := int64(maxUnpacked)
	for _, e := range z.File {
		x.entry(e)
		if !strings.HasSuffix(e.Name, "/") && int64(e.UncompressedSize64) <= budget {
			budget -= int64(e.UncompressedSize64)
			x.unpack(e)
		}
	}
	if x.root != nil {
		x.encoding()
		x.layout(z.File)
	}
}

// overlap reports entries that share compressed bytes (Z1).
func (x *examiner) overlap(list []*zip.File) {
	if first, second := entries.Overlap(list); first != nil {
		x.error("Z1", in(second.Name), fact{what: "compressed bytes that another entry has, too",
			found: quoted(first.Name), expected: "bytes of its own",
			remedy: "do not unpack this file, which may unpack to an " +
				"arbitrary size; pack the FMU again"})
	}
}

// entry checks the name, kind and compression of an entry (Z2, Z4).
func (x *examiner) entry(e *zip.File) {
	place := in(e.Name)
	if archive.IsRoot(e) {
		x.warn("Z2", place, fact{what: "an entry for the root folder", found: quoted(e.Name),
			expected: "entries below it", remedy: "remove it: some importers refuse it"})
	} else if wrong := archive.WrongName(strings.TrimSuffix(e.Name, "/")); wrong != "" {
		x.error("Z2", place, fact{what: "a path that " + wrong, found: quoted(e.Name),
			expected: "a relative path with forward slashes that does not lead outside",
			remedy:   "do not unpack this file; pack the FMU again"})
	} else if wrong := unusable(e.Name); wrong != "" {
		x.warn("Z2", place, fact{what: "a name that " + wrong, found: quoted(e.Name),
			expected: "a name that every system can unpack", remedy: "rename it"})
	}
	if kind := e.Mode().Type(); kind != 0 && kind != fs.ModeDir {
		x.error("Z2", place, fact{what: pick(kind == fs.ModeSymlink, "a link",
			"neither a file nor a folder"), expected: "files only"})
	}
	if e.Flags&flagEncrypted != 0 {
		x.error("Z2", place, fact{what: "encrypted", expected: "no encryption"})
	}
	switch {
	case e.Method != zip.Store && e.Method != zip.Deflate:
		x.warn("Z4", place, fact{what: "compression", found: fmt.Sprintf("method %d", e.Method),
			expected: "0 (store) or 8 (deflate)"})
	case e.Method == zip.Store && e.Flags&flagDataDescriptor != 0 && !strings.HasSuffix(e.Name,
		"/"):
		x.warn("Z4", place, fact{what: "stored with bit 3 of the flags set",
			expected: "only with deflate", remedy: "readers of streams cannot find the end"})
	}
	if version := e.ReaderVersion & 0xFF; version > 20 {
		x.warn("Z4", place, fact{what: "version of the zip format that is needed",
			found: fmt.Sprintf("%d.%d", version/10, version%10), expected: "at most 2.0"})
	}
}

// unusable explains why the name of an entry cannot be unpacked everywhere, or returns "".
func unusable(name string) string {
	const longest = 255 // bytes, in most file systems
	for part := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
		stem, _, _ := strings.Cut(part, ".")
		switch {
		case len(part) > longest:
			return "is longer than 255 bytes"
		case strings.ContainsFunc(part, unicode.IsControl):
			return "has control characters"
		case strings.ContainsAny(part, `<>:"|?*`):
			return "has a character that Windows does not allow"
		case strings.HasSuffix(part, "."), strings.HasSuffix(part, " "):
			return "ends with a dot or a space, which Windows removes"
		case reserved().MatchString(stem):
			return "Windows uses for a device"
		}
	}
	return ""
}

var reserved = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9])$`)
})

// twice reports names that occur more than once, or that differ only in case (Z3).
func (x *examiner) twice(entries []*zip.File) {
	seen, lower := map[string]*zip.File{}, map[string]string{}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name, "/")
		first := seen[name]
		switch {
		case first == nil:
			seen[name] = e
		case archive.Same(first, e):
			x.note("Z3", in(e.Name), fact{what: "this entry twice, with the same content",
				expected: "each once"})
			continue
		default:
			x.error("Z3", in(e.Name), fact{what: "this entry twice, with different content",
				expected: "each once",
				remedy: "the entry that is used depends on the unpacking tool: " +
					"pack the FMU again"})
			continue
		}
		key := strings.ToLower(name)
		if other, clash := lower[key]; clash && other != name && !strings.HasSuffix(e.Name, "/") {
			x.warn("Z3", in(e.Name), fact{what: "a name that differs only in case",
				found: quoted(name) +
					" and " + quoted(other),
				expected: "names that also differ on Windows and macOS"})
		}
		lower[key] = name
	}
}

// directory compares the local headers with the central directory, and looks for bytes before and
// after the archive (Z1).
func (x *examiner) directory(r io.ReaderAt, size int64) {
	const endSize, centralSize, localSize = 22, 46, 30
	end, at := readEnd(r, size, endSize)
	if end == nil {
		return // a ZIP64 archive, which the reader understands better
	}
	length, offset := int64(le32(end, 12)), int64(le32(end, 16))
	if prefix := at - length - offset; prefix > 0 {
		x.error("Z1", in(""), fact{what: "bytes before the archive",
			found: fmt.Sprintf("%d", prefix), expected: "none", remedy: "pack the FMU again"})
		return
	}
	if rest := size - at - endSize - int64(le16(end, 20)); rest > 0 {
		x.warn("Z1", in(""), fact{what: "bytes after the archive",
			found: strconv.FormatInt(rest, 10), expected: "none",
			remedy: "some readers do not find the directory: pack the FMU again"})
	}
	central := make([]byte, min(length, maxDocument))
	if _, err := r.ReadAt(central, offset); err != nil {
		return // reported by the reader
	}
	for len(central) >= centralSize && string(central[:4]) == "PK\x01\x02" {
		nameLength := int(le16(central, 28))
		next := centralSize + nameLength + int(le16(central, 30)) + int(le16(central, 32))
		if next > len(central) {
			return
		}
		name := string(central[centralSize : centralSize+nameLength])
		local := make([]byte, localSize+nameLength)
		if _, err := r.ReadAt(local, int64(le32(central, 42))); err != nil {
			return
		}
		x.localHeader(name, local, central)
		central = central[next:]
	}
}

// localHeader compares the header of an entry with its record in the directory.
func (x *examiner) localHeader(name string, local, central []byte) {
	const localSize = 30
	f := fact{expected: "the values in the directory",
		remedy: "the entry that is used depends on the tool: pack the FMU again"}
	switch flags := le16(local, 6); {
	case string(local[:4]) != "PK\x03\x04":
		f.what = "no local header at the position in the directory"
	case int(le16(local, 26)) != len(name) || string(local[localSize:]) != name:
		f.what, f.found = "local header with a different name",
			quoted(string(bytes.TrimRight(local[localSize:],
				"\x00")))
	case le16(local, 8) != le16(central, 10):
		f.what, f.found = "local header with a different compression", fmt.Sprintf("method %d",
			le16(local, 8))
	case flags&flagDataDescriptor == 0 && le32(local, 14) != le32(central, 16):
		f.what = "local header with a different checksum"
	case flags&flagDataDescriptor == 0 && le32(local, 22) != le32(central, 24) &&
		le32(local, 22) != math.MaxUint32: // which means that a ZIP64 field holds the size
		f.what, f.found = "local header with a different size", fmt.Sprintf(
			"%d bytes", le32(local, 22))
		f.expected = fmt.Sprintf("%d, as in the directory", le32(central, 24))
	default:
		return
	}
	x.error("Z1", in(name), f)
}

// readEnd returns the record at the end of the archive and its position. It returns nil for an
// archive with ZIP64 extensions.
func readEnd(r io.ReaderAt, size, length int64) ([]byte, int64) {
	const maxComment = 1 << 16
	tail := make([]byte, min(size, length+maxComment))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, 0
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < int(length) {
		return nil, 0
	}
	end := tail[at:]
	if le32(end, 12) == 1<<32-1 || le32(end, 16) == 1<<32-1 || le16(end, 10) == 1<<16-1 {
		return nil, 0
	}
	return end, size - int64(len(tail)) + int64(at)
}

func le16(b []byte, at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func le32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// xml11 finds a version of XML other than 1.0.
var xml11 = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<\?xml\s+version\s*=\s*["'](1\.[1-9][0-9]*)["']`)
})

// encoding checks that the model description is encoded in UTF-8 (Z5).
func (x *examiner) encoding() {
	content, err := x.content(descriptionName)
	if err != nil || x.major == fmi.FMI1 {
		return
	}
	head := content[:min(len(content), 200)]
	if bytes.HasPrefix(head, []byte("\xFE\xFF")) || bytes.HasPrefix(head, []byte("\xFF\xFE")) {
		x.error("Z5", in(descriptionName), fact{what: "encoding", found: "UTF-16",
			expected: "UTF-8"})
		return
	}
	place := in(descriptionName)
	place.Line = 1
	declaration, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), []byte("?>"))
	if m := xml11().FindSubmatch(declaration); m != nil {
		x.warn("Z5", place, fact{what: "version of XML", found: quoted(string(m[1])),
			expected: quoted("1.0"), remedy: "many parsers refuse other versions"})
	}
	_, value, found := bytes.Cut(declaration, []byte("encoding="))
	if !found || !bytes.HasPrefix(declaration, []byte("<?xml")) || len(value) < 2 {
		x.remark("Z5", place, fact{what: "no encoding in the first line",
			expected: `<?xml version="1.0" encoding="UTF-8"?>`})
		return
	}
	name, _, _ := strings.Cut(string(value[1:]), string(value[:1]))
	if !strings.EqualFold(name, "UTF-8") {
		x.error("Z5", place, fact{what: "encoding", found: quoted(name), expected: "UTF-8"})
	}
}

// The names that are allowed at the root, keyed by version.
var rootNames = [...][]string{
	fmi.FMI1: {descriptionName, "model.png", "documentation", "sources", "binaries", "resources"},
	fmi.FMI2: {descriptionName, "model.png", "documentation", "sources", "binaries", "resources",
		"licenses", "terminalsAndIcons", "extra"},
	fmi.FMI3: {descriptionName, "documentation", "sources", "binaries", "resources",
		"terminalsAndIcons", "extra"},
}

// leftovers are unwanted files that other programs leave in archives.
var leftovers = []string{".git", ".svn", "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}

// layout reports files that do not belong in an FMU (Z6, Z7).
func (x *examiner) layout(entries []*zip.File) {
	seen := map[string]bool{}
	for _, e := range entries {
		parts := strings.Split(strings.TrimSuffix(e.Name, "/"), "/")
		root, base := parts[0], parts[len(parts)-1]
		for _, part := range parts {
			if slices.Contains(leftovers, part) || strings.HasSuffix(part, ".swp") &&
				part == base ||
				strings.HasSuffix(part, "~") && part == base {
				if !seen[part] {
					x.note("Z6", in(e.Name), fact{what: "a leftover of another program",
						found:    quoted(part),
						expected: "only files of the FMU"})
				}
				seen[part], seen[root] = true, true
			}
		}
		if !seen[root] && !slices.Contains(rootNames[x.major], root) {
			x.note("Z6", in(root), fact{what: "at the root of the archive", found: quoted(root),
				expected: strings.Join(rootNames[x.major], ", "),
				remedy:   "put your own files into resources/ or extra/"})
		}
		seen[root] = true
		if root == "sources" && strings.HasPrefix(base, "fmi") && path.Ext(base) == ".h" {
			x.remark("Z6", in(e.Name), fact{what: "an FMI header among the sources",
				remedy: "hosts provide their own"})
		}
		if root == "extra" && len(parts) > 2 && !strings.Contains(parts[1], ".") &&
			!seen["extra/"+parts[1]] {
			seen["extra/"+parts[1]] = true
			x.note("Z7", in("extra/"+parts[1]), fact{what: "folder in extra/",
				found:    quoted(parts[1]),
				expected: "a name that begins with a reverse domain, like org.example.tool"})
		}
	}
}

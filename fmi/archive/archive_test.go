package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/entries/hostile"
)

func TestOpen_ListsTheContents(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.fmu")
	content := pack(t,
		entry{"resources/", ""}, entry{"resources/b.csv", "1234"},
		entry{"resources/a/deep.csv", ""},
		entry{"modelDescription.xml", minimal}, entry{"binaries/linux64/M.so", elfStub(elfAMD64)},
		entry{"binaries/linux64/data/table.bin", "x"}, entry{"sources/m.c", "int x;"},
		entry{"documentation/index.html",
			"<html><head><TITLE lang='en'>\n Tank &amp;\n more </TITLE>"},
		entry{"documentation/licenses/license.txt", "free"},
		entry{"documentation/licenses/other.txt", "too"},
		entry{"documentation/externalDependencies.txt", "none"}, entry{"model.png", "png"},
		entry{"terminalsAndIcons/terminalsAndIcons.xml", "<a/>"},
		entry{"extra/org.example/x.txt", ""})
	require.NoError(t, os.WriteFile(name, content, 0o600))
	f, err := Open(name)
	require.NoError(t, err)
	requireNoNil(t, reflect.ValueOf(f), "FMU")
	require.Equal(t, name, f.Path)
	require.Equal(t, int64(len(content)), f.Size)
	require.Len(t, f.Files, 13, "folders are not counted as files")
	require.Equal(t, "binaries/linux64/M.so", f.Files[0].Name, "in alphabetical order")
	names := func(files []File) (list []string) {
		for _, file := range files {
			list = append(list, file.Name)
		}
		return list
	}
	require.Equal(t, []string{"resources/a/deep.csv", "resources/b.csv"}, names(f.Resources))
	require.Equal(t, int64(4), f.Resources[1].Size)
	require.Equal(t, []string{"sources/m.c"}, names(f.Sources))
	d := f.Documentation
	require.Equal(t, []string{"documentation/index.html", "Tank & more",
		"documentation/licenses/license.txt",
		"documentation/externalDependencies.txt", "model.png"}, []string{d.Entry, d.Title,
		d.LicenseEntry, d.ExternalDependencies, d.Icon})
	require.True(t, d.TerminalsAndIcons)
	require.Equal(t, []string{"documentation/licenses/license.txt",
		"documentation/licenses/other.txt"}, names(d.Licenses))
	require.Len(t, f.Platforms, 1)
	require.Equal(t, []string{"linux64", "linux", "x86_64"}, []string{f.Platforms[0].Name,
		f.Platforms[0].System, f.Platforms[0].Machine})
	library, table := f.Platforms[0].Binaries[0], f.Platforms[0].Binaries[1]
	require.Equal(t, []any{"ELF", []string{"x86_64"}, value(true), true}, []any{library.Format,
		library.Machines, library.Matches, library.Entry})
	require.Equal(t, []any{"", (*bool)(nil), false}, []any{table.Format, table.Matches,
		table.Entry})
}

func TestOpen_RefusesWhatIsNotAFile(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "missing.fmu"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	folder := t.TempDir()
	_, err = Open(folder)
	require.ErrorIs(t, err, ErrNotZip)
	require.ErrorContains(t, err, folder+": not a zip file: found a folder")
	name := filepath.Join(folder, "text.fmu")
	require.NoError(t, os.WriteFile(name, []byte("hello, this is text"), 0o600))
	_, err = Open(name)
	require.ErrorContains(t, err, name+`: not a zip file: found "hello, t" at the beginning`)
}

func TestRead_RefusesWhatIsNotAZip(t *testing.T) {
	whole := pack(t, entry{"modelDescription.xml", minimal})
	for text, content := range map[string][]byte{
		"found an empty file": {},
		"found the beginning of a zip file without the directory": whole[:len(
			whole)-30],
		`found "<?xml ve" at the beginning, as in XML`: []byte(
			`<?xml version="1.0"?>`),
		`found "\x1f\x8b" at the beginning, expected "PK\x03\x04": zip: not a valid`: {0x1f, 0x8b},
		`found "\x7fELF\x02\x01\x01\x00" at the beginning, expected "`: []byte(
			elfStub(elfAMD64)),
	} {
		err := readError(t, content)
		require.ErrorIs(t, err, ErrNotZip)
		require.ErrorContains(t, err, text)
		require.NotEmpty(t, err.Hint)
	}
}

func TestRead_RefusesUnsafeArchives(t *testing.T) {
	description := entry{"modelDescription.xml", minimal}
	for text, entries := range map[string][]entry{
		"../../etc/passwd: unsafe archive: found a path that leads out of the archive": {
			description, {"../../etc/passwd", ""}},
		"resources/../../x: unsafe archive: found a path that leads out": {description,
			{"resources/../../x", ""}},
		"a/..: unsafe archive: found a path that leads out": {
			description, {"a/..", ""}},
		"/etc/passwd: unsafe archive: found a path that is absolute": {description,
			{"/etc/passwd", ""}},
		`resources\x: unsafe archive: found a path that has a backslash`: {description,
			{`resources\x`, ""}},
		"C:/x: unsafe archive: found a path that has a colon": {
			description, {"C:/x", ""}},
		": unsafe archive: found a path that has 1025 bytes, expected at most 1024": {description,
			{strings.Repeat("x", 1025), ""}},
		"a//b: unsafe archive: found a path that has an empty part": {description, {"a//b", ""}},
		"./a: unsafe archive: found a path that has an empty part or a dot": {description,
			{"./a", ""}},
		"modelDescription.xml: unsafe archive: found this entry twice, with different": {
			description, {"modelDescription.xml", minimal + " "}},
		"resources: unsafe archive: found this entry twice": {
			description, {"resources/", ""}, {"resources", ""}},
		"a/b/c: unsafe archive: found a both as a file and as a folder": {description, {"a", ""},
			{"a/b/c", ""}},
	} {
		err := readError(t, pack(t, entries...))
		require.ErrorIs(t, err, ErrUnsafe)
		require.ErrorContains(t, err, text)
		require.NotEmpty(t, err.Hint)
	}
}

// TestRead_TheRootAsAnEntry reads archives that have an entry for their root folder.
func TestRead_TheRootAsAnEntry(t *testing.T) {
	b := pack(t, entry{"./", ""}, entry{"modelDescription.xml", minimal})
	f, err := Read(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Len(t, f.Files, 1)
}

// TestRead_SharedBytes uses entries that share compressed bytes, which may unpack to any size.
func TestRead_SharedBytes(t *testing.T) {
	packed := pack(t, entry{"modelDescription.xml", minimal}, entry{"resources/a", "x"})
	err := readError(t, hostile.Share(packed))
	require.ErrorIs(t, err, ErrUnsafe)
	require.ErrorContains(t, err,
		"resources/a: unsafe archive: found compressed bytes that modelDescription.xml has")
}

func TestRead_KeepsOneOfEqualEntries(t *testing.T) {
	description, page := entry{"modelDescription.xml", minimal}, entry{"documentation/index.html",
		"a page"}
	packed := pack(t, description, page, entry{"resources/", ""}, description, page,
		entry{"resources/", ""})
	f, err := Read(bytes.NewReader(packed), int64(len(packed)))
	require.NoError(t, err)
	require.Len(t, f.Files, 2)
}

func TestRead_NeedsAModelDescription(t *testing.T) {
	err := readError(t, pack(t, entry{"resources/x", ""}))
	require.ErrorIs(t, err, ErrNoModelDescription)
	require.Empty(t, err.Hint)
	err = readError(t, pack(t, entry{"Tank/modelDescription.xml", minimal}))
	require.ErrorContains(t, err,
		"there is Tank/modelDescription.xml: zip the content of the folder, not the folder")
	err = readError(t, pack(t, entry{"ModelDescription.xml", minimal}))
	require.ErrorContains(t, err, "has to be spelled modelDescription.xml")
	err = readError(t, pack(t, entry{"modelDescription.xml", "<a>\n<b"}))
	require.ErrorIs(t, err, ErrXML)
	require.ErrorContains(t, err, "modelDescription.xml:2:3: broken XML: unexpected EOF")
}

// raw packs a valid model description and an entry with the given header, which may be wrong.
func raw(t *testing.T, h zip.FileHeader, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if h.Name != "modelDescription.xml" {
		f, err := w.Create("modelDescription.xml")
		require.NoError(t, err)
		_, err = f.Write([]byte(minimal))
		require.NoError(t, err)
	}
	f, err := w.CreateRaw(&h)
	require.NoError(t, err)
	_, err = f.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestRead_BoundsTheModelDescription(t *testing.T) {
	// A zip bomb whose header states its real size is refused before unpacking.
	err := readError(t, raw(t, zip.FileHeader{Name: "modelDescription.xml", Method: zip.Deflate,
		UncompressedSize64: 1 << 40,
		CompressedSize64:   3}, []byte("abc")))
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorContains(t, err, "1099511627776 bytes, expected at most 134217728")
	// A zip bomb whose header states too small a size is read only up to the stated size.
	err = readError(t, raw(t, zip.FileHeader{Name: "modelDescription.xml", Method: zip.Store,
		UncompressedSize64: 4,
		CompressedSize64:   uint64(len(minimal))}, []byte(minimal)))
	require.ErrorIs(t, err, ErrNoModelDescription)
	require.ErrorIs(t, err, zip.ErrFormat)
	err = readError(t, raw(t, zip.FileHeader{Name: "modelDescription.xml", Method: zip.Store,
		Flags: 1, UncompressedSize64: 4,
		CompressedSize64: 4}, []byte("????")))
	require.ErrorContains(t, err, "it is encrypted, which FMI does not allow")
	err = readError(t, raw(t, zip.FileHeader{Name: "modelDescription.xml", Method: 12,
		UncompressedSize64: 4,
		CompressedSize64:   4}, []byte("????")))
	require.ErrorIs(t, err, zip.ErrAlgorithm)
	require.ErrorContains(t, err, "compressed by method 12, expected 0 (store) or 8 (deflate)")
}

// Binaries beyond the size limit are identified by their first bytes, and nothing more is unpacked.
func TestRead_BoundsBinaries(t *testing.T) {
	var list []*zip.File
	content := pack(t, entry{"modelDescription.xml", minimal}, entry{"binaries/linux64/M.so",
		elfStub(elfAMD64) + strings.Repeat("x", 1000)})
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	list = append(list, z.File[1])
	for budget, format := range map[int64]string{0: "", 63: "ELF", 5000: "ELF"} {
		c := &contents{entries: list, fmu: &FMU{Model: &ModelDescription{FMIVersion: "2.0"}},
			budget: budget}
		var b Binary
		content, whole := c.content(list[0])
		b.Examine(&Platform{}, content, whole)
		require.Equal(t, format, b.Format)
		require.GreaterOrEqual(t, c.budget, int64(0))
	}
}

// Real FMUs are not in the repository. Every file in the folder must be either readable or refused
// with a reason.
func TestOpen_RealFMUs(t *testing.T) {
	folder := os.Getenv("GOSMP_TESTDATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	var names []string
	err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".fmu" {
			names = append(names, name)
		}
		return nil
	})
	require.NoError(t, err)
	if len(names) == 0 {
		t.Skip("no FMUs of other makers: set GOSMP_TESTDATA to a folder that has some")
	}
	for _, name := range names {
		f, err := Open(name)
		var input *Error
		if errors.As(err, &input) {
			t.Logf("%s is refused: %v", filepath.Base(name), err)
			continue
		}
		require.NoError(t, err, name)
		require.NotEmpty(t, f.Model.ModelName, name)
		requireNoNil(t, reflect.ValueOf(f), name)
		t.Logf("%s: %d variables", filepath.Base(name), len(f.Model.Variables))
	}
}

func TestOutline_IsOpenWithoutALookIntoBinaries(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.fmu")
	require.NoError(t, os.WriteFile(name, pack(t, entry{"modelDescription.xml", minimal},
		entry{"resources/b.csv", "1234"},
		entry{"binaries/linux64/M.so", elfStub(elfAMD64)}, entry{"binaries/win64/M.dll",
			"no library"}), 0o600))
	whole, err := Open(name)
	require.NoError(t, err)
	outline, err := Outline(name)
	require.NoError(t, err)
	require.Equal(t, whole.Files, outline.Files)
	require.Equal(t, whole.Resources, outline.Resources)
	require.Equal(t, whole.Model, outline.Model)
	require.Len(t, outline.Platforms, 2)
	for k, p := range outline.Platforms {
		was := whole.Platforms[k]
		require.Equal(t, was.Name, p.Name)
		require.Equal(t, []Binary{{File: was.Binaries[0].File, Machines: []string{},
			Needs: []string{}, Entry: true}}, p.Binaries)
	}
	_, err = Outline(name + "x")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

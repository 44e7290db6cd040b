package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/release"
)

// fixture returns a release of files that are quick to create.
func fixture(t *testing.T) (*distribution, *program) {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("python/__init__.py", "")
	write("python/py.typed", "")
	write("python/__pycache__/x.pyc", "not packed")
	d := &distribution{out: t.TempDir(), date: time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC),
		fmus: []string{write("Sensor.fmu", archive(t, "modelDescription.xml",
			"binaries/linux64/s.so", "binaries/win64/s.dll", "binaries/aarch64-linux/s.so"))},
		python: filepath.Join(folder, "python")}
	path := write("gosmp", strings.Repeat("program", 99))
	return d, &program{target: targets[0], path: path,
		licences: []byte("terms"), sbom: []byte("{}")}
}

// archive creates a zip file with entries that have these names.
func archive(t *testing.T, names ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(name))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.String()
}

func TestWheel_HasTheLibraryOfItsProcessor(t *testing.T) {
	d, p := fixture(t)
	for k, want := range []string{"binaries/linux64/s.so", "binaries/aarch64-linux/s.so"} {
		p.target = targets[k]
		small, err := p.onlyItsOwn(d.fmus[0])
		require.NoError(t, err)
		require.Equal(t, archive(t, "modelDescription.xml", want), string(small))
	}
	_, err := p.onlyItsOwn(p.path)
	require.ErrorIs(t, err, zip.ErrFormat)
}

// TestShareLibrary restores the part that was left out, as the Python package does.
func TestShareLibrary(t *testing.T) {
	library := strings.Repeat("library", 99)
	first := archive(t, "modelDescription.xml", library, "only here")
	second := archive(t, "other", library, "modelDescription.xml")
	fmus := []entry{{name: "a.fmu", data: []byte(first)},
		{name: "b-fmi3.fmu", data: []byte(second)}}
	require.NoError(t, shareLibrary(fmus))
	require.Equal(t, first, string(fmus[0].data))
	require.Equal(t, "b-fmi3.shared", fmus[1].name)
	var at, from, length int
	line, rest, _ := strings.Cut(string(fmus[1].data), "\n")
	_, err := fmt.Sscan(line, &at, &from, &length)
	require.NoError(t, err)
	require.Equal(t, second, rest[:at]+first[from:from+length]+rest[at:])

	alone := []entry{{name: "a.fmu", data: []byte(first)}, {name: "b.fmu",
		data: []byte(archive(t, "nothing in common"))}}
	require.NoError(t, shareLibrary(alone))
	require.Equal(t, "b.fmu", alone[1].name)
	alone[1].data = []byte("no zip")
	require.ErrorIs(t, shareLibrary(alone), zip.ErrFormat)
}

// TestWheel_CompressesLargeFilesByACommand uses a command that only stores data and whose output is
// a valid deflate stream.
func TestWheel_CompressesLargeFilesByACommand(t *testing.T) {
	d, p := fixture(t)
	text := strings.Repeat("x", 1<<20+1)
	require.NoError(t, os.WriteFile(p.path, []byte(text), 0o600))
	stream := filepath.Join(t.TempDir(), "stream")
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.NoCompression)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(stream, out.Bytes(), 0o600))
	d.deflate = []string{"cat", stream}
	require.NoError(t, d.wheel(p))
	wheel := read(t, d, d.written[0])
	require.Greater(t, len(wheel), len(text))
	z, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	require.NoError(t, err)
	f, err := z.Open("gosmp-" + release.Version + ".data/scripts/gosmp")
	require.NoError(t, err)
	back, err := io.ReadAll(f)
	require.NoError(t, err)
	require.True(t, text == string(back))
	info, err := f.Stat()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), info.Mode())
	require.Equal(t, d.date, info.ModTime().UTC())

	require.NoError(t, os.WriteFile(stream, out.Bytes()[:99], 0o600))
	require.ErrorContains(t, d.wheel(p), "does not give back")
}

func read(t *testing.T, d *distribution, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.out, name))
	require.NoError(t, err)
	return text
}

func TestWheel_RecordsWhatItHas(t *testing.T) {
	d, p := fixture(t)
	require.NoError(t, d.wheel(p))
	name := "gosmp-" + release.Version + "-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
	text := read(t, d, name)
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	contents := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		contents[f.Name] = string(content)
		require.Equal(t, strings.HasSuffix(f.Name, "scripts/gosmp"), f.Mode()&0o111 != 0, f.Name)
		require.Equal(t, strings.HasSuffix(f.Name, ".fmu"), f.Method == zip.Store, f.Name)
	}
	info := "gosmp-" + release.Version + ".dist-info/"
	rows, err := csv.NewReader(strings.NewReader(contents[info+"RECORD"])).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(contents))
	for _, row := range rows {
		content, ok := contents[row[0]]
		require.True(t, ok, row[0])
		if row[0] == info+"RECORD" {
			continue
		}
		sum := sha256.Sum256([]byte(content))
		require.Equal(t, "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]), row[1])
		require.Equal(t, fmt.Sprint(len(content)), row[2])
	}
	require.Contains(t, contents, "gosmp/fmus/Sensor.fmu")
	require.Contains(t, contents, "gosmp/py.typed")
	require.NotContains(t, strings.Join(keys(contents), " "), "pyc")
	require.Contains(t, contents[info+"METADATA"], "\nVersion: "+release.Version+"\n")
	require.Contains(t, contents[info+"WHEEL"],
		"\nTag: py3-none-manylinux_2_17_x86_64\nTag: py3-none-manylinux2014_x86_64\n")
}

func keys(m map[string]string) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	return list
}

// TestWheel_LicenceIsTheOwnersChoice: a licence field may appear only with a licence.
func TestWheel_LicenceIsTheOwnersChoice(t *testing.T) {
	_, err := os.Stat("../../LICENSE")
	require.Equal(t, err == nil, strings.Contains(metadata, "\nLicense-Expression:"))
	require.Equal(t, err != nil, strings.Contains(metadata, "Private :: Do Not Upload"))
}

// TestPack_SameBytes packs the same files twice, with different file times.
func TestPack_SameBytes(t *testing.T) {
	var first map[string][]byte
	for range 2 {
		d, p := fixture(t)
		require.NoError(t, d.wheel(p))
		require.NoError(t, d.archive(p))
		require.NoError(t, d.materials(p))
		require.NoError(t, d.copy(d.fmus[0]))
		require.NoError(t, d.sums())
		files := map[string][]byte{}
		for _, name := range d.written {
			files[name] = read(t, d, name)
		}
		require.Len(t, files, 5)
		if first != nil {
			require.Equal(t, first, files)
		}
		first = files
	}
}

func TestArchive_HasOneFolder(t *testing.T) {
	var out bytes.Buffer
	d, p := fixture(t)
	list := inOrder([]entry{{name: "b/gosmp", path: p.path, executable: true},
		{name: "a", data: []byte("1")}})
	require.NoError(t, d.tar(&out, list))
	r := tar.NewReader(&out)
	for _, want := range []struct {
		name string
		mode int64
	}{{"a", 0o644}, {"b/gosmp", 0o755}} {
		h, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, want.name, h.Name)
		require.Equal(t, want.mode, h.Mode)
		require.True(t, d.date.Equal(h.ModTime))
		require.Empty(t, h.Uname)
	}
}

func TestArchive_OfEachSystem(t *testing.T) {
	d, p := fixture(t)
	for _, system := range targets {
		p.target = system
		require.NoError(t, d.archive(p))
	}
	base := "gosmp-" + release.Version
	require.Equal(t, []string{base + "-linux-amd64.tar.gz", base + "-linux-arm64.tar.gz",
		base + "-windows-amd64.zip", base + "-macos-arm64.tar.gz"}, d.written)
	text := read(t, d, d.written[2])
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	var names []string
	for _, f := range z.File {
		folder, name, _ := strings.Cut(f.Name, "/")
		require.Equal(t, base+"-windows-amd64", folder)
		require.True(t, d.date.Equal(f.Modified))
		names = append(names, name)
	}
	require.Equal(t, []string{"Sensor.fmu", "THIRD-PARTY.txt", "gosmp.cdx.json", "gosmp.exe"},
		names)
}

func TestFindPrograms_OfAllSystems(t *testing.T) {
	folder := t.TempDir()
	names := []string{"gosmp-linux-arm64", "gosmp-macos-arm64", "gosmp-windows-amd64.exe"}
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	var d distribution
	require.NoError(t, d.findPrograms(folder))
	require.Len(t, d.programs, 3)
	require.Equal(t, []string{"linux", "windows", "darwin"},
		[]string{d.programs[0].goos, d.programs[1].goos, d.programs[2].goos})
}

func TestSums_AreThoseOfTheFiles(t *testing.T) {
	d, _ := fixture(t)
	require.NoError(t, d.copy(d.fmus[0]))
	require.NoError(t, d.sums())
	text, err := os.ReadFile(d.fmus[0])
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	require.Equal(t, fmt.Sprintf("%x  Sensor.fmu\n", sum), string(read(t, d, "SHA256SUMS")))
}

func TestComplete_AddsTheFMUsAndDropsTheTool(t *testing.T) {
	d, _ := fixture(t)
	document := map[string]any{
		"metadata":   map[string]any{"tools": []any{"digests"}, "component": "gosmp"},
		"components": []any{map[string]any{"name": "goja"}}}
	text, err := complete(document, d.fmus)
	require.NoError(t, err)
	require.NotContains(t, string(text), "digests")
	require.Contains(t, string(text), `"name": "goja"`)
	require.Contains(t, string(text), `"name": "Sensor.fmu"`)
	fmu, err := os.ReadFile(d.fmus[0])
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf("%x", sha256.Sum256(fmu)))
}

func TestLicences(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99", Deps: []*debug.Module{
		{Path: "github.com/stretchr/testify", Version: "v1.2.3"}}}
	text, err := licencesOf(info)
	require.NoError(t, err)
	require.Contains(t, string(text), "==== github.com/stretchr/testify v1.2.3\n\nMIT License")
	require.Contains(t, string(text), "==== Go go1.99\n\nCopyright")
	info.Deps[0].Path = "gosmp"
	_, err = licencesOf(info)
	require.ErrorContains(t, err, "found no licence file", "the owner has chosen none")
	_, err = licences("distribution_test.go")
	require.ErrorContains(t, err, "distribution_test.go")
}

func TestReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "CHANGELOG.md")
	require.NoError(t, os.WriteFile(path, []byte("# Changelog\n\n## 1.20.0 - 2026-01-02\n"), 0o600))
	date, err := released(path, "1.20.0")
	require.NoError(t, err)
	require.Equal(t, "2026-01-02", date.Format(time.DateOnly))
	_, err = released(path, "1.2.0")
	require.ErrorContains(t, err, "cut the release first")
	_, err = released("../../CHANGELOG.md", release.Version)
	require.NoError(t, err)
}

func TestRun_NamesWhatIsMissing(t *testing.T) {
	require.ErrorContains(t, run([]string{"-changelog", "../../CHANGELOG.md"}), "found no FMU")
	words := []string{"-changelog", "../../CHANGELOG.md", "-programs", t.TempDir(), "x.fmu"}
	require.ErrorContains(t, run(words), "make dist builds them")
}

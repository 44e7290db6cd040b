package check_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/check"
	"gosmp/internal/elftest"
	"gosmp/internal/finding"
)

// entry is a file of an FMU.
type entry struct {
	zip.FileHeader
	content string
}

// fmu is an FMU that tests can damage.
type fmu struct {
	entries []*entry
	library *elftest.Library // source from which the library is built when the FMU is packed
	options check.Options
	after   func(packed []byte) []byte // changes the packed file
}

const description = "modelDescription.xml"

// libraryName returns the path of the library in an FMU of the given version.
func libraryName(v fmi.Version) string {
	if v == fmi.FMI3 {
		return "binaries/x86_64-linux/Tank.so"
	}
	return "binaries/linux64/Tank.so"
}

// base returns an FMU of the given version without faults.
func base(t *testing.T, v fmi.Version) *fmu {
	t.Helper()
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		return string(content)
	}
	f := &fmu{library: &elftest.Library{SOName: "Tank.so", Needed: []string{"libc.so.6"}}}
	f.add(description, read(map[fmi.Version]string{fmi.FMI1: "base1.xml", fmi.FMI2: "base2.xml",
		fmi.FMI3: "base3.xml"}[v]))
	switch v {
	case fmi.FMI1:
		for _, name := range check.Functions(v, fmi.CoSimulation) {
			f.library.Exports = append(f.library.Exports, "Tank_"+name)
		}
		f.add("documentation/_main.html", "<html><title>Tank</title></html>")
	case fmi.FMI2:
		f.library.Exports = check.Functions(v, fmi.CoSimulation, fmi.ModelExchange)
	case fmi.FMI3:
		f.library.Exports = check.Functions(v, fmi.CoSimulation)
		f.add("sources/buildDescription.xml", read("buildDescription.xml"))
	}
	if v > fmi.FMI1 {
		f.add("sources/tank.c", "int level;")
		f.add("documentation/index.html",
			`<html><title>Tank</title><a href="plan.html">plan</a></html>`)
		f.add("documentation/plan.html", "<html></html>")
		f.add("documentation/licenses/license.txt", "MIT")
		f.add("terminalsAndIcons/terminalsAndIcons.xml", read("terminalsAndIcons.xml"))
		f.add("terminalsAndIcons/pipe.png", "\x89PNG\r\n\x1a\n")
	}
	f.add("resources/table.csv", "1,2")
	f.add(libraryName(v), "")
	return f
}

func (f *fmu) add(name, content string) *entry {
	e := &entry{FileHeader: zip.FileHeader{Name: name, Method: zip.Deflate}, content: content}
	f.entries = append(f.entries, e)
	return e
}

func (f *fmu) entry(name string) *entry {
	k := slices.IndexFunc(f.entries, func(e *entry) bool { return e.Name == name })
	return f.entries[k]
}

func (f *fmu) remove(name string) {
	f.entries = slices.DeleteFunc(f.entries, func(e *entry) bool { return e.Name == name })
}

// replace replaces texts in a file. The file must contain the old texts.
func (f *fmu) replace(t *testing.T, name string, texts ...string) {
	t.Helper()
	e := f.entry(name)
	for k := 0; k < len(texts); k += 2 {
		require.Contains(t, e.content, texts[k])
		e.content = strings.Replace(e.content, texts[k], texts[k+1], 1)
	}
}

// bytes packs the FMU.
func (f *fmu) bytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range f.entries {
		header := e.FileHeader
		if e.content == "" && strings.HasSuffix(e.Name, "Tank.so") && f.library != nil {
			e.content = string(f.library.Bytes())
		}
		out, err := w.CreateHeader(&header)
		require.NoError(t, err)
		_, err = out.Write([]byte(e.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	if f.after != nil {
		return f.after(b.Bytes())
	}
	return b.Bytes()
}

// check packs and checks the FMU.
func (f *fmu) check(t *testing.T) finding.List {
	t.Helper()
	packed := f.bytes(t)
	report, err := check.Read(bytes.NewReader(packed), int64(len(packed)), f.options)
	require.NoError(t, err)
	return report.Findings
}

func texts(list finding.List) string {
	var lines []string
	for _, found := range list {
		lines = append(lines, found.String())
	}
	return strings.Join(lines, "\n")
}

package ssp_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/internal/finding"
)

// TestLoad_LargePackageInPackage checks that an inner package of 200 MB of zeros, which occupies
// 200 kB in the outer one, is read from a file and not from memory. Nothing remains of this file.
func TestLoad_LargePackageInPackage(t *testing.T) {
	const size = 200 << 20
	var inner, outer bytes.Buffer
	z := zip.NewWriter(&inner)
	add := func(name, text string) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	add("SystemStructure.ssd", describe("", ""))
	w, err := z.CreateHeader(&zip.FileHeader{Name: "zeros", Method: zip.Store})
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range size / len(zeros) {
		_, err = w.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	z = zip.NewWriter(&outer)
	add("SystemStructure.ssd", describe(`<ssd:Elements><ssd:Component name="a" `+
		`type="application/x-ssp-package" source="inner.ssp"/></ssd:Elements>`, ""))
	add("inner.ssp", inner.String())
	require.NoError(t, z.Close())
	require.Less(t, outer.Len(), 1<<20)
	inner.Reset()
	file := filepath.Join(t.TempDir(), "outer.ssp")
	require.NoError(t, os.WriteFile(file, outer.Bytes(), 0o600))
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, _, err := ssp.Load(file, ssp.Options{})
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size/4))
	require.NoError(t, s.Close())
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestLoad_CountlessFaults: of thousands of findings and faults of one kind, the first are kept,
// and all count.
func TestLoad_CountlessFaults(t *testing.T) {
	const entry, many = `<ssm:MappingEntry source="x.gain" target="k"/>`, 2500
	const before = `<ssd:Component name="b"`
	var wrong, absent strings.Builder
	for k := range many {
		fmt.Fprintf(&wrong, `<ssm:MappingEntry source="x.gain" target="k%d"/>`, k)
		fmt.Fprintf(&absent, `<ssd:Component name="c%d" source="resources/c%[1]d.fmu"/>`, k)
	}
	all := sound(t).with("resources/b.ssm", entry, entry+wrong.String())
	_, list := all.check(t, ssp.Options{})
	require.Less(t, len(list), many/2)
	require.GreaterOrEqual(t, list.Count(finding.Warning)+list.Count(finding.Error), many)

	s, list, err := ssp.Load(all.with(main, before, absent.String()+before).pack(t),
		ssp.Options{})
	require.ErrorIs(t, err, ssp.ErrSystem)
	require.NoError(t, s.Close())
	require.Less(t, len(list), many)
	require.GreaterOrEqual(t, list.Count(finding.Error), many)
	require.ErrorContains(t, err, "and 1500 more faults")
}

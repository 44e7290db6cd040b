//go:build linux

package findings_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/run/content"
	"gosmp/run/findings"
	"gosmp/run/kind"
)

// packed returns an archive of files, given as pairs of name and content.
func packed(t *testing.T, files ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for k := 0; k < len(files); k += 2 {
		f, err := w.Create(files[k])
		require.NoError(t, err)
		_, err = f.Write([]byte(files[k+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// TestCheck_FMUsOfOtherPlatforms checks that each component whose FMU cannot be run here is named,
// and that what reading the system has found is not lost.
func TestCheck_FMUsOfOtherPlatforms(t *testing.T) {
	fmu := packed(t, "modelDescription.xml", `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="M" guid="g">
<CoSimulation modelIdentifier="m"/><ModelVariables/><ModelStructure/></fmiModelDescription>`,
		"binaries/win64/m.dll", "MZ")
	file := filepath.Join(t.TempDir(), "s.ssp")
	require.NoError(t, os.WriteFile(file, []byte(packed(t, "SystemStructure.ssd",
		`<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version="1.0" name="s"
  xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription">
<ssd:System name="s"><ssd:Elements>
<ssd:Component name="left" source="resources/a.fmu"/>
<ssd:Component name="right" source="resources/b.fmu"/>
</ssd:Elements></ssd:System></ssd:SystemStructureDescription>`,
		"resources/a.fmu", fmu, "resources/b.fmu", fmu)), 0o600))
	r, err := findings.Check(t.Context(), content.File{Name: file},
		findings.Options{Kind: kind.System, Examine: true, Time: time.Minute})
	require.ErrorIs(t, err, importer.ErrInvalid)
	for _, name := range []string{"left", "right"} {
		require.ErrorContains(t, err, file+": component "+name+": cannot run this FMU: found")
	}
	require.NotEmpty(t, r.Findings)
	require.False(t, r.Passed)
}

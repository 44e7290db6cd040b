package run

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamine_SaysOnce checks that a command warns once of an FMU with problems, however often it is
// named, and not of files of other kinds.
func TestExamine_SaysOnce(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("modelDescription.xml")
	require.NoError(t, err)
	_, err = w.Write([]byte(`<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Bad" guid="1">
<CoSimulation modelIdentifier="Bad"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real/></ScalarVariable>
</ModelVariables>
<ModelStructure/>
</fmiModelDescription>
`))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	file, text := filepath.Join(folder, "bad.fmu"), filepath.Join(folder, "none.ssd")
	require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
	var lines []string
	warn := func(line string) { lines = append(lines, line) }
	Examine([]string{"Ego=" + file, text, file, "exec:model"}).Warn(t.Context(), warn)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "see gosmp check "+file)

	lines = nil
	Examine([]string{"exec:driver --model=" + file}).Warn(t.Context(), warn)
	require.Empty(t, lines, "a word of a program is no FMU of the run")

	lines = nil
	description := filepath.Join(folder, "one.exc")
	for name, content := range map[string]string{
		"one.exc": `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig">` +
			`<name>one</name><environmentModel src="map.xodr"/><bibiConf src="one.bibi"/></ExD>`,
		"one.bibi": `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI" ` +
			`xmlns:g="urn:gosmp:experiment:1"><g:fmu name="sensor" src="bad.fmu"/></bibi>`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	Examine([]string{description, file}).Warn(t.Context(), warn)
	require.Len(t, lines, 1, "an experiment with this FMU")

	lines = nil
	t.Chdir(folder)
	Examine([]string{"./one.exc", "./bad.fmu", "bad.fmu"}).Warn(t.Context(), warn)
	require.Len(t, lines, 1, "other names of the same file")

	ended, end := context.WithCancel(t.Context())
	end()
	Examined(make(chan string)).Warn(ended, warn) // returns although the check goes on
}

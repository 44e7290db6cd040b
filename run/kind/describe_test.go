package kind

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDescribe: files that [Of] treats as recordings are distinguished for errors.
func TestDescribe(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	_, err := z.Create("notes.txt")
	require.NoError(t, err)
	require.NoError(t, z.Close())
	type described struct{ is, text string }
	for name, c := range map[string]struct {
		content string
		want    described
	}{
		"a.csv": {"SensorID,Timestamp\n1,0,1,2,3\n",
			described{Recording, "a recording of sensors"}},
		"b.csv":       {"1,0,12,-3,-9807\n", described{Recording, "a recording of sensors"}},
		"results.csv": {"time,speed\n0,1\n", described{Results, "a table of results"}},
		"quoted.csv":  {"\ufeff\"time\",speed\n0,1\n", described{Results, "a table of results"}},
		"table.csv":   {"id;x\n0;1\n", described{Table, "a table whose first column is id"}},
		"a.png":       {"\x89PNG\r\n\x1a\n", described{Other, "a PNG image"}},
		"a.dat":       {"", described{Empty, "an empty file"}},
		"blank.dat":   {" \n", described{Other, "an empty text"}},
		"a.html":      {"<!DOCTYPE html><html>", described{Other, "an HTML page"}},
		"a.xml": {"<?xml version='1.0'?><fmiModelDescription/>",
			described{Other, "the model description of an FMU, without the FMU"}},
		"b.xml": {"<a/>", described{Other, "an XML document with the root element a"}},
		"a.msg": {"float64 x\n", described{Other, "a ROS message definition"}},
		"a.zip": {archive.String(), described{Archive,
			"a zip archive without a model description"}},
		"a.db3": {"SQLite format 3\x00",
			described{Foreign, "an SQLite database, as ROS 2 records (.db3)"}},
		"a.json": {`{"a": 1}`, described{JSON, "a JSON document"}},
		"a.yaml": {"a: 1\n", described{YAML, "a YAML document"}},
		"a.txt":  {"some text\n", described{}},
		"a.bin":  {"\x01\x00\x02", described{}},
		"a.xodr": {"<OpenDRIVE/>", described{Map, "a map"}},
		"a.osi":  {"", described{Trace, "a trace of messages"}},
	} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte(c.content), 0o600))
		is, text := Describe(file)
		require.Equal(t, c.want, described{is, text}, name)
	}
	is, text := Describe(t.TempDir())
	require.Equal(t, described{Folder, "a folder"}, described{is, text})
	sweep := t.TempDir()
	for _, name := range []string{"sweep.json", "results.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(sweep, name), []byte("{}\n"), 0o600))
	}
	is, text = Describe(sweep)
	require.Equal(t, described{Rows, "a folder with the results of a sweep"},
		described{is, text})
	is, _ = Describe("missing.csv")
	require.Equal(t, Unknown, is)
}

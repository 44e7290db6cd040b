package fileuse

import (
	"archive/zip"
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// zipped returns a zip archive with one entry.
func zipped(t *testing.T, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

// TestUse_StartValuesInArchives: the files that start values of systems and FMUs name are inputs,
// wherever the values are.
func TestUse_StartValuesInArchives(t *testing.T) {
	parameters := `<ssv:Parameter name="a.file"><ssv:String value="data.csv"/></ssv:Parameter>`
	description := `<ScalarVariable name="file"><String start="data.csv"/></ScalarVariable>`
	fmu := zipped(t, "modelDescription.xml", description)
	for name, text := range map[string]string{
		"inline.ssd":  parameters,
		"plain.ssv":   parameters,
		"packed.ssp":  zipped(t, "SystemStructure.ssd", parameters),
		"values.ssp":  zipped(t, "resources/v.ssv", parameters),
		"default.fmu": fmu,
		"own.fmu":     zipped(t, "resources/v.ssv", parameters),
		"inner.ssp":   zipped(t, "resources/reader.fmu", fmu),
		"nested.ssp":  zipped(t, "p.ssp", zipped(t, "SystemStructure.ssd", parameters)),
	} {
		t.Run(name, func(t *testing.T) {
			dir, here := t.TempDir(), t.TempDir()
			t.Chdir(here)
			file := write(t, filepath.Join(dir, name), text)
			for _, data := range []string{filepath.Join(dir, "data.csv"), "data.csv"} {
				var u Use
				u.Add("<files>", NamedIn, file)
				u.Add("--output-file", Out, write(t, data, "1,2\n"))
				require.ErrorContains(t, u.Check(),
					"--output-file: found "+`"`+data+`", which `+file+" reads")
			}
			var u Use
			u.Add("<files>", NamedIn, file)
			u.Add("--output-file", Out, write(t, "other.csv", "1,2\n"))
			require.NoError(t, u.Check())
		})
	}
}

// TestNamed_FromHere: several folders count, even if the first file is in the working directory.
func TestNamed_FromHere(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "outer.ssd", `<b source="p.ssv" sourceBase="component"/><c source="parts/i.ssd"/>`)
	write(t, filepath.Join("parts", "i.ssd"), "<System/>")
	write(t, filepath.Join("parts", "p.ssv"), "")
	require.ElementsMatch(t, []string{filepath.Join("parts", "i.ssd"),
		filepath.Join("parts", "p.ssv")}, Named("outer.ssd"))
}

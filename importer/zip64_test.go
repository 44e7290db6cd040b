package importer_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/entries/hostile"
)

const plainFMU = `<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">
<CoSimulation modelIdentifier="m"/><ModelVariables/><ModelStructure/></fmiModelDescription>`

// zipped returns an archive with a model description, another file and a binary.
func zipped(t *testing.T, method uint16, first, second string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{first, second, "binaries/linux64/m.so"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		require.NoError(t, err)
		_, err = io.WriteString(w, plainFMU)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// TestOpen_Zip64: FMUs with ZIP64 records are unpacked. Those whose records contradict the archive
// are refused, with a reason, when they are opened or unpacked.
func TestOpen_Zip64(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const description, resource = "modelDescription.xml", "resources/a"
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for _, order := range [][2]string{{description, resource}, {resource, description}} {
			b := zipped(t, method, order[0], order[1])
			for _, lie := range hostile.Lies {
				name, to := filepath.Join(t.TempDir(), "a.fmu"), t.TempDir()
				require.NoError(t, os.WriteFile(name, lie.WithZip64(b), 0o600))
				f, err := importer.Open(name)
				if err == nil {
					err = f.Unpack(to)
				}
				if !lie.Harmless {
					require.Error(t, err, lie.Name)
					require.Regexp(t, `a\.fmu|the archive of |modelDescription\.xml|resources/a`,
						err.Error(), lie.Name)
					continue
				}
				require.NoError(t, err, lie.Name)
				got, err := os.ReadFile(filepath.Join(to, "resources", "a"))
				require.NoError(t, err)
				require.Equal(t, plainFMU, string(got))
			}
		}
	}
}

// TestOpen_ManyEntries: an FMU may have more entries than a zip archive without ZIP64, but not any
// number.
func TestOpen_ManyEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("it packs 210,000 entries")
	}
	for count, text := range map[int]string{70_000: "", 140_000: "at most 131072"} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create("binaries/linux64/m.so")
		require.NoError(t, err)
		_, err = w.Write([]byte("\x7fELF"))
		require.NoError(t, err)
		w, err = z.Create("modelDescription.xml")
		require.NoError(t, err)
		_, err = io.WriteString(w, plainFMU)
		require.NoError(t, err)
		for k := range count {
			_, err := z.CreateRaw(&zip.FileHeader{Name: "resources/" + strconv.Itoa(k)})
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		name := filepath.Join(t.TempDir(), "a.fmu")
		require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
		_, err = importer.Open(name)
		if text != "" {
			require.ErrorContains(t, err, text)
			continue
		}
		require.NoError(t, err)
	}
}

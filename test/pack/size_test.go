package pack

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxCore is how large the core of OSMPDummySensor may be, in bytes. Every importer maps and relocates it, and every FMU carries it.
const maxCore = 3_000_000

// The product's core is what counts here, packed as users pack it: linked without symbols and debugging information.
func TestCoreIsSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "OSMPDummySensor.fmu")
	text, err := exec.Command("go", "run", "../../cmd/osmpdummysensor", "pack", "-o", path).CombinedOutput()
	require.NoError(t, err, string(text))
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	var largest *zip.File // of loader and core
	for _, f := range z.File {
		if strings.HasPrefix(f.Name, "binaries/linux64/") && (largest == nil || f.UncompressedSize64 > largest.UncompressedSize64) {
			largest = f
		}
	}
	require.NotNil(t, largest, "the FMU has no library for linux64")
	require.Less(t, largest.UncompressedSize64, uint64(maxCore),
		"%s has grown: go tool nm -size -sort size of a build without -ldflags=-s tells where, go build -ldflags=-dumpdep why", largest.Name)
}

package export

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A path without its last separator is the same folder, unless only the root is left.
func TestFolder(t *testing.T) {
	for path, want := range map[string]string{
		"":            "",
		"/":           "/",
		"//":          "//",
		"/fmu/res/":   "/fmu/res",
		"/fmu/res//":  "/fmu/res",
		"/fmu/res":    "/fmu/res",
		`C:\fmu\res\`: `C:\fmu\res`,
		`C:\`:         `C:\`,
		"C:/":         "C:/",
		"res/":        "res",
	} {
		require.Equal(t, want, folder(path), path)
	}
}

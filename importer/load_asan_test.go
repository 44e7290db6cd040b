//go:build linux && cgo && asan

package importer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
)

// TestLoad_SanitizerIsEffective: in a build with sanitizers, an FMU that writes outside its memory
// ends its process.
func TestLoad_SanitizerIsEffective(t *testing.T) {
	for version := 1; version <= 3; version++ {
		f := open(t, testfmu.Recipe{Version: version, Orders: []string{"DoStep overrun 0 3"}})
		require.ErrorIs(t, newRun(f, "out").do(t), importer.ErrFailed)
	}
}

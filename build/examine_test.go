//go:build !fmucore

package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
)

func TestExamineRefusesWhatIsNotALibrary(t *testing.T) {
	for name, content := range map[string]string{"text": "text", "nothing": "",
		"ends with the header": "\x7fELF\x02\x01\x01"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "X.so")
			require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
			_, err := Examine(path)
			require.ErrorIs(t, err, ErrBuild)
			require.ErrorContains(t, err, "X.so: build failed: found")
			require.ErrorContains(t, err, "expected a shared library")
		})
	}
	_, err := Examine(filepath.Join(t.TempDir(), "none.so"))
	require.ErrorIs(t, err, ErrBuild)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A core that lacks a function of the loader would otherwise fail only in an importer.
func TestExamineComparesLoaderAndCore(t *testing.T) {
	s := newStage(t).core()
	whole := &target{platform: &platforms[0], loaders: map[fmi.Version]string{fmi.FMI2: s.loader},
		core: filepath.Join(filepath.Dir(s.loader), stageCore)}
	require.NoError(t, whole.examine())
	require.NotEmpty(t, whole.glibc)

	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty+".c", []byte("int fmi2DoStep(void) { return 0; }\n"),
		0o600))
	compile(t, "-shared", "-fPIC", "-o", empty+".so", empty+".c")
	err := (&target{platform: &platforms[0], loaders: map[fmi.Version]string{fmi.FMI2: s.loader},
		core: empty + ".so"}).examine()
	require.ErrorIs(t, err, ErrBuild)
	require.ErrorContains(t, err, "empty.so: build failed: found no export of fmi2")
}

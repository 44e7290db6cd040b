package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/release"
)

// TestModulePath gives a copy of this checkout another module path, under which all packages and
// their tests find each other.
func TestModulePath(t *testing.T) {
	if testing.Short() {
		t.Skip("copies the checkout")
	}
	top, err := filepath.Abs("../..")
	require.NoError(t, err)
	files, err := exec.Command("git", "-C", top, "ls-files", "-z").Output()
	require.NoError(t, err)
	root := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(top, name))
		if os.IsNotExist(err) {
			continue // removed, but not committed
		}
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join(top, name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), content, info.Mode()))
	}
	do := func(name string, arguments ...string) string {
		c := exec.Command(name, arguments...)
		c.Dir = root
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		text, err := c.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", name, arguments, text)
		return string(text)
	}
	refused := func(words ...string) string {
		c := exec.Command(filepath.Join(root, "scripts/module_path.sh"), words...)
		text, err := c.CombinedOutput()
		require.Error(t, err)
		return string(text)
	}
	do("git", "init", "-q")
	do("git", "add", "-A")
	do("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "copy")
	require.Contains(t, refused(), "found nothing, expected one module path")
	require.Contains(t, refused("not a path"), "expected one module path")
	require.NoError(t, os.WriteFile(filepath.Join(root, "LOOSE"), nil, 0o600))
	do("git", "add", "LOOSE")
	require.Contains(t, refused("example.org/x"), "commit them first")
	do("git", "rm", "-q", "-f", "LOOSE")

	const path = "example.org/tools/osmp"
	require.Contains(t, do("scripts/module_path.sh", path), "the module path is "+path)
	for p := range strings.FieldsSeq(do("go", "list", "-test", "-deps", "-f",
		`{{if not .Standard}}{{.ImportPath}}{{end}}`, "./...")) {
		require.False(t, p == release.Module || strings.HasPrefix(p, release.Module+"/"), p)
	}
	do("go", "vet", "./timebase", "./proto/osi3", "./internal/release")
	do("go", "test", "-run", "Imports|House", ".")
	require.Contains(t, do("scripts/module_path.sh", path), "already")
}

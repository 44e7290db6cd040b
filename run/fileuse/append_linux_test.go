package fileuse

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTry_AppendOnlyFolder: a folder that keeps all files is refused without a file in it. Files that
// it already has can be overwritten.
func TestTry_AppendOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	old := write(t, filepath.Join(dir, "old.csv"), "old")
	if out, err := exec.Command("chattr", "+a", dir).CombinedOutput(); err != nil {
		t.Skipf("this system does not permit append-only folders: %v: %s", err, out)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("chattr", "-a", dir).Run()) })
	u := &Use{}
	u.Add("--out", Out, filepath.Join(dir, "new.csv"))
	require.ErrorContains(t, u.Check(), "--out: create "+filepath.Join(dir, "new.csv")+
		": an append-only folder")
	require.ErrorContains(t, TryFolder(filepath.Join(dir, "sub")), "an append-only folder")
	require.NoError(t, folders{}.file(old))
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

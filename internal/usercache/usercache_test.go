package usercache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func home(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("LocalAppData", folder)
	t.Setenv("HOME", folder)
	return folder
}

func TestNotes_AreReadAsTheyWereWritten(t *testing.T) {
	home(t)
	n := OpenNotes("checked")
	_, known := n.Get("a")
	require.False(t, known)
	n.Put("a", "7")
	n.Put("b", "")
	text, known := n.Get("a")
	require.True(t, known)
	require.Equal(t, "7", text)
	text, known = OpenNotes("checked").Get("b")
	require.True(t, known)
	require.Empty(t, text)
	_, known = n.Get("c")
	require.False(t, known)
}

// A note that has been changed, truncated or moved to another key counts as absent.
func TestNotes_ChangedOnesCountAsAbsent(t *testing.T) {
	home(t)
	n := OpenNotes("checked")
	n.Put("a", "7")
	content, err := os.ReadFile(n.file("a"))
	require.NoError(t, err)
	for _, changed := range []string{strings.Replace(string(content), "\n7", "\n0", 1), "", "7",
		string(content[:10]), string(content) + "1"} {
		require.NoError(t, os.WriteFile(n.file("a"), []byte(changed), 0o600))
		_, known := n.Get("a")
		require.False(t, known, changed)
	}
	require.NoError(t, os.WriteFile(n.file("b"), content, 0o600))
	_, known := n.Get("b")
	require.False(t, known)
	require.NoError(t, os.Remove(n.file("b")))
	require.NoError(t, os.Mkdir(n.file("b"), 0o700))
	_, known = n.Get("b")
	require.False(t, known)
}

func TestNotes_UnusedOnesAreRemoved(t *testing.T) {
	home(t)
	n := OpenNotes("checked")
	n.Put("old", "1")
	n.Put("used", "2")
	long := time.Now().Add(-keep - time.Hour)
	for _, key := range []string{"old", "used"} {
		require.NoError(t, os.Chtimes(n.file(key), long, long))
	}
	_, known := n.Get("used")
	require.True(t, known)
	n.Put("new", "3")
	require.NoFileExists(t, n.file("old"))
	require.FileExists(t, n.file("used"))
}

// TestNotes_ClockThatIsSet: a clock that was far ahead or behind costs notes at worst.
func TestNotes_ClockThatIsSet(t *testing.T) {
	home(t)
	n := OpenNotes("checked")
	n.Put("a", "1")
	future := time.Now().Add(10 * keep)
	require.NoError(t, os.Chtimes(n.file("a"), future, future))
	n.Put("b", "2")
	text, known := n.Get("a")
	require.True(t, known, "the clock was set back after it was written")
	require.Equal(t, "1", text)
	n.forget(future.Add(10 * keep)) // the clock is set ahead
	_, known = n.Get("a")
	require.False(t, known)
	n.Put("a", "3")
	text, known = n.Get("a")
	require.True(t, known)
	require.Equal(t, "3", text)
}

func TestNotes_WithoutACacheThereAreNone(t *testing.T) {
	file := filepath.Join(home(t), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("XDG_CACHE_HOME", file)
	t.Setenv("LocalAppData", file)
	t.Setenv("HOME", file)
	n := OpenNotes("checked")
	n.Put("a", "1")
	_, known := n.Get("a")
	require.False(t, known)
}

func TestFolder_OfOthersIsNotUsed(t *testing.T) {
	folder := home(t)
	got, err := Folder("fmu")
	require.NoError(t, err)
	require.Equal(t, "fmu", filepath.Base(got))
	require.NoError(t, os.Chmod(got, 0o755))
	_, err = Folder("fmu")
	require.NoError(t, err)
	info, err := os.Stat(got)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)
	require.NoError(t, os.Symlink(got, filepath.Join(filepath.Dir(got), "link")))
	_, err = Folder("link")
	require.ErrorContains(t, err, "not a folder owned by this user")
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(got, 4711, 4711))
		_, err = Folder("fmu")
		require.ErrorContains(t, err, "not a folder owned by this user")
	}
	require.DirExists(t, folder)
}

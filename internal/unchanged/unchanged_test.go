package unchanged

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// older makes a file look as if it had been written a while ago.
func older(t *testing.T, name string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(name, past, past))
}

func TestMemory_FindsAgainWhatHasChanged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	m, found := &Memory[string]{}, 0
	of := func() string {
		return m.Of(name, func() string {
			found++
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			return string(b)
		})
	}
	require.NoError(t, os.WriteFile(name, []byte("one"), 0o600))
	require.Equal(t, "one", of())
	require.Equal(t, "one", of())
	require.Equal(t, 2, found, "a new file is not remembered")
	older(t, name)
	info, err := os.Stat(name)
	require.NoError(t, err)
	if !statusTime(info).IsZero() {
		require.Equal(t, "one", of())
		require.Equal(t, 3, found, "the time of its content alone does not make it old")
		m.remember(name, info, "one")
	}
	of()
	n := found
	require.Equal(t, "one", of())
	require.Equal(t, n, found, "it is remembered")
	require.NoError(t, os.WriteFile(name, []byte("two"), 0o600))
	require.Equal(t, "two", of())
	other := filepath.Join(t.TempDir(), "b")
	require.NoError(t, os.WriteFile(other, []byte("new"), 0o600))
	older(t, other)
	require.NoError(t, os.Rename(other, name))
	require.Equal(t, "new", of())
}

func TestMemory_IsBounded(t *testing.T) {
	m, folder := &Memory[int]{}, t.TempDir()
	for k := range 2*most + 3 {
		name := filepath.Join(folder, strconv.Itoa(k))
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		info, err := os.Stat(name)
		require.NoError(t, err)
		m.remember(name, info, k)
	}
	require.LessOrEqual(t, len(m.known), most)
	require.Equal(t, 7, m.Of(folder, func() int { return 7 }))
	require.NotContains(t, m.known, folder)
}

// TestMemory_FilesOfTheFuture: after the clock has been set back, files can be newer than the
// present. They are not remembered, because their times may come again.
func TestMemory_FilesOfTheFuture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(name, []byte("one"), 0o600))
	future := time.Now().Add(1000 * time.Hour)
	require.NoError(t, os.Chtimes(name, future, future))
	m, found := &Memory[int]{}, 0
	for range 3 {
		m.Of(name, func() int { found++; return found })
	}
	require.Equal(t, 3, found)
}

package run

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A changed file is read again, and an unchanged one is read only once.
func TestRemembered(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	r, reads := &remembered[string]{}, 0
	read := func(name string) (string, error) {
		reads++
		text, err := os.ReadFile(name)
		return string(text), err
	}
	write := func(text string, at time.Time) {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(name, at, at))
	}
	expect := func(text string, times int) {
		content, err := r.of(name, read)
		require.NoError(t, err)
		require.Equal(t, text, content)
		require.Equal(t, times, reads)
	}
	now := time.Unix(1000, 0)
	write("a", now)
	expect("a", 1)
	expect("a", 1)
	write("bb", now)
	expect("bb", 2)
	write("cc", now.Add(time.Second))
	expect("cc", 3)
	_, err := r.of(name+"x", read)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Each run has its own document: the map of one run does not become the map of another.
func TestDocumentOf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.xosc")
	require.NoError(t, os.WriteFile(name, []byte("<OpenSCENARIO/>"), 0o600))
	a, err := documentOf(name)
	require.NoError(t, err)
	a.Map = "other.xodr"
	b, err := documentOf(name)
	require.NoError(t, err)
	require.Empty(t, b.Map)
	require.Same(t, a.Root, b.Root)
	require.NoError(t,
		os.WriteFile(name, []byte("<OpenSCENARIO><FileHeader/></OpenSCENARIO>"), 0o600))
	c, err := documentOf(name)
	require.NoError(t, err)
	require.NotNil(t, c.Root.Child("FileHeader"))
}

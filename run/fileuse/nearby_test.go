package fileuse

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNearby: only words whose first part is a name in the folder may be paths. In unreadable
// folders, and for names with other spellings, all words may be paths.
func TestNearby(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "Maps", "deep"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "road.xodr"), nil, 0o600))
	n := look(folder)
	for _, word := range []string{"road", "road.xodr", "ROAD.xodr", "./road.xodr", "maps/deep/x", "../x",
		".", "none/../road.xodr", "straße.xodr"} {
		require.True(t, n.may(filepath.FromSlash(word)), word)
	}
	for _, word := range []string{"roads", "road.xodr2", "x/road.xodr", `" value="`, "<Act"} {
		require.False(t, n.may(filepath.FromSlash(word)), word)
	}
	require.True(t, look(filepath.Join(folder, "none")).may("x"))
	require.True(t, n.mayLead("road.xodr"))
	require.True(t, n.mayLead(filepath.Join(folder, "none")), "the root folder has its first part")
	if filepath.Separator == '/' {
		require.False(t, n.mayLead("/OpenSCENARIO"))
	}
}

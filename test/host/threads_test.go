package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi/archive"
	"gosmp/mocksim/scene"
)

// TestThreads_UseOneInstanceAtOnce verifies that the loader never serves integers itself while the
// core is working for another thread.
func TestThreads_UseOneInstanceAtOnce(t *testing.T) {
	i := newImporter(t)
	at := slices.IndexFunc(i.Variables, func(v archive.Variable) bool {
		return v.Name == "replay.enabled"
	})
	require.NotEqual(t, -1, at)
	view, err := proto.Marshal(scene.Crowd(0, 0, 0))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "view.osi")
	require.NoError(t, os.WriteFile(path, view, 0o600))
	output, err := exec.Command(compile(t, "threads.c"), i.InstantiationToken, i.resources(),
		i.library(i.binaries()),
		reference(&i.Variables[at]), path, "100000").CombinedOutput()
	require.NoError(t, err, string(output))
	var steps, others int
	_, err = fmt.Sscan(string(output), &steps, &others)
	require.NoError(t, err, string(output))
	require.Equal(t, 100_000, steps)
}

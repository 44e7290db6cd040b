package wholefile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mountedVariable is the file on which the test mounts another one when it calls itself.
const mountedVariable = "GOSMP_MOUNTED_FILE"

// TestWrite_MountedFile: a file that is mounted by itself, as containers do with single files,
// cannot be replaced, and is overwritten. Only a process in namespaces of its own sees the mount.
func TestWrite_MountedFile(t *testing.T) {
	if path := os.Getenv(mountedVariable); path != "" {
		if err := syscall.Mount(path+".outside", path, "", syscall.MS_BIND, ""); err != nil {
			t.Skip("this system does not permit mounting: ", err)
		}
		require.ErrorIs(t, os.Rename(path+".outside", path), syscall.EBUSY)
		require.NoError(t, Write(context.Background(), path, text("new")))
		return
	}
	path := filepath.Join(t.TempDir(), "file")
	for _, name := range []string{path, path + ".outside"} {
		require.NoError(t, os.WriteFile(name, []byte("older and longer"), 0o600))
	}
	self := exec.Command(os.Args[0], "-test.run", "^TestWrite_MountedFile$", "-test.v")
	self.Env = append(os.Environ(), mountedVariable+"="+path)
	self.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := self.CombinedOutput()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		t.Skip("this system does not permit namespaces: ", err)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skip(string(out))
	}
	require.NoError(t, err, "%s", out)
	content, err := os.ReadFile(path + ".outside")
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
	require.NoFileExists(t, path+".part")
}

package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// TestMessage: an error about a file says what to do, but only once.
func TestMessage(t *testing.T) {
	folder, err := os.Getwd()
	require.NoError(t, err)
	at := func(path string, cause error) error {
		return fmt.Errorf("--trace: %w", &fs.PathError{Op: "open", Path: path, Err: cause})
	}
	absolute := filepath.Join(folder, "a.osi")
	for want, err := range map[string]error{
		"--trace: open a.osi: no such file or directory; check the path; a relative one starts at " + folder: at("a.osi", syscall.ENOENT),
		"--trace: open " + absolute +
			": no such file or directory; check the path": at(absolute, syscall.ENOENT),
		"--trace: open a.osi: permission denied; check its owner and permissions": at("a.osi",
			syscall.EACCES),
		"--trace: open a.osi: is a directory; name a file": at("a.osi", syscall.EISDIR),
		"--trace: open a.osi: input/output error":          at("a.osi", syscall.EIO),
		"--trace: open a.osi: no such file or directory; --update writes it": fmt.Errorf(
			"%w; --update writes it", at("a.osi", syscall.ENOENT)),
		"--trace: open a.osi: no space left on device; the disk is full: free " +
			"some space, or write elsewhere": at("a.osi", syscall.ENOSPC),
		"the disk": fmt.Errorf("the disk"),
	} {
		require.Equal(t, want, message(err))
	}
	require.Equal(t, ExitInput, ExitCode(at("a.osi", syscall.EACCES)))
	require.Equal(t, ExitFailed, ExitCode(at("a.osi", syscall.ENOSPC)), "the input is not to blame")
	require.Equal(t, ExitFailed, ExitCode(at("a.osi", syscall.EDQUOT)))
}

// TestMessage_Choice: a value that is not in a list is reported in the same form as other errors,
// and an empty value is not offered.
func TestMessage_Choice(t *testing.T) {
	var flags struct {
		To string `enum:",osi,mcap" default:""`
	}
	parser, err := kong.New(&flags)
	require.NoError(t, err)
	_, err = parser.Parse([]string{"--to", `"z"`})
	require.Error(t, err)
	require.Equal(t, `--to: found "\"z\"", expected one of osi, mcap`, message(err))
}

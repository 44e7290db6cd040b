//go:build unix

// Package pipetest provides a pipe for tests of commands that must not read their input twice.
package pipetest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
)

// Name returns the name of a pipe that contains a line of JSON Lines.
func Name(t *testing.T) string {
	t.Helper()
	from, to, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, from.Close()) })
	_, err = fmt.Fprintf(to,
		`{"topic":"a","type":"osi3.SensorData","log_time":"0","publish_time":"0","data":{}%s}`+"\n",
		strings.Repeat(" ", trace.HeadSize))
	require.NoError(t, err)
	require.NoError(t, to.Close())
	name := fmt.Sprintf("/dev/fd/%d", from.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skipf("pipes have no names here: %v", err)
	}
	return name
}

// Unread requires that nothing has been read from the pipe.
func Unread(t *testing.T, name string) {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(content), `{"topic"`))
}

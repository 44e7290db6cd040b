//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
)

// pipe returns the name of a pipe that contains a line of JSON Lines.
func pipe(t *testing.T) string {
	t.Helper()
	from, to, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, from.Close()) })
	_, err = fmt.Fprintf(to, `{"topic":"a","type":"osi3.SensorData","log_time":"0","publish_time":"0","data":{}%s}`+"\n", strings.Repeat(" ", trace.HeadSize))
	require.NoError(t, err)
	require.NoError(t, to.Close())
	name := fmt.Sprintf("/dev/fd/%d", from.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skipf("pipes have no names here: %v", err)
	}
	return name
}

// A file that is read twice cannot be a pipe. The error says so; nothing is read from the pipe.
func TestPipes_AreNotReadTwice(t *testing.T) {
	name := pipe(t)
	require.False(t, statesTypes(name))
	require.ErrorContains(t, (&fmuRun{}).hashInput(name), "expected a trace that can be read more than once")
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(content), `{"topic"`))
}

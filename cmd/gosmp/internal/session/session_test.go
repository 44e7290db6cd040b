package session

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNext: a line that is too long is skipped without keeping it, and the following lines are
// read.
func TestNext(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("ab\n"+strings.Repeat("x", 100000)+"\n"+
		strings.Repeat("y", 98)+"\n\n"+strings.Repeat("z", 101)), 16)
	for _, want := range []struct {
		line   string
		length int
		err    error
	}{{"ab\n", 3, nil}, {"", 100001, nil}, {strings.Repeat("y", 98) + "\n", 99, nil},
		{"\n", 1, nil}, {"", 101, io.EOF}, {"", 0, io.EOF}} {
		line, length, err := next(in, 100)
		require.Equal(t, want.line, string(line))
		require.Equal(t, want.length, length)
		require.Equal(t, want.err, err)
		require.LessOrEqual(t, cap(line), 256)
	}
}

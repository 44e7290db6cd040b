package cosim

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// file holds the bytes that have been written to a file.
type file struct {
	mu    sync.Mutex
	bytes bytes.Buffer
	fail  error
}

func (f *file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return 0, f.fail
	}
	return f.bytes.Write(p)
}

func (f *file) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bytes.String()
}

func (f *file) comes(t *testing.T, want string) {
	t.Helper()
	require.Eventually(t, func() bool { return f.text() == want }, time.Minute, time.Millisecond)
}

// A row is written even if no other row follows it.
func TestRows_ArriveWithoutAnotherRow(t *testing.T) {
	f := &file{}
	r := newRows(f)
	require.NoError(t, r.write([]byte("one "), []byte("row\n")))
	require.Empty(t, f.text())
	f.comes(t, "one row\n")
	require.NoError(t, r.write([]byte("another\n"), nil))
	f.comes(t, "one row\nanother\n")
	require.NoError(t, r.end())
}

func TestRows_AreWhole(t *testing.T) {
	f := &file{}
	r := newRows(f)
	row := strings.Repeat("x", 999) + "\n"
	for range 200 {
		require.NoError(t, r.write([]byte(row), nil))
		require.Zero(t, len(f.text())%len(row))
	}
	require.NotEmpty(t, f.text(), "the buffer is smaller than that")
	require.NoError(t, r.end())
	require.Equal(t, strings.Repeat(row, 200), f.text())
	require.NoError(t, r.write(bytes.Repeat([]byte("y"), 1<<17), nil), "longer than the buffer")
}

func TestRows_ErrorsAreNotLost(t *testing.T) {
	full := errors.New("the disk is full")
	f := &file{fail: full}
	r := newRows(f)
	require.NoError(t, r.write([]byte("a row\n"), nil))
	require.ErrorIs(t, r.end(), full)
	require.ErrorIs(t, r.write([]byte(strings.Repeat("x", 1<<17)), nil), full)
}

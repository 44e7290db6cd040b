package trace_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
)

// endless is a text that begins in some way and repeats another text.
type endless struct {
	begin, repeated string
	left, taken     int
}

// Read implements io.Reader.
func (e *endless) Read(b []byte) (n int, err error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	b = b[:min(len(b), e.left)]
	if n = copy(b, e.begin); n == 0 {
		n = copy(b, e.repeated)
	}
	e.begin = e.begin[min(n, len(e.begin)):]
	e.left -= n
	e.taken += n
	return n, nil
}

// short is a whole line.
const short = `{"topic":"t","type":"x","log_time":"0","publish_time":"0","data":{}}` + "\n"

// read returns the error of the second line, and how many bytes were allocated for it.
func (e *endless) read(t *testing.T) (allocated uint64, failed error) {
	t.Helper()
	e.begin = short + e.begin
	s, err := trace.OpenStream("a.jsonl", e, trace.Options{})
	require.NoError(t, err)
	_, err = s.Next()
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = s.Next()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// TestJSONLines_LongLine: a line takes at most a few times its length, and a line that is no object
// is not read to its end.
func TestJSONLines_LongLine(t *testing.T) {
	const size = 40 << 20
	filler := strings.Repeat("x", 1<<16)
	e := &endless{begin: `{"topic":"`, repeated: filler, left: size}
	allocated, err := e.read(t)
	require.ErrorContains(t, err, "an object with the keys topic")
	require.Equal(t, size, e.taken)
	require.Less(t, allocated, uint64(4*size))
	for _, begin := range []string{"x", "[", "  \t7"} {
		e := &endless{begin: begin, repeated: filler, left: size}
		_, err := e.read(t)
		require.ErrorContains(t, err, "an object with the keys topic")
		require.Less(t, e.taken, size/10)
	}
}

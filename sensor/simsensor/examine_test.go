package simsensor

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// openedAs is everything that a caller can learn from opening a file.
type openedAs struct {
	err, warnings string
	unit          Unit
	state         []byte
}

func open(content []byte, name string, opt Options) (o openedAs) {
	opt.Warn = func(p Problem) { o.warnings += p.Error() + "\n" }
	p, err := OpenBytes(name, content, opt)
	if err != nil {
		o.err = err.Error()
		return o
	}
	var row Row
	for range 5 {
		if _, _, err := p.Next(timebase.EndOfTime, &row); err != nil {
			o.err = err.Error()
		}
	}
	o.unit, o.state = p.Unit(), p.AppendState(nil)
	return o
}

// csv returns rows of an accelerometer at a distance, from a stamp on.
func csv(from, distance int64, count int) []byte {
	var b bytes.Buffer
	for k := range int64(count) {
		fmt.Fprintf(&b, "1,%d,12,-3,-9807\n", from+k*distance)
	}
	return b.Bytes()
}

// A file is opened as if it were the first one of the process, whatever was opened before.
func TestOpeningDoesNotDependOnEarlierFiles(t *testing.T) {
	recalled, fresh := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		content := csv(0, rapid.SampledFrom([]int64{1, 5, 5000, 5_000_000}).Draw(t, "distance"),
			rapid.SampledFrom([]int{1, 2, 40, 2500, 6000}).Draw(t, "rows"))
		other := bytes.Clone(content)
		at := rapid.SampledFrom([]int{0, len(other) - 1, len(other) / 2, bufferSize - 1, bufferSize,
			bufferSize + 3, headSize - 1, headSize}).Draw(t, "at") % len(other)
		other[at] = rapid.SampledFrom([]byte("19,x\n")).Draw(t, "byte")
		if rapid.Bool().Draw(t, "shorter") {
			other = other[:max(at, 1)]
		}
		opt := Options{
			Unit: rapid.SampledFrom([]Unit{Auto, Milliseconds, Microseconds}).Draw(t, "unit"),
			Loop: rapid.Bool().Draw(t, "loop"),
		}
		later := opt
		later.Start = rapid.SampledFrom([]timebase.Time{0, timebase.EndOfTime - timebase.Second}).
			Draw(t, "start")
		newest.Store(nil)
		want := open(other, "b.csv", later)
		newest.Store(nil)
		open(content, "a.csv", opt)
		before := newest.Load()
		require.Equal(t, want, open(other, "b.csv", later))
		if before != nil && newest.Load() == before {
			recalled++
		} else {
			fresh++
		}
		require.Equal(t, want, open(other, "b.csv", later))
	})
	require.NotZero(t, recalled)
	require.NotZero(t, fresh)
}

// The second initialization of a run reads no rows.
func TestSameFileIsExaminedOnce(t *testing.T) {
	for _, count := range []int{40, 6000} {
		content := csv(0, 5, count)
		require.Equal(t, count > 4000, len(content) > headSize)
		open(content, "a.csv", Options{Unit: Auto})
		first := newest.Load()
		open(content, "b.csv", Options{Unit: Auto})
		require.Same(t, first, newest.Load())
		open(content, "a.csv", Options{Unit: Milliseconds})
		require.NotSame(t, first, newest.Load())
	}
}

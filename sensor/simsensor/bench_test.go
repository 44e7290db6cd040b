package simsensor

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// generate writes a file of at least size bytes that resembles a flight: inertial rows at 400 Hz
// with barometer and GPS rows in between, in microseconds.
func generate(tb testing.TB, size int) (name string, bytes int64) {
	tb.Helper()
	name = filepath.Join(tb.TempDir(), "large.csv")
	f, err := os.Create(name)
	require.NoError(tb, err)
	w := bufio.NewWriterSize(f, 1<<20)
	line := []byte(Header())
	for i := 0; bytes < int64(size); i++ {
		for _, k := range Kinds() {
			if (k == Barometer && i%20 != 0) || (k == GPS && i%80 != 0) || (k == Thermometer &&
				i%400 != 0) {
				continue
			}
			row := Row{Kind: k, Stamp: int64(i) * 2500, Present: len(k.Fields()), HasUTC: k == GPS}
			for j, field := range k.Fields() {
				row.Fields[j] = max(field.Min, int64((i*7919+j*104729)%20011-9000))
			}
			if k == GPS {
				row.Fields[GPSLatitude], row.Fields[GPSLongitude] = 53_202_132_333, 22_057_384_666
				row.Fields[GPSSatellites], row.Fields[GPSFixQuality] = 8, 1
			}
			line = AppendRow(line, &row)
		}
		n, err := w.Write(line)
		require.NoError(tb, err)
		bytes, line = bytes+int64(n), line[:0]
	}
	require.NoError(tb, w.Flush())
	require.NoError(tb, f.Close())
	return name, bytes
}

func TestRowsCostNoAllocation(t *testing.T) {
	name, _ := generate(t, 300_000)
	p, err := Open(name, Options{Unit: Microseconds, Loop: true})
	require.NoError(t, err)
	defer closed(t, p)
	var row Row
	next := func() {
		if _, ok, err := p.Next(timebase.EndOfTime, &row); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	next()
	// More rows than the buffer holds, without reaching the end of the file.
	require.Zero(t, testing.AllocsPerRun(4000, next))
}

func TestLoopsOfASmallFileCostNoAllocation(t *testing.T) {
	p, err := Open(write(t, "\r\n32,0,290\r\n32, 5,291,1\r\n32,x\r\n8,6\r\n"), Options{Loop: true})
	require.NoError(t, err)
	defer closed(t, p)
	var row Row
	until := timebase.Time(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		until += 100 * ms
		for {
			if _, ok, err := p.Next(until, &row); err != nil {
				t.Fatal(err)
			} else if !ok {
				return
			}
		}
	}), "not even with bad and odd rows, of the later rounds")
}

// BenchmarkRead200MB plays a file of 200 MB once per round and reports the speed and the largest
// heap size.
func BenchmarkRead200MB(b *testing.B) {
	name, size := generate(b, 200_000_000)
	runtime.GC()
	b.SetBytes(size)
	b.ReportAllocs()
	var peak uint64
	for b.Loop() {
		p, err := Open(name, Options{Unit: Microseconds})
		require.NoError(b, err)
		var row Row
		var stats runtime.MemStats
		for rows := 0; ; rows++ {
			_, ok, err := p.Next(timebase.EndOfTime, &row)
			if err != nil {
				b.Fatal(err)
			}
			if !ok {
				break
			}
			if rows%1_000_000 == 0 {
				runtime.ReadMemStats(&stats)
				peak = max(peak, stats.HeapInuse)
			}
		}
		require.NoError(b, p.Close())
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-heap-MiB")
}

// BenchmarkRow measures the cost of one row of a file that is played from the buffer.
func BenchmarkRow(b *testing.B) {
	name, _ := generate(b, 60_000)
	p, err := Open(name, Options{Unit: Microseconds, Loop: true})
	require.NoError(b, err)
	defer closed(b, p)
	var row Row
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := p.Next(timebase.EndOfTime, &row); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// BenchmarkState measures the cost of taking and restoring a snapshot.
func BenchmarkState(b *testing.B) {
	name, _ := generate(b, 1_000_000)
	p, err := Open(name, Options{Unit: Microseconds})
	require.NoError(b, err)
	defer closed(b, p)
	state := p.AppendState(nil)
	b.ReportAllocs()
	for b.Loop() {
		state = p.AppendState(state[:0])
		if err := p.RestoreState(state); err != nil {
			b.Fatal(err)
		}
	}
}

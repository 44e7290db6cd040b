package simsensor

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

func TestFilesThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	require.NoError(t, os.WriteFile(secret, []byte("32,0,290\n"), 0o000))
	for name, want := range map[string]string{
		"":                             "an empty name",
		filepath.Join(dir, "none.csv"): "no such file",
		dir:                            "found a directory, expected a regular file",
		os.DevNull:                     "found a device, pipe or socket",
		secret:                         "permission denied",
		"bad\x00name":                  "invalid argument",
	} {
		if name == secret && os.Geteuid() == 0 {
			continue // root can read everything
		}
		p, err := Open(name, Options{})
		require.Nil(t, p)
		require.ErrorIs(t, err, ErrFile, name)
		require.Contains(t, err.Error(), want)
		r, err := Inspect(name, Options{})
		require.Nil(t, r)
		require.ErrorIs(t, err, ErrFile, name)
	}
	_, err := Open(filepath.Join(dir, "none.csv"), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Contains(t, err.Error(), "check the path")
}

func TestNamesWithBlanksUmlautsAndPercents(t *testing.T) {
	name := filepath.Join(t.TempDir(), "Prüf fahrt %20 100%.csv")
	require.NoError(t, os.WriteFile(name, []byte("32,0,290\n0\n"), 0o600))
	p, err := Open(name, Options{})
	require.NoError(t, err)
	require.NoError(t, p.Close())
}

func TestFilesWithoutMeasurements(t *testing.T) {
	for content, want := range map[string]string{
		"":                                 "found an empty file",
		"\n\n":                             "a header or blank lines only",
		"SensorID,Timestamp\n":             "a header or blank lines only",
		"SensorID,Timestamp":               "a header or blank lines only",
		"0\n":                              "an end row before any other",
		"x\n1,1.5,1,1,1\n":                 "2 malformed rows and no valid one",
		"\xff\xfe3\x002\x00,\x00":          "UTF-16",
		"PK\x03\x04 abc":                   "zip archive",
		"\x1f\x8b\x08":                     "gzip",
		strings.Repeat("\n", 2*probeLimit): "blank lines only",
		strings.Repeat("1,0,x\n", probeLimit) + "1,0,1,2,3\n":   "no valid one; the first: ",
		strings.Repeat("z", 3*probeLimit) + "\n1,0,1,2,3\n0\n":  "overlong line",
		strings.Repeat("z", 3*probeLimit):                       "overlong line",
		"SensorID,Timestamp\n32,,\n" + "\n\n" + "\r\n" + "32\n": "row without time stamp",
	} {
		p := refuse(t, content, Options{Loop: true}, ErrNoData)
		require.Contains(t, p.Error(), want)
		require.NotEmpty(t, p.Hint)
		require.Less(t, len(p.Error()), 1000)
	}
}

func TestInvalidOptions(t *testing.T) {
	const content = "32,0,290\n0\n"
	require.Contains(t, refuse(t, content, Options{Unit: 17}, ErrUnit).Error(),
		`"auto", "ms", "us", "s", "ns"`)
	require.Contains(t, refuse(t, content, Options{StartDelay: -1}, ErrStart).Error(),
		"-0.000000001s")
	require.Contains(t, refuse(t, content, Options{Start: math.MaxInt64, StartDelay: 1},
		timebase.ErrTimeRange).Hint, "earlier")
	_, err := Inspect(write(t, content), Options{Unit: 5})
	require.ErrorIs(t, err, ErrUnit)
}

func TestParseUnit(t *testing.T) {
	for name, want := range map[string]Unit{"ms": Milliseconds, "us": Microseconds,
		"µs": Microseconds, "μs": Microseconds, "s": Seconds, "ns": Nanoseconds, "auto": Auto} {
		u, err := ParseUnit(name)
		require.NoError(t, err)
		require.Equal(t, want, u)
	}
	for _, tc := range [][2]string{{"", `"auto" decides by`}, {"MS", `write "ms"`},
		{" us", `write "us"`}, {"minutes", "recordings of the real system us"}, {"m\ns", ""}} {
		name, hint := tc[0], tc[1]
		_, err := ParseUnit(name)
		require.ErrorIs(t, err, ErrUnit)
		require.Contains(t, err.Error(), `one of "auto", "ms", "us", "s", "ns"`)
		require.Contains(t, err.Error(), hint)
	}
	require.Equal(t, "unit 9", Unit(9).String())
	require.Zero(t, Unit(9).Duration())
	require.Equal(t, "auto", Auto.String())
	require.Zero(t, Auto.Duration())
}

func TestTimesThatDoNotFitAreErrors(t *testing.T) {
	p, err := Open(write(t, "32,0,290\n32,10,291\n"), Options{Start: math.MaxInt64 - 15*ms,
		Loop: true})
	require.NoError(t, err)
	defer closed(t, p)
	var row Row
	for range 3 {
		_, ok, err := p.Next(timebase.EndOfTime, &row)
		require.NoError(t, err)
		require.True(t, ok)
	}
	for range 2 {
		_, ok, err := p.Next(timebase.EndOfTime, &row)
		require.False(t, ok)
		require.ErrorIs(t, err, timebase.ErrTimeRange)
		require.Contains(t, err.Error(), "scenario.csv:2: ")
	}
	late := refuse(t, "32,0,290\n32,10,291\n0\n", Options{Start: math.MaxInt64, Strict: true},
		timebase.ErrTimeRange)
	require.Equal(t, 2, late.Place.Line)
}

func TestStampsAtTheEndsOfTheirRange(t *testing.T) {
	c,
		p := play(t,
		"32,-9223372036854775808,1\n32,9223372036854775807,2\n32,-9223372036854775807,3\n0\n",
		Options{Unit: Nanoseconds})
	require.Equal(t, []timebase.Time{0, 1}, c.times)
	require.EqualValues(t, 1, p.Counters().Rejected)
	require.Equal(t, []ProblemKind{StampRange}, c.kinds(), "2^64 ns apart")
}

func TestClosedPlayer(t *testing.T) {
	p, err := Open(write(t, "32,0,290\n0\n"), Options{})
	require.NoError(t, err)
	state := p.AppendState(nil)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	_, ok, err := p.Next(0, &Row{})
	require.False(t, ok)
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, p.RestoreState(state), ErrClosed)
}

// large returns a file of several buffers.
func large() string { return strings.Repeat("32,0,290\n1,1,1,2,3\n", 20_000) + "32,5,291\n" }

// drain plays until there is an error or no row remains.
func drain(p *Player) error {
	var row Row
	for {
		if _, ok, err := p.Next(timebase.EndOfTime, &row); err != nil || !ok {
			return err
		}
	}
}

func TestFileThatChangesWhileItIsPlayed(t *testing.T) {
	for what, change := range map[string]func(name string) error{
		"cut off": func(name string) error { return os.Truncate(name, 100_000) },
		"emptied": func(name string) error { return os.Truncate(name, 0) },
		"longer": func(name string) error {
			return errors.Join(os.Truncate(name, int64(len(large())+9)), os.Chtimes(name,
				time.Unix(1, 0), time.Unix(1, 0)))
		},
		"rewritten": func(name string) error {
			return errors.Join(os.WriteFile(name, []byte(large()), 0o600), os.Chtimes(name,
				time.Unix(1, 0), time.Unix(1, 0)))
		},
	} {
		name := write(t, large())
		p, err := Open(name, Options{})
		require.NoError(t, err)
		require.NoError(t, change(name))
		require.ErrorIs(t, drain(p), ErrChanged, what)
		require.ErrorIs(t, drain(p), ErrChanged, "%s, and it stays an error", what)
		require.NoError(t, p.Close())
	}
}

// brokenDisk fails beyond a given offset.
type brokenDisk struct {
	*strings.Reader
	from int64
}

var errDisk = errors.New("input/output error")

func (d *brokenDisk) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) <= d.from {
		return d.Reader.ReadAt(b, at)
	}
	n, _ := d.Reader.ReadAt(b[:max(0, d.from-at)], at)
	return n, errDisk
}

func (d *brokenDisk) changed() error { return nil }
func (d *brokenDisk) Close() error   { return nil }

// zeros is a practically endless file without a line feed.
type zeros struct{ read int64 }

func (z *zeros) ReadAt(b []byte, _ int64) (int, error) {
	clear(b)
	z.read += int64(len(b))
	return len(b), nil
}

func (z *zeros) changed() error { return nil }
func (z *zeros) Close() error   { return nil }

func TestLineWithoutEndIsRefusedAtOnce(t *testing.T) {
	for _, strict := range []bool{false, true} {
		var z zeros
		_, err := newPlayer("zeros.csv", &z, 1<<50, Options{Strict: strict})
		require.ErrorIs(t, err, ErrNoData)
		require.Regexp(t,
			`overlong line: found a line of \d+ bytes and more, expected at most 4096`, err.Error())
		require.Less(t, z.read, int64(2*probeLimit))
	}
}

func TestReadErrors(t *testing.T) {
	content := large()
	disk := &brokenDisk{strings.NewReader(content), int64(len(content))}
	p, err := newPlayer("disk.csv", disk, int64(len(content)), Options{})
	require.NoError(t, err)
	disk.from = 100_000
	err = drain(p)
	require.ErrorIs(t, err, ErrRead)
	require.ErrorIs(t, err, errDisk)
	require.Contains(t, err.Error(), "at byte 100000")
	require.Contains(t, err.Error(), "disk.csv:")
	// A state taken at the failure continues once the disk works again.
	state := p.AppendState(nil)
	disk.from = int64(len(content))
	require.NoError(t, p.RestoreState(state))
	require.NoError(t, drain(p))
	require.Equal(t, Counters{Rows: 40_001, Held: 19_999, Finished: true}, p.Counters())

	for _, from := range []int64{0, 10, bufferSize} {
		disk.from = from
		for _, strict := range []bool{false, true} {
			_, err := newPlayer("disk.csv", disk, int64(len(content)), Options{Strict: strict})
			if err == nil {
				t.Fatalf("reading only %d bytes has to fail", from)
			}
			require.True(t, errors.Is(err, ErrRead) || errors.Is(err, ErrBadRow), err)
		}
	}
}

func TestLinesAcrossBufferBorders(t *testing.T) {
	// Rows of every length around the end of the first buffer, with and without a last line feed.
	for pad := range 40 {
		var b strings.Builder
		b.WriteString("S" + strings.Repeat("x", pad) + "\n")
		n := 0
		for ; b.Len() < bufferSize+100; n++ {
			b.WriteString("1,0,1234567,-7654321,42\n")
		}
		c := &tape{}
		p := c.open(t, b.String()[:b.Len()-pad%2], Options{})
		c.run(t, p, 0, n+9)
		require.Len(t, c.rows, n)
		for i, row := range c.rows {
			require.Equal(t, []int64{1234567, -7654321, 42}, fields(row), i)
			require.Equal(t, i+2, row.Line)
		}
	}
}

func TestOverlongLinesAcrossBuffers(t *testing.T) {
	for _, n := range []int{maxLine - 8, maxLine + 1, bufferSize - 10, bufferSize, bufferSize + 1,
		3 * bufferSize} {
		c, _ := play(t, "32,0,290\n32,3,"+strings.Repeat("1", n)+"\n32,5,291\n0\n", Options{})
		require.Len(t, c.rows, 2, n)
		require.Equal(t, 3, c.rows[1].Line)
	}
}

// The search for a row covers the first MiB.
func TestRowsAfterALongBeginningAreFound(t *testing.T) {
	const row = "32,0,290\n0\n"
	c, _ := play(t, strings.Repeat("\n", probeLimit)+row, Options{})
	require.Len(t, c.rows, 1)
	_ = refuse(t, strings.Repeat("\n", probeLimit+1)+row, Options{}, ErrNoData)
}

// The search limit applies only to files without a row.
func TestRowsAfterALongGapAreFound(t *testing.T) {
	const gap = probeLimit + probeLimit/8
	for _, between := range []string{strings.Repeat("\n", gap), strings.Repeat("77,1\n", gap/5),
		strings.Repeat("z", gap) + "\n"} {
		for _, loop := range []bool{false, true} {
			// no text for each bad row
			p, err := Open(write(t, "32,0,290\n"+between+"32,10,291\n0\n"), Options{Loop: loop})
			require.NoError(t, err)
			c := &tape{}
			c.run(t, p, timebase.EndOfTime, 100)
			require.Equal(t, []timebase.Time{0, 10 * ms}, c.times)
			require.NoError(t, p.Close())
		}
	}
}

// The last representable instant and the longest distance can be reached.
func TestRowsAtTheEndOfTime(t *testing.T) {
	c, p := play(t, "32,0,290\n32,9223372036854775807,291\n0\n", Options{Unit: Nanoseconds})
	require.Equal(t, []timebase.Time{0, timebase.EndOfTime}, c.times)
	require.Zero(t, p.Counters().Rejected)
	c, _ = play(t, "32,0,290\n32,10,291\n0\n", Options{Start: timebase.EndOfTime - 10*ms})
	require.Equal(t, []timebase.Time{timebase.EndOfTime - 10*ms, timebase.EndOfTime}, c.times)
}

// A file only slightly larger than the buffer is also checked for changes.
func TestFileOfTwoBuffersThatChanges(t *testing.T) {
	name := write(t, strings.Repeat("32,0,290\n", bufferSize/9+100))
	p, err := Open(name, Options{})
	require.NoError(t, err)
	defer closed(t, p)
	require.NoError(t, os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)))
	require.ErrorIs(t, drain(p), ErrChanged)
}

// A long file without length is detected at its end: at once in strict mode, otherwise when the
// player gets there.
func TestLargeLoopWithoutLength(t *testing.T) {
	content := strings.Repeat("32,7,290\n", bufferSize/9+100)
	_ = refuse(t, content, Options{Loop: true, Strict: true}, ErrLoopLength)
	p, err := Open(write(t, content), Options{Loop: true})
	require.NoError(t, err)
	defer closed(t, p)
	require.ErrorIs(t, drain(p), ErrLoopLength)
}

// The data read when a file is opened does not affect the rows played afterwards.
func TestOpeningLeavesNoTrace(t *testing.T) {
	c := &tape{}
	p := c.open(t, strings.Repeat("32,0,290\n", probeLimit/9+10)+"77,1\n32,1,291\n0\n", Options{})
	require.NoError(t, drain(p))
	require.Equal(t, []ProblemKind{UnknownSensor}, c.kinds(), "a bad row far from the beginning")
	require.EqualValues(t, probeLimit/9+11, p.Counters().Rows)

	c, _ = play(t, gps19+"\n"+gps19+
		"\n4,200,95000,53202132333,22057384666,140,216,131299,26,26,0,0,356,550,11,100,0,7,8,1\n"+
		"0\n", Options{})
	require.Equal(t, []ProblemKind{MixedGPSLayouts}, c.kinds())
	require.Equal(t, 3, c.problems[0].Place.Line, "where the other layout begins")
}

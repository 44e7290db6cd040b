package simsensor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// recorded returns the name of a real file. The tests that use it are optional: they need a folder
// that is not part of the project.
func recorded(t *testing.T, file string) string {
	t.Helper()
	dir := os.Getenv("GOSMP_TESTDATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data") // next to the repository
	}
	name := filepath.Join(dir, "simsensor", file)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("real recordings are not here; GOSMP_TESTDATA may name their folder: %v", err)
	}
	return name
}

func TestRecordedFlightPlaysToItsEnd(t *testing.T) {
	c := &tape{}
	p, err := Open(recorded(t, "derived_hover_sorted_us.csv"), Options{Unit: Microseconds,
		Strict: true, Loop: true, Warn: c.warn})
	require.NoError(t, err)
	defer closed(t, p)
	c.run(t, p, timebase.EndOfTime, 1_000_000)
	require.Empty(t, c.problems)
	require.Equal(t, Counters{Rows: 45_776, Finished: true}, p.Counters())
	require.Equal(t, 41_132_012*timebase.Microsecond, c.times[len(c.times)-1])
	perKind := map[Kind]int{}
	for i, row := range c.rows {
		perKind[row.Kind]++
		require.Equal(t, timebase.Time(row.Stamp)*timebase.Microsecond, c.times[i])
	}
	require.Equal(t, map[Kind]int{Accelerometer: 14_861, Gyroscope: 14_861, Magnetometer: 14_861,
		Barometer: 989, GPS: 204}, perKind)
}

func TestRecordedFlightInMillisecondsIsWarnedAbout(t *testing.T) {
	c := &tape{}
	p, err := Open(recorded(t, "derived_hover_sorted_us.csv"), Options{Warn: c.warn})
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.Equal(t, []ProblemKind{ImplausibleUnit}, c.kinds())
	require.Contains(t, c.problems[0].Hint, "if the file is in us")
}

func TestRecordedFlightIsInspected(t *testing.T) {
	for file, want := range map[string][]ProblemKind{
		"derived_hover_gps18_ms.csv": {VelocityNotSplit, HeadingAlwaysZero, GeoidSeparation},
		"derived_hover_gps_baro_ms.csv": {VelocityNotSplit, HeadingAlwaysZero, GeoidSeparation,
			ImplausibleUTC},
	} {
		r, err := Inspect(recorded(t, file), Options{Loop: true})
		require.NoError(t, err)
		require.Equal(t, want, r.oddKinds(), file)
		require.Empty(t, r.Problems)
	}
	r, err := Inspect(recorded(t, "derived_hover_sorted_us.csv"), Options{Unit: Microseconds})
	require.NoError(t, err)
	require.EqualValues(t, 312, r.Sensors[0].Repeated)
	require.Equal(t, 41_132_012*timebase.Microsecond, r.Duration)
}

func TestRecordedShippedLayoutLoops(t *testing.T) {
	c := &tape{}
	p, err := Open(recorded(t, "derived_hover_gps18_ms.csv"), Options{Loop: true, Warn: c.warn})
	require.NoError(t, err)
	defer closed(t, p)
	c.run(t, p, timebase.EndOfTime, 2*204)
	require.Empty(t, c.problems)
	require.Equal(t, 40_994*ms, c.times[203])
	require.Equal(t, 40_994*ms, c.times[204], "last and next first coincide")
	require.Equal(t, 2*40_994*ms, c.times[407])
	require.False(t, c.rows[0].HasUTC)
	require.EqualValues(t, 53_202_132_333, c.rows[0].Fields[GPSLatitude])
	require.EqualValues(t, 8, c.rows[0].Fields[GPSSatellites])
}

func TestAuthorsScenarios(t *testing.T) {
	for file, rows := range map[string]int{"scenario1.csv": 1, "scenario2.csv": 3} {
		c := &tape{}
		p, err := Open(recorded(t, file), Options{Loop: true, Warn: c.warn})
		require.NoError(t, err)
		c.run(t, p, timebase.EndOfTime, 100)
		require.Equal(t, Counters{Rows: int64(rows), Finished: true}, p.Counters(), file)
		require.Empty(t, c.problems)
		require.NoError(t, p.Close())
	}
}

func TestS13_TheDocumentedExampleAsItStands(t *testing.T) {
	c := &tape{}
	p, err := Open(recorded(t, "seed_example.csv"), Options{Unit: Microseconds, Strict: true,
		Loop: true, Warn: c.warn})
	require.NoError(t, err)
	defer closed(t, p)
	c.run(t, p, timebase.EndOfTime, 18)
	require.Equal(t, []ProblemKind{LongRow, ShortRow}, c.kinds())
	require.Equal(t, 10_017*timebase.Microsecond, c.times[8])
	require.Equal(t, 2*10_017*timebase.Microsecond, c.times[17])
}

package simsensor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// rows returns n rows of a sensor, spaced by the given number of units.
func rows(kind Kind, n int, distance int64) string {
	var b strings.Builder
	for i := range int64(n) {
		fmt.Fprintf(&b, "%d,%d%s\n", kind, i*distance, strings.Repeat(",1", len(kind.Fields())))
	}
	return b.String()
}

// opened returns the unit that Auto finds and the problems reported.
func opened(t require.TestingT, content string) (Unit, []Problem) {
	c := &tape{}
	p, err := newPlayer("a.csv", &brokenDisk{strings.NewReader(content), int64(len(content))},
		int64(len(content)),
		Options{Unit: Auto, Warn: c.warn})
	require.NoError(t, err)
	return p.Unit(), c.problems
}

func TestAuto_OneSensorDecides(t *testing.T) {
	for content, want := range map[string]Unit{
		rows(Accelerometer, 50, 10):           Milliseconds, // 100 Hz
		rows(Accelerometer, 50, 2755):         Microseconds, // 363 Hz, a quadcopter
		rows(Accelerometer, 50, 10_000):       Microseconds, // 100 Hz
		rows(Gyroscope, 50, 1_000_000):        Nanoseconds,  // 1 kHz
		rows(Magnetometer, 50, 20):            Milliseconds, // 50 Hz
		rows(Barometer, 50, 41):               Milliseconds,
		rows(Barometer, 50, 41_000):           Microseconds,
		rows(GPS, 50, 200):                    Milliseconds,
		rows(GPS, 50, 200_000):                Microseconds,
		rows(GPS, 50, 200_000_000):            Nanoseconds,
		rows(GPS, 50, 1):                      Seconds,
		rows(Thermometer, 50, 1000):           Milliseconds,
		rows(Thermometer, 50, 1_000_000):      Microseconds,
		rows(Thermometer, 3, 1_000_000) + "0": Microseconds, // three rows are enough
	} {
		unit, problems := opened(t, content)
		require.Equal(t, want, unit, content[:30])
		require.Empty(t, problems, content[:30])
	}
}

// If the file does not determine the unit, it is read in the documented unit and the findings are
// reported.
func TestAuto_DoubtIsReported(t *testing.T) {
	for content, want := range map[string]struct {
		unit  Unit
		found string
	}{
		rows(Thermometer, 2, 10): {Milliseconds,
			"no sensor with three rows"},
		rows(Thermometer, 1, 0) + rows(GPS, 1, 0) + "2,5,1,1\n": {Milliseconds,
			"no sensor with three rows"},
		// 5 Hz or 5 kHz
		rows(Accelerometer, 9, 200): {Milliseconds, "accelerometer rows 200 apart on average"},
		// 333 Hz or every 3 s
		rows(Barometer, 9, 3): {Milliseconds, "barometer rows 3 apart"},
		// 70 s in ns
		rows(Accelerometer, 9, 70_000_000_000): {Milliseconds, "accelerometer rows 7e+10 apart"},
		rows(Accelerometer, 9, 10) + rows(GPS, 9, 200_000): {Milliseconds,
			"accelerometer rows 10 apart on average, gps rows 200000 apart on average"},
		// every 7 ms, or every 7 s
		rows(Thermometer, 9, 7): {Milliseconds, "thermometer rows 7 apart"},
		// The usual rate is used, but the other one is also possible.
		// 1 kHz rather than 1 Hz
		rows(Accelerometer, 9, 1000): {Microseconds, "accelerometer rows 1000 apart"},
		// 1 kHz, or 1 Hz in s
		rows(Barometer, 9, 1): {Milliseconds, "barometer rows 1 apart"},
		// every 7 ms, or every 7 s
		rows(Thermometer, 9, 7): {Milliseconds, "thermometer rows 7 apart"},
		// 50 Hz rather than every 20 s
		rows(Barometer, 9, 20_000): {Microseconds, "barometer rows 20000 apart"},
	} {
		unit, problems := opened(t, content)
		require.Equal(t, want.unit, unit, content)
		require.Equal(t, []ProblemKind{DoubtfulUnit}, (&tape{problems: problems}).kinds(), content)
		require.Contains(t, problems[0].Error(), want.found)
		require.Contains(t, problems[0].Error(), "a.csv: doubtful unit of time: ")
		require.Contains(t, problems[0].Hint, fmt.Sprintf("read in %v,", want.unit))
	}
}

func TestAuto_NoDoubtWhereTheUnitMakesNoDifference(t *testing.T) {
	for _, content := range []string{"32,7,290\n0\n",
		"32,7,290\n1,7,1,1,1\n1,7,1,1,1\n1,7,1,1,1\n0\n"} {
		unit, problems := opened(t, content)
		require.Equal(t, Milliseconds, unit)
		require.Empty(t, problems)
	}
}

// One sensor with an unusual rate does not outweigh the others.
func TestAuto_TheMajorityDecides(t *testing.T) {
	unit, problems := opened(t, rows(Accelerometer, 500, 2755)+rows(Gyroscope, 500, 2755)+
		rows(Magnetometer, 3, 1_000_000))
	require.Equal(t, Microseconds, unit)
	require.Empty(t, problems, "a magnetometer of 1 Hz is possible")
	unit, problems = opened(t, rows(Accelerometer, 500, 2755)+rows(Gyroscope, 500, 2755)+
		rows(Magnetometer, 3, 50_000_000))
	require.Equal(t, Microseconds, unit)
	require.Equal(t, []ProblemKind{ImplausibleUnit}, (&tape{problems: problems}).kinds(),
		"every 50 s is not")
}

// The beginning of a file is often untypical: a stamp of 0 before the clock was set, pauses,
// bursts, repeated and decreasing stamps.
func TestAuto_AtypicalRowsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]Unit{Milliseconds, Microseconds, Nanoseconds}).Draw(t, "unit")
		second := int64(timebase.Second / unit.Duration())
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		first := rapid.SampledFrom([]string{"", "1,0,1,1,1\n", "1,-5000000,1,1,1\n"}).Draw(t,
			"first row")
		burst := rapid.IntRange(0, 200).Draw(t, "burst")
		pause := rapid.IntRange(0, 2).Draw(t, "pauses")
		var b strings.Builder
		b.WriteString(first)
		stamp := 1_700_000_000 * second
		for i := range 500 {
			step := second/50 + random.Int64N(second/100+1) // 40 Hz
			switch {
			case i < burst:
				step = 0
			case i < burst+2*pause && i%2 == 1 && i > 3:
				step = random.Int64N(7200) * second
			case random.IntN(20) == 0:
				step = -second / 200
			}
			stamp += step
			fmt.Fprintf(&b, "1,%d,1,1,1\n", stamp)
		}
		got, _ := opened(t, b.String())
		require.Equal(t, unit, got)
	})
}

// The first 64 KiB decide. More is read only if they leave a doubt, and never more than 1 MiB.
func TestAuto_ReadsABoundedPart(t *testing.T) {
	const row = "32,0,290\n"
	unknown := strings.Repeat(row, decidePart/len(row)+1) // all at one time
	for _, c := range []struct {
		content string
		unit    Unit
		doubts  int
	}{
		{unknown + rows(Accelerometer, 500, 2755), Microseconds, 0},
		{strings.Repeat(row, decideLimit/len(row)+1) + rows(Accelerometer, 500, 2755),
			Milliseconds, 1},
		{rows(Accelerometer, decidePart/10, 10) + rows(Accelerometer, 100_000, 2755),
			Milliseconds, 0},
	} {
		unit, problems := opened(t, c.content)
		require.Equal(t, c.unit, unit)
		require.Len(t, problems, c.doubts)
	}
	disk := &zeros{}
	_, err := newPlayer("zeros.csv", disk, 1<<50, Options{Unit: Auto})
	require.ErrorIs(t, err, ErrNoData)
	require.Less(t, disk.read, int64(3*probeLimit))
}

// A stated unit is used, regardless of what the rows suggest.
func TestAuto_IsNotAskedWhereAUnitIsStated(t *testing.T) {
	name := write(t, rows(Accelerometer, 50, 2755)+"0\n")
	for _, unit := range Units() {
		p, err := Open(name, Options{Unit: unit})
		require.NoError(t, err)
		require.Equal(t, unit, p.Unit())
		var row Row
		for range 2 {
			_, _, err = p.Next(timebase.EndOfTime, &row)
			require.NoError(t, err)
		}
		at, ok, err := p.Due()
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, 2*2755*unit.Duration(), at)
		require.NoError(t, p.Close())
	}
}

// Deciding has no side effects: a file plays as if the same unit were stated, and states can be
// exchanged between the two.
func TestAuto_PlaysAndRestoresLikeTheStatedUnit(t *testing.T) {
	content := strings.ReplaceAll(messy, "\n1,110", "\n1,105,1\n1,108,1\n1,110")
	for _, strict := range []bool{false, true} {
		if strict {
			content = rows(Accelerometer, 30, 10) + "2,290,1\n2,295\n"
		}
		auto, stated := &tape{}, &tape{}
		p := auto.open(t, content, Options{Unit: Auto, Loop: true, Strict: strict, Start: 3,
			StartDelay: 4})
		q := stated.open(t, content, Options{Loop: true, Strict: strict, Start: 3, StartDelay: 4})
		require.Equal(t, Milliseconds, p.Unit())
		auto.run(t, p, timebase.EndOfTime, 17)
		stated.run(t, q, timebase.EndOfTime, 17)
		require.Equal(t, stated.rows, auto.rows)
		require.Equal(t, stated.times, auto.times)
		require.Equal(t, stated.kinds(), auto.kinds())
		require.Equal(t, q.AppendState(nil), p.AppendState(nil))
		require.NoError(t, q.RestoreState(p.AppendState(nil)))
		require.NoError(t, p.RestoreState(q.AppendState(nil)))
	}
}

func TestAuto_InspectDecidesAsAPlayerDoes(t *testing.T) {
	r := inspect(t, rows(Accelerometer, 500, 2755), Options{Unit: Auto})
	require.Equal(t, Microseconds, r.Unit)
	require.True(t, r.Decided)
	require.Equal(t, 2755*timebase.Microsecond, r.Sensors[0].Median)
	r = inspect(t, rows(Thermometer, 2, 10), Options{Unit: Auto})
	require.Equal(t, Milliseconds, r.Unit)
	require.Contains(t, r.oddKinds(), DoubtfulUnit)
	require.False(t, inspect(t, rows(Thermometer, 3, 10), Options{}).Decided)

	// If the whole file contradicts its beginning, this is reported.
	r = inspect(t, rows(Accelerometer, decidePart/8, 10)+rows(Accelerometer, 100_000, 27550),
		Options{Unit: Auto})
	require.Equal(t, Milliseconds, r.Unit)
	require.Contains(t, r.oddKinds(), ImplausibleUnit)
}

func TestAuto_RealRecordings(t *testing.T) {
	for file, want := range map[string]struct {
		unit   Unit
		doubts int
	}{
		"derived_hover_sorted_us.csv":   {Microseconds, 0},
		"derived_hover_gps_baro_ms.csv": {Milliseconds, 0},
		"derived_hover_gps18_ms.csv":    {Milliseconds, 0},
		"seed_example.csv":              {Microseconds, 0},
		// Two barometer rows, 200 and 40 units apart, decide nothing; the only row of the first
		// file needs no unit.
		"scenario1.csv": {Milliseconds, 0},
		"scenario2.csv": {Milliseconds, 1},
		"scenario3.csv": {Milliseconds, 1},
	} {
		c := &tape{}
		p, err := Open(recorded(t, file), Options{Unit: Auto, Warn: c.warn})
		require.NoError(t, err)
		require.Equal(t, want.unit, p.Unit(), file)
		require.Len(t, c.problems, want.doubts, file)
		require.NoError(t, p.Close())
	}
	content, err := os.ReadFile(recorded(t, "derived_hover_sorted_us.csv"))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(content), "\n")
	for from := 1; from+200 < len(lines); from += 997 { // wherever such a recording is cut off
		unit, problems := opened(t, strings.Join(lines[from:from+200], ""))
		require.Equal(t, Microseconds, unit, from)
		require.Empty(t, problems)
	}
}

// What settle has found in nanoseconds must equal what a second reading in the detected unit would
// find, even for stamps that fit only into short units.
func TestASecondLookShowsNothingNew(t *testing.T) {
	reused := 0
	rapid.Check(t, func(t *rapid.T) {
		stamp := rapid.OneOf(rapid.Int64Range(-5, 2000), rapid.Int64Range(0, 1e10), rapid.Int64())
		line := rapid.Custom(func(t *rapid.T) string {
			row := fmt.Sprintf("%d,%d,1,2,3\n", rapid.SampledFrom([]int{1, 8, 16}).Draw(t, "kind"),
				stamp.Draw(t, "stamp"))
			return rapid.SampledFrom([]string{row, row, row, row, row, row, "\n", "77,1\n",
				"32,0,x\n", "0\n"}).Draw(t, "line")
		})
		content := strings.Join(rapid.SliceOfN(line, 0, 6).Draw(t, "lines"), "")
		for k := range int64(rapid.SampledFrom([]int{0, 10, 2200}).Draw(t, "more")) {
			content += fmt.Sprintf("1,%d,1000001,-1000002,1000003\n", 3000+4*k)
		}
		start := timebase.Time(rapid.SampledFrom([]int64{0, int64(timebase.EndOfTime) - 1e9}).Draw(
			t, "start"))
		r := newReader("x", memorySource{bytes.NewReader([]byte(content))}, int64(len(content)),
			Options{Unit: Auto, Start: start})
		_, seen := r.settle()
		r.restart(start)
		if seen != nil {
			reused++
			require.Equal(t, r.look(), seen)
		}
	})
	require.NotZero(t, reused)
}

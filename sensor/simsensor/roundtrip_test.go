package simsensor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// anyRow draws a full row of any sensor.
func anyRow(t *rapid.T, stamp int64) Row {
	row := Row{Kind: rapid.SampledFrom(func() []Kind { k := Kinds(); return k[:] }()).Draw(t,
		"kind"), Stamp: stamp}
	row.Present = len(row.Kind.Fields())
	row.HasUTC = row.Kind == GPS && rapid.Bool().Draw(t, "utc")
	for i, f := range row.Kind.Fields() {
		row.Fields[i] = rapid.Int64Range(f.Min, f.Max).Draw(t, f.Name)
	}
	if row.Kind == GPS && !row.HasUTC {
		row.Present, row.Fields[GPSUTC] = MaxFields-1, 0
	}
	return row
}

func TestRowsSurviveWritingAndReading(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]Unit{Milliseconds, Microseconds, Seconds, Nanoseconds}).Draw(t,
			"unit")
		start := timebase.Time(rapid.Int64Range(-1e15, 1e15).Draw(t, "start"))
		var content []byte
		if rapid.Bool().Draw(t, "header") {
			content = append(content, Header()...)
		}
		lines := len(content) / max(1, len(content))
		var want []Row
		var times []timebase.Time
		stamp := rapid.Int64Range(-1e12, 1e12).Draw(t, "first")
		at := start
		for i := range rapid.IntRange(1, 40).Draw(t, "rows") {
			if i > 0 {
				d := rapid.Int64Range(0, 1e6).Draw(t, "distance")
				stamp += d
				at += timebase.Time(d) * unit.Duration()
			}
			row := anyRow(t, stamp)
			content = AppendRow(content, &row)
			row.Line = lines + i + 1
			want, times = append(want, row), append(times, at)
		}
		content = AppendRow(content, &Row{Kind: End})
		name := filepath.Join(dir, "rows.csv")
		require.NoError(t, os.WriteFile(name, content, 0o600))
		p, err := Open(name, Options{Unit: unit, Start: start, Strict: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, p.Close()) }()
		for i := range want {
			var got Row
			when, ok, err := p.Next(times[i], &got)
			require.NoError(t, err)
			require.True(t, ok, "row %d of %s", i, content)
			require.Equal(t, want[i], got)
			require.Equal(t, times[i], when)
		}
		_, ok, err := p.Next(timebase.EndOfTime, &Row{})
		require.NoError(t, err)
		require.False(t, ok)
		require.Equal(t, Counters{Rows: int64(len(want)), Finished: true}, p.Counters())
	})
}

func TestPublishTimesNeverDecrease(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var content []byte
		stamps := rapid.SliceOfN(rapid.Int64Range(0, 50), 2, 20).Draw(t, "stamps")
		highest := stamps[0]
		for _, s := range stamps {
			content = AppendRow(content, &Row{Kind: Thermometer, Stamp: s, Present: 1})
			highest = max(highest, s)
		}
		name := filepath.Join(dir, "rows.csv")
		require.NoError(t, os.WriteFile(name, content, 0o600))
		p, err := Open(name, Options{Loop: true})
		if highest == stamps[0] {
			require.ErrorIs(t, err, ErrLoopLength)
			return
		}
		require.NoError(t, err)
		defer func() { require.NoError(t, p.Close()) }()
		last := timebase.Time(0)
		const rounds = 3
		for range rounds * len(stamps) {
			at, ok, err := p.Next(timebase.EndOfTime, &Row{})
			require.NoError(t, err)
			require.True(t, ok)
			require.GreaterOrEqual(t, at, last)
			last = at
		}
		require.Equal(t, rounds*timebase.Time(highest-stamps[0])*ms, last,
			"every round is as long as its stamps say")
	})
}

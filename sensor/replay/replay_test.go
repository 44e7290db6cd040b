package replay_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/sensor"
	"gosmp/sensor/replay"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

func TestSource_PublishesTheRowsOfTheStartTime(t *testing.T) {
	name := write(t, "32,1000,280", "16,1000,1,2,3", "32,1010,281", "0")
	r := open(t, name, simsensor.Options{Start: 5 * timebase.Second})
	require.True(t, r.Started)
	require.Equal(t, simsensor.Counters{Rows: 2}, r.player.Counters())
	require.Equal(t, 5*timebase.Second, r.Newest)
	require.Equal(t, 280.0, r.Samples.Thermometer.Temperature)
	require.Equal(t, 5*timebase.Second, r.Samples.Magnetometer.Time)

	r = open(t, name, simsensor.Options{Start: 5 * timebase.Second, StartDelay: 1})
	require.False(t, r.Started)
	require.False(t, r.Samples.Thermometer.Known())
	require.NoError(t, r.Advance(5*timebase.Second))
	require.False(t, r.Started)
	require.NoError(t, r.Advance(5*timebase.Second+1))
	require.Equal(t, 5*timebase.Second+1, r.Samples.Thermometer.Time)
}

func TestAdvance_NewestWinsAllAreCounted(t *testing.T) {
	r := open(t, write(t, "32,0,280", "32,10,281", "2,15,100000,290", "32,20,282", "32,20,283",
		"0"), simsensor.Options{})
	require.NoError(t, r.Advance(20*ms-1))
	require.Equal(t, 281.0, r.Samples.Thermometer.Temperature)
	require.Equal(t, 15*ms, r.Newest)
	require.NoError(t, r.Advance(20*ms))
	th := r.Samples.Thermometer
	require.Equal(t, 283.0, th.Temperature)
	require.EqualValues(t, 4, th.Count)
	require.Equal(t, 20*ms, th.Time)
	require.Equal(t, 15*ms, r.Samples.Barometer.Time, "held")
	require.Equal(t, simsensor.Counters{Rows: 5, Finished: true}, r.player.Counters())
	before := *r
	require.NoError(t, r.Advance(timebase.EndOfTime))
	require.Equal(t, before.Samples, r.Samples)
	require.Equal(t, 20*ms, r.Newest)
}

func TestAdvance_FirstFixIsKeptThroughAllRounds(t *testing.T) {
	fix := func(stamp, altitude int) string {
		return fmt.Sprintf("4,%d,%d,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", stamp, altitude)
	}
	r := open(t, write(t, "32,0,280", fix(10, 1000), fix(20, 2000)), simsensor.Options{Loop: true})
	require.False(t, r.First.Known())
	require.NoError(t, r.Advance(75*ms))
	require.EqualValues(t, 3, r.player.Counters().Loops)
	require.Equal(t, 1.0, r.First.Altitude)
	require.Equal(t, 10*ms, r.First.Time)
	require.EqualValues(t, 1, r.First.Count)
}

// scenario returns a random file: all sensors, some equal stamps, sometimes an end row.
func scenario(t *rapid.T) (rows []string, loop bool) {
	stamp, kinds := int64(0), simsensor.Kinds()
	for n := rapid.IntRange(2, 30).Draw(t, "rows"); n > 0; n-- {
		kind := rapid.SampledFrom(kinds[:]).Draw(t, "kind")
		row := simsensor.Row{Kind: kind, Stamp: stamp, Present: len(kind.Fields()),
			HasUTC: kind == simsensor.GPS && rapid.Bool().Draw(t, "utc")}
		for i, f := range kind.Fields() {
			row.Fields[i] = rapid.Int64Range(max(f.Min, -1e9), min(f.Max, 1e9)).Draw(t, f.Name)
		}
		line := simsensor.AppendRow(nil, &row)
		rows = append(rows, string(line[:len(line)-1]))
		stamp += rapid.Int64Range(0, 20).Draw(t, "distance")
	}
	rows = append(rows, fmt.Sprintf("32,%d,290", stamp+1))
	if loop = rapid.Bool().Draw(t, "loop"); !loop || rapid.Bool().Draw(t, "ends") {
		rows = append(rows, "0")
	}
	return rows, loop
}

// public returns everything that a user of a replay can see.
func public(r *replayed) []any {
	return []any{r.Samples, r.First, r.Newest, r.player.Counters(), r.Started}
}

func TestState_RestoredReplaysContinueIdentically(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, loop := scenario(t)
		name, opt := write(t, rows...),
			simsensor.Options{Loop: loop,
				StartDelay: timebase.Duration(rapid.IntRange(0, 1).Draw(t, "delay")) * 7 * ms}
		step := rapid.Int64Range(0, 60)
		now := timebase.Time(0)
		advance := func(replays ...*replayed) {
			now += timebase.Time(step.Draw(t, "step")) * ms
			for _, r := range replays {
				require.NoError(t, r.Advance(now))
			}
		}
		first := open(t, name, opt)
		for range rapid.IntRange(0, 5).Draw(t, "before") {
			advance(first)
		}
		saved, at, expected := first.AppendState([]byte("before")), now, public(first)
		require.Equal(t, "before", string(saved[:6]))
		state := saved[6:]

		var course [][]any
		steps := rapid.IntRange(1, 5).Draw(t, "after")
		ends := make([]timebase.Time, steps)
		for k := range steps {
			advance(first)
			ends[k], course = now, append(course, public(first))
		}
		second := open(t, name, opt)
		require.NoError(t, second.Advance(timebase.Time(step.Draw(t, "elsewhere"))*ms))
		for _, r := range []*replayed{first, second} {
			require.NoError(t, r.RestoreState(state))
			require.Equal(t, expected, public(r), "at %v", at)
			require.Equal(t, state, r.AppendState(nil), "saved again it is the same")
			for k, end := range ends {
				require.NoError(t, r.Advance(end))
				require.Equal(t, course[k], public(r))
			}
		}
	})
}

func TestState_UnusableBytesAreRefused(t *testing.T) {
	r := open(t, write(t, "32,0,280", "16,10,1,2,3"), simsensor.Options{Loop: true})
	state := r.AppendState(nil)
	for n := range state {
		require.Error(t, r.RestoreState(state[:n]), "%d of %d bytes", n, len(state))
	}
	_, err := r.Sampler.RestoreState(nil)
	require.ErrorContains(t, err, "newest samples")
	require.ErrorIs(t, r.RestoreState(append(state, 0)), simsensor.ErrState)
	other := open(t, write(t, "32,0,281", "16,10,1,2,3"), simsensor.Options{Loop: true})
	require.ErrorIs(t, other.RestoreState(state), simsensor.ErrState)
	require.NoError(t, r.RestoreState(state))
}

func TestAdvance_NoAllocations(t *testing.T) {
	rows := []string{accelerometerRow, gyroscopeRow, magnetometerRow, barometerRow, thermometerRow,
		gpsRow, "32,10,280"}
	r := open(t, write(t, rows...), simsensor.Options{Loop: true})
	var e replay.Estimator
	var now timebase.Time
	b := make([]byte, 0, 4096)
	step := func() {
		now += 20 * ms
		if err := r.Advance(now); err != nil {
			panic(err)
		}
		est := e.Estimate(r.Sampler)
		b = est.AppendBaseMoving(b[:0], 3)
		b = est.AppendRMSE(b, 4)
		b = est.AppendLocalization(b, 8)
		b = est.AppendMotion(b, 13)
		b = est.AppendEnvironment(b, 12)
		b = est.AppendUTC(b, 29)
	}
	require.Zero(t, testing.AllocsPerRun(500, step))
	require.Greater(t, r.player.Counters().Loops, int64(500))
}

// The newest sample is known from the first one on, even when the experiment starts at 0 or
// earlier.
func TestAdvance_NewestWhereverTheExperimentStarts(t *testing.T) {
	for _, start := range []timebase.Time{-3 * timebase.Second, 0, 3 * timebase.Second} {
		r := open(t, write(t, "32,50,288", "16,55,1,2,3", "1,60,1,2,3", "0"),
			simsensor.Options{Start: start})
		require.NoError(t, r.Advance(start))
		require.True(t, r.Started)
		require.Equal(t, start, r.Newest)
		require.NoError(t, r.Advance(start+timebase.Second))
		require.Equal(t, start+10*timebase.Millisecond, r.Newest)
		require.Equal(t, sensor.Stamp{Time: start, Count: 1}, r.Samples.Thermometer.Stamp)
		require.Equal(t, sensor.Stamp{Time: start + 5*timebase.Millisecond, Count: 1},
			r.Samples.Magnetometer.Stamp, "its own")
	}
}

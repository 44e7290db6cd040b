package simsensor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

func inspect(t *testing.T, content string, opt Options) *Report {
	t.Helper()
	r, err := Inspect(write(t, content), opt)
	require.NoError(t, err)
	return r
}

func (r *Report) oddKinds() []ProblemKind { return (&tape{problems: r.Oddities}).kinds() }

func TestInspectCountsAndMeasures(t *testing.T) {
	r := inspect(t,
		Header()+
			"1,100,0,0,-9807\n32,100,290\n1,110,0,0,-9807\n1,110,0,0,-9807\n1,140,0,0,-9807\nx\n"+
			"1,130,0,0,-9807\n1,150,0,0,-9807\n0\n", Options{})
	require.Equal(t, 10, r.Lines)
	require.EqualValues(t, 7, r.Rows)
	require.EqualValues(t, 1, r.Rejected)
	require.EqualValues(t, 1, r.Held)
	require.True(t, r.EndRow)
	require.EqualValues(t, 100, r.FirstStamp)
	require.EqualValues(t, 150, r.LastStamp)
	require.Equal(t, 50*ms, r.Duration)
	require.Equal(t, []SensorReport{
		{Kind: Accelerometer, Rows: 6, Repeated: 2, Min: 0, Median: 10 * ms, Max: 30 * ms,
			Rate: 100},
		{Kind: Thermometer, Rows: 1},
	}, r.Sensors)
	require.Equal(t, []ProblemKind{BadNumber, DecreasingStamp},
		(&tape{problems: r.Problems}).kinds())
	require.Empty(t, r.Oddities)
}

func TestInspectMedianOfManyDistances(t *testing.T) {
	var b strings.Builder
	stamp := 0
	for i := range 2001 { // distances 1..2000 and then one of 1e6
		fmt.Fprintf(&b, "32,%d,290\n", stamp)
		stamp += i + 1
	}
	fmt.Fprintf(&b, "32,%d,290\n", stamp+1_000_000)
	r := inspect(t, b.String(), Options{})
	require.Equal(t, 1001*ms, r.Sensors[0].Median)
	r = inspect(t, "32,0,290\n32,1000003,290\n", Options{Unit: Microseconds})
	require.InEpsilon(t, 1000003, float64(r.Sensors[0].Median/timebase.Microsecond), 5e-4)
	require.LessOrEqual(t, r.Sensors[0].Median, r.Sensors[0].Max)
	require.GreaterOrEqual(t, r.Sensors[0].Median, r.Sensors[0].Min)
}

func TestInspectKeepsTheFirstProblemsOnly(t *testing.T) {
	r := inspect(t, "32,0,290\n"+strings.Repeat("32,1,x\n", 3*MaxProblems), Options{})
	require.Len(t, r.Problems, MaxProblems)
	require.EqualValues(t, 3*MaxProblems, r.Rejected)
	require.Equal(t, 2, r.Problems[0].Place.Line)
}

func TestInspectReturnsReportAndErrorForFilesWithoutUse(t *testing.T) {
	r, err := Inspect(write(t, "32,x\n"), Options{})
	require.ErrorIs(t, err, ErrNoData)
	require.Len(t, r.Problems, 1)
	r, err = Inspect(write(t, "32,5,290\n"), Options{Loop: true})
	require.ErrorIs(t, err, ErrLoopLength)
	require.EqualValues(t, 1, r.Rows)
}

func TestInspectFindsContentAfterTheEndRow(t *testing.T) {
	r := inspect(t, "32,0,290\n0\n\n  \n32,9,290\n", Options{})
	require.Equal(t, []ProblemKind{RowsAfterEnd}, r.oddKinds())
	require.Equal(t, 5, r.Oddities[0].Place.Line)
	require.Equal(t, `"32,9,290"`, r.Oddities[0].Found)
	require.Empty(t, inspect(t, "32,0,290\n0\n\n  \n", Options{}).Oddities)
	r = inspect(t, "32,0,290\n0\n"+strings.Repeat("x", 2*bufferSize), Options{})
	require.Equal(t, []ProblemKind{RowsAfterEnd}, r.oddKinds())
}

// fix returns a GPS row with the fields that the oddity checks use.
func fix(s, altitude, utc, ellipsoid, speed, north, east, down, heading int) string {
	return fmt.Sprintf(
		"4,%d,%d,48000000000,9000000000,%d,80,130,%d,%d,%d,%d,%d,400,700,60,%d,0,5,12,1\n",
		s, altitude, utc, ellipsoid, speed, north, east, down, heading)
}

func TestInspectFindsWhatRecordersGetWrong(t *testing.T) {
	const utc = 1_750_000_000_000_000
	good := fix(0, 300_000, utc, 348_000, 5000, 3000, 4000, 0, 927) + fix(200, 302_000, utc+200_000,
		350_000, 5000, 3000, 4000, 0, 927)
	for name, tc := range map[string]struct {
		content string
		kind    ProblemKind
		found   string
		hint    string
	}{
		"good": {content: good},
		"north only": {fix(0, 0, utc, 0, 26, 26, 0, 0, 9) + fix(200, 0, utc, 0, 8, 8, 0, 0, 5),
			VelocityNotSplit, "in all 2 rows", "positions"},
		"at rest": {content: fix(0, 0, utc, 0, 0, 0, 0, 0, 9) + fix(200, 0, utc, 0, 0, 0, 0,
			0, 5)},
		"one row": {content: fix(0, 0, utc, 0, 26, 26, 0, 0, 0)},
		"no heading": {strings.ReplaceAll(good, ",927,", ",0,"), HeadingAlwaysZero,
			"in all 2 rows", "unknown"},
		"geoid": {strings.NewReplacer(",348000,", ",31299,", ",350000,",
			",31299,").Replace(good), GeoidSeparation,
			"always 31.299 m, above mean sea level from 300.000 m to 302.000 m", "sum"},
		"clock digits": {strings.NewReplacer(fmt.Sprint(utc+200_000), "91417206784",
			fmt.Sprint(utc), "91417001984").Replace(good), ImplausibleUTC, "91417001984",
			"09:14:17"},
		"no UTC": {strings.NewReplacer(fmt.Sprint(utc+200_000), "0", fmt.Sprint(utc),
			"0").Replace(good), ImplausibleUTC, "from 0 to 0", "unknown"},
		"UTC back": {strings.NewReplacer(fmt.Sprint(utc+200_000), fmt.Sprint(utc-5)).Replace(
			good), ImplausibleUTC, "decreasing 1 times", ""},
		"m/s2": {"1,0,0,0,-10\n1,10,0,0,-10\n", ImplausibleValue,
			"acceleration of 10 mm/s2", "m/s2"},
		"upwards": {"1,0,3,0,9807\n1,10,0,2,9807\n", ImplausibleValue,
			"acceleration Z of 9807", "forward, left, up"},
		"hPa": {"2,0,1013,290\n2,100,1013,290\n", ImplausibleValue,
			"a pressure of 1013 Pa", "hPa"},
		"Celsius": {"32,0,21\n", ImplausibleValue, "a temperature of 21 K", "Celsius"},
		"warm barometer": {"2,0,101300,21\n", ImplausibleValue, "a temperature of 21 K",
			"Celsius"},
		"microtesla": {"16,0,20,1,44\n", ImplausibleValue, "a field of 48.3", "220 to 670"},
		"wrong unit": {"1,0,0,0,-9807\n1,2500,0,0,-9807\n1,5000,0,0,-9807\n", ImplausibleUnit,
			"2.5 s", "us"},
		"mixed layouts": {good + "4,400" + strings.Replace(strings.TrimPrefix(fix(0, 300_000, utc,
			348_000, 5000, 3000, 4000, 0, 927), "4,0"), fmt.Sprint(",", utc), "", 1),
			MixedGPSLayouts, "", "two recordings"},
		"long gap inside": {"32,0,290\n32,10,290\n32,20,290\n32,30,290\n32,9999999,290\n", LongGap,
			"9999.969", ""},
	} {
		r := inspect(t, tc.content, Options{})
		if tc.kind == FileProblem {
			require.Empty(t, r.Oddities, name)
			continue
		}
		require.Contains(t, r.oddKinds(), tc.kind, name)
		if name != "long gap inside" {
			require.Len(t, r.Oddities, 1, name)
		}
		require.Contains(t, r.Oddities[0].Found, tc.found, name)
		require.Contains(t, r.Oddities[0].Hint, tc.hint, name)
		require.Contains(t, r.Oddities[0].Place.File, "scenario.csv", name)
	}
}

// A file with an end row does not loop, so it does not need a length.
func TestInspectOfOneInstantWithAnEndRow(t *testing.T) {
	report, err := Inspect(write(t, "32,5,290\n2,5,101325,290\n0\n"), Options{Loop: true})
	require.NoError(t, err)
	require.Zero(t, report.Duration)
	_, err = Inspect(write(t, "32,5,290\n2,5,101325,290\n"), Options{Loop: true})
	require.ErrorIs(t, err, ErrLoopLength)
}

// The median is exact up to 4095 units of the file, with 12 binary digits beyond.
func TestInspectMedianIsAsExactAsStated(t *testing.T) {
	for distance, want := range map[int]timebase.Duration{4094: 4094, 4095: 4095, 8190: 8190,
		8191: 8190} {
		content := fmt.Sprintf("32,0,290\n32,1,290\n32,%d,290\n32,%d,290\n0\n", 1+distance,
			1+2*distance)
		report, err := Inspect(write(t, content), Options{})
		require.NoError(t, err)
		require.Equal(t, want*ms, report.Sensors[0].Median, distance)
	}
}

func TestInspectLastStampIsTheHighest(t *testing.T) {
	report, err := Inspect(write(t, "32,2,290\n32,9,291\n32,5,292\n0\n"), Options{})
	require.NoError(t, err)
	require.Equal(t, [2]int64{2, 9}, [2]int64{report.FirstStamp, report.LastStamp})
	require.Equal(t, 7*ms, report.Duration)
}

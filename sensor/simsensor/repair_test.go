package simsensor

import (
	"bytes"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

func repaired(t *testing.T, content string, opt RepairOptions) (string, *Repaired) {
	t.Helper()
	var out bytes.Buffer
	done, err := Repair(&out, "a.csv", []byte(content), opt)
	require.NoError(t, err)
	return out.String(), done
}

func TestRepair_LeavesAGoodFileAsItIs(t *testing.T) {
	for _, content := range []string{
		"SensorID,Timestamp,Field1\n32,0,290\n8,5,1,2\n2,9,101325,290\n0\n",
		"32,0,290\n32,10,291\n",
		"sensor,timestamp\n4,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,9\n",
	} {
		text, done := repaired(t, content, RepairOptions{})
		require.Equal(t, content, text)
		require.Empty(t, done.Changes)
	}
}

// Rows with equal stamps keep their order, and a short row keeps the values that it repeated.
func TestRepair_SortsRows(t *testing.T) {
	text, done := repaired(t, "8,10,1,2,3,4,5,6\n8,30,7\n32,20,290\n8,20,9,9\n32,5,x\n0\n",
		RepairOptions{})
	require.Equal(t, "8,10,1,2,3,4,5,6\n32,20,290\n8,20,9,9,3,4,5,6\n8,30,7,2,3,4,5,6\n0\n", text)
	require.Equal(t, []Change{
		{BadNumber, 1, "malformed rows left out"}, {DecreasingStamp, 2,
			"rows out of order sorted by their stamps"},
	}, done.Changes)
	require.EqualValues(t, 4, done.Rows)
}

// A drive along a straight line: the test computes the course from the path, not from the file.
func TestRepair_SplitsTheVelocity(t *testing.T) {
	const course, speed, latitude = 0.7, 10.0, 48.0 // rad from north, m/s, degrees
	const perDegree = 111_200.0
	var b strings.Builder
	for k := range 10 {
		at := float64(k) * speed / 5
		row := Row{Kind: GPS, Stamp: int64(200 * k), Present: MaxFields, HasUTC: true}
		row.Fields[GPSLatitude] = int64((latitude + at*math.Cos(course)/perDegree) * 1e9)
		row.Fields[GPSLongitude] = int64((9 + at*math.Sin(course)/perDegree/math.Cos(
			latitude*math.Pi/180)) * 1e9)
		row.Fields[GPSUTC] = 1_750_000_000_000_000 + int64(k)*200_000
		row.Fields[GPSGroundSpeed], row.Fields[GPSVelocityNorth] = 1e3*speed, 1e3*speed
		b.Write(AppendRow(nil, &row))
	}
	text, done := repaired(t, b.String(), RepairOptions{})
	require.Equal(t, []Change{{VelocityNotSplit, 10,
		"velocities split by the course between the positions"}}, done.Changes)
	c, _ := play(t, text, Options{})
	for _, row := range c.rows {
		require.InDelta(t, 1e3*speed*math.Cos(course), row.Fields[GPSVelocityNorth], 5)
		require.InDelta(t, 1e3*speed*math.Sin(course), row.Fields[GPSVelocityEast], 5)
		require.Zero(t, row.Fields[GPSVelocityDown])
		require.EqualValues(t, 1e3*speed, row.Fields[GPSGroundSpeed])
	}
}

func TestRepair_Heights(t *testing.T) {
	const utc = 1_750_000_000_000_000
	text, done := repaired(t, fix(0, 300_000, utc, 31_299, 5, 3, 4, 0, 9)+fix(200, 302_000, utc+1,
		31_299, 5, 3, 4, 0, 9), RepairOptions{})
	require.Len(t, done.Changes, 1)
	require.Equal(t,
		"heights above the ellipsoid computed as altitude plus 31.299 m, the height of the geoid",
		done.Changes[0].What)
	require.Contains(t, text, ",331299,")
	require.Contains(t, text, ",333299,")
}

func TestRepair_TimesDigitByDigit(t *testing.T) {
	content := fix(0, 0, 235959_900000, 5, 0, 0, 0, 0, 9) + fix(200, 0, 100_000, 5, 0, 0, 0, 0, 9)
	text, done := repaired(t, content, RepairOptions{Date: time.Date(2024, 2, 28, 15, 0, 0, 0,
		time.UTC)})
	require.Equal(t, []Change{{ImplausibleUTC, 2, "times read digit by digit, on 2024-02-28"}},
		done.Changes)
	c, _ := play(t, text, Options{})
	require.Equal(t, time.Date(2024, 2, 28, 23, 59, 59, 900_000_000, time.UTC).UnixMicro(),
		c.rows[0].Fields[GPSUTC])
	require.Equal(t, time.Date(2024, 2, 29, 0, 0, 0, 100_000_000, time.UTC).UnixMicro(),
		c.rows[1].Fields[GPSUTC])
	require.NotContains(t, (&tape{problems: done.Left}).kinds(), ImplausibleUTC)

	_, done = repaired(t, content, RepairOptions{})
	require.Contains(t, done.Changes[0].What, "no date was given")
	require.Contains(t, (&tape{problems: done.Left}).kinds(), ImplausibleUTC)
}

func TestRepair_Pressures(t *testing.T) {
	text, done := repaired(t, "2,0,1013,290\n2,100,1012,290\n2,200,1012\n", RepairOptions{})
	require.Equal(t, "2,0,101300,290\n2,100,101200,290\n2,200,101200\n", text)
	require.Equal(t, []Change{{ImplausibleValue, 3, "pressures converted from hPa to Pa"}},
		done.Changes)
	require.Equal(t, []ProblemKind{ShortRow}, (&tape{problems: done.Left}).kinds())
}

func TestRepair_EmptyInput(t *testing.T) {
	_, err := Repair(&bytes.Buffer{}, "a.csv", nil, RepairOptions{})
	require.ErrorIs(t, err, ErrNoData)
}

// A repaired file passes the check that found the faults, and a second repair changes nothing.
func TestRepair_RecordedFlight(t *testing.T) {
	content, err := os.ReadFile(recorded(t, "derived_hover_sorted_us.csv"))
	require.NoError(t, err)
	opt := RepairOptions{Date: time.Date(2023, 6, 1, 0, 0, 0, 0, time.UTC)}
	text, done := repaired(t, string(content), opt)
	require.Len(t, done.Changes, 3)
	require.EqualValues(t, 45_776, done.Rows)
	r, err := InspectBytes("fixed.csv", []byte(text), Options{Unit: Auto})
	require.NoError(t, err)
	require.Equal(t, []ProblemKind{HeadingAlwaysZero}, r.oddKinds())
	again, done := repaired(t, text, opt)
	require.Equal(t, text, again)
	require.Empty(t, done.Changes)
}

// Two fields of the barometer can be implausible; repairing one does not hide the other.
func TestRepair_ListsWhatItLeaves(t *testing.T) {
	_, done := repaired(t, "2,0,1013,20\n2,20,1012,21\n2,40,1013,20\n", RepairOptions{})
	require.Equal(t, []Change{{ImplausibleValue, 3, "pressures converted from hPa to Pa"}},
		done.Changes)
	require.Len(t, done.Left, 1)
	require.Contains(t, done.Left[0].Found, "a temperature of")
}

// The stamps of a 32-bit counter continue to rise past its end, even for late rows; nothing is
// sorted across it.
func TestRepair_UnwrapsACounter(t *testing.T) {
	text, done := repaired(t,
		"32,4294960000,1\n32,4294965000,2\n32,2704,3\n2,4294967000,5,6\n32,7704,4\n",
		RepairOptions{})
	require.Equal(t,
		"32,4294960000,1\n32,4294965000,2\n2,4294967000,5,6\n32,4294970000,3\n32,4294975000,4\n",
		text)
	require.Equal(t, CounterWrapped, done.Changes[0].Kind)
	require.EqualValues(t, 2, done.Changes[0].Rows)
	require.Empty(t, problemsOf(t, text, CounterWrapped))
	require.Len(t, problemsOf(t, "32,4294965000,2\n32,2704,3\n", CounterWrapped), 1)
}

func problemsOf(t *testing.T, content string, kind ProblemKind) (list []Problem) {
	r, err := InspectBytes("a.csv", []byte(content), Options{Unit: Microseconds})
	require.NoError(t, err)
	for _, p := range append(r.Problems, r.Oddities...) {
		if KindOf(p) == kind {
			list = append(list, p)
		}
	}
	return list
}

// The rows after a restart of the clock must not be sorted in among those before it.
func TestRepair_RefusesAClockThatStartedAgain(t *testing.T) {
	var b strings.Builder
	for k := range 40 {
		b.WriteString("1," + strconv.Itoa(k%20*200) + ",1,2,3\n")
	}
	_, err := Repair(io.Discard, "a.csv", []byte(b.String()), RepairOptions{})
	require.ErrorIs(t, err, ErrRestart)
	require.ErrorContains(t, err,
		"a.csv:21: the clock of the recording has restarted: found stamp 0 behind 3800")
	require.Contains(t, problemsOf(t, "1,5000000,1,1,1\n1,0,2,2,2\n", DecreasingStamp)[0].Hint,
		"split the file before this row")

	// Rows of one sensor with lower stamps than preceding rows of another sensor are not a restart.
	half := b.String()[:b.Len()/2]
	text, _ := repaired(t, half+strings.ReplaceAll("\n"+half, "\n1,", "\n8,"), RepairOptions{})
	require.True(t, strings.HasPrefix(text, "1,0,1,2,3\n8,0,1,2,3,0,0,0\n1,200,"), text)
}

// A player continues past the end of the counter and holds late rows.
func TestPlay_GoesOnWhenTheCounterWraps(t *testing.T) {
	c, p := play(t, "32,4294965000,2\n32,4,3\n32,4294967200,5\n32,2704,3\n",
		Options{Unit: Microseconds, Loop: false})
	require.Len(t, c.rows, 4)
	require.Equal(t, []timebase.Time{0, 2_300_000, 2_300_000, 5_000_000}, c.times)
	require.EqualValues(t, 1, p.Counters().Held)
}

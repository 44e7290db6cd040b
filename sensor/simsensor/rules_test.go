package simsensor

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

const gps19 = "4,0,95000,53202132333,22057384666,1750000000000000,140,216,131299,26,26,0,0,356,55" +
	"0,11,100,0,7,8,1"

func TestS1_KnownIdsAreReadOthersRejected(t *testing.T) {
	for id, kind := range map[string]Kind{
		"1": Accelerometer, "2": Barometer, "8": Gyroscope, "16": Magnetometer, "32": Thermometer,
	} {
		c, _ := play(t, id+",0,1,2,3,4,5,6\n0\n", Options{})
		require.Len(t, c.rows, 1, id)
		require.Equal(t, kind, c.rows[0].Kind)
	}
	c, _ := play(t, gps19+"\n0\n", Options{})
	require.Equal(t, GPS, c.rows[0].Kind)
	next := strconv.Itoa(1 << len(Kinds())) // the first power of two without a sensor
	for _, id := range []string{"3", "5", next, "128", "-1", "33", "1024", "9223372036854775807",
		"-9223372036854775808"} {
		c, p := play(t, "32,0,290\n"+id+",1,1,2,3\n32,2,291\n0\n", Options{})
		require.Len(t, c.rows, 2, id)
		require.Equal(t, []ProblemKind{UnknownSensor}, c.kinds(), id)
		require.Equal(t, 2, c.problems[0].Place.Line)
		require.Equal(t, 1, c.problems[0].Place.Column)
		require.EqualValues(t, 1, p.Counters().Rejected)
	}
}

func TestS2_StampsNeedNotBeRealTime(t *testing.T) {
	c, _ := play(t, "32,1750000000000,290\n32,1750000000250,291\n0\n", Options{})
	require.Equal(t, []timebase.Time{0, 250 * ms}, c.times)
	require.EqualValues(t, 1750000000000, c.rows[0].Stamp)
	c, _ = play(t, "32,-300,290\n32,-100,291\n0\n", Options{})
	require.Equal(t, []timebase.Time{0, 200 * ms}, c.times)
}

func TestS2_UnitIsWhatIsStated(t *testing.T) {
	for unit, d := range map[string]timebase.Time{
		"ms": ms, "us": timebase.Microsecond, "s": timebase.Second, "ns": timebase.Nanosecond,
	} {
		u, err := ParseUnit(unit)
		require.NoError(t, err)
		require.Equal(t, unit, u.String())
		c, _ := play(t, "32,10,290\n32,17,291\n0\n", Options{Unit: u})
		require.Equal(t, []timebase.Time{0, 7 * d}, c.times, unit)
	}
}

func TestS3_FieldsOfEverySensor(t *testing.T) {
	c, _ := play(t, strings.Join([]string{
		"1,0,748,-419,-9780", "2,0,101290,296", gps19, "8,0,-2,-64,0,5890652,-11148730,4294967295",
		"16,0,285,-82,334", "32,0,293",
		"0", "",
	}, "\n"), Options{})
	require.Empty(t, c.problems)
	want := [][]int64{
		{748, -419, -9780}, {101290, 296},
		{95000, 53202132333, 22057384666, 1750000000000000, 140, 216, 131299, 26, 26, 0, 0, 356,
			550, 11, 100, 0, 7, 8, 1},
		{-2, -64, 0, 5890652, -11148730, 4294967295}, {285, -82, 334}, {293},
	}
	require.Len(t, c.rows, len(want))
	for i, row := range c.rows {
		require.Equal(t, Kinds()[i], row.Kind)
		require.Equal(t, want[i], fields(row))
		require.Equal(t, len(want[i]), row.Present)
		for _, v := range row.Fields[len(want[i]):] {
			require.Zero(t, v, "nothing beyond the sensor's own fields")
		}
	}
}

func TestS3_BothGPSLayouts(t *testing.T) {
	const gps18 = "4,5,95000,53202132333,22057384666,140,216,131299,26,26,0,0,356,550,11,100,0,7,8,1"
	c, _ := play(t, gps19+"\n"+gps18+"\n0\n", Options{})
	require.Len(t, c.rows, 2)
	with, without := c.rows[0], c.rows[1]
	require.True(t, with.HasUTC)
	require.Equal(t, 19, with.Present)
	require.False(t, without.HasUTC)
	require.Equal(t, 18, without.Present)
	require.EqualValues(t, 1750000000000000, with.Fields[GPSUTC])
	require.Zero(t, without.Fields[GPSUTC])
	with.Fields[GPSUTC] = 0
	require.Equal(t, with.Fields, without.Fields)
	require.Equal(t, []ProblemKind{MixedGPSLayouts}, c.kinds())
}

func TestS3_OtherGPSLayoutsAreRejected(t *testing.T) {
	row := strings.Split(gps19, ",")
	for _, n := range []int{0, 1, 17, 20, 25} {
		columns := append([]string{}, row[:min(len(row), 2+n)]...)
		for len(columns) < 2+n {
			columns = append(columns, "1")
		}
		c, _ := play(t, "32,0,290\n"+strings.Join(columns, ",")+"\n0\n", Options{})
		require.Len(t, c.rows, 1, n)
		require.Equal(t, []ProblemKind{GPSFieldCount}, c.kinds(), n)
	}
	// 18 values followed by an empty one can be either layout.
	c, _ := play(t, "32,0,290\n"+strings.Join(row[:20], ",")+",\n0\n", Options{})
	require.Equal(t, []ProblemKind{TrailingCommas, GPSFieldCount}, c.kinds())
	// 19 values are the 19-field layout, regardless of the padding that follows.
	c, _ = play(t, gps19+",,\n0\n", Options{})
	require.Len(t, c.rows, 1)
}

func TestS4_HeaderIsOptional(t *testing.T) {
	for header, odd := range map[string][]ProblemKind{
		"":                                    nil,
		"SensorID,Timestamp,Fld1,Fld2\n":      nil,
		"SensorID,Timestamp\n":                nil,
		"sensor,timestamp,fld1\r\n":           {CarriageReturn},
		"sensorid,TIMESTAMP,,,\n":             {TrailingCommas},
		"\nSensorID,Timestamp\n":              {BlankLine},
		"  SensorID, Timestamp\n":             nil,
		"S\n":                                 {HeaderNames},
		"SensorID\n":                          {HeaderNames},
		"Source,Timestamp\n":                  {HeaderNames},
		"\"SensorID\",\"Timestamp\"\n":        {HeaderNames},
		"SensorID,Time,anything,1,2,3,4.5,\n": {TrailingCommas, HeaderNames},
	} {
		c, p := play(t, header+"32,0,290\n32,5,291\n", Options{})
		require.Len(t, c.rows, 2, header)
		require.Equal(t, odd, c.kinds(), header)
		require.Zero(t, p.Counters().Rejected)
	}
}

func TestS4_OnlyTheFirstRowMayBeAHeader(t *testing.T) {
	c, _ := play(t, "SensorID,Timestamp\n32,0,290\nSensorID,Timestamp\n32,5,291\n0\n", Options{})
	require.Len(t, c.rows, 2)
	require.Equal(t, []ProblemKind{BadNumber}, c.kinds())
	require.Contains(t, c.problems[0].Hint, "only the first row may be a header")
	require.Equal(t, 3, c.problems[0].Place.Line)
}

// A file that starts without a header has none further down. The same holds for a player restored
// after the first row.
func TestS4_NoHeaderAfterTheFirstRow(t *testing.T) {
	const content = "32,0,290\n32,5,291\nSensorID,Timestamp\n32,10,292\n0\n"
	c, p := play(t, content, Options{})
	require.Equal(t, []ProblemKind{BadNumber}, c.kinds())
	require.Equal(t, Counters{Rows: 3, Rejected: 1, Finished: true}, p.Counters())

	half, rest := (&tape{}).open(t, content, Options{}), (&tape{}).open(t, content, Options{})
	var row Row
	_, ok, err := half.Next(0, &row)
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, rest.RestoreState(half.AppendState(nil)))
	require.NoError(t, drain(rest))
	require.Equal(t, p.Counters(), rest.Counters())
}

func TestS5_FirstRowIsPublishedAtTheStart(t *testing.T) {
	c := &tape{}
	p := c.open(t, "32,700,290\n32,710,291\n0\n",
		Options{Start: 3 * timebase.Second, StartDelay: 20 * ms})
	c.run(t, p, 3*timebase.Second+20*ms-1, 9)
	require.Empty(t, c.rows, "nothing before the delay has passed")
	c.run(t, p, 3*timebase.Second+20*ms, 9)
	require.Equal(t, []timebase.Time{3*timebase.Second + 20*ms}, c.times)
	c.run(t, p, timebase.EndOfTime, 9)
	require.Equal(t, 3*timebase.Second+30*ms, c.times[1])
	c, _ = play(t, "32,700,290\n0\n", Options{Start: -5})
	require.Equal(t, []timebase.Time{-5}, c.times, "experiments may start before zero")
}

func TestS6_TimesAreCumulativeSums(t *testing.T) {
	c, _ := play(t, "1,100,1,1,1\n2,103,1,1\n1,110,2,2,2\n16,111,3,3,3\n1,500,2,2,2\n0\n",
		Options{})
	require.Equal(t, []timebase.Time{0, 3 * ms, 10 * ms, 11 * ms, 400 * ms}, c.times)
}

func TestS6_RowIsDueWhenItsTimeIsReached(t *testing.T) {
	c := &tape{}
	p := c.open(t, "32,0,1\n32,20,2\n32,40,3\n0\n", Options{})
	for i, until := range []timebase.Time{0, 20*ms - 1, 20 * ms, 39 * ms, 60 * ms} {
		c.run(t, p, until, 9)
		require.Len(t, c.rows, []int{1, 1, 2, 2, 3}[i], until)
		require.Equal(t, until == 60*ms, p.Counters().Finished)
	}
	require.EqualValues(t, 3, p.Counters().Rows)
}

func TestS7_EqualStampsBothPublished(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c, _ := play(t, "1,5,1,1,1\n1,5,2,2,2\n8,5,1,1,1,1,1,1\n1,6,3,3,3\n0\n",
			Options{Strict: strict})
		require.Equal(t, []timebase.Time{0, 0, 0, 1 * ms}, c.times)
		require.Empty(t, c.problems)
	}
}

const decreasing = "1,100,1,1,1\n1,140,2,2,2\n2,120,3,3\n2,139,4,4\n1,150,5,5,5\n0\n"

func TestS7_DecreasingStampIsHeldWhenLenient(t *testing.T) {
	c, p := play(t, decreasing, Options{})
	require.Equal(t, []timebase.Time{0, 40 * ms, 40 * ms, 40 * ms, 50 * ms}, c.times,
		"no false time")
	require.Equal(t, []ProblemKind{DecreasingStamp, DecreasingStamp}, c.kinds())
	require.EqualValues(t, 2, p.Counters().Held)
	require.Zero(t, p.Counters().Rejected)
	for i, row := range c.rows {
		require.Equal(t, i == 2 || i == 3, row.Held)
	}
	require.EqualValues(t, 120, c.rows[2].Stamp, "the row keeps its own stamp")
}

func TestS7_DecreasingStampIsRefusedWhenStrict(t *testing.T) {
	p := refuse(t, decreasing, Options{Strict: true}, ErrBadRow)
	require.Equal(t, DecreasingStamp, p.Kind)
	require.Equal(t, 3, p.Place.Line)
	require.Equal(t, 3, p.Place.Column)
	require.Equal(t, `"120"`, p.Found)
	require.Contains(t, p.Expected, "140")
	require.Contains(t, p.Hint, "sort")
}

func TestS8_StartsOverWithDistanceZero(t *testing.T) {
	// The form of the format author's own case: only the barometer rows count, and the third row
	// sets the length.
	c := &tape{}
	p := c.open(t, "sensor,timestamp\n2,50,1230,365\n1,60,50,60,70\n2,90,5000,301\n",
		Options{Loop: true})
	c.run(t, p, timebase.EndOfTime, 9)
	var barometer []timebase.Time
	for i, row := range c.rows {
		if row.Kind == Barometer {
			barometer = append(barometer, c.times[i])
		}
	}
	require.Equal(t, []timebase.Time{0, 40 * ms, 40 * ms, 80 * ms, 80 * ms, 120 * ms}, barometer)
	require.EqualValues(t, 2, p.Counters().Loops)
	require.EqualValues(t, 9, p.Counters().Rows)
	require.False(t, p.Counters().Finished)
}

func TestS8_WithoutLoopingTheEndOfFileEnds(t *testing.T) {
	for _, end := range []string{"\n", "", "\r\n", "\n\n"} {
		c, p := play(t, "32,0,290\n32,9,291"+end, Options{})
		require.Len(t, c.rows, 2)
		require.Equal(t, Counters{Rows: 2, Finished: true}, p.Counters())
	}
}

func TestS8_LoopWithoutLengthIsAnError(t *testing.T) {
	for name, content := range map[string]string{
		"one row":         "32,7,290",
		"one good row":    "32,7,290\n32,x,290\n3,9,1\n",
		"one stamp":       "32,7,290\n1,7,1,2,3\n2,7,1,2\n",
		"only decreasing": "32,7,290\n32,6,290\n32,5,290\n",
	} {
		for _, strict := range []bool{false, true} {
			_, err := Open(write(t, content), Options{Loop: true, Strict: strict})
			require.ErrorIs(t, err, ErrLoopLength, name)
		}
		c, _ := play(t, content, Options{})
		require.NotEmpty(t, c.rows, "once is fine")
		c, _ = play(t, content+"\n0\n", Options{Loop: true})
		require.NotEmpty(t, c.rows, "with an end row it never loops")
	}
}

func TestS8_LoopWithoutLengthInALargeFileIsFoundAtItsEnd(t *testing.T) {
	const rows = 2 * bufferSize / 9
	p, err := Open(write(t, strings.Repeat("32,7,290\n", rows)), Options{Loop: true})
	require.NoError(t, err)
	defer closed(t, p)
	var row Row
	for range rows {
		_, ok, err := p.Next(0, &row)
		require.NoError(t, err)
		require.True(t, ok)
	}
	for range 3 {
		_, ok, err := p.Next(0, &row)
		require.False(t, ok)
		require.ErrorIs(t, err, ErrLoopLength, "and it stays an error")
	}
}

func TestS9_EndRowEnds(t *testing.T) {
	for _, end := range []string{"0", "0\n", "0\r\n", "0,,,,\n", "0,5\n", " 0 \n",
		"0,99,1,2\n32,6,292\n", "00\n", "-0\n", "0,not looked at\n"} {
		for _, loop := range []bool{false, true} {
			c, p := play(t, "32,0,290\n32,5,291\n"+end, Options{Loop: loop})
			require.Len(t, c.rows, 2, end)
			require.Equal(t, Counters{Rows: 2, Finished: true}, p.Counters(), end)
			c.run(t, p, timebase.EndOfTime, 5)
			require.Len(t, c.rows, 2, "nothing after it, however often asked")
		}
	}
}

func TestS9_EndRowBeforeAnyRowIsAnError(t *testing.T) {
	p := refuse(t, "SensorID,Timestamp\n0\n32,5,291\n", Options{}, ErrNoData)
	require.Contains(t, p.Error(), "end row")
	require.Equal(t, 2, p.Place.Line)
}

func TestS10_NamesAreThoseOfTheDrivers(t *testing.T) {
	var names []string
	for _, k := range Kinds() {
		require.True(t, k.Sensor())
		names = append(names, k.String())
	}
	require.Equal(t, []string{"accelerometer", "barometer", "gps", "gyroscope", "magnetometer",
		"thermometer"}, names[:6], "sensors of Phoenix-RTOS keep their ids")
	require.Equal(t, "end", End.String())
	require.Equal(t, "kind 3", Kind(3).String())
	require.Nil(t, Kind(3).Fields())
	require.Nil(t, End.Fields())
}

func TestS11_EverySensorHasItsFields(t *testing.T) {
	for i, n := range []int{3, 2, 19, 6, 3, 1} {
		f := Kinds()[i].Fields()
		require.Len(t, f, n)
		for _, field := range f {
			require.NotEmpty(t, field.Name)
			require.Less(t, field.Min, field.Max)
		}
	}
}

func TestS12_RowsAreTheFilesOwnNumbers(t *testing.T) {
	const line = "8,12,-2147483648,4294967295,0,-9223372036854775808,9223372036854775807,7\n"
	c, _ := play(t, line+"0\n", Options{})
	require.Equal(t, []int64{math.MinInt32, math.MaxUint32, 0, math.MinInt64, math.MaxInt64, 7},
		fields(c.rows[0]))
	require.Equal(t, line, string(AppendRow(nil, &c.rows[0])))
}

func TestS13_ShortAndLongRowsAreUsable(t *testing.T) {
	// The form of the documented example: one field too many for the accelerometer, two too few for
	// the gyroscope.
	const example = "SensorID,Timestamp,Field1,Field2,Field3\n" +
		"1,2282607175,748,-419,-9780,0\n8,2282607175,-2,-64,0,0\n1,2282610344,740,-484,-9776,0\n" +
		"8,2282610344,-6,-71,-2,9\n" +
		"8,2282612689,-6,-73\n"
	for _, strict := range []bool{false, true} {
		c, p := play(t, example, Options{Unit: Microseconds, Strict: strict})
		require.Equal(t, []ProblemKind{LongRow, ShortRow}, c.kinds(), "one warning of each kind")
		require.Zero(t, p.Counters().Rejected)
		require.Len(t, c.rows, 5)
		require.Equal(t, []int64{748, -419, -9780}, fields(c.rows[0]))
		require.Equal(t, []int64{-2, -64, 0, 0, 0, 0}, fields(c.rows[1]), "0 before any")
		require.Equal(t, []int64{-6, -73, -2, 9, 0, 0}, fields(c.rows[4]),
			"the last value after that")
		require.Equal(t, 2, c.rows[4].Present)
	}
}

func TestS13_MissingFieldsAreReportedForEverySensor(t *testing.T) {
	c, _ := play(t, "1,0\n1,1\n2,2\n8,3\n8,4,1,2,3,4,5,6,7\n1,4,1,2,3,4\n0\n", Options{})
	require.Equal(t, []ProblemKind{ShortRow, ShortRow, ShortRow, LongRow, LongRow}, c.kinds())
	require.Equal(t, []int64{0, 0, 0}, fields(c.rows[0]))
}

// Surplus fields are neither kept nor counted, no matter how many there are, and do not affect the
// rows that follow.
func TestS13_SurplusFieldsLeaveNoTrace(t *testing.T) {
	c, p := play(t, "1,0,1,2,3"+strings.Repeat(",77", 40)+"\n"+gps19+
		"\n1,0,4,5,6,7\n8,0,1,2\n32,0,290,1\n0\n", Options{})
	require.Zero(t, p.Counters().Rejected)
	require.Len(t, c.rows, 5)
	for i, present := range []int{3, 19, 3, 2, 1} {
		row := c.rows[i]
		require.Equal(t, present, row.Present)
		for _, v := range row.Fields[len(row.Kind.Fields()):] {
			require.Zero(t, v)
		}
	}
	require.Equal(t, []int64{1, 2, 0, 0, 0, 0}, fields(c.rows[3]))
}

func TestS4_UnusualNameIsReportedWithItsColumn(t *testing.T) {
	for header, column := range map[string]int{"Source,Timestamp": 1, "SensorID,Time": 10, "S,T": 1,
		"SensorID": 9} {
		c, _ := play(t, header+"\n32,0,290\n0\n", Options{})
		require.Equal(t, []ProblemKind{HeaderNames}, c.kinds(), header)
		require.Equal(t, [2]int{1, column}, [2]int{c.problems[0].Place.Line,
			c.problems[0].Place.Column}, header)
	}
}

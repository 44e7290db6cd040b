package simsensor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// malformed rows, each put on line 3 of a file; place is the column, and the texts must occur in
// the message.
var malformed = []struct {
	row                   string
	kind                  ProblemKind
	column                int
	found, expected, hint string
}{
	{"1,10,9.81,0,0", DecimalNumber, 6, `"9.81"`, "acceleration X, a whole number in mm/s2",
		"9810"},
	{"1,10,1,-1e3,0", DecimalNumber, 8, `"-1e3"`, "acceleration Y", "whole numbers"},
	{"1,10.5,1,2,3", DecimalNumber, 3, `"10.5"`, "time stamp, a whole number in ms", ""},
	{"1,10,1,2,1.2.3", BadNumber, 10, `"1.2.3"`, "acceleration Z", "correct the row"},
	{"1,10,1,2,1e2e3", BadNumber, 10, `"1e2e3"`, "acceleration Z", ""},
	{"1,10,1,2,0x1F", BadNumber, 10, `"0x1F"`, "acceleration Z", "correct the row"},
	{"1,10,1,2,3 4", BadNumber, 10, `"3 4"`, "acceleration Z", ""},
	{"1,10,1,2,--3", BadNumber, 10, `"--3"`, "acceleration Z", ""},
	{"1,10,1,2,-", BadNumber, 10, `"-"`, "acceleration Z", ""},
	{"1,10,1,2,.", BadNumber, 10, `"."`, "acceleration Z", ""},
	{"1,10,1,2,nan", BadNumber, 10, `"nan"`, "", ""},
	{`1,10,1,2,"3"`, BadNumber, 10, `"\"3\""`, "", "quotation marks"},
	{"1;10;1;2;3", BadNumber, 1, `"1;10;1;2;3"`, "a sensor id", "separate fields by commas"},
	{"1,10,1,2,3\r1,11,1,2,3", BadNumber, 10, `"3\r1"`, "", "line feed"},
	{"1,10,1,2,\x003", BadNumber, 10, `"\x003"`, "", "binary"},
	{"# comment", BadNumber, 1, `"# comment"`, "a sensor id", "no comments"},
	{"accelerometer,10,1,2,3", BadNumber, 1, `"accelerometer"`, "a sensor id",
		"SensorID,Timestamp"},
	{"-,10", BadNumber, 1, `"-"`, "a sensor id: 1, 2, 4, 8, 16, 32, ", ""},
	{"1,10,1,,3", EmptyField, 8, `""`, "acceleration Y", "end of a row"},
	{"1,,1,2,3", EmptyField, 3, `""`, "time stamp", ""},
	{"\ufeff1,10,1,2,3", BadNumber, 1, `"\ufeff1"`, "a sensor id", "correct the row"},
	{",10,1,2,3", EmptyField, 1, `""`, "a sensor id", ""},
	{"1,10,1, ,3", EmptyField, 9, `""`, "acceleration Y", ""},
	{"1", MissingStamp, 2, "the end of the row", "time stamp", "column 2"},
	{"1,,,", MissingStamp, 2, "the end of the row", "time stamp", ""},
	{"3,10,1,2,3", UnknownSensor, 1, `"3"`, "a sensor id", "cannot be added up"},
	{"128,10,1,2,3", UnknownSensor, 1, `"128"`, "a sensor id", "state of the position filter"},
	{"200,10,1,2,3", UnknownSensor, 1, `"200"`, "a sensor id", "list of ids"},
	{"-1,10,1,2,3", UnknownSensor, 1, `"-1"`, "a sensor id", ""},
	{"99999999999999999999,1", NumberRange, 1, `"99999999999999999999"`, "a sensor id", ""},
	{"1,9223372036854775808,1,2,3", NumberRange, 3, `"9223372036854775808"`, "time stamp", ""},
	{"1,-9223372036854775809,1,2,3", NumberRange, 3, `"-9223372036854775809"`, "time stamp", ""},
	{"1,10,1,2,4294967296", NumberRange, 10, `"4294967296"`, "from -2147483648 to 4294967295",
		"unit of the field"},
	{"2,10,-1,290", NumberRange, 6, `"-1"`, "barometer pressure, a whole number in Pa from 0", ""},
	{"2,10,101325,-3", NumberRange, 13, `"-3"`, "barometer temperature", ""},
	{"8,10,1,2,3,4,5,9223372036854775808", NumberRange, 16, "",
		"delta angle Z, a whole number in urad of 64 bits", ""},
	{"4,10,0,90000000001,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", NumberRange, 8, `"90000000001"`,
		"latitude", ""},
	{"4,10,0,0,0,-1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", NumberRange, 12, `"-1"`, "UTC", ""},
	{"4,10,0,0,-180000000001,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", NumberRange, 10, `"-180000000001"`,
		"longitude", ""},
	{"4,10,0,0,0,-1,0,0,0,0,0,0,0,0,0,0,0,0,0,0", NumberRange, 12, `"-1"`,
		"gps horizontal dilution of precision, a whole number from", ""},
	{"4,10,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,256,0", NumberRange, 38, `"256"`,
		"number of used satellites", ""},
	{"4,10,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,x,8,0", BadNumber, 36, `"x"`, "gps heading accuracy", ""},
	{"4,10,1,2,3", GPSFieldCount, 6, "3 fields", "19, or 18", ""},
	{"1,9223372036854775807,1,2,3", StampRange, 3, "", "292 years after 0 ms", ""},
	{strings.Repeat("1,", 5000), OverlongLine, 1, "10000 bytes", "at most 4096", "line feed"},
	{strings.Repeat("7", 200_000), OverlongLine, 1, "200000 bytes", "at most 4096", ""},
}

func TestMalformedRowsAreReportedWithTheirPlace(t *testing.T) {
	for _, tc := range malformed {
		name := tc.row[:min(len(tc.row), 60)]
		content := "SensorID,Timestamp\n32,0,290\n" + tc.row + "\n32,20,291\n"
		c, p := play(t, content, Options{})
		require.Len(t, c.rows, 2, name)
		require.Equal(t, []timebase.Time{0, 20 * ms}, c.times, "%s: the row has no influence", name)
		require.Equal(t, Counters{Rows: 2, Rejected: 1, Finished: true}, p.Counters(), name)
		problem := c.problems[len(c.problems)-1]
		require.Equal(t, tc.kind, problem.Kind, name)
		require.Equal(t, [2]int{3, tc.column}, [2]int{problem.Place.Line, problem.Place.Column},
			name)
		require.Contains(t, problem.Found, tc.found, name)
		require.Contains(t, problem.Expected, tc.expected, name)
		require.NotEmpty(t, problem.Expected, name)
		require.Contains(t, problem.Hint, tc.hint, name)
		require.NotEmpty(t, problem.Hint, name)
		require.True(t, KindOf(problem).Rejected() && KindOf(problem).Bad())
		require.Contains(t, problem.Error(),
			fmt.Sprintf("scenario.csv:3:%d: %v: found ", tc.column, tc.kind))
		require.Equal(t, c.rows[1].Line, 4)

		strict := refuse(t, content, Options{Strict: true}, ErrBadRow)
		strict.Place.File = problem.Place.File
		require.Equal(t, problem, *strict, "the same words as an error")
	}
}

func TestOnlyTheFirstBadRowRefusesAStrictFile(t *testing.T) {
	p := refuse(t, "32,0,290\n"+strings.Repeat("32,5,291\n", 20_000)+"32,x,1\n77,1\n",
		Options{Strict: true}, ErrBadRow)
	require.Equal(t, 20_002, p.Place.Line, "also far beyond the first buffer")
	require.Equal(t, BadNumber, p.Kind)
}

func TestBadRowsAreReportedInTheFirstRoundAndCountedInAll(t *testing.T) {
	c := &tape{}
	p := c.open(t, "32,0,290\n32,x,1\n32,5,291\n32,4,291\n", Options{Loop: true})
	c.run(t, p, timebase.EndOfTime, 9)
	require.Equal(t, []ProblemKind{BadNumber, DecreasingStamp}, c.kinds())
	require.Equal(t, Counters{Rows: 9, Rejected: 3, Held: 3, Loops: 2}, p.Counters())
}

func TestOdditiesAreReportedOnce(t *testing.T) {
	c, p := play(t, "\ufeffSensorID,Timestamp\r\n1,0, 1,2,3\r\n\r\n1,5,\t1,2,3 ,,,\r\n  \r\n"+
		",,,\r\n 1 , +7 , 1,2,3\r\n0,,\r\n", Options{})
	require.Equal(t,
		[]ProblemKind{ByteOrderMark, CarriageReturn, BlankPadding, BlankLine, TrailingCommas},
		c.kinds())
	require.Equal(t, Counters{Rows: 3, Finished: true}, p.Counters())
	require.Equal(t, []timebase.Time{0, 5 * ms, 7 * ms}, c.times)
	for _, problem := range c.problems {
		require.False(t, KindOf(problem).Bad())
		require.NotEmpty(t, problem.Hint)
		require.NotErrorIs(t, &problem, ErrBadRow)
	}
	require.Equal(t, "scenario.csv:1: byte order mark; the mark is skipped; save the file "+
		"without it for other readers",
		strings.TrimPrefix(c.problems[0].Error(),
			p.reader.name[:len(p.reader.name)-len("scenario.csv")]))
}

func TestBlanksOnEitherSideOfANumberAreReported(t *testing.T) {
	for _, row := range []string{"1, 0,1,2,3", "1 ,0,1,2,3", "1,0,1,2\t,3", "1,0,1,2,3 "} {
		c, p := play(t, row+"\n0\n", Options{})
		require.Equal(t, []ProblemKind{BlankPadding}, c.kinds(), "%q", row)
		require.Equal(t, Counters{Rows: 1, Finished: true}, p.Counters(), "%q", row)
	}
}

func TestSurplusFieldsAreNotLookedAt(t *testing.T) {
	c, _ := play(t, "1,0,1,2,3,note,4.5\n0\n", Options{})
	require.Len(t, c.rows, 1)
	require.Equal(t, []ProblemKind{LongRow}, c.kinds())
	require.Equal(t, "5 fields", c.problems[0].Found)
}

func TestImplausibleUnitIsReportedWithNumbers(t *testing.T) {
	fast := "1,0,1,1,1\n1,2500,1,1,1\n1,5000,1,1,1\n0\n"
	for content, tests := range map[string]map[Unit]string{
		fast: {
			Milliseconds: `accelerometer rows 2500 apart on average, which in ms is 2.5 s`,
			Microseconds: "", Nanoseconds: "in ns is 2.5 us", Seconds: "in s is 2500 s",
		},
		"4,0" + gps19[3:] + "\n4,200" + gps19[3:] + "\n4,400" + gps19[3:] +
			"\n0\n": {Milliseconds: "", Microseconds: "gps rows 200 apart"},
		"32,0,290\n32,60000,291\n32,120000,291\n0\n": {Milliseconds: "", Seconds: "60000 s"},
		"32,0,290\n32,3000,291\n0\n":                 {Seconds: ""}, // two rows show no rate
	} {
		for unit, found := range tests {
			c, p := play(t, content, Options{Unit: unit})
			require.True(t, p.Counters().Finished, "it is played as stated")
			if found == "" {
				require.Empty(t, c.problems, unit)
				continue
			}
			require.Equal(t, ImplausibleUnit, c.problems[0].Kind, "%v %s", unit, content)
			require.Contains(t, c.problems[0].Found, found)
		}
	}
	c, _ := play(t, fast, Options{})
	require.Contains(t, c.problems[0].Hint, "if the file is in us (2.5 ms), state that unit")
}

func TestLongGapIsReported(t *testing.T) {
	c, _ := play(t, "1,0,1,1,1\n1,10,1,1,1\n2,3600010,1,1\n2,9999999999,1,1\n0\n", Options{})
	require.Equal(t, LongGap, c.problems[len(c.problems)-1].Kind)
	require.Equal(t, [2]int{3, 3},
		[2]int{c.problems[len(c.problems)-1].Place.Line,
			c.problems[len(c.problems)-1].Place.Column}, "at its stamp")
	require.Contains(t, c.problems[len(c.problems)-1].Found, "3600.000000000s")
}

// The longest line that is read has 4096 bytes, anywhere in the file.
func TestLongestLine(t *testing.T) {
	line := "32,7,290" + strings.Repeat(" ", maxLine-len("32,7,290"))
	const row = "32,0,290\n"
	for name, before := range map[string]string{
		"at the start":                 row,
		"up to the end of the buffer":  row + strings.Repeat("\n", bufferSize-maxLine-len(row)),
		"over the end of the buffer":   row + strings.Repeat("\n", bufferSize-maxLine-len(row)+1),
		"just behind the first buffer": row + strings.Repeat("\n", bufferSize-len(row)),
	} {
		for _, behind := range []string{"\n0\n", ""} {
			c, p := play(t, before+line+behind, Options{})
			require.Len(t, c.rows, 2, name)
			require.Zero(t, p.Counters().Rejected, name)
			c, p = play(t, before+line+" "+behind, Options{})
			require.Len(t, c.rows, 1, name)
			require.EqualValues(t, 1, p.Counters().Rejected, name)
			require.Equal(t, "a line of 4097 bytes", c.problems[len(c.problems)-1].Found)
		}
	}
}

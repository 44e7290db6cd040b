package cosim

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// The same table, written as different programs write it.
func TestReadTable_ReadsDialects(t *testing.T) {
	known := []Variable{{Name: "x", Kind: Float64, Size: 1}, {Name: "n", Kind: Int32, Size: 1}}
	for _, text := range []string{
		"\"time\",\"x\",\"n\"\n0.0,0.5,3\n0.25,1.5,-4\n",
		"\ufefftime;x;n\r\n0,0;0,5;3\r\n0,25;1,5;-4\r\n",
		"time\tx\tn\n0\t0.5\t3.0\n0.25\t1.5\t-4.00\n",
		"\ufeff\"time\";\"x\";\"n\"\n0;0,5;3\n0,25;1,5;-4\n",
		"\"time [s]\";\"x\";\"n\"\n0.0;0.5;3.\n0.25;1.5;-4\n",
	} {
		table, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.NoError(t, err, text)
		require.Equal(t, [][]uint64{
			{math.Float64bits(0.5), math.Float64bits(1.5)},
			{3, ^uint64(3)},
		}, table.cells, text)
		require.Equal(t, "0.25", string(appendFloat(nil, table.times[1].Seconds(), 64)), text)
	}
	for _, text := range []string{
		"time,x,n\n0,0,5,3\n",     // commas as separator and decimal mark
		"time;x;n\n0;1.000,5;3\n", // two points
		"time;x;n\n0;1;3,5\n",     // not an integer
		"time,x,n\n0,1,3.5\n",     // nor here
		"time,x,n\n0,1,3.0e0\n",   // an integer spelled as a float
		"time;x;n\n0;1;3\n0;1\n",
		"zeit;x;n\n0;1;3\n",
	} {
		_, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.Error(t, err, text)
	}
}

// A table may have columns that are not inputs, about which a single warning is issued; names may
// be followed by units.
func TestReadTable_NamesColumnsThatItDoesNotUse(t *testing.T) {
	known := []Variable{{Name: "speed", Kind: Float64, Size: 1, Unit: "m/s"},
		{Name: "der(x,1)", Kind: Float64, Size: 1}, {Name: "a[1]", Kind: Float64, Size: 1}}
	table, err := ReadTable(strings.NewReader("Time [s];der(x,1);note;speed [m/s];other;a[1]\n"+
		"0;1;why;2;;3\n"), "in.csv", known)
	require.NoError(t, err)
	require.Equal(t, []string{
		`in.csv: "note" and "other" are ignored, because no inputs have these names`}, table.Warnings)
	var names []string
	for _, v := range table.Variables() {
		names = append(names, v.Name)
	}
	require.Equal(t, []string{"der(x,1)", "speed", "a[1]"}, names)
	require.Equal(t, math.Float64bits(2), table.cells[1][0])

	table, err = ReadTable(strings.NewReader("time,sped,a[1]\n0,1,2\n"), "in.csv", known)
	require.NoError(t, err)
	require.Equal(t, []string{`in.csv: "sped" is ignored, because no input has this name; ` +
		`did you mean "speed"?`}, table.Warnings)

	for text, want := range map[string]string{
		"time,sped\n0,1\n": `found "sped", expected an input; did you mean "speed"?`,
		"time,speed [km/h]\n0,1\n": `found "speed [km/h]", expected the unit of ` +
			`the input, [m/s]`,
		"time,der(x [m],1)\n0,1\n":    "expected an input",
		"time [ms],speed\n0,1\n":      `expected "time" as the first column`,
		"time,speed,speed [m/s]\n0,1": `found "speed [m/s]" again`,
	} {
		_, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.ErrorContains(t, err, want, text)
	}
}

// Items of an enumeration may be given by name, as in start values.
func TestReadTable_KnowsTheItemsOfEnumerations(t *testing.T) {
	known := []Variable{{Name: "m", Kind: Int64, Size: 1, Enumeration: true,
		Items: []Item{{"Option 1", 1}, {"off", -2}, {"3", 7}}}}
	table, err := ReadTable(strings.NewReader("time,m\n0,Option 1\n1,off\n2,3\n3,1.0\n"), "in.csv",
		known)
	require.NoError(t, err)
	two := int64(-2)
	require.Equal(t, [][]uint64{{1, uint64(two), 7, 1}}, table.cells)
	_, err = ReadTable(strings.NewReader("time,m\n0,Off\n"), "in.csv", known)
	require.ErrorContains(t, err,
		`in.csv:2:3: unusable table: found "Off", expected a whole number or one of `+
			`Option 1, off, 3`)
}

// A comma or a point before three digits may separate decimals or thousands, and a comma may
// separate columns. The rest of the table decides which; if it does not, the error names both
// readings.
func TestReadTable_RefusesTwoReadings(t *testing.T) {
	known := []Variable{{Name: "x", Kind: Float64, Size: 1}, {Name: "n", Kind: Int32, Size: 1}}
	for text, want := range map[string]float64{
		"time;x\n0;1,234\n":                   1.234, // the separator decides
		"time;x\n0,5;1,234\n":                 1.234,
		"time;x\n0;1.234\n":                   1.234,
		"time,x\n0,1.234\n":                   1.234,
		"time,x\n\"0,5\",\"1,234\"\n":         1.234,
		"time;x;n\n0;1.5;0\n1;2,25;1\n":       1.5, // from two programs, but unambiguous
		"time,x\n0.25,\"0,125\"\n":            0.125,
		"time;x\n0;1234.567\n1;-0.001\n":      1234.567,
		"time;x;n\n0,5;1.5;0\n1,5;2.75;1,0\n": 1.5,
	} {
		table, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.NoError(t, err, text)
		require.Equal(t, want, math.Float64frombits(table.cells[0][0]), text)
	}
	for text, want := range map[string]string{
		"time,x\n0,\"1,234\"\n": `in.csv:2:3: unusable table: found "1,234", which ` +
			`is 1.234 or 1234`,
		"time;x\n0;1,234\n1;2.5\n": `in.csv:2:3: unusable table: found "1,234", which ` +
			`is 1.234 or 1234`,
		"time;x\n0,5;1.234\n": `in.csv:2:5: unusable table: found "1.234", which is 1.234 or 1234`,
		"time;x;n\n0;1;12,000\n": `in.csv:2:5: unusable table: found "12,000", which is ` +
			`12.000 or 12000`,
		"time,x,n\n0,1,2,3\n": "found 4 fields, as in 0.1; 2; 3 or 0; 1; 2.3, expected 3, with " +
			"a decimal point",
		"time,x,n\n0,1,2,3,4\n": "found 5 fields, as in 0.1; 2.3; 4 or 0; 1.2; " +
			"3.4, expected 3",
		"time,x\n0,1,2,3\n": "found 4 fields, as in 0.1; 2.3, expected 2, with " +
			"a decimal point",
		"time,x\n0,1,a\n":                  "found 3 fields, expected 2",
		"time;x\n0;1;2\n":                  "found 3 fields, expected 2",
		"time,x,n\n0,1\n":                  "found 2 fields, expected 3",
		"time,x\n0,\"1.234,5\"\n":          `found "1.234,5"`,
		"time;x;n\n0;0,5;0\n0;0;\"1,2\"\n": `found "1,2", expected a value of type Int32`,
	} {
		_, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.ErrorContains(t, err, want, text)
	}
}

// Elements of arrays may have columns of their own, in any order, as in results.
func TestReadTable_ElementsOfArrays(t *testing.T) {
	known := []Variable{{Name: "m", Kind: Float64, Size: 4, Dimensions: []int{2, 2}},
		{Name: "u", Kind: Int32, Size: 2, Dimensions: []int{2}}}
	table, err := ReadTable(strings.NewReader(
		"time;m[1,2];u;m[2,1];m[1,1];m[2,2];m[3,1]\n0;2;7 8;3;1;4;9\n"), "in.csv", known)
	require.NoError(t, err)
	var got []float64
	for _, cell := range table.cells[0] {
		got = append(got, math.Float64frombits(cell))
	}
	require.Equal(t, []float64{1, 2, 3, 4}, got)
	require.Equal(t, []uint64{7, 8}, table.cells[1])
	require.Equal(t, []string{`in.csv: "m[3,1]" is ignored, because no input has this name`},
		table.Warnings)
	for text, want := range map[string]string{
		"time;u[1]\n0;1\n":            "found no column u[2], expected one for each element of u",
		"time;u[1];u[2];u\n0;1;1;1\n": `found "u" again`,
		"time;u;u[1]\n0;1;1\n":        `found "u[1]" again`,
		"time;u[1];u[1]\n0;1;1\n":     `found "u[1]" again`,
		"time;u[1];u[2]\n0;1;x\n":     `in.csv:2:5: unusable table: found "x"`,
	} {
		_, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzDialect writes rows as different programs would, and checks that the same numbers are read.
func FuzzDialect(f *testing.F) {
	f.Add(uint8(0), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	f.Add(uint8(0b10111), []byte("decimals with a comma, three digits: 1,234"))
	f.Add(uint8(0b11110), bytes.Repeat([]byte{0x3f, 0xf0, 0}, 30))
	known := []Variable{{Name: "speed", Kind: Float64, Size: 1, Continuous: true}}
	f.Fuzz(func(t *testing.T, dialect uint8, seed []byte) {
		field := func(text string) string { return text }
		if dialect&1 != 0 {
			field = func(text string) string { return strings.ReplaceAll(text, ".", ",") }
		}
		if dialect&2 != 0 {
			plain := field
			field = func(text string) string { return `"` + plain(text) + `"` }
		}
		comma, end := [...]string{";", "\t", ";", "; "}[dialect>>2&3], "\n"
		if dialect&16 != 0 {
			end = "\r\n"
		}
		text := "time" + comma + "speed" + end
		if dialect&32 != 0 {
			text = "\ufeff" + text
		}
		var want []float64
		for ; len(seed) >= 4 && len(want) < 100; seed = seed[4:] {
			x := float64(int32(binary.LittleEndian.Uint32(seed))) / 1000
			want = append(want, x)
			text += field(strconv.FormatFloat(float64(len(want))/8, 'f', -1, 64)) + comma +
				field(strconv.FormatFloat(x, "fge"[dialect>>6%3], -1, 64)) + end
		}
		table, err := ReadTable(strings.NewReader(text), "x", known)
		if len(want) == 0 {
			require.ErrorIs(t, err, ErrTable)
			return
		}
		require.NoError(t, err, text)
		read, err := table.Bind([]int{0})
		require.NoError(t, err)
		for k, x := range want {
			require.NoError(t, table.At(timebase.Time(k+1)*timebase.Second/8))
			require.InDelta(t, x, read.Float(0, 0), 0, text)
		}
	})
}

package bridge_test

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
)

// laboratory is an IDL file with all features that third-party DDS definitions use.
const laboratory = `
#include "other.idl"
module lab {
  const long SIZE = 1 + 2 * (4 - 3) << 0;
  const string NAME = "a;b";
  const double PI = 3.14;
  enum Color { RED, @value(5) GREEN, BLUE };
  @bit_bound(8) enum Small { TINY, LITTLE };
  module inner {
    struct Deep; // a declaration in advance
    struct Deep { short a; };
    typedef sequence<Deep> Deeps;
    @final union Choice switch (Color) {
      case RED: long number;
      case GREEN: case lab::BLUE: string text;
      default: Deep deep;
    };
  };
  union Maybe switch (boolean) { case TRUE: double value; };
  union Letter switch (char) { case 'a': octet o; };
  typedef sequence<long> Row;
  typedef long Grid[2][SIZE];
  struct Base { octet first; };
  struct Top : Base {
    inner::Choice choice;
    sequence<inner::Choice, 4> choices;
    Maybe maybe;
    Letter letter;
    sequence<Row> rows;
    Grid grid;
    inner::Deeps deeps;
    sequence<sequence<string>> texts;
    wstring wide;
    wstring<3> short_wide;
    ::lab::Small small;
    long a, b[2];
  };
};`

// The bytes were assembled manually following the rules of CDR (OMG DDS-XTypes 1.3, 7.4.1, encoding
// PLAIN_CDR): a union is its discriminator and the field that it selects, a list of lists is a list
// with inner counts, and a wide string has its length in bytes and consists of UTF-16 units.
func TestIDL_BytesOfEverything(t *testing.T) {
	d := definitions(t, bridge.DDS)
	require.NoError(t, d.AddIDL("lab.idl", laboratory))
	m := message(t, d, "lab::Top")
	value := map[string]any{
		"first":  uint64(7),
		"choice": map[string]any{"_d": int64(6), "text": "hi"},
		"choices": []any{map[string]any{"_d": int64(0), "number": int64(-2)},
			map[string]any{"_d": int64(9), "deep": map[string]any{"a": int64(3)}}},
		"maybe":  map[string]any{"_d": false},
		"letter": map[string]any{"_d": uint64('a'), "o": uint64(1)},
		"rows":   []any{[]any{int64(1), int64(2)}, []any{}},
		"grid":   []any{[]any{int64(1), int64(2), int64(3)}, []any{int64(4), int64(5), int64(6)}},
		"deeps":  []any{map[string]any{"a": int64(9)}},
		"texts":  []any{[]any{"x"}},
		"wide":   "ä😀", "short_wide": "abc", "small": int64(1), "a": int64(-1),
		"b": []any{int64(1), int64(2)},
	}
	want := "00010000" + "07 000000" + "06000000 03000000 686900 00" + // choice
		"02000000 00000000 feffffff 09000000 0300" + // choices
		"00" + "61 01" + "000000" + // maybe, letter
		"02000000 02000000 01000000 02000000 00000000" + // rows
		"01000000 02000000 03000000 04000000 05000000 06000000" + // grid
		"01000000 0900 0000" + // deeps
		"01000000 01000000 02000000 7800 0000" + // texts
		"06000000 e400 3dd8 00de 0000" + "06000000 6100 6200 6300" + "01 00" + // wide, small
		"ffffffff 01000000 02000000"
	b, err := d.Encode(m, value, false)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(want, " ", ""), hex.EncodeToString(b))
	got, err := d.Decode(m, b)
	require.NoError(t, err)
	require.Equal(t, value, got)
	require.NoError(t, d.Verify(m, b))
	big, err := d.Encode(m, value, true)
	require.NoError(t, err)
	got, err = d.Decode(m, big)
	require.NoError(t, err)
	require.Equal(t, value, got)
	for n := range b {
		_, err := d.Decode(m, b[:n])
		require.Error(t, err, "%d bytes", n)
		require.Error(t, d.Verify(m, b[:n]), "%d bytes", n)
	}
	require.Contains(t, string(d.AppendJSON(nil, m, value)),
		`"choice":{"_d":6,"text":"hi"},"choices":[{`)
	require.Contains(t, string(d.AppendJSON(nil, m, value)), `"rows":[[1,2],[]]`)
	_, err = d.Encode(m, nil, false)
	require.NoError(t, err, "zeros")
}

// Bitmasks are unsigned integers of their size, names may be keywords, and definitions without
// values are skipped.
func TestIDL_OtherDefinitions(t *testing.T) {
	d := definitions(t, bridge.DDS)
	require.NoError(t, d.AddIDL("more.idl", `
@annotation unit { string value default "{;}"; };
module more {
  interface Door { void open(in long a, out string b); readonly attribute long width; };
  abstract valuetype V { public long x; };
  native Handle;
  exception Broken { string why; };
  @bit_bound(8) bitmask Small { A, @position(4) B, C };
  bitmask Usual { D };
  @bit_bound(40) bitmask Large { E, @position(39) F };
  @bit_bound(16) bitmask Two { G };
  enum _enum { ONE };
  struct S {
    @unit("m") Small s; octet end; Usual u; Two t; sequence<Small> list; Large l; long _struct;
    octet sized[C]; // 1 << 5
  };
};`))
	m := message(t, d, "more::S")
	value := map[string]any{"s": uint64(17), "end": uint64(255), "u": uint64(1), "t": uint64(2),
		"list": []any{uint64(1), uint64(16)}, "l": uint64(1) << 39, "struct": int64(-2)}
	b, err := d.Encode(m, value, false)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll("00010000"+"11 ff 0000 01000000 0200 0000"+
		"02000000 0110 000000000000"+"0000000080000000"+"feffffff", " ", "")+
		strings.Repeat("00", 32),
		hex.EncodeToString(b))
	got, err := d.Decode(m, b)
	require.NoError(t, err)
	delete(got, "sized")
	require.Equal(t, value, got)
	_, err = d.Encode(m, map[string]any{"s": 256}, false)
	require.ErrorIs(t, err, bridge.ErrValue)
}

// A union may be given by its field alone; values that do not fit are refused with their path.
func TestIDL_ValuesOfUnions(t *testing.T) {
	d := definitions(t, bridge.DDS)
	require.NoError(t, d.AddIDL("lab.idl", laboratory))
	m := message(t, d, "lab/inner/Choice")
	for field, want := range map[string]any{"number": int64(0), "text": int64(5),
		"deep": int64(1)} {
		b, err := d.Encode(m, map[string]any{field: nil}, false)
		require.NoError(t, err)
		got, err := d.Decode(m, b)
		require.NoError(t, err)
		require.Equal(t, want, got["_d"], field)
		require.Contains(t, got, field)
	}
	for _, bad := range []map[string]any{{"_d": 0, "text": "x"}, {"nope": 1}, {"_d": "x"},
		{"number": 1, "text": "x"}, {"_d": 5, "text": 4}} {
		_, err := d.Encode(m, bad, false)
		require.ErrorIs(t, err, bridge.ErrValue, "%v", bad)
		require.ErrorContains(t, err, "lab/inner/Choice")
	}
	_, err := d.Encode(message(t, d, "lab/Top"), map[string]any{"short_wide": "abcd"}, false)
	require.ErrorContains(t, err, "wstring<=3")
}

// A wide string in ROS 2 has its length in units of four bytes each, as sent by rmw_fastrtps and
// rmw_cyclonedds.
func TestWideStrings_OfROS2(t *testing.T) {
	d := definitions(t, bridge.ROS2)
	require.NoError(t, d.AddMsg("W.msg", "own/W", "wstring<=2[] w\nuint8 end\n"))
	m := message(t, d, "own/W")
	b, err := d.Encode(m, map[string]any{"w": []any{"é", "😀"}, "end": 1}, false)
	require.NoError(t, err)
	require.Equal(t, "0001000002000000"+"01000000e9000000"+"020000003dd8000000de0000"+"01",
		hex.EncodeToString(b))
	got, err := d.Decode(m, b)
	require.NoError(t, err)
	require.Equal(t, []any{"é", "😀"}, got["w"])
	_, err = d.Encode(m, map[string]any{"w": []any{"abc"}}, false)
	require.ErrorContains(t, err, "wstring<=2")
	b[8] = 3
	require.Error(t, d.Verify(m, b))
}

// IDL features that change the bytes and are not supported, and meaningless definitions, are
// refused with their position.
func TestIDL_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"struct A { @optional long x; };":                              `"optional"`,
		"@mutable struct A { long x; };":                               `"mutable"`,
		"@extensibility(MUTABLE) struct A { long x; };":                "FINAL or APPENDABLE",
		"union U switch (float) { case 1: long x; };":                  "an integer, an enum",
		"union U switch (long) { case 1: long x; case 1: long y; };":   "each only once",
		"union U switch (octet) { case 256: long x; };":                "a valid label",
		"union U switch (long) { case NOPE: long x; };":                `"NOPE"`,
		"union U switch (long) { long x; };":                           "case or default",
		"union U switch (long) { case 1: long x, y; };":                "one name",
		"struct A : B { long x; };":                                    `"B"`,
		"struct A { long x[0]; };":                                     "a count from 1",
		"struct A { long x[1/0]; };":                                   "a divisor",
		"struct A { wchar c; };":                                       "wchar is not supported",
		"@bit_bound(65) bitmask B { X };":                              "at most 64 bits",
		"@bit_bound(8) bitmask B { @position(8) X };":                  "below the number of bits",
		"interface I { void f();":                                      "; after the definition",
		"struct A { map<string, long> m; };":                           "map",
		"struct A { long x[" + strings.Repeat("(", 100_000) + "1]; };": "fewer brackets",
		"struct A { " + strings.Repeat("sequence<", 100_000) +
			"long x; };": "less deeply nested lists",
		"struct A { long x" + strings.Repeat("[2]", 100_000) + "; };":           "fewer dimensions",
		"typedef long L0[2];" + chain(2000) + "struct A { L2000 x; };":          "nested too deep",
		"const long A = 1 << 70; const long B = -1 >> -1; struct A { long x };": `expected ";"`,
	} {
		err := definitions(t, bridge.DDS).AddIDL("a.idl", text)
		require.ErrorIs(t, err, bridge.ErrDefinition, "%.80s", text)
		require.ErrorContains(t, err, want, "%.80s", text)
		require.ErrorContains(t, err, "a.idl:1:", "%.80s", text)
	}
	for _, text := range []string{"union U switch (long) { case 1: long x; };",
		"struct A { sequence<sequence<long>> x; };"} {
		err := definitions(t, bridge.ROS2).AddIDL("a.idl", text)
		require.ErrorContains(t, err, "messages that ros2 can carry", text)
	}
}

// chain returns an IDL text with a chain of nested lists.
func chain(n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString("typedef sequence<L" + strconv.Itoa(k) + "> L" + strconv.Itoa(k+1) + ";")
	}
	return b.String()
}

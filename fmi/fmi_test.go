package fmi_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
)

func TestVersions(t *testing.T) {
	for text, wanted := range map[string]fmi.Version{"1.0": fmi.FMI1, "2.0": fmi.FMI2,
		"3.0": fmi.FMI3, "3.0.2": fmi.FMI3, "3.1-beta.1": fmi.FMI3} {
		v, err := fmi.ParseVersion(text)
		require.NoError(t, err, text)
		require.Equal(t, wanted, v, text)
	}
	for _, text := range []string{"", "2", "4.0", "two", "3."} {
		_, err := fmi.ParseVersion(text)
		require.ErrorIs(t, err, fmi.ErrWord, text)
	}
	_, err := fmi.ParseVersion("4.0")
	require.EqualError(t, err,
		`fmiVersion: not a word of FMI: found "4.0", expected 1.0, 2.0 or 3.0`)
}

// Every keyword of a version is read back unchanged; keywords that exist only in the other version
// are refused.
func TestWords(t *testing.T) {
	for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
		for _, w := range fmi.Causalities(v) {
			found, err := fmi.ParseCausality(v, string(w))
			require.NoError(t, err)
			require.Equal(t, w, found)
		}
		for _, k := range fmi.Types(v) {
			found, err := fmi.ParseType(v, k.String())
			require.NoError(t, err)
			require.Equal(t, k, found)
			same, ok := k.In(v)
			require.True(t, ok)
			require.Equal(t, k, same)
			require.NotContains(t, k.String(), "Type(")
		}
	}
	for _, w := range fmi.Variabilities() {
		found, err := fmi.ParseVariability(string(w))
		require.NoError(t, err)
		require.Equal(t, w, found)
	}
	for _, w := range fmi.Initials() {
		found, err := fmi.ParseInitial(string(w))
		require.NoError(t, err)
		require.Equal(t, w, found)
	}
	_, err := fmi.ParseCausality(fmi.FMI2, "structuralParameter")
	require.EqualError(t, err, `causality: not a word of FMI: found "structuralParameter", `+
		`expected one of parameter, calculatedParameter, input, output, local, independent`)
	_, err = fmi.ParseType(fmi.FMI3, "Real")
	require.ErrorIs(t, err, fmi.ErrWord)
	_, err = fmi.ParseType(fmi.FMI2, "Binary")
	require.ErrorIs(t, err, fmi.ErrWord)
	_, err = fmi.ParseVariability("")
	require.ErrorIs(t, err, fmi.ErrWord)
	_, err = fmi.ParseInitial("")
	require.ErrorIs(t, err, fmi.ErrWord)
}

func TestEqualTypesOfTheVersions(t *testing.T) {
	for old, modern := range map[fmi.Type]fmi.Type{fmi.Real: fmi.Float64, fmi.Integer: fmi.Int32,
		fmi.String: fmi.String} {
		there, ok := old.In(fmi.FMI3)
		require.True(t, ok)
		require.Equal(t, modern, there)
		back, ok := modern.In(fmi.FMI2)
		require.True(t, ok)
		require.Equal(t, old, back)
	}
	for _, k := range []fmi.Type{fmi.Float32, fmi.Int64, fmi.Binary, fmi.Clock, 0} {
		_, ok := k.In(fmi.FMI2)
		require.False(t, ok, "%v", k)
	}
}

func TestTypesAreTextInJSON(t *testing.T) {
	text, err := json.Marshal([]fmi.Type{fmi.Real, fmi.UInt16, 0})
	require.NoError(t, err)
	require.JSONEq(t, `["Real","UInt16",""]`, string(text))
	var list []fmi.Type
	require.NoError(t, json.Unmarshal(text, &list))
	require.Equal(t, []fmi.Type{fmi.Real, fmi.UInt16, 0}, list)
	require.ErrorIs(t, json.Unmarshal([]byte(`["real"]`), &list), fmi.ErrWord)
}

// A formatted value of any type is read back bit for bit.
func TestValuesRoundTrip(t *testing.T) {
	for _, k := range slices.Concat(fmi.Types(fmi.FMI2), fmi.Types(fmi.FMI3)) {
		rapid.Check(t, func(t *rapid.T) {
			value := anyValue(k).Draw(t, "value")
			back, err := k.ParseValue(fmi.FormatValue(value))
			require.NoError(t, err)
			if x, is := value.(float64); is && math.IsNaN(x) {
				require.True(t, math.IsNaN(back.(float64)))
				return
			}
			if x, is := value.(float32); is && x != x {
				require.True(t, math.IsNaN(float64(back.(float32))))
				return
			}
			require.Equal(t, value, back, "%v", k)
		})
	}
}

func anyValue(k fmi.Type) *rapid.Generator[any] {
	switch k {
	case fmi.Real, fmi.Float64:
		return rapid.Map(rapid.Uint64(), func(b uint64) any { return math.Float64frombits(b) })
	case fmi.Float32:
		return rapid.Map(rapid.Uint32(), func(b uint32) any { return math.Float32frombits(b) })
	case fmi.Int8:
		return rapid.Int8().AsAny()
	case fmi.UInt8:
		return rapid.Uint8().AsAny()
	case fmi.Int16:
		return rapid.Int16().AsAny()
	case fmi.UInt16:
		return rapid.Uint16().AsAny()
	case fmi.Integer, fmi.Int32:
		return rapid.Int32().AsAny()
	case fmi.UInt32:
		return rapid.Uint32().AsAny()
	case fmi.Int64, fmi.Enumeration:
		return rapid.Int64().AsAny()
	case fmi.UInt64:
		return rapid.Uint64().AsAny()
	case fmi.Boolean, fmi.Clock:
		return rapid.Bool().AsAny()
	case fmi.Binary:
		return rapid.SliceOfN(rapid.Byte(), 0, 40).AsAny()
	}
	return rapid.String().AsAny()
}

// The XML types allow blanks around numbers, four spellings of a Boolean, and INF, but not Go's
// additional spellings.
func TestSpellingOfValues(t *testing.T) {
	for _, c := range []struct {
		kind  fmi.Type
		text  string
		value any
	}{
		{fmi.Real, " 1e3\n", 1000.0}, {fmi.Real, "-INF", math.Inf(-1)}, {fmi.Real, "1e999",
			math.Inf(1)}, {fmi.Real, "+.5", 0.5},
		{fmi.Boolean, "1", true}, {fmi.Boolean, " false ", false}, {fmi.UInt8, "+7", uint8(7)},
		{fmi.Int8, "-128", int8(-128)},
		{fmi.Binary, "00fF", []byte{0, 255}}, {fmi.String, " a ", " a "}, {fmi.Enumeration, "-3",
			int64(-3)},
	} {
		value, err := c.kind.ParseValue(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.value, value, c.text)
	}
	for _, c := range []struct {
		kind       fmi.Type
		text, says string
	}{
		{fmi.Real, "0x1p3", `Real value: not a word of FMI: found "0x1p3", expected a number`},
		{fmi.Real, "1_000", "a number"}, {fmi.Real, "Inf", "a number"}, {fmi.Real, "", "a number"},
		{fmi.Integer, "2147483648", "a whole number of 32 bits"}, {fmi.UInt16, "-1",
			"a whole number of 16 bits from 0"},
		{fmi.Boolean, "True", "true or false"}, {fmi.Binary, "abc", "pairs of hexadecimal digits"},
		{fmi.Type(0), "1", "no type value"},
	} {
		_, err := c.kind.ParseValue(c.text)
		require.ErrorContains(t, err, c.says, c.text)
	}
}

// The defaults are among the allowed combinations, for every type, causality and variability.
func TestDefaultsAreAllowed(t *testing.T) {
	for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
		for _, row := range fmi.Combinations(v) {
			for _, changes := range row.Variabilities {
				k, _ := fmi.Real.In(v)
				i := fmi.DefaultInitial(v, k, row.Causality, changes)
				require.Equal(t, row.Initial[0], i, "%v: %s %s", v, changes, row.Causality)
				require.True(t, fmi.Allowed(v, row.Causality, changes, i))
			}
		}
		for _, k := range fmi.Types(v) {
			require.Equal(t, v == fmi.FMI2 || k.IsFloat(), fmi.DefaultVariability(v, k,
				fmi.Local) == fmi.Continuous, "%v", k)
		}
	}
	require.False(t, fmi.Allowed(fmi.FMI2, fmi.Parameter, fmi.Constant, fmi.Exact))
	require.False(t, fmi.Allowed(fmi.FMI2, fmi.Input, fmi.Discrete, fmi.Exact),
		"inputs of FMI 2.0 have no initial")
	require.True(t, fmi.Allowed(fmi.FMI3, fmi.Input, fmi.Discrete, fmi.Exact))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		fmi.Allowed(fmi.FMI3, fmi.Input, fmi.Discrete, fmi.Exact)
	}))
	require.Equal(t, fmi.Fixed, fmi.DefaultVariability(fmi.FMI3, fmi.Int32,
		fmi.StructuralParameter))
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "_a1", "a.b", "a[1]", "a[1,20].b", "der(a.b)", "der(a,2)",
		"'two words'.b", `'it\'s'`, "'[x]'"} {
		require.True(t, fmi.IsStructuredName(name), name)
	}
	for _, name := range []string{"", "1a", "a.", ".a", "a b", "a[", "a[]", "a[x]", "a[-1]",
		"a[1].", "der(a", "der()", "'a", "''", "a\n", "ä"} {
		require.False(t, fmi.IsStructuredName(name), name)
	}
	require.True(t, fmi.IsIdentifier("_Model1"))
	for _, name := range []string{"", "1a", "a.b", "a-b", "a\n"} {
		require.False(t, fmi.IsIdentifier(name), name)
	}
}

func TestUnits(t *testing.T) {
	kmh := fmi.Unit{Name: "km/h", M: 1, S: -1, Factor: 1 / 3.6}
	ms := fmi.Unit{Name: "m/s", M: 1, S: -1}
	factor, offset, ok := kmh.Conversion(ms)
	require.True(t, ok)
	require.InDelta(t, 10.0, 36*factor+offset, 1e-12)
	celsius, fahrenheit := fmi.Unit{K: 1, Offset: 273.15}, fmi.Unit{K: 1, Factor: 5. / 9,
		Offset: 273.15 - 32*5./9}
	factor, offset, ok = celsius.Conversion(fahrenheit)
	require.True(t, ok)
	require.InDelta(t, 212.0, 100*factor+offset, 1e-9, "water boils")
	_, _, ok = kmh.Conversion(celsius)
	require.False(t, ok)

	require.Equal(t, []fmi.Power{{"m", 1}, {"s", -1}}, kmh.Powers())
	text, err := json.Marshal(ms)
	require.NoError(t, err)
	require.JSONEq(t,
		`{"name":"m/s","base":[{"name":"m","exponent":1},{"name":"s","exponent":-1}],"factor":1,"`+
			`offset":0,"displayUnits":[]}`,
		string(text))
}

func TestStatuses(t *testing.T) {
	require.Equal(t, "fmi2Discard", fmi.Discard.String())
	require.Equal(t, "fmi3Warning", fmi.Warning.Name(fmi.FMI3))
	require.Equal(t, "fmi2Status(6)", fmi.Status(6).String())
	require.Equal(t, fmi.OK, fmi.Worst())
	ascending := []fmi.Status{fmi.OK, fmi.Warning, fmi.Pending, fmi.Discard, fmi.Error, fmi.Fatal}
	for k := range ascending {
		require.Equal(t, ascending[k], fmi.Worst(ascending[:k+1]...))
		require.Equal(t, ascending[k], fmi.Worst(ascending[k], fmi.OK))
	}
	require.Equal(t, fmi.LogStatusError, fmi.Error.Category())
	require.Empty(t, fmi.OK.Category())
}

func TestStates(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range fmi.States() {
		require.NotEmpty(t, s.String())
		require.False(t, seen[s.String()])
		seen[s.String()] = true
	}
	require.Equal(t, "step complete", fmi.StepComplete.String())
	require.Equal(t, "State(200)", fmi.State(200).String())
}

package scenario

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var constants = map[string]Value{
	"a": {Kind: Number, Number: 7}, "_b": {Kind: Number, Number: -2.5}, "on": {Kind: Bool,
		Bool: true},
	"name": {Text: "car"}, "digits": {Text: "50"},
}

func lookup(name string) (Value, bool) { v, ok := constants[name]; return v, ok }

func TestEvaluate(t *testing.T) {
	for expression, want := range map[string]string{
		"1 + 2 * 3": "7", "(1 + 2) * 3": "9", "2 - 3 - 4": "-5", "12 / 4 / 3": "1", "7 % 4": "3",
		"-7 % 4": "-3",
		"7 / 2":  "3.5", "-2 * -3": "6", "--2": "2", "- 2 + 5": "3", "+4": "4",
		"1.35E-9 * 1e9": "1.35", "2.5e+3 + 1": "2501", "$a + _x": "7_x", ".5 + 2.": "2.5", "$a / 2": "3.5", "$_b * 2": "-5",
		"pow(2, 10)": "1024", "pow(2, 0.5) - sqrt(2)": "0",
		"round(2.5)": "3", "round(-2.5)": "-3", "floor(-1.2)": "-2", "ceil(1.2)": "2",
		"abs(-3)":  "3",
		"sign(-3)": "-1", "sign(0)": "0", "sign(4)": "1", "max(1, 2)": "2", "min(1, 2)": "1",
		"cos(0) + sin(0) + tan(0)": "1", "asin(1) - pi / 2": "0", "acos(1)": "0",
		"atan(1) * 4 - pi":   "0",
		"true and not false": "true", "false or $on": "true", "1 and 0": "false", "not 1": "false",
		"$name + _ + 0.7": "car_0.7", "$name + _ + $a": "car_7", "$name + lane  change": "carlane  change",
		"brake event": "brake event", "$digits - 6": "44", "$digits + 6": "56",
		"10 / 3.6": "2.7777777777777777", "1 / 0": "INF", "0 - 0": "0", "1 or 0 and not 1": "true",
	} {
		v, err := Evaluate(expression, lookup)
		require.NoError(t, err, expression)
		require.Equal(t, want, v.String(), expression)
	}
}

func TestEvaluate_Refuses(t *testing.T) {
	for expression, want := range map[string]string{
		"":              "bad expression: found the end at character 1, expected a value",
		"1 +":           "found the end at character 4, expected a value",
		"2*3+4^23":      `found "^" at character 6, expected an operator or the end`,
		"red or blue":   `or between the text "red" and the text "blue" at character 5`,
		"2_3":           `found "_3" at character 2, expected an operator or the end`,
		"(1":            "found the end at character 3, expected )",
		"1)":            `found ")" at character 2, expected an operator or the end`,
		"powerer(2, 3)": "found powerer at character 8, expected a function: round floor",
		"pow(2)":        `found ")" at character 6, expected ,`,
		"sqrt 2":        "found sqrt at character 6, expected ( after the name of a function",
		"$none": "found $none at character 1, expected a parameter that is declared " +
			"here or around it",
		"$name * 2":  `bad operand: found * between the text "car" and the number 2 at character 7`,
		"not 2":      "bad operand: found not before the number 2 at character 1",
		"2 and true": "found and between the number 2 and true at character 3",
		"sqrt(-1)": "found sqrt of -1 at character 9, expected an operand for which the " +
			"function is defined",
		"1 < 2":                        `found "<" at character 3`,
		"1.2.3":                        `found "1.2.3" at character 1, expected a number`,
		strings.Repeat("(", 5_000_000): "found 5000000 bytes",
		strings.Repeat("(", 60_000):    "nested too deep",
		strings.Repeat("-", 60_000):    "nested too deep",
		strings.Repeat("abs(", 10_000): "nested too deep",
	} {
		_, err := Evaluate(expression, lookup)
		require.ErrorContains(t, err, want)
	}
}

// TestEvaluate_ManyOperatorsInARow checks that operators, parentheses and calls count only where
// they are nested, so that long sums are possible.
func TestEvaluate_ManyOperatorsInARow(t *testing.T) {
	for _, part := range []string{"- -1", "+ (1)", "+ abs(-1)"} {
		v, err := Evaluate("0"+strings.Repeat(part, 500), lookup)
		require.NoError(t, err)
		require.Equal(t, "500", v.String())
	}
}

// TestEvaluate_LikeGo evaluates random expressions and compares them with values computed in Go.
func TestEvaluate_LikeGo(t *testing.T) {
	var draw func(t *rapid.T, depth int) (string, float64)
	draw = func(t *rapid.T, depth int) (string, float64) {
		kind := rapid.IntRange(0, 7).Draw(t, "kind")
		if depth == 0 || kind == 0 {
			x := float64(rapid.IntRange(-1000, 1000).Draw(t, "x")) / 8
			return "(" + FormatNumber(x) + ")", x
		}
		a, x := draw(t, depth-1)
		b, y := draw(t, depth-1)
		switch kind {
		case 1:
			return "(" + a + " + " + b + ")", x + y
		case 2:
			return "(" + a + "-" + b + ")", x - y
		case 3:
			return a + "*" + b, x * y
		case 4:
			return "max(" + a + "," + b + ")", math.Max(x, y)
		case 5:
			return "(-" + a + ")", -x
		case 6:
			return "floor(" + a + ")", math.Floor(x)
		default:
			return "abs(" + a + ")", math.Abs(x)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text, want := draw(t, 4)
		v, err := Evaluate("("+text+")", lookup)
		require.NoError(t, err, text)
		require.Equal(t, want+0, v.Number+0, text)
	})
}

// FuzzEvaluate checks that any text gives a value or an error, and that the value can be read back.
func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"1 + 2*$a", "pow(2, max($_b, 3)) % 4", "not true or $on",
		"$name + _x", "-(1e5)", "((", "sqrt(-1)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Evaluate(text, lookup)
		if err != nil || v.Kind != Number || math.IsNaN(v.Number) {
			return
		}
		back, ok := double(v.String())
		require.True(t, ok, v.String())
		require.Equal(t, v.Number+0, back+0)
	})
}

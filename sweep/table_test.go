package sweep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// rows returns a plan read from a table in CSV.
func rows(t *testing.T, text string) *sweep.Plan {
	t.Helper()
	p, err := sweep.Read("runs.csv", strings.NewReader(text))
	require.NoError(t, err)
	return p
}

// TestTable_EachLineIsARun: columns vary together, and each line keeps its own seed.
func TestTable_EachLineIsARun(t *testing.T) {
	p := rows(t, "\ufeff experiment ; lead.x;seed;gap\n a.exc;60;7; 1.5\na.exc;70;8;2\n")
	require.Equal(t, "a.exc", p.Experiment)
	require.Equal(t,
		[]string{"[60 1.5] [{gap 1.5} {lead.x 60}] 7", "[70 2] [{gap 2} {lead.x 70}] 8"},
		table(t, p))
}

func TestTable_SeedsAlone(t *testing.T) {
	p := rows(t, "experiment,seed\na.exc,3\na.exc,18446744073709551615\na.exc,3\n")
	require.Equal(t, []string{"[] [] 3", "[] [] 18446744073709551615", "[] [] 3"}, table(t, p))
}

// TestTable_Separators: the most frequent candidate in the header separates columns.
func TestTable_Separators(t *testing.T) {
	for _, separator := range []string{",", ";", "\t"} {
		line := strings.NewReplacer("|", separator)
		p := rows(t, line.Replace("a.x|experiment|a.y\n1|e.exc|2\n"))
		require.Equal(t, []string{"[1 2] [{a.x 1} {a.y 2}] 0"}, table(t, p), "%q", separator)
	}
	p := rows(t, "a.x;\"a;b,c,d.x\";experiment\n1;2;e.exc\n")
	require.Len(t, p.Parameters, 2, "quoted separators count as well, but less often")
}

// TestTable_Values: numbers, true and false are values of their kinds, and anything else is a text.
func TestTable_Values(t *testing.T) {
	for text, value := range map[string]any{
		"1": 1.0, "-2.5e3": -2500.0, "+7": 7.0, "0.1": 0.1, "123456789012345": 123456789012345.0,
		"true": true, "false": false, "True": "True",
		"NaN": "NaN", "Inf": "Inf", "0x10": "0x10", "1_000": "1_000", "wet": "wet", "1 m": "1 m",
		"1234567890123456": "1234567890123456", "1234567890123456.0": 1234567890123456.0,
	} {
		p := rows(t, "experiment,a.x\ne.exc,"+text+"\n")
		cases, err := p.Cases()
		require.NoError(t, err, text)
		require.Equal(t, fmt.Sprintf("[%v]", value), fmt.Sprint(cases[0].Values), text)
	}
}

// TestTable_Refused: a table that cannot be a plan is refused with its line and column.
func TestTable_Refused(t *testing.T) {
	for text, wrong := range map[string]string{
		"":                       "runs.csv:1:1: unusable plan: found an empty file",
		"a,b\n1,2\n":             "runs.csv:1:1: unusable plan: found no column experiment",
		"experiment\n":           "runs.csv:1:1: unusable plan: found no line after the head",
		"experiment,\ne.exc,1\n": "column 2: unusable plan: found no name",
		"experiment,a.x,a.x\ne.exc,1,2\n": "runs.csv:1:16: a.x: unusable plan: found the " +
			"column a second",
		"experiment,a.x\ne.exc\n": "runs.csv:2:1: unusable plan: found 1 " +
			"columns, expected 2",
		"experiment,a.x\ne.exc,1,2\n": "runs.csv:2:1: unusable plan: found 3 " +
			"columns, expected 2",
		"experiment,a.x\ne.exc,1\ne.exc,\n": "runs.csv:3:7: a.x: unusable plan: found no value",
		"experiment,a.x\ne.exc,1\nf.exc,2\n": `runs.csv:3:1: experiment: unusable ` +
			`plan: found "f.exc"`,
		"experiment,seed\ne.exc,0\n":          `runs.csv:2:7: seed: unusable plan: found "0"`,
		"experiment,seed\ne.exc,1\ne.exc,x\n": `runs.csv:3:7: seed: unusable plan: found "x"`,
		"experiment,seed\ne.exc,-1\n":         `runs.csv:2:7: seed: unusable plan: found "-1"`,
		"experiment,a.x\ne.exc,\"1\n":         "runs.csv:",
	} {
		_, err := sweep.Read("runs.csv", strings.NewReader(text))
		require.ErrorIs(t, err, sweep.ErrPlan, text)
		require.ErrorContains(t, err, wrong, text)
	}
}

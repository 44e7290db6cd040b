package examine_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// TestProgram_ReadsThatMatter checks that a program keeps calls that read variables if the fault
// does not show without them, and leaves out the others if its calls would take many lines.
func TestProgram_ReadsThatMatter(t *testing.T) {
	const (
		text  = "		strcpy(c->text, c->v.label);\n"
		count = "		c->text[62]++;\n"
		on    = "		v[k] = c->v.on;\n"
	)
	for name, c := range map[string]struct {
		f     group
		rule  string
		shows string // in the output of the program
		keeps string // the function whose calls matter
	}{
		"changes a number": {group{{old: text, new: text + "		c->v.x += 0.125;\n"}}, "R20",
			"", "fmi2GetString"},
		"step after reading a text is refused": {group{{old: text, new: text + count},
			{old: stepping, new: "	if (c->text[62] > 1) { return refuse(c, \"read\"); }\n" +
				stepping}}, "R2", `fmi2DoStep +3\n$`, "fmi2GetString"},
		"message after reading Booleans": {group{{old: on, new: on + "		c->text[61]++;\n"},
			{old: telling, new: "	if (c->text[61] > 2) { return WARNING; }\n" + telling}},
			"G4", `fmi2DoStep +1\n`, "fmi2GetBoolean"},
		"environment changed until the end": {group{{old: text, new: text +
			"		setenv(\"LAG\", \"1\", 1);\n"}, {old: freeing, new: "	unsetenv(\"LAG\");\n" +
			freeing}}, "Q6", "", "fmi2GetString"},
		"environment changed by reading a text": {group{{old: text, new: text +
			"		setenv(\"LAG\", \"1\", 1);\n"}}, "Q6", "", "fmi2GetString"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := buildFrom(t, c.f.source(t, "lag2"), "lag2", "")
			r := run(t, path, examine.Options{Only: []string{c.rule}})
			v := r.Verdict("FMI2-" + c.rule)
			require.Equal(t, examine.Refuted, v.Outcome, "%+v", r.Findings())
			requireRepeats(t, path, r)
			require.Contains(t, v.Program, c.keeps+", ", v.Found)
			out, err := repeat(t, path, v)()
			require.NoError(t, err)
			require.Regexp(t, regexp.MustCompile(c.shows), string(out), v.Program)
		})
	}
}

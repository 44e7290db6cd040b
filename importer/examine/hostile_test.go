package examine_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/plaintext"
)

// TestExamine_NamesRemainDataInPrograms: whatever the names of an FMU contain, the program that
// repeats a finding compiles without a warning and does the same. A backslash or a trigraph before
// a line feed joins lines even within a comment, which may end it. Signs of comments may overlap.
func TestExamine_NamesRemainDataInPrograms(t *testing.T) {
	hostile := func(name string) string {
		return name + "/*/ evil4 /*/ */* evil5 *//*/ " +
			`*&#92;&#10;/ evil1 *??/&#10;/ evil2 */ evil3 /* &#92;&#10;%s%n&quot;' // ` +
			"\u202e\u2066 \u0085&#9;$(evil)`evil` &#92;u000a${HOME} ??'??-;}"
	}
	for major, flags := range map[int][2]string{2: {"-DSTARTS", "FMI2-V21"},
		3: {"-DSTARTS", "FMI3-V21"}} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			t.Parallel()
			var change []string
			for _, name := range []string{"u", "y", "gain", "x", "label"} {
				change = append(change, `name="`+name+`"`, `name="`+hostile(name)+`"`)
			}
			change = append(change, `start="none"`, `start="`+hostile("none")+`"`,
				`Category name="logEvents"`, `Category name="`+hostile("log")+`"`)
			path := build(t, major, flags[0], change...)
			v := run(t, path, examine.Options{Only: []string{flags[1]}}).Verdict(flags[1])
			require.NotNil(t, v)
			require.Equal(t, examine.Refuted, v.Outcome, "%+v", v)
			require.Contains(t, v.Program, "evil1")
			require.Contains(t, v.Program, "evil4")
			head, _, _ := strings.Cut(v.Program, "#include")
			require.Equal(t, 1, strings.Count(head, "*/"), head)
			out, err := repeat(t, path, v)()
			require.NoError(t, err, "%s", out)
		})
	}
}

// TestInShell_OneWord: a modelIdentifier, which names the library, adds no command.
func TestInShell_OneWord(t *testing.T) {
	for path, want := range map[string]string{
		"FOLDER/binaries/linux64/lag.so": "FOLDER/binaries/linux64/lag.so",
		"F/a b;$(c).so":                  "'F/a b;$(c).so'",
		"F/it's.so":                      `'F/it'\''s.so'`,
		"F/x*/y.so":                      "'F/x*''/y.so'",
		"F/x/*/*y.so":                    "'F/x/''*''/''*y.so'",
		"F/x\ny.so":                      `'F/x\ny.so'`,
	} {
		require.Equal(t, want, examine.InShell(path))
		out, err := exec.Command("sh", "-c", "printf %s "+examine.InShell(path)).Output()
		require.NoError(t, err)
		require.Equal(t, plaintext.Line(path), string(out))
	}
}

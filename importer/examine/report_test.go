package examine_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/importer/examine"
)

// TestExamine_ProgramsRepeat compiles the programs of refuted rules and requires that they
// reproduce the findings.
func TestExamine_ProgramsRepeat(t *testing.T) {
	for _, c := range []struct {
		major       int
		flags, rule string
		shows       string // in the output of the program; empty if it crashes
	}{
		{2, "-DRESET", "FMI2-R6", `fmi2Reset +0\n(?s:.*)1\.23\d*`},
		{2, "-DUNKNOWN", "FMI2-I5", ""},
		{2, "-DOSMP -DLATEREAD", "OSMP-V7", ""},
		{2, "-DFORGETSX", "FMI2-R9", `fmi2SetFMUstate +0\n`},
		{2, "-DOVERRUN", "FMI2-Q8", ""},
		{2, "-DCONSTANTS", "FMI2-Q9", ""},
		{2, "-DKEEPSTEXT", "FMI2-R17", ""},
		{3, "-DKEEPSBYTES", "FMI3-R17", ""},
		{2, "-DOSMP -DEAGER", "OSMP-D9", ""},
		{2, "-DSCRATCH", "FMI2-R23", `fmi2GetReal +0\n`},
		{3, "-DSTARTS", "FMI3-V21", `fmi3GetFloat64 +0\n(?s:.*)2\n`},
		{3, "-DCOUNTLESS", "FMI3-I6", `fmi3GetFloat64 +0\n`},
		{3, "-DRESET", "FMI3-R6", `fmi3Reset +0\n`},
		{3, "-DFORGETSX", "FMI3-R9", `fmi3SetFMUState +0\n`},
		{2, "-DSTATIC", "FMI2-R5", `fmi2DoStep +0\n(?s:.*)fmi2GetReal +0\n`},
		{2, "-DLEAK", "FMI2-Q1", `bytes of malloc`},
		{2, "-DSHARES", "FMI2-Q1", `[1-9]\d{7} mapped`},
		{2, "-DKEYS", "FMI2-Q1", `, \d+ keys\n`},
		{2, "-DDESCRIPTORS", "FMI2-Q2", `descriptors`},
		{2, "-DSTRICT", "FMI2-S2", `fmi2DoStep +3\n$`},
		{2, "-DREMEMBERS", "FMI2-G3", ""},
		{2, "-DONETHREAD", "FMI2-R7", `fmi2DoStep +3\n$`},
		{2, "-DHOMELESS", "FMI2-I11", ""},
		{2, "-DBORROWS", "FMI2-Q12", ""},
		{2, "-DDEEP", "FMI2-Q10", ""},
		{2, "-DOSMP -DSCRIBBLES", "OSMP-V8", ""},
		{3, "-DEARLY", "FMI3-S5", `early 1`},
		{2, "-DDISCARDS -DMUTE", "FMI2-S7", `fmi2DoStep +2\n`},
		{2, "-DJEALOUS", "FMI2-R18", `another library was first\n(?s:.*)\(nil\)\n`},
		{2, "-DUNSETTEXT", "FMI2-S6", `fmi2GetString +0\n(?s:.*)not set\n`},
	} {
		t.Run(c.rule+c.flags, func(t *testing.T) {
			t.Parallel()
			path := build(t, c.major, c.flags)
			v := run(t, path, examine.Options{Only: []string{c.rule}}).Verdict(c.rule)
			require.NotNil(t, v)
			require.Equal(t, examine.Refuted, v.Outcome, "%+v", v)
			require.NotEmpty(t, v.Calls)
			_, calls, found := strings.Cut(v.Program, "which library?\"), 1;\n")
			require.True(t, found)
			if c.rule != "FMI2-R23" { // fewer calls may not show a race on a busy machine
				require.LessOrEqual(t, strings.Count(calls, "\n"), 30+2, v.Program)
			}
			out, err := repeat(t, path, v)()
			if c.shows == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Regexp(t, regexp.MustCompile(c.shows), string(out))
		})
	}
}

// TestExamine_ProgramChecksStepsWithUpdates requires that a program checks the arrays of a step
// although an intermediate update has called the FMU in the middle of it.
func TestExamine_ProgramChecksStepsWithUpdates(t *testing.T) {
	fault := group{{old: calling, new: strings.Replace(calling, "c->v.time", "c->v.time + h", 1) +
		"\t\t\tevent[-1] = true;\n"}}
	path := buildFrom(t, fault.source(t, "beat3"), "beat3", "")
	v := run(t, path, examine.Options{Only: []string{"S12"}}).Verdict("FMI3-S12")
	require.Equal(t, examine.Refuted, v.Outcome, "%+v", v)
	out, err := repeat(t, path, v)()
	require.NoError(t, err)
	require.Regexp(t, `fmi3DoStep +0\n  bytes before or after an array were changed\n`, string(out),
		v.Program)
}

// TestRules_PageHasTheSameWords checks that docs/EXAMINATION.md has the texts of the table of
// rules.
func TestRules_PageHasTheSameWords(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "EXAMINATION.md"))
	require.NoError(t, err)
	for _, major := range []int{2, 3} {
		for _, r := range examine.Rules(major) {
			id := strings.TrimPrefix(r.ID, map[int]string{2: "FMI2-", 3: "FMI3-"}[major])
			row := "| " + id + " | " + r.Severity.String() + " | " + r.Says + " | "
			k := strings.Index(string(page), row)
			require.Positive(t, k, "no row %q", row)
			rest, _, _ := strings.Cut(string(page)[k:], "\n")
			require.Contains(t, rest, "| "+r.Suffers+" |")
			if _, clause, is := strings.Cut(r.Clause, ", "); is {
				require.Contains(t, rest, "| "+clause+" |")
			}
		}
	}
}

func TestExamine_OnlyAndTime(t *testing.T) {
	path := build(t, 2, "")
	r := run(t, path, examine.Options{Only: []string{"R9", "FMI2-Q1"}})
	var ids []string
	for _, v := range r.Verdicts {
		require.Equal(t, examine.Proved, v.Outcome)
		ids = append(ids, v.ID)
	}
	require.Equal(t, []string{"FMI2-R9", "FMI2-Q1"}, ids)

	r = run(t, path, examine.Options{Time: time.Nanosecond})
	require.Zero(t, r.Count(examine.Proved)+r.Count(examine.Refuted))
	require.Contains(t, r.Verdict("FMI2-R9").Why, "--time")
}

// TestExamine_TimeElapses checks that an examination whose time elapses in the middle of a trial
// accuses nobody, and calls no rule proved of which it could not try everything.
func TestExamine_TimeElapses(t *testing.T) {
	path := build(t, 2, "-DENDLESS")
	// The test would not end if a call that never returns were waited for.
	r := run(t, path, examine.Options{Time: 2 * time.Second, Limit: time.Hour})
	require.Zero(t, r.Count(examine.Refuted), "%v", r.Findings())
	require.Contains(t, r.Verdict("FMI2-R2").Why, "--time")
}

// TestExamine_TimeElapsesInAnyTrial checks that no trial fails or refutes a rule if the time elapses
// before its first process.
func TestExamine_TimeElapsesInAnyTrial(t *testing.T) {
	for major := 2; major <= 3; major++ {
		refuted, err := examine.MakeLate(build(t, major, ""))
		require.NoError(t, err)
		require.Empty(t, refuted, major)
	}
}

// TestExamine_NothingLives checks that only rules whose calls were made are proved for an FMU whose
// instantiation does not return unless it refuses a token.
func TestExamine_NothingLives(t *testing.T) {
	r := run(t, build(t, 2, "-DENDLESS"), examine.Options{Limit: time.Second})
	require.Equal(t, examine.Refuted, r.Verdict("FMI2-R2").Outcome)
	for _, v := range r.Verdicts {
		if v.Outcome == examine.Proved {
			require.Contains(t, []string{"FMI2-R1", "FMI2-I4"}, v.ID, v.Says)
		}
	}
}

// TestExamine_Unloadable checks that the reason why a library cannot be loaded does not contain the
// temporary folder of the examination.
func TestExamine_Unloadable(t *testing.T) {
	source := filepath.Join(t.TempDir(), "needs.c")
	require.NoError(t, os.WriteFile(source, []byte("int nowhere(void);\n"+
		"int fmi2GetReal(void) { return nowhere(); }\n"), 0o600))
	v := run(t, buildFrom(t, source, "lag2", ""), examine.Options{Only: []string{"R2"}}).
		Verdict("FMI2-R2")
	require.Contains(t, v.Found, "dlopen answers not loadable: binaries/linux64/lag.so: ")
}

// TestExamine_NoTemporaryFolders checks that texts do not depend on where an examination took place.
func TestExamine_NoTemporaryFolders(t *testing.T) {
	scratch := filepath.FromSlash("/tmp/gosmp-examine-123")
	for text, want := range map[string]string{
		"dlopen: @/fmu/binaries/lag.so": "dlopen: binaries/lag.so",
		`label is "@/work17"`:           `label is "work"`,
		"@/other and work17":            "other and work",
		"work17 in /tmp":                "work17 in /tmp",
	} {
		require.Equal(t, want, examine.Unlocated(scratch, filepath.FromSlash(
			strings.ReplaceAll(text, "@", scratch))))
	}
}

// TestExamine_Lives checks that a leak in one of 300 lives is not found in the usual number of
// lives, but is found in a thousand.
func TestExamine_Lives(t *testing.T) {
	path := build(t, 2, "-DRARELEAK")
	for lives, outcome := range map[int]examine.Outcome{0: examine.Proved, 1000: examine.Refuted} {
		r := run(t, path, examine.Options{Only: []string{"Q1"}, Lives: lives})
		require.Equal(t, outcome, r.Verdict("FMI2-Q1").Outcome, "%d lives", lives)
	}
}

// TestExamine_Outside checks that the report names exactly the files, programs and addresses
// outside the FMU.
func TestExamine_Outside(t *testing.T) {
	r := run(t, build(t, 2, "-DREACHES"), examine.Options{Only: []string{"Q11"}})
	require.Regexp(t, `^the FMU connects to 127\.0\.0\.1:9, reads /etc/passwd, starts the program `+
		`/(usr/)?bin/\S+( -c)?( --)? true lag, writes /tmp/lag-of-gosmp/$`,
		r.Verdict("FMI2-Q11").Found)
	calls := r.Verdict("FMI2-Q11").Calls
	require.Contains(t, calls[len(calls)-1], "fmi2Instantiate", "where it happened")
}

// TestExamine_ToleratedCalls checks that calls that the standard forbids but even the Reference
// FMUs accept are reported, but do not count against an FMU.
func TestExamine_ToleratedCalls(t *testing.T) {
	r := run(t, build(t, 3, "-DTOLERANT"), examine.Options{Only: []string{"I1"}})
	v := r.Verdict("FMI3-I1")
	require.Equal(t, examine.Proved, v.Outcome)
	require.Equal(t,
		`it accepts, as the Reference FMUs do, calls that the standard does not allow: `+
			`fmi3EnterStepMode in the state "initialization mode"; `+
			`fmi3SetFloat64 in the state "terminated"`, v.Why)
}

// TestExamine_UnsetFields checks that missing fields that OSI requires are named, but do not count
// against an FMU.
func TestExamine_UnsetFields(t *testing.T) {
	r := run(t, build(t, 2, "-DOSMP -DUNPLACED"), examine.Options{Only: []string{"OSMP-O1"}})
	v := r.Verdict("OSMP-O1")
	require.Equal(t, examine.Proved, v.Outcome)
	require.Equal(t, "it leaves fields unset that OSI requires, such as "+
		"SensorData.mounting_position of OSMPSensorDataOut", v.Why)
}

// TestExamine_MessageAfterReset checks that a message that an output still has after a reset is
// named, but does not count against an FMU: OSMP does not define outputs before the first step.
func TestExamine_MessageAfterReset(t *testing.T) {
	fault := group{{old: "	start(&c->v);\n	memset(c->request",
		new: "	int32_t old[3];\n	memcpy(old, c->v.out, sizeof old);\n	start(&c->v);\n" +
			"	memcpy(c->v.out, old, sizeof old);\n	memset(c->request"}}
	path := buildFrom(t, fault.source(t, "lag2"), "lag2", "-DOSMP")
	v := run(t, path, examine.Options{Only: []string{"R6"}}).Verdict("FMI2-R6")
	require.Equal(t, examine.Proved, v.Outcome)
	require.Equal(t, "after a reset, OSMPSensorDataOut has a message before the first step, unlike "+
		"in a new instance", v.Why)
	v = run(t, build(t, 2, "-DOSMP"), examine.Options{Only: []string{"R6"}}).Verdict("FMI2-R6")
	require.Equal(t, examine.Proved, v.Outcome)
	require.Empty(t, v.Why)
}

// TestExamine_Refuses checks that FMUs that cannot be run are refused, as by importer.Open.
func TestExamine_Refuses(t *testing.T) {
	_, err := examine.Examine(context.Background(), filepath.Join(t.TempDir(), "gone.fmu"),
		examine.Options{})
	require.ErrorIs(t, err, importer.ErrInvalid)
}

// TestFindings_NothingTested requires an error from an examination that has neither proved nor
// refuted any rule, for any reason.
func TestFindings_NothingTested(t *testing.T) {
	t.Parallel()
	path := build(t, 2, "")
	for why, o := range map[string]examine.Options{
		"of --time have elapsed": {Time: time.Nanosecond},
		"applies to this FMU":    {Only: []string{"OSMP-D7"}},
	} {
		list := run(t, path, o).Findings()
		require.Len(t, list, 1)
		require.Equal(t, "examine.untested", list[0].ID)
		require.Contains(t, list[0].Message, why)
	}
	require.Empty(t, run(t, path, examine.Options{Only: []string{"R1"}}).Findings())
}

// TestBrief checks that findings do not list hundreds of references and values.
func TestBrief(t *testing.T) {
	list := strings.TrimSuffix(strings.Repeat("7 ", 16), " ")
	const first = "[1 7 7 7 7 7 7 7 … 7: 17 references]"
	for call, want := range map[string]string{
		"fmi2GetReal(c1, [" + list + "])":         "fmi2GetReal(c1, [" + list + "])",
		"fmi2GetReal(c1, [1 " + list + "])":       "fmi2GetReal(c1, " + first + ")",
		"fmi2SetReal(c2, [1 " + list + "], 3, 4)": "fmi2SetReal(c2, " + first + ", 3, 4)",
		"fmi2DoStep(c1, 0, 0.1)":                  "fmi2DoStep(c1, 0, 0.1)",
		"fmi2SetReal(c1, [1 2], " + strings.Repeat("3, ", 19) + "4)": "fmi2SetReal(c1, [1 2], " +
			"3, 3, 3, 3, 3, 3, 3, 3, … 4: 20 values)",
		"fmi3GetDirectionalDerivative(c1, [1], by [1 " + list + "])": "fmi3GetDirectionalDerivative(" +
			"c1, [1], by " + first + ")",
	} {
		require.Equal(t, want, examine.Brief(call))
	}
}

package examine_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// Parts of lag2.c that are replaced to plant faults that only unusual hosts notice.
const (
	version2 = "text fmi2GetVersion(void) { return \"2.0\"; }\n"
	threads2 = "	c->thread = pthread_self();\n"
	storing  = "		(config ? c->v.config : c->v.in)[r[k] % 3] = v[k];\n"
	seconds2 = "(uint64_t)(ns / 1000000000)"
	nanos2   = "(uint64_t)(ns % 1000000000)"
)

// unusual2 are such faults.
var unusual2 = []edit{
	{"another version after a life", fault{"", "FMI2-R1", e, "", nil}, version2,
		"text fmi2GetVersion(void) { return dead > 0 ? \"2.1\" : \"2.0\"; }\n"},
	{"warning without a message", fault{"", "FMI2-G4", w, "", nil}, telling,
		"	if (t > 0.15) { return WARNING; }\n" + telling},
	{"URI with slashes only", fault{"", "FMI2-I8", w, "", nil}, threads2, threads2 +
		"	if (resources != NULL && strncmp(resources, \"file://\", 7) != 0) { return NULL; }\n"},
	{"crash of a URI without slashes", fault{"", "FMI2-I8", e, "", nil}, threads2, threads2 +
		"	if (resources != NULL && strncmp(resources, \"file://\", 7) != 0) { abort(); }\n"},
	{"text without its spaces", fault{"", "FMI2-I10", w, "FMI2-R22", nil},
		labelling + ", \"%s\", v[k]", labelling + ", \"%s\", v[k] + strspn(v[k], \" \")"},
	{"fourth reset", fault{"", "FMI2-R6", e, "", nil}, resetting,
		"	static lag *latest;\n	static int times;\n" +
			"	times = latest == c ? times + 1 : 1, latest = c;\n" +
			"	if (times > 3) { return refuse(c, \"too often\"); }\n" + resetting},
	{"execution domain", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	{ extern int personality(unsigned long); personality(0x0040000); }\n"},
	{"nanoseconds of more than a second", fault{"-DOSMP", "OSMP-O1", w, "", nil},
		seconds2 + next + nanos2, "(uint64_t)(ns / 1000000000 - (ns >= 1000000000))" + next +
			"(uint64_t)(ns % 1000000000 + (ns >= 1000000000) * 1000000000)"},
	{"another version after a long time", fault{"-DOSMP", "OSMP-A2", w, "", nil},
		"	memcpy(b, version, 6);\n", "	memcpy(b, version, 6);\n	b[5] = t < 1000 ? 8 : 7;\n"},
	{"high half of the first address", fault{"-DOSMP", "OSMP-V8", e, "", nil}, storing,
		"		if (r[k] == 1 && c->v.in[1] != 0) { continue; }\n" + storing},
	{"descriptors that are not its own", fault{"", "FMI2-Q6", e, "", nil}, beginning,
		beginning + "	for (int k = 3; k < 64; k++) { close(k); }\n"},
}

// TestExamine_StampsOfInputs checks that an OSMP model is not accused if it copies the time stamp of
// an input, which may be before the start.
func TestExamine_StampsOfInputs(t *testing.T) {
	const now = "	int64_t ns = llround(t * 1e9);\n"
	f := edit{fault: fault{flags: "-DOSMP"}, old: now, new: now +
		"	const unsigned char *in = address(c->v.in);\n" +
		"	for (int k = 0; in != NULL && k + 2 < c->v.in[2]; k++) {\n" +
		"		if (in[k] == 0x12 && in[k + 2] == 8) {\n			uint64_t s = 0;\n" +
		"			for (int n = 0; n < 10; n++) {\n" +
		"				s |= (uint64_t)(in[k + 3 + n] & 127) << (7 * n);\n" +
		"				if (in[k + 3 + n] < 128) { break; }\n			}\n" +
		"			ns = (int64_t)s < 0 ? -1000000000 : ns;\n			break;\n		}\n	}\n"}
	path := buildFrom(t, group{f}.source(t, "lag2"), "lag2", f.flags)
	r := run(t, path, examine.Options{Only: []string{"OSMP-O1"}})
	require.Equal(t, examine.Proved, r.Verdict("OSMP-O1").Outcome)
}

// TestExamine_DerivativesInCalls checks that calls for derivatives name all references.
func TestExamine_DerivativesInCalls(t *testing.T) {
	k := slices.IndexFunc(edits2, func(f edit) bool { return f.rule == "FMI2-R14" })
	f := edits2[k]
	path := buildFrom(t, group{f}.source(t, "lag2"), "lag2", f.flags, f.change...)
	r := run(t, path, examine.Options{Only: []string{"R14"}})
	require.Contains(t, r.Verdict("FMI2-R14").Calls,
		"fmi2GetDirectionalDerivative(c1, [1], by [0])")
}

// TestExamine_ExplainedWarnings checks that an FMU is not accused if it explains warnings and errors
// only after logging was switched on for the category of its messages.
func TestExamine_ExplainedWarnings(t *testing.T) {
	const born = "c->logging = logging;"
	f := edit{old: telling + next + born, new: "	if (t > 0.15) { return say(c, WARNING, \"warm\"), " +
		"WARNING; }\n" + telling + next + "c->logging = false && logging;"}
	path := buildFrom(t, group{f}.source(t, "lag2"), "lag2", "")
	r := run(t, path, examine.Options{Only: []string{"G4"}})
	require.Equal(t, examine.Proved, r.Verdict("FMI2-G4").Outcome)
}

package examine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// Parts of lag2.c that are replaced to plant faults that only unusual hosts notice.
const (
	version2 = "text fmi2GetVersion(void) { return \"2.0\"; }\n"
	threads2 = "	c->thread = pthread_self();\n"
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
	{"text without its spaces", fault{"", "FMI2-I10", w, "", nil},
		labelling + ", \"%s\", v[k]", labelling + ", \"%s\", v[k] + strspn(v[k], \" \")"},
	{"fourth reset", fault{"", "FMI2-R6", e, "", nil}, resetting,
		"	static lag *latest;\n	static int times;\n" +
			"	times = latest == c ? times + 1 : 1, latest = c;\n" +
			"	if (times > 3) { return refuse(c, \"too often\"); }\n" + resetting},
	{"execution domain", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	{ extern int personality(unsigned long); personality(0x0040000); }\n"},
	{"descriptors that are not its own", fault{"", "FMI2-Q6", e, "", nil}, beginning,
		beginning + "	for (int k = 3; k < 64; k++) { close(k); }\n"},
}

// TestExamine_WarningsNeedLogging checks that an FMU is not accused if it explains a warning.
func TestExamine_WarningsNeedLogging(t *testing.T) {
	f := edit{old: telling, new: "	if (t > 0.15) { return say(c, WARNING, \"warm\"), WARNING; }\n" +
		telling}
	path := buildFrom(t, group{f}.source(t, "lag2"), "lag2", "")
	r := run(t, path, examine.Options{Only: []string{"G4"}})
	require.Equal(t, examine.Proved, r.Verdict("FMI2-G4").Outcome)
}

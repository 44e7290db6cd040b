package examine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
)

// Faults of states whose parameters or array sizes have changed, and of settings of the process.
// Parts of lag2.c and lag3.c are replaced to plant them.

const (
	deserialized  = "	memcpy(*s, bytes, n);\n"
	deserialized3 = "	*s = *s != NULL ? *s : malloc(n);\n"
	taken3        = "	*s = *s != NULL ? *s : malloc(sizeof(values));\n"
	restored3     = "	memcpy(&c->v, s, sizeof(values));\n"
	serialized3   = "	return n < sizeof(values) ? refuse"
	incoming      = "	unsigned char *p = address(c->v.in), *end = p + c->v.in[2];\n"
	calling2      = "text fmi2GetTypesPlatform("
	tolerating    = "	IN(BORN)(void) tolerance, (void)defined;\n"
	isSmall       = "	if (tolerance > 0 && tolerance < 1e-10) "
	asking        = "ASK(Status, int)\n"
	telling       = "	say(c, status, status == OK ? \"a step\" : \"no message\");\n"
	gained        = "			c->v.gain = v[k];\n"
)

// timing starts a timer of the process that does not expire in a test.
func timing(which string) string {
	return "	{ extern int setitimer(int, const void *, void *); long later[] = {0, 0, 9999, 0};\n" +
		"	setitimer(" + which + ", later, NULL); }\n"
}

// asked returns fmi2GetStatus with other contents.
func asked(contents string) string {
	return "static int asked;\nint fmi2GetStatus(void *component, int kind, int *v)\n{\n" +
		"	IN(STEPS | ENDED)(void) kind, (void)v, asked++;\n" + contents + "	return DISCARD;\n}\n"
}

// keptAddress is a fault: the address of a message is taken for the one before of the same size.
const keptAddress = "	static unsigned char *old; static lag *owner;\n" +
	"	unsigned char *p = address(c->v.in), *end;\n" +
	"	p = owner == c && c->v.count > 0 && c->v.count == c->v.in[2] ? old : p;\n" +
	"	old = p, owner = c, c->v.count = c->v.in[2], end = p + c->v.in[2];\n"

var tuned2 = []edit{
	{"tuned parameter in a serialized state", fault{"", "FMI2-R10", e, "", nil},
		settingUp + next + deserialized,
		settingUp + "	memcpy(c->v.config, &c->v.gain, sizeof c->v.gain);\n" + next + deserialized +
			"	memcpy(&((state *)*s)->v.gain, ((state *)*s)->v.config, sizeof c->v.gain);\n"},
	{"logging that needs a category", fault{"", "FMI2-R24", w, "FMI2-G7", nil}, switching,
		"	if (n == 0 && c->v.phase == STEPS) { return refuse(c, \"no category\"); }\n" + switching},
	{"scheduling policy", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	{ int batch = 3; struct sched_param none = {0};\n" +
			"	sched_setscheduler(0, batch, &none); }\n"},
	{"highest limits", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	extern int getrlimit(int, unsigned long *), setrlimit(int, const unsigned " +
			"long *);\n	for (int k = 0; k < 16; k++) {\n		unsigned long l[2];\n" +
			"		getrlimit(k, l), l[1] = l[0], setrlimit(k, l);\n	}\n"},
	{"timer of the processor time", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + timing("1")},
	{"profiling timer", fault{"", "FMI2-Q6", w, "", nil}, beginning, beginning + timing("2")},
	{"priority of input and output", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "#include <sys/syscall.h>\n	{ extern long syscall(long, ...);\n" +
			"	int process = 1, idle = 3 << 13;\n	syscall(SYS_ioprio_set, process, 0, idle); }\n"},
	{"rank when memory runs out", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	{ int f = open(\"/proc/self/oom_score_adj\", O_WRONLY);\n" +
			"	if (write(f, \"900\", 3) == 3) { close(f); } }\n"},
	{"address of the message before", fault{"-DOSMP", "OSMP-V7", e, "", nil}, incoming, keptAddress},
	{"address of the message before, in quarters of a second", fault{"-DOSMP", "OSMP-V7", e, "",
		[]string{`stepSize="0.1"`, `stepSize="0.25"`}}, incoming, keptAddress},
	{"second library", fault{"", "FMI2-R18", w, "FMI2-Q6", nil}, calling2,
		"__attribute__((constructor)) static void loaded(void)\n{\n" +
			"	getenv(\"LAG\") != NULL ? abort() : (void)setenv(\"LAG\", \"1\", 1);\n}\n" +
			"__attribute__((destructor)) static void removed(void) { unsetenv(\"LAG\"); }\n" + calling2},
	{"message on the stack", fault{"-DOSMP", "OSMP-V5", e, "", nil}, incoming,
		incoming + "	{ volatile char here[c->v.in[2] > 0 ? c->v.in[2] : 1];\n" +
			"	for (size_t k = 0; k < sizeof here; k++) { here[k] = 0; } }\n"},
	{"registers for MMX", fault{"", "FMI2-Q7", e, "", nil}, stepping,
		stepping + "	__asm__ volatile(\"movq %0, %%mm0\" : : \"r\"(1L));\n"},
	{"cancellation is disabled", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);\n"},
	{"huge pages are disabled", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);\n"},
	{"output that is not a number", fault{"", "FMI2-V20", finding.Note, "",
		[]string{` min="-1000" max="1000"`, ""}}, "	c->v.y = c->v.x;\n",
		"	c->v.y = c->v.time > 0.25 ? NAN : c->v.x;\n"},
	{"handler of a signal for applications", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	signal(SIGRTMAX - 2, SIG_IGN);\n"},
	{"value that follows queries", fault{"", "FMI2-R24", w, "", nil}, asking,
		asked("	c->v.x += 0.01;\n")},
	{"crash in the second query", fault{"", "FMI2-R24", e, "", nil}, asking,
		asked("	asked > 1 ? abort() : (void)0;\n")},
	{"crash with a small tolerance", fault{"", "FMI2-S1", e, "", nil}, tolerating,
		tolerating + isSmall + "abort();\n"},
	{"message with the status Pending", fault{"", "FMI2-G4", w, "", nil}, telling,
		"	say(c, 5, \"a step\");\n"},
}

var tuned3 = []edit{
	{"state after a reconfiguration", fault{"", "FMI3-C6", w, "", tunableSize}, shaping,
		reshaping("	c->v.x = 0;\n")},
	{"size of an array in a serialized state", fault{"", "FMI3-R10", e, "", nil}, deserialized3,
		deserialized3 + "	return memcpy(*s, bytes, n), ((values *)*s)->m = 2, OK;\n"},
	{"serialized state of another size", fault{"", "FMI3-R10", w, "", nil}, deserialized3,
		deserialized3 + "	if (((const values *)bytes)->m != c->v.m) { return refuse(c, \"no\"); }\n"},
	{"elements in a serialized state", fault{"", "FMI3-R10", e, "", nil}, deserialized3,
		deserialized3 + "	memcpy(*s, bytes, n);\n	for (int k = 2; k < MOST; k++) {\n" +
			"		((values *)*s)->v[k] = 0;\n	}\n	return OK;\n"},
	{"size of a binary that is not set", fault{"", "FMI3-R16", e, "FMI3-R22 FMI3-V21", nil},
		"		sizes[k] = c->v.size, v[k] = c->v.in;\n", "		v[k] = c->v.in;\n"},
	{"state of another size is refused", fault{"", "FMI3-R9", e, "FMI3-R8", nil}, taken3,
		"	if (c->v.m != 2) { return refuse(c, \"no state\"); }\n" + taken3},
	{"rounding in a state of another size", fault{"", "FMI3-R9", w, "FMI3-R10", nil}, restored3,
		restored3 + "	c->v.v[0] *= c->v.m != 2 ? 1 + 1e-12 : 1;\n"},
	{"state of another size is not serialized", fault{"", "FMI3-R10", e, "", nil}, serialized3,
		"	if (((const values *)s)->m != 2) { return refuse(c, \"no\"); }\n" + serialized3},
	{"rounding in a serialized state of another size", fault{"", "FMI3-R10", w, "", nil},
		deserialized3, deserialized3 + "	memcpy(*s, bytes, n);\n" +
			"	((values *)*s)->v[0] *= ((values *)*s)->m != 2 ? 1 + 1e-12 : 1;\n	return OK;\n"},
}

// TestExamine_SoundTuned checks that inputs and tunable parameters with an effect on later steps,
// and tolerances that are refused, are not accused.
func TestExamine_SoundTuned(t *testing.T) {
	notAccused(t, "lag2", []edit{
		{"mean of two inputs", fault{"", "R5 R9 R10 R21 R25", 0, "", nil}, stepping,
			"	double mean, old;\n	memcpy(&old, c->v.config, sizeof old), mean = (old + c->v.u) / 2;\n" +
				"	memcpy(c->v.config, &c->v.u, sizeof old);\n	c->v.x += mean / 1000;\n" + stepping},
		{"locked page of its own", fault{"", "Q6", 0, "", nil}, beginning,
			beginning + "	{ static char page[4096]; mlock(page, sizeof page); }\n"},
		{"parameter that begins anew", fault{"", "R9 R10 R22", 0, "", nil}, gained,
			"			c->v.x = c->v.phase == STEPS && v[k] != c->v.gain ? 0 : c->v.x;\n" + gained},
		{"small tolerance is refused", fault{"", "S1", 0, "", nil}, tolerating,
			tolerating + isSmall + "{ return refuse(c, \"too small\"); }\n"},
		{"endless step with a small tolerance", fault{"", "S1", 0, "", nil}, tolerating,
			tolerating + isSmall + "for (;;) { pause(); }\n"},
		{"message with the status Pending", fault{"", "G4", 0, "", []string{"<CoSimulation ",
			"<CoSimulation canRunAsynchronuously=\"true\" "}}, telling,
			"	say(c, 5, \"a step\");\n"},
	})
}

// TestExamine_KeepingOfCapabilities checks that an FMU is accused of the keeping of capabilities if
// it leaves it on, also only until its end, and not if it switches it back in the same call.
func TestExamine_KeepingOfCapabilities(t *testing.T) {
	const on, off = "	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);\n", "	prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);\n"
	for name, c := range map[string]struct {
		f     group
		found string
	}{
		"stays on": {group{{old: beginning, new: beginning + on}}, "1 after a life"},
		"on in a life": {group{{old: beginning, new: beginning + on},
			{old: freeing, new: off + freeing}}, "1 in a life"},
		"back in the same call": {group{{old: beginning, new: beginning + on + off}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := buildFrom(t, c.f.source(t, "lag2"), "lag2", "")
			v := run(t, path, examine.Options{Only: []string{"Q6"}}).Verdict("FMI2-Q6")
			if c.found == "" {
				require.Equal(t, examine.Proved, v.Outcome, v.Found)
				return
			}
			require.Equal(t, examine.Refuted, v.Outcome)
			require.Equal(t, "the keeping of capabilities of the process is "+c.found, v.Found)
			require.Equal(t, "keeping of capabilities 0", v.Expected)
			require.Equal(t, w, v.Severity)
		})
	}
}

// TestExamine_RefusesAfterQueries checks that an FMU that refuses all calls after a query of the
// status is not accused, but that the report says so.
func TestExamine_RefusesAfterQueries(t *testing.T) {
	f := edit{old: asking, new: asked("	return refuse(c, \"no query\");\n")}
	path := buildFrom(t, group{f}.source(t, "lag2"), "lag2", "")
	v := run(t, path, examine.Options{Only: []string{"R24"}}).Verdict("FMI2-R24")
	require.Equal(t, examine.Proved, v.Outcome)
	require.Equal(t, "it refuses further calls after the status of a step is queried", v.Why)
}

// TestProgram_AnyProcess checks that programs repeat crashes of FMUs that wait for all children of
// the process, or close descriptors that are not theirs.
func TestProgram_AnyProcess(t *testing.T) {
	for rule, f := range map[string]edit{
		"R18": {old: calling2, new: "#include <sys/wait.h>\n" +
			"__attribute__((constructor)) static void loaded(void)\n{\n" +
			"	if (getenv(\"LAG\") != NULL) {\n		while (wait(NULL) > 0) {}\n		abort();\n	}\n" +
			"	setenv(\"LAG\", \"1\", 1);\n}\n" +
			"__attribute__((destructor)) static void removed(void) { unsetenv(\"LAG\"); }\n" +
			calling2},
		"I8": {old: beginning, new: beginning + "	for (int k = 3; k < 64; k++) { close(k); }\n" +
			"	if (resources != NULL && strchr(resources, '%') != NULL) {\n		abort();\n	}\n"},
	} {
		path := buildFrom(t, group{f}.source(t, "lag2"), "lag2", "")
		r := run(t, path, examine.Options{Only: []string{rule}})
		require.Equal(t, examine.Refuted, r.Verdict("FMI2-"+rule).Outcome)
		requireRepeats(t, path, r)
	}
}

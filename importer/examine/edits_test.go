package examine_test

import (
	"fmt"
	"slices"
	"testing"

	"gosmp/internal/finding"
)

// edit is a fault planted by replacing a part of the C source of a test FMU.
type edit struct {
	name string
	fault
	old, new string
}

// Parts of lag2.c that are replaced to plant faults.
const (
	stepping  = "	double share = 1 / (1 + h);\n"
	beginning = "	born++;\n"
	reading   = "	c->v.y = c->v.x;\n"
	freeing   = "	dead++;\n"
	restoring = "	c->v = ((state *)s)->v;\n"
	starting  = "	start(&c->v);\n"
	resetting = starting + "	memset(c->request"
	keeping   = "	c->log = log, c->environment = environment" // of FMI 3.0
	showing   = "		v[k] = c->text;\n"
	taking    = "		memcpy(to, v + at, size * sizeof *v), at += size;\n" // of FMI 3.0
	refusing  = "		return DISCARD;\n"                                   // of FMI 3.0
	answering = "	for (size_t k = 0; k < n; k++) {\n" +                 // of FMI 3.0
		"		if (r[k] < 8 || r[k] > 9 || n != values) {\n" +
		"			return refuse(c, \"no such Binary\");\n		}\n" +
		"		sizes[k] = c->v.size, v[k] = c->v.in;\n"
	finishing = "	c->v.time = t + h;\n#ifndef UNWRITTEN\n" // of FMI 3.0
)

const (
	beginsAt    = "	c->v.time = begin, c->v.stops"
	withoutBase = "#ifdef NOBASE\n	if (c->v.in[2] <= 0) {\n"
)

// derivable are edits that declare directional derivatives, and that y depends on u.
var derivable = []string{`canNotUse`, `providesDirectionalDerivative="true" canNotUse`,
	`<Unknown index="2" dependencies=""/>`, `<Unknown index="2" dependencies="1"/>`}

// inPairs are edits that turn the output of bytes into an array of two elements.
var inPairs = []string{`name="out" valueReference="9" causality="output"/>`,
	`name="out" maxSize="3" valueReference="9" causality="output"><Dimension start="2"/></Binary>`}

// pairs returns code that reads arrays of two binaries, and ends with code for the second element.
func pairs(second string) string {
	return "	size_t at = 0, all = n;\n" +
		"	for (size_t k = 0; k < n; k++) { all += r[k] == 9; }\n" +
		"	for (size_t k = 0; k < n; k++) {\n" +
		"		size_t most = r[k] == 9 ? 3 : sizeof c->v.in;\n" +
		"		if (r[k] < 8 || r[k] > 9 || all != values) {\n" +
		"			return refuse(c, \"no such Binary\");\n		}\n" +
		"		sizes[at] = c->v.size < most ? c->v.size : most, v[at++] = c->v.in;\n" +
		"		if (r[k] == 8) { continue; }\n" + second
}

// kept returns code that leaks memory of the given size in a way that the compiler does not notice.
func kept(size int) string {
	return fmt.Sprintf("{ static void *volatile lost; lost = malloc(%d); memset(lost, 1, %d); }\n",
		size, size)
}

var edits2 = []edit{
	{"state in a thread variable",
		fault{"", "FMI2-R7", w, "FMI2-R23 FMI2-R9 FMI2-R10 FMI2-S1", nil}, stepping,
		"	static __thread int steps; if (steps++ == 0 && c->v.time > 0) { return " +
			"refuse(c, \"\"); }\n" +
			stepping},
	{"input in a state", fault{"", "FMI2-R9", e, "FMI2-R10", nil}, restoring,
		"	{ double u = c->v.u; c->v = ((state *)s)->v; c->v.u = u; }\n"},
	{"state that is used up", fault{"", "FMI2-R9", e, "FMI2-R8", nil}, restoring,
		restoring + "	((state *)s)->v.x = 0;\n"},
	{"crash after an error", fault{"", "FMI2-I1", e, "", nil}, "	say(c, ERROR, what);\n",
		"	c->v.phase == BROKEN ? abort() : say(c, ERROR, what);\n"},
	{"damaged configuration", fault{"-DOSMP", "OSMP-G3", e, "", nil},
		"		memcpy(copy, address(c->v.config), (size_t)c->v.config[2]);\n",
		"		memcpy(copy, address(c->v.config), (size_t)c->v.config[2]);\n" +
			"		copy[0] == 0xff ? abort() : (void)0;\n"},
	{"size without a message", fault{"-DOSMP", "OSMP-D5", e, "FMI2-V21", nil},
		"		all[2] = c->v.config[2] > 0",
		"		int32_t none[3] = {0, 0, 12};\n		all[1] = c->v.out[2] == 0 ? none : c->v.out;\n" +
			"		all[2] = c->v.config[2] > 0"},
	{"parameter in a serialized state", fault{"", "FMI2-R10", e, "", nil},
		"	memcpy(*s, bytes, n);\n", "	memcpy(*s, bytes, n), ((state *)*s)->v.gain = 1;\n"},
	{"place of a state is not used again", fault{"", "FMI2-Q1", w, "", nil},
		"*s != NULL ? *s : calloc(1, sizeof(state));\n#ifdef POINTERS",
		"calloc(1, sizeof(state));\n#ifdef POINTERS"},
	{"byte after a serialized state", fault{"", "FMI2-Q8", e, "", nil},
		"	memcpy(bytes, s, sizeof(state));\n",
		"	memcpy(bytes, s, sizeof(state)), bytes[n] = 1;\n"},
	{"byte before an array", fault{"", "FMI2-Q8", e, "", nil}, reading,
		reading + "	n > 0 ? v[-1] = 0 : 0;\n"},
	{"reference where there is none", fault{"", "FMI2-Q8", e, "", nil}, reading,
		reading + "	n == 0 ? (void)*(volatile unsigned *)(uintptr_t)r : (void)0;\n"},
	{"text is written", fault{"", "FMI2-Q9", e, "", nil}, "snprintf(c->v.label, sizeof c->v.label",
		"*(volatile char *)(uintptr_t)v[k] = *v[k]; snprintf(c->v.label, sizeof c->v.label"},
	{"name is written", fault{"", "FMI2-Q9", e, "", nil}, beginning,
		beginning + "	*(volatile char *)(uintptr_t)name = *name;\n"},
	{"text on the stack", fault{"", "FMI2-R16", e, "", nil}, showing,
		"		char here[64]; strcpy(here, c->v.label); char *volatile at = here; v[k] = at;\n"},
	{"text is freed", fault{"", "FMI2-R16", e, "", nil}, showing,
		"		char *volatile at = strdup(c->v.label); v[k] = at, free(at);\n"},
	{"text of a large block is freed", fault{"", "FMI2-R16", e, "", nil}, showing,
		"		char *volatile at = malloc(120); v[k] = strcpy(at, c->v.label), free(at);\n"},
	{"empty text is freed", fault{"", "FMI2-R16", e, "FMI2-V21 FMI2-R22", nil}, showing,
		"		char *volatile at = malloc(24); at[0] = at[16] = 0, v[k] = at + 16, free(at);\n"},
	{"message of a thread that needs time", fault{"-DLASTWORD", "FMI2-G5", e,
		"FMI2-R15 FMI2-Q1 FMI2-Q3 FMI2-G1 FMI2-G6", nil}, "	usleep(50000);\n",
		"	struct timespec used; do { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used); }\n" +
			"	while (used.tv_nsec < 60000000);\n"},
	{"reset switches logging off", fault{"", "FMI2-R6", e, "FMI2-G7", nil}, resetting,
		"	c->logging = false;\n" + resetting},
	{"reset is refused after the end", fault{"", "FMI2-R6", e, "", nil}, resetting,
		"	if (phase == ENDED) { return refuse(c, \"ended\"); }\n" + resetting},
	{"name of the latest instance", fault{"", "FMI2-G6", w, "", nil},
		"	const callbacks *call = &c->call;\n", "	const callbacks *call = &c->call;\n" +
			"	static char latest[64]; c->v.phase == SETUP || *latest == 0 ? " +
			"strcpy(latest, c->name) : latest; lag copy = *c; copy.name = latest, c = &copy;\n"},
	{"number before an array", fault{"", "FMI2-Q8", e, "", nil}, reading,
		reading + "	n > 0 ? (void)*(volatile double *)(v - 1) : (void)0;\n"},
	{"length of a serialized state", fault{"", "FMI2-I9", w, "", nil},
		"		return refuse(c, \"not a state\");\n	}\n	*s = *s != NULL ? *s : calloc(1, " +
			"sizeof(state));\n	memcpy(*s, bytes, n);\n",
		"	}\n	*s = *s != NULL ? *s : calloc(1, sizeof(state));\n" +
			"	memcpy(*s, bytes, sizeof(state));\n"},
	{"tolerance is required", fault{"", "FMI2-S1", e, "", nil}, "(void) tolerance, (void)defined;\n",
		"(void) tolerance;\n	if (!defined) { return refuse(c, \"no tolerance\"); }\n"},
	{"destructor of a thread", fault{"", "FMI2-R15", e, "FMI2-Q1", nil}, beginning, beginning +
		"	extern void gone(void *); static pthread_key_t key; static int made;\n" +
		"	made++ == 0 ? pthread_key_create(&key, gone), 0 : 0;\n" +
		"	pthread_setspecific(key, c_first());\n"},
	{"longer step", fault{"", "FMI2-S4", w, "", nil}, stepping,
		"	if (h > 0.45) { return refuse(c, \"too long\"); }\n" + stepping},
	{"much longer step", fault{"", "FMI2-S4", e, "", nil}, stepping,
		"	if (h > 1.5 * c->v.first_step) { abort(); }\n" + stepping},
	{"length of steps", fault{"", "FMI2-S4", e, "", nil}, stepping,
		"	double share = 1 / (1 + c->v.first_step);\n"},
	{"minus zero", fault{"", "FMI2-S10", w, "", nil}, stepping,
		"	if (c->v.u == 0 && signbit(c->v.u)) { return refuse(c, \"-0\"); }\n" + stepping},
	{"no number between bounds", fault{"", "FMI2-V20", w, "", nil}, stepping + "	c->v.x = ",
		stepping + "	c->v.x = t > 0.15 ? NAN : "},
	{"line end in an error", fault{"", "FMI2-G4", w, "", nil}, "say(c, ERROR, what);",
		"say(c, ERROR, \"refused\\n\");"},
	{"status of a message", fault{"", "FMI2-G4", w, "", nil}, "say(c, ERROR, what);",
		"say(c, 9, what);"},
	{"refused without a message", fault{"", "FMI2-G4", w, "", nil},
		"call->log(call->environment, name, ERROR, \"logEvents\", \"not this model\");", ""},
	{"beginning of the token", fault{"", "FMI2-I4", w, "", nil}, "strcmp(guid, \"lag\")",
		"strncmp(guid, \"lag\", 2)"},
	{"freed after an error", fault{"", "FMI2-I7", e, "", nil}, freeing,
		"	c->v.phase == BROKEN ? abort() : (void)0;\n" + freeing},
	{"no resources", fault{"", "FMI2-I8", w, "", nil}, beginning,
		beginning + "	(void)*(volatile char *)(uintptr_t)resources;\n"},
	{"no path", fault{"", "FMI2-I11", w, "", nil}, beginning,
		beginning + "	if (*getenv(\"PATH\") == 0) { return NULL; }\n"},
	{"reset keeps memory", fault{"", "FMI2-Q1", w, "", nil}, resetting, kept(4096) + resetting},
	{"texts keep memory", fault{"", "FMI2-Q1", w, "", nil}, "		snprintf(c->v.label",
		kept(2000) + "		snprintf(c->v.label"},
	{"texts are copied for each call", fault{"", "FMI2-Q1", w, "", nil},
		"		strcpy(c->text, c->v.label);\n		v[k] = c->text;\n",
		"		v[k] = strdup(c->v.label);\n"},
	{"refused instances keep memory", fault{"", "FMI2-Q1", w, "", nil},
		"	if (name == NULL || *name == 0 || type",
		"	if (strcmp(guid, \"lag\") != 0) " + kept(9000) +
			"	if (name == NULL || *name == 0 || type"},
	{"mapped memory is kept", fault{"", "FMI2-Q1", w, "", nil}, beginning, beginning +
		"	extern void *mmap(void *, size_t, int prot, int flags, int fd, long);\n" +
		"	memset(mmap(NULL, 65536, 3, 0x22, -1, 0), 1, 65536);\n"},
	{"standard output", fault{"", "FMI2-Q5", finding.Note, "", nil}, stepping,
		"	puts(\"a step\");\n" + stepping},
	{"mode of a descriptor", fault{"", "FMI2-Q6", w, "", nil}, beginning,
		beginning + "	fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);\n"},
	{"stack of an instantiation", fault{"", "FMI2-Q10", w, "", nil}, beginning, beginning +
		"	volatile char wide[300000]; for (int k = 0; k < 300000; k += 500) { wide[k] = 1; }\n"},
	{"limited input", fault{"", "FMI2-R22", e, "", nil}, "			c->v.u = v[k];\n",
		"			c->v.u = fmin(50, v[k]);\n"},
	{"input after initialization", fault{"", "FMI2-R22", e, "FMI2-R21 FMI2-R20 FMI2-R5", nil},
		"	IN(SETUP)\n	c->v.phase = STEPS;\n", "	IN(SETUP)\n	c->v.phase = STEPS, c->v.u = 0;\n"},
	{"values of one call", fault{"", "FMI2-R22", e, "", nil}, "			c->v.u = v[k];\n",
		"			c->v.u = v[0];\n"},
	{"output follows another", fault{"", "FMI2-R20", e, "FMI2-R21", nil}, reading,
		"	for (size_t k = 0; k < n; k++) { c->v.y = r[k] == 3 ? c->v.x : c->v.y; }\n"},
	{"output in an input",
		fault{"-DOSMP", "OSMP-D7", e, "OSMP-D5 OSMP-D8 OSMP-A2 OSMP-T1 OSMP-O1", nil},
		"	int status = read_input(c);\n",
		"	int status = read_input(c);\n" +
			"	c->v.in[2] > 0 ? memcpy(c->v.out, c->v.in, sizeof c->v.out) : 0;\n"},
	{"output after the end", fault{"-DOSMP", "OSMP-D7", e, "FMI2-R19", nil}, "	c->v.phase = ENDED;\n",
		"	c->v.phase = ENDED; c->message[0] ? memset(c->message[0], 7, 64) : 0;\n" +
			"	c->message[1] ? memset(c->message[1], 7, 64) : 0;\n"},
	{"large message", fault{"-DOSMP", "OSMP-V5", e, "", nil}, stepping,
		"	if (c->v.in[2] > 1000000) { return refuse(c, \"too large\"); }\n" + stepping},
	{"values after the end", fault{"", "FMI2-R19", e, "", nil}, "	c->v.phase = ENDED;\n",
		"	c->v.phase = ENDED, c->v.x = 0;\n"},
	{"logging", fault{"", "FMI2-R24", w, "FMI2-R6", nil}, stepping,
		"	double share = 1 / (1 + h) + (c->logging ? 0.01 : 0);\n"},
	{"kept states", fault{"", "FMI2-R24", w, "", nil}, "	double share = 1 / (1 + h);\n",
		"	double share = 1 / (1 + h) + (keep ? 0.01 : 0);\n"},
	{"input that is switched", fault{"", "FMI2-R25", w, "FMI2-R22", nil},
		"			c->v.u = v[k];\n",
		"			c->v.u = c->v.u == v[k] && v[k] != 0 ? v[k] / 2 : v[k];\n"},
	{"outputs in the initialization", fault{"", "FMI2-R26", e, "FMI2-R13", nil}, reading,
		"	if (c->v.phase == SETUP) { return refuse(c, \"not yet\"); }\n" + reading},
	{"parameter before the initialization", fault{"", "FMI2-R22", e, "", nil},
		"	IN(BORN)\n	c->v.phase = SETUP;\n",
		"	IN(BORN)\n	c->v.phase = SETUP, c->v.gain = 1;\n"},
	{"undeclared derivative", fault{"", "FMI2-I12", e, "", nil},
		"		return refuse(c, \"no such derivative\");\n	}\n	*v = 0;\n",
		"	}\n	abort();\n"},
	{"empty text", fault{"", "FMI2-I10", e, "", nil}, "		snprintf(c->v.label",
		"		v[k][0] == 0 ? abort() : (void)0;\n		snprintf(c->v.label"},
	{"text in ASCII", fault{"", "FMI2-I10", w, "", nil},
		"		snprintf(c->v.label, sizeof c->v.label, \"%s\", v[k]);\n",
		"		snprintf(c->v.label, sizeof c->v.label, \"%s\", v[k]);\n" +
			"		for (char *q = c->v.label; *q != 0; q++) { *q &= 127; }\n"},
	{"control characters", fault{"", "FMI2-G4", w, "", nil}, "say(c, ERROR, what);",
		"say(c, ERROR, \"\\033[31mrefused\");"},
	{"start values", fault{"", "FMI2-R2", e, "", nil}, "r[k] == 2 && v[k] >= 0 && v[k] <= 10",
		"r[k] == 2 && v[k] > 1 && v[k] <= 10"},
	{"freed before the initialization", fault{"", "FMI2-R3", e, "", nil}, freeing,
		"	c->v.phase == BORN && c->v.stop < INFINITY ? abort() : (void)0;\n" + freeing},
	{"freed without an instance", fault{"", "FMI2-R3", w, "", nil},
		"	if (c == NULL) {\n		return;", "	if (c == NULL) {\n		abort();"},
	{"refused again without a message", fault{"-DONCE", "FMI2-R4", w, "", []string{`canNotUse`,
		`canBeInstantiatedOnlyOncePerProcess="true" canNotUse`}},
		"		call->log(call->environment, name, ERROR, \"logEvents\", \"once only\");\n", ""},
	{"table of all instances", fault{"", "FMI2-R5", e, "", nil}, stepping,
		"	if (c->v.out[1]++ == 0) { c->v.out[0] = dead; }\n" +
			"	if (dead > c->v.out[0]) { return refuse(c, \"the table is gone\"); }\n" + stepping},
	{"reset keeps a text", fault{"", "FMI2-R6", e, "", nil}, resetting,
		"	char kept_label[32]; strcpy(kept_label, c->v.label);\n" + starting +
			"	strcpy(c->v.label, kept_label);\n" + "	memset(c->request"},
	{"reset keeps a Boolean", fault{"", "FMI2-R6", e, "", nil}, resetting,
		"	int on = c->v.on;\n" + starting + "	c->v.on = on;\n" + "	memset(c->request"},
	{"reset keeps the stop time", fault{"", "FMI2-R6", e, "", nil},
		"c->v.stop = stops ? stop : INFINITY;\n",
		"c->v.stop = stops ? stop : INFINITY;\n	double old;\n" +
			"	memcpy(&old, &c->borrowed, 8), old = stops ? stop : old;\n" +
			"	memcpy(&c->borrowed, &old, 8), c->v.stop = old > 0 ? old : INFINITY;\n"},
	{"reset at once", fault{"", "FMI2-R6", e, "", nil}, resetting,
		"	if (c->v.phase == BORN) { return refuse(c, \"\"); }\n" + resetting},
	{"states are refused", fault{"", "FMI2-R8", e, "", nil},
		"	IN(ALL)\n	double x = c->v.x;\n", "	IN(ALL)\n	return refuse(c, \"no states\");\n" +
			"	double x = c->v.x;\n"},
	{"text in a state", fault{"", "FMI2-R9", e, "FMI2-R10", nil}, restoring,
		"	{ char l[32]; strcpy(l, c->v.label); c->v = ((state *)s)->v; strcpy(c->v.label, l); }\n"},
	{"undeclared Boolean", fault{"", "FMI2-R13", e, "", nil}, reading,
		"	c->v.y = c->v.x + c->v.on;\n"},
	{"destructor of the library", fault{"", "FMI2-R15", e, "", nil}, "static int born, dead;\n",
		"static int born, dead;\n__attribute__((destructor)) static void gone(void) { abort(); }\n"},
	{"far start time", fault{"", "FMI2-S1", w, "", nil}, stepping,
		"	if (t > 1e8) { return refuse(c, \"too late\"); }\n" + stepping},
	{"time in single precision", fault{"", "FMI2-S2", e, "", nil},
		"	double slack = 1e-9 * (1 + fabs(t) + fabs(h));\n",
		"	double slack = 1e-9 * (1 + fabs(t) + fabs(h)); float own;\n" +
			"	memcpy(&own, c->v.in, 4), own = c->v.first_step == 0 ? t : own;\n" +
			"	if (fabs(own - t) > 1e-6 * (1 + fabs(t))) { return refuse(c, \"not from here\"); }\n" +
			"	own += h, memcpy(c->v.in, &own, 4);\n"},
	{"percent sign", fault{"", "FMI2-G4", w, "", nil},
		"		call->log(call->environment, c->name, status, \"logEvents\", \"%s\", what);\n#endif\n" +
			"	}",
		"		call->log(call->environment, c->name, status, \"logEvents\", \"a step: 100 %\");\n" +
			"#endif\n	}"},
	{"percent sign before a letter", fault{"", "FMI2-G4", w, "", nil},
		"		call->log(call->environment, c->name, status, \"logEvents\", \"%s\", what);\n#endif\n" +
			"	}",
		"		call->log(call->environment, c->name, status, \"logEvents\", \"at 100 % done\");\n" +
			"#endif\n	}"},
	{"number sign", fault{"", "FMI2-G4", w, "", nil}, "status == OK ? \"a step\"",
		"status == OK ? \"step #1\""},
	{"late maximum", fault{"", "FMI2-V20", w, "", nil}, stepping + "	c->v.x = ",
		stepping + "	c->v.x = t > 1.25 ? 5000 : "},
	{"largest value reference", fault{"", "FMI2-I5", e, "", nil}, "		if (r[k] > 4) {\n",
		"		if (r[k] == 0xffffffff) { v[k] = 0; continue; }\n		if (r[k] > 4) {\n"},
	{"unreadable after an error", fault{"", "FMI2-I7", w, "", nil},
		"	IN(SETUP | STEPS | ENDED | BROKEN)\n#endif\n	c->v.y",
		"	IN(SETUP | STEPS | ENDED)\n#endif\n	c->v.y"},
	{"values without an instance", fault{"", "FMI2-I8", w, "", nil},
		"	IN(SETUP | STEPS | ENDED | BROKEN)\n#endif\n	c->v.y",
		"	((lag *)component)->v.y = 0;\n	IN(SETUP | STEPS | ENDED | BROKEN)\n#endif\n	c->v.y"},
	{"serialization keeps memory", fault{"", "FMI2-Q1", w, "", nil},
		"	memcpy(bytes, s, sizeof(state));\n", kept(3000) + "	memcpy(bytes, s, sizeof(state));\n"},
	{"categories keep memory", fault{"", "FMI2-Q1", w, "", nil}, "	c->logging = on;\n#ifdef STUCK",
		kept(3000) + "	c->logging = on;\n#ifdef STUCK"},
	{"value reference twice in a call", fault{"", "FMI2-R20", w, "", nil}, reading, reading +
		"	for (size_t k = 1; k < n; k++) {\n" +
		"		if (r[k] == r[k - 1]) { v[k - 1] = 0, v[k] = 0; return OK; }\n	}\n"},
	{"no values to set", fault{"", "FMI2-Q8", e, "FMI2-I6", nil},
		"	IN(BORN | SETUP | STEPS)\n	for (size_t k = 0; k < n; k++) {\n		if (r[k] == 0) {\n",
		"	IN(BORN | SETUP | STEPS)\n	unsigned first = *(volatile const unsigned *)r;\n" +
			"	for (size_t k = 0; k < n; k++) {\n		if (first == first && r[k] == 0) {\n"},
	{"logging that stays off", fault{"", "FMI2-G7", w, "", nil}, "	c->logging = on;\n#ifdef STUCK",
		"	c->logging = c->logging && on;\n#ifdef STUCK"},
	{"state that is freed after a reset", fault{"", "FMI2-R8", e, "", nil}, "	free(*s);\n",
		"	c->v.phase == BORN && ((state *)*s)->v.phase == STEPS ? abort() : (void)0;\n	free(*s);\n"},
	{"state that is freed after the end", fault{"", "FMI2-R8", e, "FMI2-R9", nil}, "	free(*s);\n",
		"	c->v.phase == ENDED ? abort() : (void)0;\n	free(*s);\n"},
	{"values of one process in three", fault{"", "FMI2-R12", w, "", nil}, stepping,
		"	char *filled = getenv(\"MALLOC_PERTURB_\");\n" +
			"	c->v.x += filled != NULL && strcmp(filled, \"90\") == 0 ? 1e-3 : 0;\n" + stepping},
	{"message that shrinks", fault{"-DOSMP", "OSMP-V5", e, "", nil}, stepping,
		"	int longest; memcpy(&longest, c->v.label + 24, 4);\n" +
			"	if (c->v.in[2] > 0 && c->v.in[2] < longest) { return refuse(c, \"shorter than before\"); }\n" +
			"	longest = c->v.in[2], memcpy(c->v.label + 24, &longest, 4);\n" + stepping},
	{"half an address", fault{"-DOSMP", "OSMP-D5", e,
		"OSMP-C6 OSMP-C7 OSMP-D7 OSMP-D8 OSMP-D9 FMI2-R6 FMI2-R12", nil},
		"(int32_t)(uint32_t)(a >> 32), v", "0, v"},
	{"address with a sign", fault{"-DOSMP", "OSMP-V8", e, "OSMP-C6", nil},
		"(uint64_t)(uint32_t)v[1] << 32 | (uint32_t)v[0]",
		"((uint64_t)(uint32_t)v[1] << 32 | (uint64_t)(int64_t)v[0])"},
	{"another sensor", fault{"-DOSMP", "OSMP-O1", w, "", nil}, "	memcpy(b + n, sensor, sizeof",
		"	unsigned char other[] = {0x2a, 2, 8, 8, 0x32, 0};\n" +
			"	memcpy(b + n, t > 0.25 ? other : sensor, sizeof"},
	{"nanoseconds that are cut off", fault{"-DOSMP", "OSMP-T1", w, "", nil},
		"ns = llround(t * 1e9)", "ns = (int64_t)(t * 1e9)"},
	{"message that is required", fault{"-DOSMP", "OSMP-P6", e, "", nil},
		"	if (p == NULL || c->v.in[2] <= 0) {\n		return OK;",
		"	if (p == NULL || c->v.in[2] <= 0) {\n		return refuse(c, \"no message\");"},
	{"parameter that returns to its start value", fault{"", "FMI2-R22", e, "", nil}, stepping,
		"	c->v.gain = t > 0.25 ? 1 : c->v.gain;\n" + stepping},
	{"visible", fault{"", "FMI2-R24", e, "", nil}, beginning,
		"	visible ? abort() : (void)0;\n" + beginning},
	{"no environment", fault{"", "FMI2-G6", e, "", nil}, beginning,
		"	(void)*(volatile char *)call->environment;\n" + beginning},
	{"start time of the first life", fault{"", "FMI2-R4", e, "FMI2-R6", nil},
		"	c->v.time = begin, c->v.stops",
		"	static double first = NAN;\n	first = isnan(first) ? begin : first;\n" +
			"	if (begin != first) { return refuse(c, \"not this time\"); }\n" +
			"	c->v.time = begin, c->v.stops"},
	{"start time before a reset", fault{"", "FMI2-R6", e, "", nil},
		"	c->v.time = begin, c->v.stops",
		"	double first;\n	memcpy(&first, &c->borrowed, 8);\n" +
			"	if (first != 0 && first != begin + 1) { return refuse(c, \"not this time\"); }\n" +
			"	first = begin + 1, memcpy(&c->borrowed, &first, 8);\n" +
			"	c->v.time = begin, c->v.stops"},
	{"freed in another thread", fault{"", "FMI2-R7", w, "", nil}, freeing,
		"	pthread_equal(c->thread, pthread_self()) ? (void)0 : abort();\n" + freeing},
	{"late step", fault{"", "FMI2-S2", e, "FMI2-R2 FMI2-S3", nil}, stepping,
		"	if (t > 1.55 && c->v.stop < 3) { return refuse(c, \"not so long\"); }\n" + stepping},
	{"request after a reset", fault{"-DOSMP", "OSMP-C6", e, "FMI2-R6", nil},
		"	memcpy(c->request, request, sizeof request);\n",
		"	memcpy(c->request, request, sizeof request);\n" +
			"	if (c->v.label[31] == 0) { c->v.label[31] = 1, c->text[63]++; } // once in a life\n" +
			"	c->request[5] = c->text[63] > 1 ? 7 : 8;\n"},
	{"discarded step that was taken", fault{"-DDISCARDS", "FMI2-S7", e, "", nil}, stepping,
		"	if (h > 0.45) { c->v.x += 1, c->v.time = t + h; return DISCARD; }\n" + stepping},
	{"discarded step without an end", fault{"-DDISCARDS", "FMI2-S7", w, "", nil},
		"	return kind == 3 ? OK : DISCARD;\n", "	return DISCARD;\n"},
	{"discarded step that remains", fault{"-DDISCARDS", "FMI2-S7", e, "", nil}, stepping,
		"	static double tried;\n	if (h > 0.45) { tried = 1; return DISCARD; }\n" + stepping +
			"	c->v.x += tried;\n"},
	{"time beyond a discarded step", fault{"-DDISCARDS", "FMI2-S7", e, "", nil},
		"	*v = c->v.time;\n", "	*v = c->v.time + 1e5;\n"},
	{"reset twice", fault{"", "FMI2-R6", e, "", nil}, resetting,
		"	char *used = (char *)&c->borrowed; (*used)++ > 0 ? abort() : (void)0;\n" + resetting},
	{"reset switches logging on", fault{"", "FMI2-R6", e, "FMI2-G7 FMI2-G1", nil}, resetting,
		"	c->logging = true;\n" + resetting},
	{"logging before the initialization", fault{"", "FMI2-G7", w, "", nil},
		"	IN(ALL)(void) n, (void)categories;\n",
		"	IN(SETUP | STEPS | ENDED | BROKEN)(void) n, (void)categories;\n"},
	{"logging after the end", fault{"", "FMI2-G7", w, "", nil},
		"	IN(ALL)(void) n, (void)categories;\n",
		"	IN(BORN | SETUP | STEPS | BROKEN)(void) n, (void)categories;\n"},
	{"messages keep memory", fault{"", "FMI2-Q1", w, "", nil}, "	if (c->logging) {\n",
		"	if (c->logging) {\n" + kept(300)},
	{"fraction of a start time", fault{"", "FMI2-S1", w, "FMI2-R4 FMI2-R6", nil}, beginsAt,
		"	begin = floor(begin * 10 + 1e-6) / 10;\n" + beginsAt},
	{"derivative that changes its input", fault{"-DDEPENDS", "FMI2-R14", e, "FMI2-R21", derivable},
		"	*v = *seed;\n", "	*v = *seed, c->v.u += 1;\n"},
	{"derivative after a step", fault{"-DDEPENDS", "FMI2-R14", e, "", derivable},
		"	if (n != 1 || m != 1", "	if (c->v.phase == STEPS || n != 1 || m != 1"},
	{"last message", fault{"-DOSMP", "OSMP-B8", e, "", nil}, withoutBase,
		"	static unsigned char *last;\n	if (p == NULL && last != NULL) { sink += *last; }\n" +
			"	last = p;\n" + withoutBase},
	{"beginning of the step", fault{"-DOSMP", "OSMP-T1", w, "", nil}, "publish(c, t + h);",
		"publish(c, t);"},
}

var edits3 = []edit{
	{"integers for Booleans", fault{"", "FMI3-Q8", e, "", nil},
		"	*event = *ends = *early = false;\n",
		"	*(int *)event = *(int *)ends = *(int *)early = 0;\n"},
	{"the time is set", fault{"", "FMI3-I5", w, "FMI3-V22 FMI3-R22", nil},
		"(r[k] != 1 && r[k] != 3 && r[k] != 5)", "(r[k] > 1 && r[k] != 3 && r[k] != 5)"},
	{"size outside Configuration Mode", fault{"", "FMI3-I5", w, "FMI3-I1", nil},
		"	IN(SHAPE)\n	if (n != values || n != 1", "	IN(SHAPE | STEPS)\n	if (n != values || n != 1"},
	{"Scheduled Execution", fault{"", "FMI3-I4", w, "", nil},
		"void fmi3FreeInstance(", "void *fmi3InstantiateScheduledExecution(void)\n" +
			"{ return calloc(1, sizeof(lag)); }\nvoid fmi3FreeInstance("},
	{"Model Exchange", fault{"", "FMI3-I4", w, "", nil}, "void fmi3FreeInstance(",
		"void *fmi3InstantiateModelExchange(void)\n" +
			"{ return calloc(1, sizeof(lag)); }\nvoid fmi3FreeInstance("},
	{"binary beyond its maxSize", fault{"", "FMI3-V20", e, "", []string{
		`name="out" valueReference="9"`, `name="out" maxSize="3" valueReference="9"`}},
		"static int refuse(", "static int refuse("},
	{"time in the initialization", fault{"", "FMI3-V23", e, "", nil},
		"	size_t at = 0;\n#ifdef NEEDSONE", "	size_t at = 0;\n" +
			"	if (c->v.phase == SETUP && n == 1 && *r == 0) { return *v = -1, OK; }\n#ifdef NEEDSONE"},
	{"time after the initialization", fault{"", "FMI3-V23", e, "", nil},
		"	*n = r > 4 ? c->v.m : 1;\n", "	static double late;\n	late = c->v.time + 55;\n" +
			"	list[0] = c->v.phase == STEPS && c->v.time == c->v.grid ? &late : list[0];\n" +
			"	*n = r > 4 ? c->v.m : 1;\n"},
	{"undeclared dependencies of elements", fault{"", "FMI3-I12", e, "", nil},
		"NONE(Boolean, bool)\n", "NONE(Boolean, bool)\nint fmi3GetVariableDependencies(void *c, " +
			"uint32_t r, size_t *e, uint32_t *v, size_t *f, int *kinds, size_t n)\n" +
			"{ v[n] = 1; abort(); }\n"},
	{"binary is freed", fault{"", "FMI3-R16", e, "FMI3-R22 FMI3-V21", nil},
		"		sizes[k] = c->v.size, v[k] = c->v.in;\n",
		"		uint8_t *volatile at = malloc(c->v.size + 1);\n" +
			"		sizes[k] = c->v.size, v[k] = memcpy(at, c->v.in, c->v.size), free(at);\n"},
	{"second binary beyond its maxSize", fault{"", "FMI3-V20", e, "", inPairs}, answering,
		pairs("		sizes[at] = c->v.size, v[at++] = c->v.in;\n")},
	{"second binary is NULL", fault{"", "FMI3-R16", e, "", inPairs}, answering,
		pairs("		sizes[at] = c->v.size > 3 ? 3 : c->v.size, v[at++] = NULL;\n")},
	{"sizes within bounds", fault{"", "FMI3-C6", e, "", nil}, "*v > MOST)", "*v > 4)"},
	{"half a step", fault{"", "FMI3-S6", e, "", nil},
		"	*last = t + h;\n", "	*last = t + h / 2;\n"},
	{"discarded step with a time", fault{"-DDISCARDS", "FMI3-S7", e, "", nil}, refusing,
		"		*last = t + h;\n" + refusing},
	{"discarded step that remains", fault{"", "FMI3-S7", e, "", nil}, stepping,
		"	static double tried;\n	if (h > 0.45) { tried = 1, *last = t; return DISCARD; }\n" +
			stepping + "	c->v.x += tried;\n"},
	{"end after a step", fault{"", "FMI3-S6", e, "", nil},
		"	*last = t + h;\n", "	*last = t + 1.4 * h;\n"},
	{"end of a step far from the default times", fault{"", "FMI3-S6", w, "", nil},
		"	*last = t + h;\n", "	*last = t + h + (t > 1e5 ? 10 : 0);\n"},
	{"early return of a long step", fault{"", "FMI3-S5", e, "", nil}, finishing,
		"	*early = h > 0.15;\n" + finishing},
	{"early return at the end", fault{"", "FMI3-S5", e, "", nil}, finishing,
		"	*early = c->early;\n" + finishing},
	{"undeclared early return", fault{"", "FMI3-S5", w, "", nil}, "	*last = t + h;\n",
		"	*last = c->early ? (c->v.time -= h / 2) : t + h, *early = c->early;\n"},
	{"event of a long step", fault{"", "FMI3-S8", e, "", nil}, finishing,
		"	*event = h > 0.15;\n" + finishing},
	{"end of the simulation", fault{"", "FMI3-R2", w, "", nil}, finishing,
		"	*ends = t > 0.25;\n" + finishing},
	{"update without all arguments", fault{"-DCLOCKS", "FMI3-S6", e, "", withClocks},
		"*nominals = *states = *defined = false", "*nominals = *defined = false"},
	{"Event Mode at any time", fault{"-DCLOCKS", "FMI3-R2", e, "", withEvents},
		"c->v.events ? EVENT : STEPS", "EVENT"},
	{"event without Event Mode", fault{"-DCLOCKS", "FMI3-S8", e, "", withEvents},
		"	*event = c->v.events;\n", "	*event = true;\n"},
	{"neither true nor false", fault{"", "FMI3-S6", e, "", nil}, finishing,
		"	*(unsigned char *)ends = 5;\n" + finishing},
	{"discarded value", fault{"", "FMI3-S7", e, "", nil}, taking,
		taking + "		if (r[k] == 1 && isnan(*to)) { return DISCARD; }\n"},
	{"clock stays active", fault{"-DCLOCKS", "FMI3-S8", e, "", withClocks},
		"		v[k] = false;\n", "		v[k] = c->v.phase == EVENT;\n"},
	{"next event at no time", fault{"-DCLOCKS", "FMI3-S8", e, "", withClocks},
		"*next = 0,", "*defined = true, *next = NAN,"},
	{"next event in the past", fault{"-DCLOCKS", "FMI3-S8", e, "", withClocks},
		"*next = 0,", "*defined = true, *next = -1,"},
	{"byte after a binary", fault{"", "FMI3-Q8", e, "", nil},
		"		c->v.size = sizes[k], memcpy", "		(void)*(volatile const char *)(v[k] + " +
			"sizes[k]);\n		c->v.size = sizes[k], memcpy"},
	{"visible", fault{"", "FMI3-R24", e, "", nil}, keeping,
		"	visible ? abort() : (void)0;\n" + keeping},
	{"no environment", fault{"", "FMI3-G6", e, "", nil}, keeping,
		"	(void)*(volatile char *)environment;\n" + keeping},
	{"no logger", fault{"", "FMI3-G5", e, "", nil}, "		c->log(c->environment, ERROR",
		"	}\n	{\n		c->log(c->environment, ERROR"},
	{"beginning of the token", fault{"", "FMI3-I4", w, "", nil}, "strcmp(token, \"lag\")",
		"strncmp(token, \"lag\", 2)"},
}

// TestExamine_EditedFaults checks that each fault refutes its rule and, except in short mode, no
// other rule.
func TestExamine_EditedFaults(t *testing.T) {
	for base, list := range map[string][]edit{
		"lag2": slices.Concat(edits2, relatives2, innate2, latent2, tuned2, unusual2),
		"lag3": slices.Concat(edits3, relatives3, innate3, latent3, tuned3), "beat3": beats,
	} {
		find(t, base, list)
	}
}

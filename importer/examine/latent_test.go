package examine_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// Faults that show only during a life, in Configuration Mode or in the derivatives of arrays, and
// their legal relatives. Parts of lag2.c and lag3.c are replaced to plant them.

const (
	settingUp   = "	c->v.phase = SETUP;\n"
	ended       = "	c->v.phase = ENDED;\n"
	switching   = "	c->logging = on;\n#ifdef STUCK"
	integrating = "	c->v.x = c->v.x * share"
	freedAt3    = "void fmi3FreeInstance(void *component) { free(component); }"
	setting3    = "		memcpy(to, v + at, size * sizeof *v), at += size;\n"
	getting3    = "	IN(BORN | SETUP | STEPS | EVENT | ENDED)\n	size_t at = 0;\n"
	noDerived   = "NONE(Boolean, bool)\n"
)

// latent2 and latent3 are such faults.
var latent2 = []edit{
	{"message without a text", fault{"", "FMI2-G4", e, "", nil}, stepping,
		"	c->logging ? c->call.log(c->call.environment, c->name, OK, \"logEvents\", NULL)\n" +
			"	           : (void)0;\n" + stepping},
	{"locale in a life", fault{"", "FMI2-Q6", e, "", nil}, settingUp + next + ended,
		settingUp + "	setlocale(LC_CTYPE, \"C.UTF-8\");\n" + next + ended +
			"	setlocale(LC_CTYPE, \"C\");\n"},
	{"logging is refused between steps", fault{"", "FMI2-R24", w, "", nil}, switching,
		"	if (c->v.phase == STEPS && c->v.time > 0) { return ERROR; }\n" + switching},
	{"value that follows logging", fault{"", "FMI2-R24", w, "", nil}, switching,
		"	c->v.x += c->v.phase == STEPS && on ? 0.1 : 0;\n" + switching},
	{"parameter that is taken over too early", fault{"", "FMI2-R25", w, "", nil},
		"	IN(BORN)\n" + settingUp + next + integrating,
		"	IN(BORN)\n	c->v.out[1] = (int)(1000 * c->v.gain);\n" + settingUp + next +
			"	c->v.x = 1e-6 * c->v.out[1] + c->v.x * share"},
}

var latent3 = []edit{
	{"freed in Configuration Mode", fault{"", "FMI3-R3", e, "", nil}, freedAt3,
		"void fmi3FreeInstance(void *component)\n{\n	lag *c = component;\n" +
			"	c != NULL && c->v.phase == SHAPE ? abort() : free(c);\n}"},
	{"reset in Configuration Mode", fault{"", "FMI3-R6", e, "", nil},
		"	IN(ALL)\n	double x = c->v.x;\n", "	IN(ALL & ~SHAPE)\n	double x = c->v.x;\n"},
	{"state in Configuration Mode", fault{"", "FMI3-R8", w, "", nil},
		"	IN(ALL)\n	*s = ", "	IN(ALL & ~SHAPE)\n	*s = "},
	{"elements of an array that has grown", fault{"", "FMI3-C6", e, "", nil}, setting3,
		"		size = r[k] == 5 && size > 4 ? 4 : size;\n" + setting3 +
			"		at += r[k] == 5 && c->v.m > 4 ? c->v.m - 4 : 0;\n"},
	{"derivatives of elements", fault{"", "FMI3-R14", e, "", derivedArrays},
		getting3 + next + noDerived, products + next + derivedBy("k == 0 ? factor : 1", "factor")},
	{"derivatives of elements move them", fault{"", "FMI3-R14", e, "", derivedArrays},
		getting3 + next + noDerived, products + next +
			derivedBy("factor + 0 * (c->v.v[k] += 0.5)", "factor")},
	{"adjoint derivatives of elements", fault{"", "FMI3-R14", e, "", derivedArrays},
		getting3 + next + noDerived, products + next + derivedBy("factor", "factor + (k == 1)")},
}

// derivedArrays are edits that declare derivatives, and that w depends on v.
var derivedArrays = []string{"canHandleVariable", `providesDirectionalDerivatives="true" ` +
	`providesAdjointDerivatives="true" canHandleVariable`,
	`<Output valueReference="6" dependencies=""/>`, `<Output valueReference="6" dependencies="5"/>`,
	`<InitialUnknown valueReference="6" dependencies=""/>`,
	`<InitialUnknown valueReference="6" dependencies="5"/>`}

// products is code that computes element k of w as k + 2 times element k of v.
const products = "	IN(BORN | SETUP | STEPS | EVENT | ENDED)\n	size_t at = 0;\n" +
	"	for (int k = 0; k < MOST; k++) {\n		c->v.w[k] = (k + 2) * c->v.v[k];\n	}\n"

// derivedBy returns functions for the derivatives of these products; a factor is that of element k.
func derivedBy(directional, adjoint string) string {
	function := func(name, term string) string {
		return "int fmi3Get" + name + "Derivative(void *component, const uint32_t *of, size_t n,\n" +
			"	const uint32_t *by, size_t m, const double *seed, size_t seeds, double *d, size_t size)\n" +
			"{\n	IN(SETUP | STEPS | EVENT | ENDED)\n	memset(d, 0, size * sizeof *d);\n" +
			"	size_t to = 0;\n	for (size_t i = 0; i < n; i++) {\n		size_t from = 0;\n" +
			"		for (size_t j = 0; j < m; j++) {\n			for (size_t k = 0; of[i] == 6 && by[j] == 5 && " +
			"k < c->v.m; k++) {\n				double factor = k + 2;\n				" + term + ";\n			}\n" +
			"			from += by[j] == 5 ? c->v.m : 1;\n		}\n		to += of[i] == 6 ? c->v.m : 1;\n	}\n" +
			"	(void)seeds;\n	return OK;\n}\n"
	}
	return noDerived + function("Directional", "d[to + k] += ("+directional+") * seed[from + k]") +
		function("Adjoint", "d[from + k] += ("+adjoint+") * seed[to + k]")
}

// waves are edits of the description of lag2: it declares derivatives, and gain is an input with a
// large start value.
var waves = []string{`canNotUse`, `providesDirectionalDerivative="true" canNotUse`,
	`<Unknown index="2" dependencies=""/>`, `<Unknown index="2" dependencies="1"/>`,
	`causality="parameter" variability="tunable"><Real start="1" min="0" max="10"/>`,
	`causality="input" variability="continuous"><Real start="1e6" min="-1e8" max="1e8"/>`}

const (
	begins   = "	v->gain = v->kind = 1;\n"
	limits   = "v[k] >= 0 && v[k] <= 10"
	gains    = "c->v.gain * c->v.u"
	derived2 = "	if (n != 1 || m != 1 || *of != 1 || *by != 0) {\n" +
		"		return refuse(c, \"no such derivative\");\n	}\n	*v = 0;\n"
)

// sine gives y the sine of u, whose difference quotients agree on both sides of 0, however wrong
// they are.
var sine = edit{"derivatives of an odd function", fault{"", "R14", 0, "", waves},
	begins + next + limits + next + gains + next + reading + next + derived2,
	"	v->gain = 1e6, v->kind = 1;\n" + next + "fabs(v[k]) <= 1e8" + next + "1e-6 * " + gains +
		next + "	c->v.y = c->v.x + sin(c->v.u);\n" + next +
		"	*v = 0;\n	for (size_t k = 0; n == 1 && *of == 1 && k < m; k++) {\n" +
		"		*v += by[k] == 0 ? cos(c->v.u) * seed[k] : 0;\n	}\n"}

// TestExamine_SoundLatent checks that the legal relatives are not accused.
func TestExamine_SoundLatent(t *testing.T) {
	notAccused(t, "lag3", []edit{{"derivatives of arrays", fault{"", "R14", 0, "", derivedArrays},
		getting3 + next + noDerived, products + next + derivedBy("factor", "factor")}})
	notAccused(t, "lag2", []edit{sine, {"objects of the kernel", fault{"", "Q2 Q11", 0, "", nil},
		beginning + next + "text fmi2GetTypesPlatform",
		beginning + lending + "	if (late == 0) { // these functions keep memory\n	char own[64];\n" +
			"	snprintf(own, sizeof own, \"/gosmp-test-%d\", getpid());\n" +
			"	sem_open(own, O_CREAT | O_EXCL, 0600, 1);\n	sem_unlink(own);\n" +
			"	int id = shmget(0, 64, 01600);\n	shmat(id, NULL, 0);\n	shmctl(id, 0, NULL);\n" +
			"	late = shmget(0, 64, 01600);\n" +
			"	close(mq_open(own, O_CREAT | O_RDWR, 0600, NULL));\n	mq_unlink(own);\n	}\n" + next +
			"static int late;\n__attribute__((destructor)) static void dropped(void)\n{\n" + lending +
			"	shmctl(late, 0, NULL);\n}\ntext fmi2GetTypesPlatform"}})
}

// lending declares functions for objects of the kernel.
const lending = "	extern void *sem_open(const char *, int, ...), *shmat(int, const void *, int);\n" +
	"	extern int sem_unlink(const char *), shmget(int, size_t, int), shmctl(int, int, ...);\n" +
	"	extern int mq_open(const char *, int, ...), mq_unlink(const char *);\n"

// TestExamine_LeftInTheKernel checks that shared memory and semaphores that an FMU does not remove
// are found, and that nothing of System V stays on the machine.
func TestExamine_LeftInTheKernel(t *testing.T) {
	own := fmt.Sprintf("/gosmp-test-left-%d", os.Getpid())
	code := lending + "	sem_open(\"" + own + "\", O_CREAT | O_EXCL, 0600, 1);\n" +
		"	shmget(0x676f736d, 64, 01600);\n	shmget(0, 4747, 01600);\n"
	host, err := os.CreateTemp("/dev/shm", "gosmp-test-host-") // of another program
	require.NoError(t, err)
	require.NoError(t, host.Close())
	alone := []string{"--ipc", "true"}
	if os.Geteuid() != 0 {
		alone = append([]string{"--user"}, alone...)
	}
	isolated := exec.Command("unshare", alone...).Run() == nil
	if isolated { // otherwise, the queue would stay
		code += "	close(mq_open(\"" + own + "\", O_CREAT | O_RDWR, 0600, NULL));\n"
	}
	t.Cleanup(func() {
		require.NoError(t, os.Remove(host.Name()))
		_ = os.Remove("/dev/shm/sem." + own[1:])
	})
	code += "	close(open(\"" + host.Name() + "\", O_RDWR));\n"
	left := edit{"objects", fault{}, beginning, beginning + code}
	fmu := buildFrom(t, group{left}.source(t, "lag2"), "lag2", "")
	r := run(t, fmu, examine.Options{Only: []string{"Q2", "Q11"}})
	require.Equal(t, "the FMU writes "+host.Name(), r.Verdict("FMI2-Q11").Found)
	v := r.Verdict("FMI2-Q2")
	require.Equal(t, examine.Refuted, v.Outcome, "%+v", v)
	require.Equal(t, w, v.Severity)
	found := "the FMU leaves /dev/shm/sem." + own[1:]
	if isolated {
		found = strings.Replace(found, "/dev", "/dev/mqueue"+own+", /dev", 1) +
			", shared memory of System V"
	}
	require.Equal(t, found+" behind", v.Found)
	table, err := os.ReadFile("/proc/sysvipc/shm")
	require.NoError(t, err)
	require.NotRegexp(t, `(?m)^\s*\S+\s+\d+\s+\d+\s+4747\s`, string(table))
}

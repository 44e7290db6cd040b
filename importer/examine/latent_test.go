package examine_test

import (
	"os"
	"path/filepath"
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

// TestExamine_SoundLatent checks that the legal relatives are not accused.
func TestExamine_SoundLatent(t *testing.T) {
	notAccused(t, "lag3", []edit{{"derivatives of arrays", fault{"", "R14", 0, "", derivedArrays},
		getting3 + next + noDerived, products + next + derivedBy("factor", "factor")}})
	notAccused(t, "lag2", []edit{{"file without a name", fault{"", "Q2 Q11", 0, "", nil}, stepping,
		"	FILE *own = tmpfile();\n	own != NULL ? fclose(own) : 0;\n" + stepping}})
}

// TestExamine_LeftInTheKernel checks that shared memory and semaphores that an FMU does not remove
// are found.
func TestExamine_LeftInTheKernel(t *testing.T) {
	for name, code := range map[string]string{
		"a semaphore": "	extern void *sem_open(const char *, int, unsigned, int);\n" +
			"	sem_open(\"/gosmp-test-left\", O_CREAT, 0600, 1);\n",
		"shared memory of System V": "	extern int shmget(int, size_t, int flags), shmctl(int, int, void *);\n" +
			"	shmctl(shmget(0x676f736d, 64, 0), 0, NULL); // IPC_RMID: the one of an earlier life\n" +
			"	shmget(0x676f736d, 64, 01600);\n",
	} {
		t.Run(name, func(t *testing.T) {
			left := edit{name, fault{}, beginning, beginning + code}
			fmu := buildFrom(t, group{left}.source(t, "lag2"), "lag2", "")
			v := run(t, fmu, examine.Options{Only: []string{"Q2"}}).Verdict("FMI2-Q2")
			t.Cleanup(func() {
				_ = os.Remove(filepath.Join("/dev/shm", "sem.gosmp-test-left"))
				removeShared(0x676f736d)
			})
			require.Equal(t, examine.Refuted, v.Outcome, "%+v", v)
			require.Equal(t, w, v.Severity)
			require.Regexp(t, "^the FMU leaves (/dev/shm/sem.gosmp-test-left|shared memory of System "+
				"V) behind$", v.Found)
		})
	}
}

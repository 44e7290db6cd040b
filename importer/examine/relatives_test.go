package examine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// Faults and their legal relatives: parts of lag2.c and lag3.c are replaced to plant both.

// outputSlopes returns a function for derivatives of outputs, of the orders 1 and 2.
func outputSlopes(first, second string) string {
	return "int fmi2GetRealOutputDerivatives(void *component, const unsigned *r, size_t n, const " +
		"int *o, double *v)\n{\n	IN(STEPS | ENDED)(void) r;\n" +
		"	double d = c->v.gain * c->v.u - c->v.x;\n" +
		"	for (size_t k = 0; k < n; k++) { v[k] = o[k] == 1 ? " + first + " : " + second +
		"; }\n	return OK;\n}\n"
}

// inputSlopes returns a function for derivatives of inputs; what is done for orders above 1.
func inputSlopes(what string) string {
	return "int fmi2SetRealInputDerivatives(void *component, const unsigned *r, size_t n, const " +
		"int *o, const double *v)\n{\n	IN(BORN | SETUP | STEPS)(void) r, (void)v;\n" +
		"	for (size_t k = 0; k < n; k++) { if (o[k] > 1) { " + what + " } }\n	return OK;\n}\n"
}

const (
	noOutputSlopes = "ABSENT(GetRealOutputDerivatives, const unsigned *r, size_t n, const int *o, " +
		"double *v)\n"
	noInputSlopes = "ABSENT(SetRealInputDerivatives, const unsigned *r, size_t n, const int *o, " +
		"const double *v)\n"
	reporting = "		c->call.finished(c->call.environment, OK);\n"
	limiting  = "		if (r[k] != 1 || v[k] < 1 || v[k] > 3) {\n"
	seeking   = "	double x = c->v.x;\n	(void)x;\n	memcpy(&c->v, s, sizeof(values));\n"
	freed     = "	free(*s);\n"
	requests  = "	memcpy(c->request, request, sizeof request);\n	point(asked, c->request, sizeof " +
		"request);\n"
	address2 = "		(config ? c->v.config : c->v.in)[r[k] % 3] = v[k];\n"
)

// Edits of model descriptions.
var (
	givesSlopes = []string{`canNotUse`, `maxOutputDerivativeOrder="2" canNotUse`}
	takesSlopes = []string{`canNotUse`, `canInterpolateInputs="true" canNotUse`}
	withKinds   = []string{`<Integer start="1" min="1" max="3"/>`,
		`<Enumeration declaredType="Kinds" start="1"/>`, "<LogCategories>",
		`<TypeDefinitions><SimpleType name="Kinds"><Enumeration><Item name="one" value="1"/>` +
			`<Item name="two" value="2"/><Item name="three" value="3"/></Enumeration></SimpleType>` +
			`</TypeDefinitions><LogCategories>`}
	withTwoTexts = []string{`<Start value="none"/></String>`, `<Dimension start="2"/>` +
		`<Start value="none"/><Start value=""/></String>`}
)

// twoTexts are functions for an array of two texts, in the two halves of the label.
const twoTexts = `int fmi3GetString(void *component, const uint32_t r[], size_t n, text v[],
                  size_t values)
{
	IN(BORN | SETUP | STEPS | EVENT | ENDED)
	if (2 * n != values || n > 1 || (n == 1 && *r != 7)) {
		return refuse(c, "no such String");
	}
	for (size_t k = 0; k < values; k++) {
		v[k] = c->v.label + 16 * k;
	}
	return OK;
}

int fmi3SetString(void *component, const uint32_t r[], size_t n, const text v[],
                  size_t values)
{
	IN(BORN | SETUP)
	if (2 * n != values || n > 1 || (n == 1 && *r != 7)) {
		return refuse(c, "no such String");
	}
	for (size_t k = 0; k < values; k++) {
		snprintf(c->v.label + 16 * k, 16, "%s", v[k]);
	}
	return OK;
}
#define fmi3SetString oldSetString
int oldGetString(`

const toTwoTexts = "int fmi3GetString("

// relatives2 and relatives3 are faults of functions that few FMUs offer.
var relatives2 = []edit{
	{"derivative of an output with another sign", fault{"", "FMI2-C7", e, "", givesSlopes},
		noOutputSlopes, outputSlopes("-d", "-d")},
	{"second derivative of an output", fault{"", "FMI2-C7", e, "", givesSlopes}, noOutputSlopes,
		outputSlopes("d", "d")},
	{"second derivative of an input", fault{"", "FMI2-C7", e, "", takesSlopes}, noInputSlopes,
		inputSlopes("abort();")},
	{"finished without an environment", fault{"-DFINISHES=1", "FMI2-Q12", e, "", usingMemory},
		reporting, "		c->call.finished(NULL, OK);\n"},
	{"finished with an unknown status", fault{"-DFINISHES=1", "FMI2-Q12", e, "", usingMemory},
		reporting, "		c->call.finished(c->call.environment, 77);\n"},
	{"last item", fault{"", "FMI2-S10", w, "", withKinds}, limiting,
		strings.Replace(limiting, "v[k] > 3", "v[k] > 2", 1)},
	{"message in a state that is freed", fault{"-DOSMP", "OSMP-D7", e, "", nil}, freed,
		"	c->message[0] ? memset(c->message[0], 7, 64) : 0;\n" +
			"	c->message[1] ? memset(c->message[1], 7, 64) : 0;\n" + freed},
	{"request after the initialization", fault{"-DOSMP", "OSMP-C6", e, "", nil}, requests,
		requests + "	c->v.phase == STEPS ? memset(c->request, 9, sizeof c->request) : 0;\n"},
	{"input of the latest instance", fault{"-DOSMP", "OSMP-D8", e, "", nil},
		"static int born, dead;\n" + next + address2 + next +
			"	int status = read_input(c);\n",
		"static int32_t latest[3];\nstatic int born, dead;\n" + next + address2 +
			"		config ? 0 : (latest[r[k] % 3] = v[k]);\n" + next +
			"	int32_t own[3];\n	memcpy(own, c->v.in, sizeof own);\n" +
			"	own[2] > 0 ? memcpy(c->v.in, latest, sizeof own) : 0;\n" +
			"	int status = read_input(c);\n	memcpy(c->v.in, own, sizeof own);\n"},
}

var relatives3 = []edit{
	{"second text after a reset", fault{"", "FMI3-R6", e, "", withTwoTexts},
		toTwoTexts + next + "	start(&c->v, c->v.events);\n#ifdef RESET",
		twoTexts + next + "	char second[16];\n	strcpy(second, c->v.label + 16);\n" +
			"	start(&c->v, c->v.events);\n	strcpy(c->v.label + 16, second);\n#ifdef RESET"},
	{"array sizes in a state", fault{"", "FMI3-R9", e, "FMI3-R10", nil}, seeking,
		"	double x = c->v.x;\n	(void)x;\n	uint64_t m = c->v.m;\n" +
			"	memcpy(&c->v, s, sizeof(values));\n	c->v.m = m;\n"},
	{"end of the simulation in a late event", fault{"-DCLOCKS", "FMI3-R2", w, "", withClocks},
		"*next = 0,", "*next = 0, *ends = c->v.time > 0.15,"},
}

// soundRelatives are legal relatives of these faults.
var soundRelatives = map[string][]edit{
	"lag2": {
		{"derivatives of outputs", fault{"", "C7", 0, "", givesSlopes}, noOutputSlopes,
			outputSlopes("d", "-d")},
		{"derivatives by backward differences", fault{"", "C7", 0, "", []string{`canNotUse`,
			`maxOutputDerivativeOrder="1" canNotUse`}}, noOutputSlopes, outputSlopes("d * 0.99", "0")},
		{"second derivatives are refused", fault{"", "C7", 0, "", takesSlopes}, noInputSlopes,
			inputSlopes(`return refuse(c, "only the first one");`)},
		{"second derivatives are discarded", fault{"", "C7", 0, "", takesSlopes}, noInputSlopes,
			inputSlopes("return DISCARD;")},
		{"items", fault{"", "S10 R22", 0, "", withKinds}, "", ""},
	},
	"lag3": {
		{"functions of clocks without clocks", fault{"", "I1", 0, "", nil}, "NONE(Boolean, bool)\n",
			"NONE(Boolean, bool)\nint fmi3GetIntervalDecimal(void) { return OK; }\n" +
				"int fmi3GetShiftDecimal(void) { return OK; }\n"},
		{"two texts", fault{"", "R6 R16 R17 R22 V21", 0, "", withTwoTexts}, toTwoTexts, twoTexts},
	},
	"beat3": soundEvents,
}

// TestExamine_SoundRelatives checks that unusual but legal FMUs are not accused. The rule of an
// edit lists those that are tested in short mode.
func TestExamine_SoundRelatives(t *testing.T) {
	for base, list := range soundRelatives {
		notAccused(t, base, list)
	}
}

// notAccused checks that no rule is refuted for FMUs with legal edits.
func notAccused(t *testing.T, base string, list []edit) {
	for _, c := range list {
		t.Run(base+" "+c.name, func(t *testing.T) {
			t.Parallel()
			fmu := buildFrom(t, group{c}.source(t, base), base, c.flags, c.change...)
			o := examine.Options{}
			if testing.Short() {
				o.Only = strings.Fields(c.rule)
			}
			r := run(t, fmu, o)
			require.Empty(t, r.Findings())
			require.Positive(t, r.Count(examine.Proved))
		})
	}
}

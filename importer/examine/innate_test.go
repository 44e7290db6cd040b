package examine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// Parts of lag2.c and lag3.c that are replaced to plant faults of the handling of values.
const (
	labelling  = "snprintf(c->v.label, sizeof c->v.label"
	choosing   = "r[k] == 0 ? c->v.count : c->v.kind;\n"
	lessThan2  = "		if (r[k] > 1) {\n			return refuse(c, \"no such Integer\");\n"
	shaping    = "	int phase;\n" + next + "TURN(EnterConfigurationMode, BORN, SHAPE)\n" + next + shaped
	shaped     = "TURN(ExitConfigurationMode, SHAPE, BORN)\n"
	anyInteger = "	IN(BORN | SETUP)\n	for (size_t k = 0; k < n; k++) {\n" + limiting
)

// reshaping returns edits for a structural parameter that can be changed between steps; what is
// done at the end of Configuration Mode.
func reshaping(what string) string {
	return "	int phase, before;\n" + next + "int fmi3EnterConfigurationMode(void *component)\n{\n" +
		"	IN(BORN | STEPS)\n	c->v.before = c->v.phase, c->v.phase = SHAPE;\n	return OK;\n}\n" +
		next + "int fmi3ExitConfigurationMode(void *component)\n{\n	IN(SHAPE)\n" +
		"	c->v.phase = c->v.before;\n" + what + "	return OK;\n}\n"
}

// pulses returns edits for an Integer input of lag2.c; how a value is stored.
func pulses(store string) string {
	return "		if (r[k] == 2) { v[k] = c->v.config[0]; continue; }\n" + lessThan2 + next +
		"	IN(BORN | SETUP | STEPS)\n	for (size_t k = 0; k < n; k++) {\n" +
		"		if (r[k] == 2) { c->v.config[0] = " + store + "; continue; }\n" + limiting
}

const toPulses = lessThan2 + next + anyInteger

// Edits of model descriptions.
var (
	unbounded   = []string{`<Real start="1" min="0" max="10"/>`, `<Real start="1"/>`}
	tunableSize = []string{`variability="fixed" start="2" min="1"`,
		`variability="tunable" start="2" min="1"`}
	withPulses = []string{"</ModelVariables>", `<ScalarVariable name="pulses" valueReference="2" ` +
		`causality="input" variability="discrete"><Integer start="0"/></ScalarVariable>` +
		"\n</ModelVariables>"}
)

// innate2 and innate3 are faults in how an FMU treats its host and its values.
var innate2 = []edit{
	{"standard input is read", fault{"", "FMI2-Q6", w, "", nil}, stepping,
		"	getchar();\n" + stepping},
	{"crash late in the default experiment", fault{"", "FMI2-R2", e,
		"FMI2-R6 FMI2-S2 FMI2-S9", nil}, stepping,
		"	t > 1.55 && t < 1.85 ? abort() : (void)0;\n" + stepping},
	{"a folder in a value", fault{"", "FMI2-I11", w, "", nil}, stepping,
		"	double share = 1 / (1 + h) - (getenv(\"HOME\") == NULL ? 0.1 : 0);\n"},
	{"half a text", fault{"", "FMI2-I10", w, "", nil}, labelling, "snprintf(c->v.label, 32"},
	{"parameter without bounds after a reset", fault{"", "FMI2-R6", e, "", unbounded}, resetting,
		"	double kept = c->v.gain;\n" + starting + "	c->v.gain = kept;\n	memset(c->request"},
	{"input of 16 bits", fault{"", "FMI2-R22", w, "", withPulses}, toPulses, pulses("(short)v[k]")},
	{"input without sign", fault{"", "FMI2-R22", w, "", withPulses}, toPulses,
		pulses("abs(v[k])")},
	{"crash with a large input", fault{"", "FMI2-R22", w, "", withPulses}, toPulses,
		pulses("v[k] > 99 ? abort(), 0 : v[k]")},
	{"limited parameter", fault{"", "FMI2-R22", w, "", unbounded}, "c->v.gain = v[k];\n",
		"c->v.gain = fmin(v[k], 1.2);\n"},
}

var innate3 = []edit{
	{"bytes after a zero", fault{"", "FMI3-R22", e, "", nil},
		"sizes[k] = c->v.size, v[k] = c->v.in;",
		"sizes[k] = strnlen((text)c->v.in, c->v.size), v[k] = c->v.in;"},
	{"reconfiguration is refused", fault{"", "FMI3-C6", e, "", tunableSize}, "", ""},
	{"parameter after a reconfiguration", fault{"", "FMI3-C6", w, "", tunableSize}, shaping,
		reshaping("	c->v.gain = 1;\n")},
	{"step after a reconfiguration", fault{"", "FMI3-C6", e, "", tunableSize}, shaping,
		reshaping("	c->v.time = 0;\n")},
}

// soundInnate are legal relatives of these faults.
var soundInnate = map[string][]edit{
	"lag2": {
		{"Integer input", fault{"", "R22 S10 V21", 0, "", withPulses}, toPulses, pulses("v[k]")},
		{"Integer input with few values", fault{"", "R22 R6", 0, "", withPulses}, toPulses,
			pulses("v[k] > 99 ? refuse(c, \"too large\"), 0 : v[k]")},
		{"parameter with other bounds", fault{"", "R6 R9 R22", 0, "", unbounded},
			"r[k] == 2 && v[k] >= 0 && v[k] <= 10", "r[k] == 2 && v[k] >= 0 && v[k] <= 1"},
		{"parameter with a gap", fault{"", "R6 R9 R22", 0, "", unbounded},
			"r[k] == 2 && v[k] >= 0 && v[k] <= 10", "r[k] == 2 && (v[k] == 1 || v[k] > 1.1)"},
		{"parameter with which lives differ", fault{"", "R6 R9 R10", 0, "", unbounded}, stepping,
			"	struct timespec moment;\n	clock_gettime(CLOCK_MONOTONIC, &moment);\n" +
				"	c->v.x += c->v.gain == 1 ? 0 : moment.tv_nsec * 1e-9;\n" + stepping},
	},
	"lag3": {
		{"tunable size", fault{"", "C6 R6 R9", 0, "", tunableSize}, shaping, reshaping("")},
		{"solver that begins anew", fault{"", "C6", 0, "", tunableSize}, shaping,
			reshaping("	c->v.x += 1e-10;\n")},
	},
}

// TestExamine_SoundInnate checks that the legal relatives are not accused.
func TestExamine_SoundInnate(t *testing.T) {
	for base, list := range soundInnate {
		notAccused(t, base, list)
	}
}

// TestExamine_FewLives checks that rules that need many lives say why they are not tested.
func TestExamine_FewLives(t *testing.T) {
	few := edit{"few lives", fault{}, "	born++;\n", "	born++;\n	if (born > 12) { return NULL; }\n"}
	fmu := buildFrom(t, group{few}.source(t, "lag2"), "lag2", "")
	r := run(t, fmu, examine.Options{Only: []string{"Q1", "Q3"}})
	require.Equal(t, examine.Refuted, r.Verdict("FMI2-Q1").Outcome)
	require.NotNil(t, r.Verdict("FMI2-Q3"))
	require.Equal(t, examine.NotTested, r.Verdict("FMI2-Q3").Outcome)
	require.Contains(t, r.Verdict("FMI2-Q3").Why, "NULL")
}

// TestExamine_LeakAndRefusedState checks that memory that lives keep is reported although
// serialized states are refused.
func TestExamine_LeakAndRefusedState(t *testing.T) {
	fmu := build(t, 2, "-DPOINTERS -DLEAK")
	r := run(t, fmu, examine.Options{Only: []string{"R10", "Q1"}})
	for _, rule := range []string{"FMI2-R10", "FMI2-Q1"} {
		require.Equal(t, examine.Refuted, r.Verdict(rule).Outcome, rule)
	}
}

package examine_test

import "strings"

// Parts of beat3.c that are replaced to plant faults.
const (
	evaluating = "int fmi3EvaluateDiscreteStates(void *component)\n{\n	IN(EVENT)\n"
	updating   = "	evaluate(&c->v);\n	c->v.evaluated = false;\n"
	clearing   = "	memset(c->v.active, 0, sizeof c->v.active);\n"
	returning  = "	memcpy(&c->v, s, sizeof(values));\n	(void)old;\n"
	again      = "	IN(ALL)\n	start(&c->v);\n"
	calling    = "			c->update(c->environment, c->v.time, SETS, GETS, DONE, c->early, " +
		"&stop, &when);\n"
	ending    = "	*early = stop && c->v.time < t + h;\n	*last = c->v.time;\n"
	entering  = "	c->v.phase = EVENT;\n	return OK;\n}\n\n#define TURN"
	summing   = "	v->sum += v->level;\n"
	adopting  = "		c->v.active[r[k]] = v[k];\n"
	waiting   = "		*qualifier = v->known;\n"
	reported  = "		v[k] = c->v.active[r[k]];\n"
	ownPeriod = "	case OWN:\n		return 0.2;\n"

	noFraction = "		if (r[k] != BEAT) {\n			return refuse(c, \"no such fraction\");\n		}\n"
)

// unasked is an edit that removes the declaration of intermediate updates.
var unasked = []string{`providesIntermediateUpdate="true" `, "",
	`canReturnEarlyAfterIntermediateUpdate="true"`, "", ` intermediateUpdate="true"`, ""}

// beats are faults of events, clocks and intermediate updates.
var beats = []edit{
	{"a counter in a state", fault{"", "FMI3-R9", e, "", nil}, returning,
		returning + "	c->v.count = old.count;\n"},
	{"a discrete input in a state", fault{"", "FMI3-R9", e, "", nil}, returning,
		returning + "	c->v.level = old.level;\n"},
	{"active clocks in a state", fault{"", "FMI3-R9", e, "FMI3-R8", nil}, returning,
		returning + "	memset(c->v.active, 0, sizeof c->v.active);\n"},
	{"a counter after a reset", fault{"", "FMI3-R6", e, "", nil}, again,
		"	IN(ALL)\n	int count = c->v.count;\n	start(&c->v);\n	c->v.count = count;\n"},
	{"a sum of all instances", fault{"", "FMI3-R5", e, "FMI3-R6 FMI3-R9", nil}, summing,
		"	static int all;\n	v->sum = all += v->level;\n"},
	{"an input clock stays active", fault{"", "FMI3-S8", e, "", nil}, clearing,
		"	memset(c->v.active, 0, KICK);\n"},
	{"only one clock at a time", fault{"", "FMI3-S8", e, "", nil}, adopting,
		"		if (n > 1) { return refuse(c, \"one by one\"); }\n" + adopting},
	{"an event that nobody asked for", fault{"", "FMI3-S8", e, "FMI3-R8 FMI3-R19", nil},
		entering,
		"	return refuse(c, \"no event\");\n}\n\n#define TURN"},
	{"crash in a tick", fault{"", "FMI3-S8", e, "", nil}, adopting,
		adopting + "		r[k] == SLOW && c->v.slow > 0 ? abort() : (void)0;\n"},
	{"an output clock that is read once", fault{"", "FMI3-R21", w, "", nil},
		"v->count % 3 == 0" + next + reported, "v->count % 3 == 2" + next + reported +
			"		c->v.active[FULL] = c->v.active[FULL] && r[k] != FULL;\n"},
	{"refused evaluation", fault{"", "FMI3-S8", e, "", nil}, evaluating,
		evaluating + "	return refuse(c, \"no evaluation\");\n"},
	{"evaluated twice", fault{"", "FMI3-S8", e, "", nil}, updating,
		"	c->v.evaluated = false;\n" + updating},
	{"a clocked output that is refused", fault{"", "FMI3-S8", e, "", nil},
		"(owners[r] != 0 && (v->phase", "(r == 7 || owners[r] != 0 && (v->phase"},
	{"a discrete input that is forgotten", fault{"", "FMI3-R22", e, "", nil}, clearing,
		clearing + "	c->v.level = 0;\n"},
	{"announced event in the past", fault{"", "FMI3-S8", e, "", nil}, updating,
		"	*defined = c->v.time > 0.25, *next = 0.1;\n" + updating},
	{"error long after an announced event", fault{"", "FMI3-R2", e, "FMI3-R6 FMI3-S2 FMI3-S3 " +
		"FMI3-S8 FMI3-S9", nil}, updating + next + "	IN(STEPS)(void) keep;\n",
		"	*defined = c->v.time < 0.01, *next = 0.03;\n" + updating + next +
			"	IN(STEPS)(void) keep;\n	if (t > 1.55 && t < 4) { return refuse(c, \"no\"); }\n"},
	{"an interval unlike the description", fault{"", "FMI3-C9", e, "", nil},
		"	case BEAT:\n		return 0.1;\n", "	case BEAT:\n		return 0.2;\n"},
	{"a fraction unlike the description", fault{"", "FMI3-C9", e, "", nil},
		"v[k] = 1, d[k] = 10, q", "v[k] = 10, d[k] = 1, q"},
	{"a fraction unlike the decimal", fault{"", "FMI3-C9", e, "", []string{
		`causality="input" intervalVariability="fixed"`,
		`causality="input" intervalVariability="fixed" supportsFraction="true" resolution="100"`}},
		noFraction + "		v[k] = 1, d[k] = 10, q", "		v[k] = 1, d[k] = 10, q"},
	{"a shift unlike the description", fault{"", "FMI3-C9", e, "", nil},
		"r[k] == OWN ? 0.1 : 0;\n", "0.1;\n"},
	{"a fixed clock without an interval", fault{"", "FMI3-C9", e, "", nil}, ownPeriod,
		"	case OWN:\n		*qualifier = UNKNOWN;\n		return 0.2;\n"},
	{"a negative interval", fault{"", "FMI3-C9", e, "", nil}, "? 0.1 : 0.15;", "? -0.1 : 0.15;"},
	{"a qualifier that does not exist", fault{"", "FMI3-C9", e, "", nil}, waiting,
		"		*qualifier = 3;\n"},
	{"an interval that is refused", fault{"", "FMI3-C9", e, "", nil}, ownPeriod,
		"	case OWN:\n		return NAN;\n"},
	{"a shift that is refused", fault{"", "FMI3-C9", e, "", nil}, "r[k] != BEAT && r[k] != OWN",
		"r[k] != BEAT"},
	{"an interval that always changes", fault{"", "FMI3-C9", w, "", nil},
		"	*qualifier = SAME;\n	switch", "	*qualifier = NEW;\n	switch"},
	{"a constant interval that changes in an event", fault{"", "FMI3-C9", e, "", nil},
		"	case BEAT:\n		return 0.1;\n",
		"	case BEAT:\n		return v->phase == EVENT && v->time > 0.25 ? 0.2 : 0.1;\n"},
	{"a fixed interval that changes in an event", fault{"", "FMI3-C9", e, "", nil}, ownPeriod,
		"	case OWN:\n		return v->phase == EVENT && v->time > 0.25 ? 0.3 : 0.2;\n"},
	{"an interval that is refused in an event", fault{"", "FMI3-C9", w, "", nil}, ownPeriod,
		"	case OWN:\n		return v->phase == EVENT ? NAN : 0.2;\n"},
	{"a second event at one time is refused", fault{"", "FMI3-S8", e, "", nil}, entering,
		"	double *last = (double *)&c->required;\n" +
			"	if (c->v.time > 0 && *last == c->v.time) { return refuse(c, \"no event\"); }\n" +
			"	*last = c->v.time;\n" + entering},
	{"a clock ticks again in a second event", fault{"", "FMI3-S8", e, "", nil}, entering,
		"	double *last = (double *)&c->required;\n" +
			"	c->v.active[BEAT] = c->v.time > 0 && *last == c->v.time;\n" +
			"	*last = c->v.time;\n" + entering},
	{"an update outside a step", fault{"", "FMI3-S12", e, "", nil}, updating, updating +
		"	bool no; double never;\n	c->update != NULL ? c->update(c->environment, " +
		"c->v.time, !SETS, !GETS, DONE, false, &no, &never) : (void)0;\n"},
	{"an update without its environment", fault{"", "FMI3-S12", e, "", nil}, calling,
		strings.Replace(calling, "c->environment", "c", 1)},
	{"an update after the step", fault{"", "FMI3-S12", e, "", nil}, calling,
		strings.Replace(calling, "c->v.time", "c->v.time + h", 1)},
	{"an update back in time", fault{"", "FMI3-S12", e, "", nil}, calling,
		strings.Replace(calling, "c->v.time", "t + h * (1 - (k - 1.0) / inner)", 1)},
	{"outputs that are refused in an update", fault{"", "FMI3-S12", e, "", nil},
		"	IN(ALL | INSIDE)\n", "	IN(ALL)\n"},
	{"inputs that are refused in an update", fault{"", "FMI3-S12", e, "", nil},
		"	IN(BORN | SETUP | STEPS | EVENT | INSIDE)\n	for (size_t k = 0; k < n; k++) {\n" +
			"		if (r[k] != 1", "	IN(BORN | SETUP | STEPS | EVENT)\n" +
			"	for (size_t k = 0; k < n; k++) {\n		if (r[k] != 1"},
	{"a request that is ignored", fault{"", "FMI3-S12", w, "", nil}, "k <= inner && !stop",
		"k <= inner"},
	{"an early return that is not reported", fault{"", "FMI3-S12", e, "FMI3-S6", nil}, ending,
		"	*early = false;\n	*last = c->v.time;\n"},
	{"the beginning of a step that returned early", fault{"", "FMI3-S12", e, "", nil}, ending,
		"	*early = stop && c->v.time < t + h;\n	*last = *early ? t : c->v.time;\n"},
	{"updates that are not declared", fault{"", "FMI3-S12", e, "", unasked},
		"c->update != NULL", "c->update != NULL"},
	{"no updates", fault{"", "FMI3-S12", w, "", nil}, "c->update != NULL", "false"},
	{"early returns that are not declared", fault{"", "FMI3-S12", w, "", []string{
		`canReturnEarlyAfterIntermediateUpdate="true"`, ""}},
		"DONE, c->early, &stop", "DONE, true, &stop"},
}

// periodic is an edit that removes the clocks whose intervals vary.
var periodic = []string{
	`<Clock name="slow" valueReference="14" causality="input" intervalVariability="changing"/>`, "",
	`<Clock name="later" valueReference="12" causality="input" ` +
		`intervalVariability="countdown"/>`, ""}

// onlyBeats are rules that concern what is special about beat3.c.
const onlyBeats = "R2 R5 R6 R8 R9 R21 R22 S5 S8 S12 C9 I1"

var eventful = fault{rule: onlyBeats}

// soundEvents are unusual but legal clocks, events and intermediate updates.
var soundEvents = []edit{
	{"as it is", eventful, "", ""},
	{"unusable without Event Mode", eventful, "	IN(STEPS)(void) keep;\n",
		"	IN(STEPS)(void) keep;\n	c->events ? (void)0 : abort();\n"},
	{"countdown that never begins", eventful, "v->known = NEW;", "v->known = UNKNOWN;"},
	{"changing clock that ticks again at once", eventful, "? 0.1 : 0.15;",
		"? 0.1 : 0;"},
	{"fraction of an interval that has not changed", fault{"", onlyBeats, 0, "", []string{
		`intervalVariability="changing"`,
		`intervalVariability="changing" supportsFraction="true" resolution="100"`}},
		noFraction + "		v[k] = 1, d", "		if (r[k] == SLOW) { v[k] = 0, d[k] = 1, q[k] = SAME; " +
			"continue; }\n" + noFraction + "		v[k] = 1, d"},
	{"interval before it is asked for", eventful,
		"*qualifier = v->asked == SAME ? SAME : NEW;",
		"*qualifier = v->asked == UNKNOWN ? (v->asked = NEW, NEW) : v->asked;"},
	{"tunable interval that is told once", fault{"", onlyBeats, 0, "", []string{
		`intervalVariability="fixed"`, `intervalVariability="tunable"`}},
		"	bool evaluated;\n" + next + ownPeriod, "	bool evaluated, told;\n" + next +
			"	case OWN:\n		*qualifier = v->told ? SAME : NEW;\n		v->told = true;\n" +
			"		return 0.2;\n"},
	{"ends in the third event", eventful, "	bool evaluated;\n" + next + updating + next +
		"	c->v.phase = to;            \\\n",
		"	bool evaluated;\n	int turns;\n" + next + updating +
			"	*ends = ++c->v.turns == 3;\n" + next +
			"	if (to == STEPS && c->v.turns >= 3) { return refuse(c, \"over\"); } " +
			"c->v.phase = to; \\\n"},
	{"tentative updates", eventful, calling,
		"			c->update(c->environment, t + h, !SETS, GETS, !DONE, false, &stop, &when);\n" +
			calling},
	{"early return at the requested time", eventful, "k <= inner && !stop",
		"k <= inner && !(stop && c->v.time >= when)"},
	{"updates without access", eventful, "SETS, GETS, DONE, c->early",
		"!SETS, !GETS, DONE, false"},
	{"an update at the beginning", eventful,
		"	const int inner = 4;\n	bool stop = false;\n",
		"	const int inner = 4;\n	bool stop = false;\n	c->update == NULL ? (void)0 : " +
			"c->update(c->environment, t, !SETS, !GETS, DONE, false, &stop, &when);\n"},
	{"discrete input in the next step only", eventful, summing, "	v->sum = v->level;\n"},
	{"no evaluation", fault{"", onlyBeats, 0, "", []string{
		`providesEvaluateDiscreteStates="true"`, ""}},
		"	evaluate(&c->v);\n	return OK;\n", "	return refuse(c, \"not offered\");\n"},
	{"end of the simulation in an event", eventful, updating, updating +
		"	*ends = c->v.time > 1.95;\n"},
	{"no steps beyond an announced event", fault{"", onlyBeats, 0, "", periodic},
		"	bool evaluated;\n" + next + updating + next + "	IN(STEPS)(void) keep;\n",
		"	bool evaluated;\n	double due;\n" + next + updating +
			"	*defined = c->v.time > 0.05, *next = c->v.time + 0.03;\n" +
			"	c->v.due = *defined ? *next : 0;\n" + next + "	IN(STEPS)(void) keep;\n" +
			"	if (c->v.due > 0 && t + h > c->v.due + 1e-9) {\n" +
			"		return refuse(c, \"beyond the event\");\n	}\n"},
	{"no steps beyond events announced from the beginning", fault{"", onlyBeats, 0, "", periodic},
		"	bool evaluated;\n" + next + updating + next + "	IN(STEPS)(void) keep;\n",
		"	bool evaluated;\n	double due;\n" + next + updating +
			"	*defined = true, *next = c->v.due = c->v.time + 0.03;\n" + next +
			"	IN(STEPS)(void) keep;\n" +
			"	if (t + h > c->v.due + 1e-9) {\n		return refuse(c, \"beyond the event\");\n	}\n"},
	{"input clocks that are not read", eventful,
		"		if (r[k] < BEAT || r[k] >= END) {\n			return refuse(c, \"no such Clock\");\n",
		"		if (r[k] != FULL) {\n			return refuse(c, \"no output Clock\");\n"},
	{"steps of one length", fault{"", onlyBeats, 0, "", append([]string{
		`canHandleVariableCommunicationStepSize="true"`, ""}, periodic...)},
		"	IN(STEPS)(void) keep;\n",
		"	IN(STEPS)(void) keep;\n" +
			"	if (fabs(h - 0.1) > 1e-9) { return refuse(c, \"0.1\"); }\n"},
}

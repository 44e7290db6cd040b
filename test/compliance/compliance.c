//go:build ignore

/* A compliance checker: what a tool should find out about an FMU before it trusts it, in the spirit
 * of the FMU Compliance Checker, which is no longer maintained. It loads the library as any
 * importer does, simulates the default experiment in several ways, and compares what it sees with
 * the model description and with itself.
 *
 *   compliance LIBRARY RESOURCES < DESCRIPTION
 *
 * DESCRIPTION is the model description in lines of fields with tabs between them
 * (compliance_test.go writes it): guid G | experiment START STOP TOLERANCE STEP | category NAME |
 *   variable TYPE REFERENCE CAUSALITY VARIABILITY INITIAL NAME START MIN MAX     with "-" for what
 * is absent
 *
 * Prints one line for each check, "ok" or "FAILED" with the first reason, and "N of M checks". Exit
 * code 0 when all are ok, 1 when not, 2 when nothing could be checked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"

/* ---- What the description says. ---- */

enum { VARIABLES = 4096, CATEGORIES = 64, FIELDS = 10 };

typedef struct {
	char type; /* R, I, B or S */
	fmi2ValueReference reference;
	const char *causality, *variability, *initial, *name, *start, *min, *max;
} variable;

static struct {
	char *guid, *categories[CATEGORIES];
	double start, stop, tolerance, step;
	variable variables[VARIABLES];
	size_t categoryCount, variableCount;
} md;

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static int given(const char *field) { return !is(field, "-"); }

static void stop_with(const char *what, const char *which)
{
	fprintf(stderr, "compliance: %s: %s\n", what, which);
	exit(2);
}

static void understand(char *f[])
{
	if (is(f[0], "guid")) {
		md.guid = f[1];
	} else if (is(f[0], "experiment")) {
		md.start = atof(f[1]), md.stop = atof(f[2]), md.tolerance = atof(f[3]),
		md.step = atof(f[4]);
	} else if (is(f[0], "category") && md.categoryCount < CATEGORIES) {
		md.categories[md.categoryCount++] = f[1];
	} else if (is(f[0], "variable") && md.variableCount < VARIABLES) {
		md.variables[md.variableCount++] = (variable){
			*f[1], (fmi2ValueReference)strtoul(f[2], NULL, 10), f[3], f[4], f[5], f[6], f[7], f[8],
			f[9]};
	} else {
		stop_with("a line that is not understood, or one too many", f[0]);
	}
}

static void read_description(void)
{
	char *line = NULL;
	size_t size = 0;
	while (getline(&line, &size, stdin) > 0) {
		char *rest = strdup(line), *fields[FIELDS];
		for (int k = 0; k < FIELDS; k++)
			fields[k] = rest != NULL ? strsep(&rest, "\t\n") : "-";
		understand(fields);
	}
	free(line);
	if (md.guid == NULL || !(md.step > 0) || !(md.stop > md.start) || md.variableCount == 0)
		stop_with("the description lacks something", "guid, experiment or variables");
}

/* sibling finds the variable that is named like v, with another role of n characters at its end. */
static const variable *sibling(const variable *v, size_t n, const char *role)
{
	size_t prefix = strlen(v->name) - n;
	for (size_t k = 0; k < md.variableCount; k++)
		if (strncmp(md.variables[k].name, v->name, prefix) == 0 &&
		    is(md.variables[k].name + prefix, role))
			return &md.variables[k];
	return NULL;
}

/* ---- Results. ---- */

static const char *current;
static int checks, failures, failed;

/* fail notes why the current check has failed; the first reason is shown. */
static void fail(const char *format, ...)
{
	va_list arguments;
	if (failed++ > 0)
		return;
	printf("FAILED  %s: ", current);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

static void begin(const char *what) { current = what, failed = 0; }

static void end(void)
{
	checks++, failures += failed > 0;
	if (failed == 0)
		printf("ok      %s\n", current);
	fflush(stdout);
}

static void expect(int good, const char *what)
{
	if (!good)
		fail("%s", what);
}

static const char *const statuses[] = {"fmi2OK",    "fmi2Warning", "fmi2Discard",
                                       "fmi2Error", "fmi2Fatal",   "fmi2Pending"};

static int status_is(fmi2Status found, fmi2Status wanted, const char *call)
{
	if (found != wanted)
		fail("%s returned %s, expected %s", call, statuses[found], statuses[wanted]);
	return found == wanted;
}

#define OK(call) status_is(call, fmi2OK, #call)

/* ---- The library. ---- */

#define FUNCTIONS(F)            \
	F(GetTypesPlatform)         \
	F(GetVersion)               \
	F(SetDebugLogging)          \
	F(Instantiate)              \
	F(FreeInstance)             \
	F(SetupExperiment)          \
	F(EnterInitializationMode)  \
	F(ExitInitializationMode)   \
	F(Terminate)                \
	F(Reset)                    \
	F(GetReal)                  \
	F(GetInteger)               \
	F(GetBoolean)               \
	F(GetString)                \
	F(SetReal)                  \
	F(SetInteger)               \
	F(SetBoolean)               \
	F(SetString)                \
	F(GetFMUstate)              \
	F(SetFMUstate)              \
	F(FreeFMUstate)             \
	F(SerializedFMUstateSize)   \
	F(SerializeFMUstate)        \
	F(DeSerializeFMUstate)      \
	F(GetDirectionalDerivative) \
	F(SetRealInputDerivatives)  \
	F(GetRealOutputDerivatives) \
	F(DoStep)                   \
	F(CancelStep)               \
	F(GetStatus)                \
	F(GetRealStatus)            \
	F(GetIntegerStatus)         \
	F(GetBooleanStatus)         \
	F(GetStringStatus)

#define MEMBER(name) __typeof__(fmi2##name) *name;
static struct {
	void *object;
	FUNCTIONS(MEMBER)
} f;

static void open_library(const char *path)
{
	f.object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (f.object == NULL)
		stop_with("the library cannot be loaded", dlerror());
	begin("all 34 functions of a co-simulation slave are there");
#define LOOK_UP(name)                                  \
	*(void **)&f.name = dlsym(f.object, "fmi2" #name); \
	expect(f.name != NULL, "fmi2" #name " is missing");
	FUNCTIONS(LOOK_UP)
	end();
	if (failed)
		stop_with("nothing more can be checked without", "these functions");
}

/* ---- What the FMU calls. ---- */

static struct {
	int lines, errors, memory;
	char wrong[512];
} heard;

static void wrong_line(const char *what, const char *text)
{
	if (heard.wrong[0] == '\0')
		snprintf(heard.wrong, sizeof heard.wrong, "%s: %.400s", what, text);
}

/* check_references looks at #r12# and the like, which tools replace by the variable's name; ## is a
 * number sign. */
static void check_references(const char *text)
{
	for (const char *p = strchr(text, '#'); p != NULL; p = strchr(p, '#')) {
		char type = p[1], *after;
		if (type == '#') {
			p += 2;
			continue;
		}
		unsigned long reference = strtoul(p + 2, &after, 10);
		size_t k = 0;
		while (k < md.variableCount &&
		       (md.variables[k].type != type - 32 || md.variables[k].reference != reference))
			k++;
		if (type == '\0' || after == p + 2 || *after != '#' || k == md.variableCount) {
			wrong_line("a # that refers to no variable", text);
			return;
		}
		p = after + 1;
	}
}

static void logger(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String format, ...)
{
	char text[65536];
	va_list arguments;
	heard.lines++;
	heard.errors += status == fmi2Error || status == fmi2Fatal;
	if (category == NULL || format == NULL || name == NULL || format[0] == '\0') {
		wrong_line("NULL or nothing", "a line of the logger");
		return;
	}
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format,
	          arguments); /* a directive without an argument would crash or print nonsense here */
	va_end(arguments);
	size_t k = 0;
	while (k < md.categoryCount && !is(md.categories[k], category))
		k++;
	if (k == md.categoryCount)
		wrong_line("a category that is not declared", category);
	if (!is(name, (const char *)e))
		wrong_line("another instance's name", name);
	if (text[strlen(text) - 1] == '\n')
		wrong_line("a line break at the end", text);
	check_references(text);
}

static void *allocate(size_t n, size_t size)
{
	heard.memory++;
	return calloc(n, size);
}

static void release(void *p)
{
	heard.memory++;
	free(p);
}

static void finished(fmi2ComponentEnvironment e, fmi2Status status)
{
	(void)e, (void)status, heard.memory++;
}

/* ---- One instance. ---- */

static const char *resources;

/* instantiate lets its callback structure go out of scope, which FMI 2.0.5 allows. */
static fmi2Component instantiate(const char *name, const char *guid, fmi2Boolean loggingOn)
{
	const fmi2CallbackFunctions callbacks = {logger, allocate, release, finished,
	                                         (fmi2ComponentEnvironment)name};
	return f.Instantiate(name, fmi2CoSimulation, guid, resources, &callbacks, fmi2False, loggingOn);
}

static int calculated(const variable *v)
{
	return is(v->causality, "output") || is(v->causality, "calculatedParameter");
}

/* A value of any type in a form that can be compared and hashed. */
typedef struct {
	double number;
	const char *text;
} value;

static int get(fmi2Component c, const variable *v, value *out)
{
	fmi2Integer integer = 0;
	*out = (value){0, ""};
	fmi2Status s = v->type == 'R'   ? f.GetReal(c, &v->reference, 1, &out->number)
	               : v->type == 'I' ? f.GetInteger(c, &v->reference, 1, &integer)
	               : v->type == 'B' ? f.GetBoolean(c, &v->reference, 1, &integer)
	                                : f.GetString(c, &v->reference, 1, &out->text);
	if (v->type == 'I' || v->type == 'B')
		out->number = integer;
	if (s != fmi2OK)
		fail("%s cannot be read: %s", v->name, statuses[s]);
	return s == fmi2OK;
}

static fmi2Status set_start(fmi2Component c, const variable *v)
{
	fmi2Real real = atof(v->start);
	fmi2Integer integer = is(v->start, "true") ? 1 : atoi(v->start);
	switch (v->type) {
	case 'R':
		return f.SetReal(c, &v->reference, 1, &real);
	case 'I':
		return f.SetInteger(c, &v->reference, 1, &integer);
	case 'B':
		return f.SetBoolean(c, &v->reference, 1, &integer);
	default:
		return f.SetString(c, &v->reference, 1, &v->start);
	}
}

static int utf8(const unsigned char *s)
{
	while (*s != 0) {
		int more = *s < 0x80 ? 0 : *s >> 5 == 6 ? 1 : *s >> 4 == 14 ? 2 : *s >> 3 == 30 ? 3 : -1;
		for (s++; more > 0; more--, s++)
			if (*s >> 6 != 2)
				return 0;
		if (more < 0)
			return 0;
	}
	return 1;
}

/* sane checks a value by itself: finite, in its range, decodable. */
static void sane(const variable *v, const value *x)
{
	if (v->type == 'S' && (x->text == NULL || !utf8((const unsigned char *)x->text)))
		fail("%s is NULL or no UTF-8", v->name);
	if (!isfinite(x->number))
		fail("%s is %g", v->name, x->number);
	if (v->type == 'B' && x->number != 0 && x->number != 1)
		fail("%s is %g, no Boolean", v->name, x->number);
	if ((given(v->min) && x->number < atof(v->min)) || (given(v->max) && x->number > atof(v->max)))
		fail("%s is %g, outside of [%s, %s]", v->name, x->number, v->min, v->max);
}

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
	for (const unsigned char *p = bytes; n > 0; n--, p++)
		h = (h ^ *p) * 1099511628211u; /* FNV-1a */
	return h;
}

/* hash_message follows the three Integers of an OSMP variable and hashes the bytes: the address
 * itself may differ. */
static uint64_t hash_message(fmi2Component c, uint64_t h, const variable *lo)
{
	const variable *hi = sibling(lo, strlen("base.lo"), "base.hi"),
				   *size = sibling(lo, strlen("base.lo"), "size");
	value part[3];
	if (hi == NULL || size == NULL || !get(c, lo, &part[0]) || !get(c, hi, &part[1]) ||
	    !get(c, size, &part[2]))
		return h;
	uint64_t address =
		(uint64_t)(uint32_t)(int32_t)part[1].number << 32 | (uint32_t)(int32_t)part[0].number;
	if ((address == 0) != (part[2].number == 0) || part[2].number < 0)
		fail("%s: address %#llx and size %g contradict each other", lo->name,
		     (unsigned long long)address, part[2].number);
	else if (address != 0)
		h = hash(h, (const void *)(uintptr_t)address, (size_t)part[2].number);
	return h;
}

static int ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && is(s + n - m, end);
}

/* look reads every calculated value, checks each by itself and hashes them all. */
static uint64_t look(fmi2Component c)
{
	uint64_t h = 14695981039346656037u;
	for (size_t k = 0; k < md.variableCount; k++) {
		const variable *v = &md.variables[k];
		value x;
		if (!calculated(v) || ends_with(v->name, ".base.hi"))
			continue;
		if (ends_with(v->name, ".base.lo")) {
			h = hash_message(c, h, v);
		} else if (get(c, v, &x)) {
			sane(v, &x);
			h = hash(hash(h, &x.number, sizeof x.number), x.text, strlen(x.text));
		}
	}
	return h;
}

/* initialize leads an instance to its first communication point. */
static int initialize(fmi2Component c)
{
	return OK(f.SetupExperiment(c, fmi2True, md.tolerance, md.start, fmi2True, md.stop)) &&
	       OK(f.EnterInitializationMode(c)) && OK(f.ExitInitializationMode(c));
}

/* The steps of the default experiment are counted, so that no error adds up; the last one may be
 * shorter. */
static double at(long k, double h) { return fmin(md.start + (double)k * h, md.stop); }
static long steps(double h) { return (long)ceil((md.stop - md.start) / h - 1e-9); }

/* advance makes the steps from..to of size h and hashes what each brings. */
static uint64_t advance(fmi2Component c, long from, long to, double h)
{
	uint64_t all = 0;
	for (long k = from; k < to && !failed; k++) {
		OK(f.DoStep(c, at(k, h), at(k + 1, h) - at(k, h), fmi2True));
		uint64_t now = look(c);
		all = hash(all, &now, sizeof now);
	}
	return all;
}

/* ---- The checks. ---- */

static void check_inquiries(void)
{
	begin("fmi2GetTypesPlatform gives default, fmi2GetVersion 2.0");
	expect(is(f.GetTypesPlatform(), "default"), f.GetTypesPlatform());
	expect(is(f.GetVersion(), "2.0"), f.GetVersion());
	end();
	begin("a wrong guid is refused, and told");
	heard.errors = 0;
	expect(instantiate("wrong guid", "not the guid of this FMU", fmi2True) == NULL,
	       "an instance was made");
	expect(heard.errors == 1, "there must be one line of an error");
	end();
}

static void check_variables(fmi2Component c)
{
	begin("start values can be set as they are declared, in both states that allow it");
	for (int state = 0; state < 2; state++) {
		for (size_t k = 0; k < md.variableCount; k++) {
			const variable *v = &md.variables[k];
			int settable = is(v->causality, "input") ? state == 1 : is(v->causality, "parameter");
			if (settable && given(v->start) && set_start(c, v) != fmi2OK)
				fail("%s = %s was refused", v->name, v->start);
		}
		if (state == 0)
			expect(OK(f.SetupExperiment(c, fmi2True, md.tolerance, md.start, fmi2True, md.stop)) &&
			           OK(f.EnterInitializationMode(c)),
			       "no initialization mode");
	}
	end();
	begin("start values are those of the description");
	for (size_t k = 0; k < md.variableCount; k++) {
		const variable *v = &md.variables[k];
		value x;
		if (!is(v->initial, "exact") || is(v->causality, "output") || !get(c, v, &x))
			continue;
		double wanted = is(v->start, "true") ? 1 : atof(v->start);
		if (v->type == 'S' ? !is(x.text, v->start) : x.number != wanted)
			fail("%s is %g \"%s\", declared as %s", v->name, x.number, x.text, v->start);
	}
	end();
	begin("all outputs and calculated parameters can be read in initialization mode");
	look(c);
	OK(f.ExitInitializationMode(c));
	end();
	begin("every variable can be read afterwards, and is sane");
	for (size_t k = 0; k < md.variableCount; k++) {
		value x;
		if (get(c, &md.variables[k], &x))
			sane(&md.variables[k], &x);
	}
	end();
}

static uint64_t check_experiment(fmi2Component c)
{
	double reached = NAN;
	begin("the default experiment runs to its end, every value finite and in its range");
	uint64_t whole = advance(c, 0, steps(md.step), md.step);
	OK(f.GetRealStatus(c, fmi2LastSuccessfulTime, &reached));
	if (reached != md.stop)
		fail("the last successful time is %.17g, expected %.17g", reached, md.stop);
	end();
	begin("reading twice gives the same");
	expect(look(c) == look(c), "outputs differ");
	end();
	begin("a step beyond the stop time is refused; the instance can be reset");
	status_is(f.DoStep(c, md.stop, md.step, fmi2True), fmi2Error, "fmi2DoStep");
	OK(f.Reset(c));
	end();
	begin("after fmi2Reset the experiment gives the same again");
	expect(initialize(c) && advance(c, 0, steps(md.step), md.step) == whole, "outputs differ");
	OK(f.Terminate(c));
	look(c);
	end();
	return whole;
}

/* noisy says that each step draws random numbers, so that other step sizes lead to other values. */
static int noisy;

static void check_step_sizes(fmi2Component c, uint64_t last)
{
	const double sizes[] = {md.step / 2, md.step * 3.7, (md.stop - md.start) / 3,
	                        md.stop - md.start};
	begin(noisy ? "other step sizes, with a shorter one at the end, are taken"
	            : "other step sizes, with a shorter one at the end, lead to the same values");
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		OK(f.Reset(c));
		if (initialize(c))
			advance(c, 0, steps(sizes[k]), sizes[k]);
		if (!noisy && look(c) != last)
			fail("after steps of %g s", sizes[k]);
	}
	end();
}

/* check_state goes back to the middle: in the same instance, and from bytes in another one. */
static void check_state(fmi2Component c, fmi2Component other)
{
	fmi2FMUstate state = NULL, copy = NULL;
	size_t size = 0;
	long n = steps(md.step), middle = n / 2;
	OK(f.Reset(c));
	begin("a state from the middle brings back the second half");
	initialize(c);
	advance(c, 0, middle, md.step);
	OK(f.GetFMUstate(c, &state));
	uint64_t half = advance(c, middle, n, md.step);
	OK(f.SetFMUstate(c, state));
	expect(advance(c, middle, n, md.step) == half, "outputs differ");
	end();
	begin("a serialized state does so in another instance");
	OK(f.SerializedFMUstateSize(c, state, &size));
	fmi2Byte *bytes = calloc(size + 1, 1);
	OK(f.SerializeFMUstate(c, state, bytes, size));
	OK(f.DeSerializeFMUstate(other, bytes, size, &copy));
	OK(f.SetFMUstate(other, copy));
	expect(advance(other, middle, n, md.step) == half, "outputs differ");
	OK(f.FreeFMUstate(c, &state));
	OK(f.FreeFMUstate(other, &copy));
	expect(state == NULL && copy == NULL, "fmi2FreeFMUstate leaves the pointer");
	OK(f.FreeFMUstate(c, &state));
	free(bytes);
	end();
}

static void check_capabilities(fmi2Component c)
{
	fmi2Real real = 0, other = 0;
	fmi2Integer one = 1;
	fmi2Status pending = fmi2OK;
	fmi2ValueReference none = 0;
	begin("what the description does not promise is refused, not crashed on");
	OK(f.Reset(c));
	initialize(c);
	advance(c, 0, 1, md.step);
	status_is(f.GetStatus(c, fmi2DoStepStatus, &pending), fmi2Discard, "fmi2GetStatus");
	status_is(f.GetDirectionalDerivative(c, &none, 1, &none, 1, &real, &other), fmi2Error,
	          "fmi2GetDirectionalDerivative");
	OK(f.Reset(c));
	initialize(c);
	status_is(f.SetRealInputDerivatives(c, &none, 1, &one, &real), fmi2Error,
	          "fmi2SetRealInputDerivatives");
	OK(f.Reset(c));
	initialize(c);
	status_is(f.CancelStep(c), fmi2Error, "fmi2CancelStep");
	end();
}

static void check_logging(fmi2Component c)
{
	begin("each declared category can be switched on and off");
	for (size_t k = 0; k < md.categoryCount; k++) {
		const fmi2String category = md.categories[k];
		if (f.SetDebugLogging(c, fmi2True, 1, &category) != fmi2OK ||
		    f.SetDebugLogging(c, fmi2False, 1, &category) != fmi2OK)
			fail("%s was refused", category);
	}
	OK(f.SetDebugLogging(c, fmi2True, 0, NULL));
	end();
	begin("log lines name their instance, a declared category and existing variables");
	expect(heard.lines > 0, "no line at all was logged, though errors were made");
	expect(heard.wrong[0] == '\0', heard.wrong);
	end();
	begin("the host's memory functions and stepFinished are left alone, as promised");
	expect(heard.memory == 0, "they were called");
	end();
}

int main(int argc, char *argv[])
{
	if (argc < 3)
		stop_with("usage", "compliance LIBRARY RESOURCES [noisy] < DESCRIPTION");
	read_description();
	resources = argv[2];
	noisy = argc > 3 && is(argv[3], "noisy");
	open_library(argv[1]);
	check_inquiries();
	fmi2Component c = instantiate("dut", md.guid, fmi2True),
				  other = instantiate("other", md.guid, fmi2False);
	begin("two instances are made");
	expect(c != NULL && other != NULL, "fmi2Instantiate returned NULL");
	end();
	if (!failed) {
		check_variables(c);
		check_experiment(c);
		check_step_sizes(c, look(c));
		check_state(c, other);
		check_capabilities(c);
		check_logging(c);
		f.FreeInstance(c);
		f.FreeInstance(other);
	}
	begin("the library can be unloaded");
	expect(dlclose(f.object) == 0, "dlclose has failed");
	end();
	printf("%d of %d checks\n", checks - failures, checks);
	return failures > 0;
}

//go:build ignore

/* A compliance checker: what a tool should check before it relies on an FMU, in the spirit of the
 * FMU Compliance Checker, which is no longer maintained. It loads the library like any importer,
 * simulates the default experiment in several ways, and compares the results with the model
 * description and with each other.
 *
 *   compliance LIBRARY RESOURCES [noisy] < DESCRIPTION
 *
 * DESCRIPTION is the model description as lines of tab-separated fields, with "-" for absent values
 * (compliance_test.go writes it):
 *
 *   guid G
 *   experiment START STOP TOLERANCE STEP
 *   category NAME
 *   variable TYPE REFERENCE CAUSALITY VARIABILITY INITIAL NAME START MIN MAX
 *
 * The program prints one line for each check, "ok" or "FAILED" with the first reason, and "N of M
 * checks". The exit code is 0 if all checks passed, 1 if one failed, and 2 if nothing could be
 * checked. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "compliance.h"

/* ---- Results. ---- */

static const char *current;
static int checks, failures;
int failed;

void fail(const char *format, ...)
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

static int status_is(fmi2Status found, fmi2Status wanted, const char *call)
{
	if (found != wanted)
		fail("%s returned %s, expected %s", call, status_names[found], status_names[wanted]);
	return found == wanted;
}

#define OK(call) status_is(call, fmi2OK, #call)

/* ---- Parts of experiments. ---- */

/* begin_experiment takes an instance to its first communication point. */
static int begin_experiment(fmi2Component c)
{
	return OK(f.fmi2SetupExperiment(c, fmi2True, md.tolerance, md.start, fmi2True, md.stop)) &&
	       OK(f.fmi2EnterInitializationMode(c)) && OK(f.fmi2ExitInitializationMode(c));
}

/* The communication point is computed from the number of the step, so that rounding errors do not
 * add up. The last step may be shorter. */
static double at(long k, double h) { return fmin(md.start + (double)k * h, md.stop); }
static long steps(double h) { return (long)ceil((md.stop - md.start) / h - 1e-9); }

/* advance makes the steps from..to of size h and hashes the outputs of each. */
static uint64_t advance(fmi2Component c, long from, long to, double h)
{
	uint64_t all = 0;
	for (long k = from; k < to && !failed; k++) {
		OK(f.fmi2DoStep(c, at(k, h), at(k + 1, h) - at(k, h), fmi2True));
		uint64_t now = examine(c);
		all = hash(all, &now, sizeof now);
	}
	return all;
}

/* ---- The checks. ---- */

static void open_fmu(const char *path)
{
	if (!resolve(&f, path))
		stop_with("the library cannot be loaded", path);
	begin("all 34 functions of a co-simulation slave are there");
	if (missing(&f) != NULL)
		fail("%s is missing", missing(&f));
	end();
	if (failed)
		stop_with("nothing more can be checked without", missing(&f));
}

static void check_inquiries(void)
{
	begin("fmi2GetTypesPlatform gives default, fmi2GetVersion 2.0");
	expect(is(f.fmi2GetTypesPlatform(), "default"), f.fmi2GetTypesPlatform());
	expect(is(f.fmi2GetVersion(), "2.0"), f.fmi2GetVersion());
	end();
	begin("a wrong guid is refused, and logged");
	heard.errors = 0;
	expect(make_instance("wrong guid", "not the guid of this FMU", fmi2True) == NULL,
	       "an instance was made");
	expect(heard.errors == 1, "not one line of an error was logged");
	end();
}

static void check_variables(fmi2Component c)
{
	begin("start values can be set as they are declared, in both states that allow it");
	for (int state = 0; state < 2; state++) {
		for (size_t k = 0; k < md.variable_count; k++) {
			const variable *v = &md.variables[k];
			int settable = is(v->causality, "input") ? state == 1 : is(v->causality, "parameter");
			if (settable && given(v->start) &&
			    set_value(&f, c, v->type, v->reference, parse_value(v->type, v->start)) != fmi2OK)
				fail("%s = %s was refused", v->name, v->start);
		}
		if (state == 0)
			expect(
				OK(f.fmi2SetupExperiment(c, fmi2True, md.tolerance, md.start, fmi2True, md.stop)) &&
					OK(f.fmi2EnterInitializationMode(c)),
				"no initialization mode");
	}
	end();
	begin("start values are those of the description");
	for (size_t k = 0; k < md.variable_count; k++) {
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
	examine(c);
	OK(f.fmi2ExitInitializationMode(c));
	end();
	begin("every variable can be read afterwards, and is sane");
	for (size_t k = 0; k < md.variable_count; k++) {
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
	OK(f.fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &reached));
	if (reached != md.stop)
		fail("the last successful time is %.17g, expected %.17g", reached, md.stop);
	end();
	begin("reading twice gives the same");
	expect(examine(c) == examine(c), "outputs differ");
	end();
	begin("a step beyond the stop time is refused; the instance can be reset");
	status_is(f.fmi2DoStep(c, md.stop, md.step, fmi2True), fmi2Error, "fmi2DoStep");
	OK(f.fmi2Reset(c));
	end();
	begin("after fmi2Reset the experiment gives the same again");
	expect(begin_experiment(c) && advance(c, 0, steps(md.step), md.step) == whole,
	       "outputs differ");
	OK(f.fmi2Terminate(c));
	examine(c);
	end();
	return whole;
}

/* noisy is set if each step draws random numbers, so that other step sizes give other values. */
static int noisy;

static void check_step_sizes(fmi2Component c, uint64_t last)
{
	const double sizes[] = {md.step / 2, md.step * 3.7, (md.stop - md.start) / 3,
	                        md.stop - md.start};
	begin(noisy ? "other step sizes, with a shorter one at the end, are taken"
	            : "other step sizes, with a shorter one at the end, lead to the same values");
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		OK(f.fmi2Reset(c));
		if (begin_experiment(c))
			advance(c, 0, steps(sizes[k]), sizes[k]);
		if (!noisy && examine(c) != last)
			fail("after steps of %g s", sizes[k]);
	}
	end();
}

/* check_state returns to the state in the middle of the experiment: in the same instance, and in
 * another one from the serialized bytes. */
static void check_state(fmi2Component c, fmi2Component other)
{
	fmi2FMUstate state = NULL, copy = NULL;
	serialized s;
	long n = steps(md.step), middle = n / 2;
	OK(f.fmi2Reset(c));
	begin("a state from the middle brings back the second half");
	begin_experiment(c);
	advance(c, 0, middle, md.step);
	OK(f.fmi2GetFMUstate(c, &state));
	uint64_t half = advance(c, middle, n, md.step);
	OK(f.fmi2SetFMUstate(c, state));
	expect(advance(c, middle, n, md.step) == half, "outputs differ");
	end();
	begin("a serialized state does so in another instance");
	OK(serialize(&f, c, state, &s));
	OK(f.fmi2DeSerializeFMUstate(other, s.bytes, s.size, &copy));
	OK(f.fmi2SetFMUstate(other, copy));
	expect(advance(other, middle, n, md.step) == half, "outputs differ");
	OK(f.fmi2FreeFMUstate(c, &state));
	OK(f.fmi2FreeFMUstate(other, &copy));
	expect(state == NULL && copy == NULL, "fmi2FreeFMUstate leaves the pointer");
	OK(f.fmi2FreeFMUstate(c, &state));
	free(s.bytes);
	end();
}

static void check_capabilities(fmi2Component c)
{
	fmi2Real real = 0, other = 0;
	fmi2Integer one = 1;
	fmi2Status pending = fmi2OK;
	fmi2ValueReference none = 0;
	begin("what the description does not promise is refused, not crashed on");
	OK(f.fmi2Reset(c));
	begin_experiment(c);
	advance(c, 0, 1, md.step);
	status_is(f.fmi2GetStatus(c, fmi2DoStepStatus, &pending), fmi2Discard, "fmi2GetStatus");
	status_is(f.fmi2GetDirectionalDerivative(c, &none, 1, &none, 1, &real, &other), fmi2Error,
	          "fmi2GetDirectionalDerivative");
	OK(f.fmi2Reset(c));
	begin_experiment(c);
	status_is(f.fmi2SetRealInputDerivatives(c, &none, 1, &one, &real), fmi2Error,
	          "fmi2SetRealInputDerivatives");
	OK(f.fmi2Reset(c));
	begin_experiment(c);
	status_is(f.fmi2CancelStep(c), fmi2Error, "fmi2CancelStep");
	end();
}

static void check_logging(fmi2Component c)
{
	begin("each declared category can be switched on and off");
	for (size_t k = 0; k < md.category_count; k++) {
		const fmi2String category = md.categories[k];
		if (f.fmi2SetDebugLogging(c, fmi2True, 1, &category) != fmi2OK ||
		    f.fmi2SetDebugLogging(c, fmi2False, 1, &category) != fmi2OK)
			fail("%s was refused", category);
	}
	OK(f.fmi2SetDebugLogging(c, fmi2True, 0, NULL));
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
	open_fmu(argv[1]);
	check_inquiries();
	fmi2Component c = make_instance("dut", md.guid, fmi2True),
				  other = make_instance("other", md.guid, fmi2False);
	begin("two instances are made");
	expect(c != NULL && other != NULL, "fmi2Instantiate returned NULL");
	end();
	if (!failed) {
		check_variables(c);
		check_experiment(c);
		check_step_sizes(c, examine(c));
		check_state(c, other);
		check_capabilities(c);
		check_logging(c);
		f.fmi2FreeInstance(c);
		f.fmi2FreeInstance(other);
	}
	begin("the library can be unloaded");
	expect(close_library(f.file), "dlclose has failed");
	end();
	printf("%d of %d checks\n", checks - failures, checks);
	return failures > 0;
}

//go:build ignore

/* Long runs: what an FMU holds after many steps, and how long its published messages stay valid.
 *
 *   long ACT GUID RESOURCES LIBRARY VIEWS N
 *
 * The acts:
 *   steps      N steps of one instance, with all the calls that a host makes besides; prints what
 *              the process holds after a tenth of the steps and at the end
 *   lifetimes  N steps whose input ends at an inaccessible page and becomes inaccessible itself
 *              when fmi2DoStep returns; published messages are hashed until the end of the next
 *              step, through steps without data and failed ones, with getters in any order
 *   crowd      64 instances on 16 threads, N steps each; all have to give the same results
 *   chain      two instances; the second one steps after the first has gone on, and its consumer
 *              reads what the first published one step before
 *
 * VIEWS contains SensorViews as in host.c. The exit code is 0 if all is well. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simulation.h"
#include "value.h"

static fmu f;

/* ---- Input. ---- */

static input_message views[MOST_MESSAGES];
static size_t count_views;

/* ---- A million steps. ---- */

static void print_all(const char *when)
{
	struct mallinfo2 m = mallinfo2();
	print_holdings(when);
	printf("%s: resident %ld heap %zu\n", when, resident_memory(), (m.uordblks + m.hblkhd) / 1024);
	fflush(stdout);
}

/* everything makes the calls that a demanding host makes now and then after a step. */
static int everything(fmi2Component c)
{
	fmi2FMUstate state = NULL;
	serialized s;
	const fmi2ValueReference text = 1, range = 0;
	fmi2String unit;
	fmi2Boolean terminated;
	fmi2Real last, derivative;
	const fmi2Integer first = 1;
	if (f.fmi2GetFMUstate(c, &state) != fmi2OK)
		return trouble("no state");
	int well = serialize(&f, c, state, &s) == fmi2OK && f.fmi2SetFMUstate(c, state) == fmi2OK &&
	           f.fmi2FreeFMUstate(c, &state) == fmi2OK &&
	           f.fmi2DeSerializeFMUstate(c, s.bytes, s.size, &state) == fmi2OK &&
	           f.fmi2FreeFMUstate(c, &state) == fmi2OK &&
	           f.fmi2GetString(c, &text, 1, &unit) == fmi2OK &&
	           f.fmi2GetReal(c, &range, 1, &last) == fmi2OK &&
	           f.fmi2GetBooleanStatus(c, fmi2Terminated, &terminated) == fmi2OK &&
	           f.fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &last) == fmi2OK;
	const fmi2ValueReference out = 20;
	well = well && f.fmi2GetRealOutputDerivatives(c, &out, 1, &first, &derivative) == fmi2OK;
	free(s.bytes);
	return well || trouble("a call between steps has failed");
}

static int many_steps(const simulation *s)
{
	fmi2Component c = instantiate(&f, s);
	fmi2ValueReference reals[30];
	fmi2Real values[30];
	for (unsigned k = 0; k < 30; k++)
		reals[k] = 14 + k;
	if (c == NULL || !initialize(&f, c))
		return 0;
	message p;
	for (int k = 0; k < s->steps; k++) {
		size_t v = (size_t)(k / 20) % count_views;
		if (!write_message(&f, c, sensor_view, k % 20 == 0 ? views[v].bytes : NULL,
		                   k % 20 == 0 ? views[v].size : 0))
			return 0;
		if (f.fmi2DoStep(c, k * h, h, fmi2True) != fmi2OK ||
		    f.fmi2GetReal(c, reals, 30, values) != fmi2OK || !read_message(&f, c, sensor_data, &p))
			return trouble("step %d", k);
		if (k % 1000 == 999 && !everything(c))
			return 0;
		if (k + 1 == s->steps / 10)
			print_all("early");
	}
	print_all("late");
	f.fmi2FreeInstance(c);
	return 1;
}

/* ---- Lifetimes. ---- */

/* A page that can be made inaccessible, followed by one that never is accessible. */
typedef struct {
	unsigned char *pages;
	size_t size;
} guarded;

static int guard(guarded *g, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	g->size = (size + page - 1) / page * page;
	g->pages = mmap(NULL, g->size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return g->pages != MAP_FAILED || trouble("no memory");
}

static unsigned seed = 20260101;
static unsigned dice(unsigned n) { return (seed = seed * 1664525u + 1013904223u) / 65536 % n; }

/* get_anything calls getters in any order, any number of times, for any number of variables. */
static int get_anything(fmi2Component c)
{
	fmi2ValueReference vr[40];
	fmi2Real real[40];
	fmi2Integer integer[40];
	fmi2String string[40];
	for (unsigned n = dice(6); n > 0; n--) {
		static const unsigned counts[4] = {52, 27, 10, 3};
		unsigned type = dice(4), count = dice(40);
		for (unsigned k = 0; k < count; k++)
			vr[k] = dice(counts[type]);
		fmi2Status status = type == 0   ? f.fmi2GetReal(c, vr, count, real)
		                    : type == 1 ? f.fmi2GetInteger(c, vr, count, integer)
		                    : type == 2 ? f.fmi2GetBoolean(c, vr, count, integer)
		                                : f.fmi2GetString(c, vr, count, string);
		if (status != fmi2OK)
			return trouble("a getter of type %u has failed", type);
	}
	return 1;
}

/* fail_and_reset verifies that neither a failed step nor fmi2Reset changes a message. */
static int fail_and_reset(fmi2Component c, message last, message live)
{
	if (f.fmi2DoStep(c, 0, -1, fmi2True) != fmi2Error || !get_anything(c) || !is_intact(&last) ||
	    !is_intact(&live))
		return trouble("after a failed step");
	return (f.fmi2Reset(c) == fmi2OK && is_intact(&last) && is_intact(&live) &&
	        initialize(&f, c)) ||
	       trouble("after a reset");
}

static int lifetimes(const simulation *s)
{
	static const fmi2ValueReference enabled = 1;
	static const fmi2Boolean no = fmi2False;
	fmi2Component c = f.fmi2Instantiate("lifetimes", fmi2CoSimulation, s->guid, s->resources,
	                                    &silent_callbacks, fmi2False, fmi2False);
	guarded g;
	message last = {0}, live = {0};
	int empty = 0, failed = 0, at = 0;
	last.hash = live.hash = hash_start;
	/* Without a recording, a step without a SensorView produces no data. */
	if (c == NULL || !guard(&g, 1 << 20) || f.fmi2SetBoolean(c, &enabled, 1, &no) != fmi2OK ||
	    !initialize(&f, c))
		return trouble("no instance");
	for (int k = 0; k < s->steps; k++, at++) {
		size_t v = dice((unsigned)count_views), n = dice(7) == 0 ? 0 : views[v].size;
		unsigned char *view = g.pages + g.size - n;
		mprotect(g.pages, g.size, PROT_READ | PROT_WRITE);
		memcpy(view, views[v].bytes, n);
		if (!write_message(&f, c, sensor_view, n > 0 ? view : NULL, n) ||
		    f.fmi2DoStep(c, at * h, h, fmi2True) != fmi2OK)
			return trouble("step %d", k);
		mprotect(g.pages, g.size, PROT_NONE);
		if (!get_anything(c) || !is_intact(&live))
			return trouble("step %d: the previous message has changed", k);
		last = live;
		if (!read_message(&f, c, sensor_data, &live) || (live.size == 0) != (n == 0) ||
		    (live.size > 0 && live.bytes == last.bytes))
			return trouble("step %d: size %zu with %zu bytes of input", k, live.size, n);
		empty += n == 0;
		if (!get_anything(c) || !is_intact(&last) || !is_intact(&live))
			return trouble("step %d: a getter has changed something", k);
		if (dice(50) == 0) {
			if (!fail_and_reset(c, last, live) || f.fmi2Reset(c) != fmi2OK ||
			    f.fmi2SetBoolean(c, &enabled, 1, &no) != fmi2OK || !initialize(&f, c))
				return 0;
			failed++, at = -1;
		}
	}
	f.fmi2FreeInstance(c);
	munmap(g.pages, g.size + (size_t)sysconf(_SC_PAGESIZE));
	printf("%d steps, %d without data, %d failed\n", s->steps, empty, failed);
	return 1;
}

/* ---- Many instances. ---- */

enum { THREADS = 16, EACH = 4 };

static void member(void *argument)
{
	simulation *s = argument, each[EACH];
	fmi2Component c[EACH];
	int well = 1;
	for (int k = 0; k < EACH; k++) {
		each[k] = *s;
		each[k].hash = hash_start;
		c[k] = instantiate(&f, s);
		well = well && c[k] != NULL && initialize(&f, c[k]);
	}
	for (int n = 0; n < s->steps && well; n++)
		for (int k = 0; k < EACH && well; k++)
			well = write_message(&f, c[k], sensor_view, views[(size_t)n % count_views].bytes,
			                     views[(size_t)n % count_views].size) &&
			       step(&f, c[k], &each[k], n);
	for (int k = 0; k < EACH; k++) {
		f.fmi2FreeInstance(c[k]);
		well = well && each[k].hash == each[0].hash;
	}
	s->hash = well ? each[0].hash : 0;
}

static int crowd(const simulation *s)
{
	simulation all[THREADS];
	thread threads[THREADS];
	for (int k = 0; k < THREADS; k++) {
		all[k] = *s;
		all[k].silent = 1;
		threads[k].work = member;
		threads[k].argument = &all[k];
		if (!start(&threads[k]))
			return trouble("no thread %d", k);
	}
	for (int k = 0; k < THREADS; k++)
		join(&threads[k]);
	for (int k = 0; k < THREADS; k++)
		if (all[k].hash == 0 || all[k].hash != all[0].hash)
			return trouble("thread %d got other results", k);
	printf("%d instances on %d threads have seen the same in %d steps\n", THREADS * EACH, THREADS,
	       s->steps);
	return 1;
}

/* chain also hands the second instance a SensorView late, and verifies that nothing the first
 * instance does afterwards changes it. */
static int chain(const simulation *s)
{
	fmi2Component first = instantiate(&f, s), second = instantiate(&f, s);
	message late = {0}, newest = {0};
	int seen = 0;
	late.hash = hash_start;
	if (first == NULL || second == NULL || !initialize(&f, first) || !initialize(&f, second))
		return 0;
	for (int k = 0; k < s->steps; k++) {
		size_t v = (size_t)k % count_views;
		if (!write_message(&f, first, sensor_view, views[v].bytes, views[v].size) ||
		    f.fmi2DoStep(first, k * h, h, fmi2True) != fmi2OK)
			return trouble("the first, step %d", k);
		/* The consumer uses the triple of the previous step while the producer has gone on. */
		unsigned char *copy = malloc(late.size + 1);
		memcpy(copy, late.bytes != NULL ? (const void *)late.bytes : "", late.size);
		if (hash(hash_start, copy, late.size) != late.hash)
			return trouble("step %d: the consumer read another message", k);
		free(copy);
		if (!write_message(&f, second, sensor_view, views[v].bytes, views[v].size) ||
		    f.fmi2DoStep(second, k * h, h, fmi2True) != fmi2OK || !is_intact(&late))
			return trouble("the second, step %d", k);
		seen += late.size > 0;
		if (!read_message(&f, first, sensor_data, &late) ||
		    !read_message(&f, second, sensor_data, &newest) || late.bytes == newest.bytes ||
		    late.hash != newest.hash)
			return trouble("step %d: equal instances differ", k);
	}
	f.fmi2FreeInstance(first);
	f.fmi2FreeInstance(second);
	printf("%d messages read a step late\n", seen);
	return 1;
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		int (*play)(const simulation *);
	} acts[] = {
		{"steps", many_steps}, {"lifetimes", lifetimes}, {"crowd", crowd}, {"chain", chain}};
	if (count != 7)
		return 2;
	simulation s = {.guid = words[2],
	                .resources = words[3],
	                .path = words[4],
	                .steps = atoi(words[6]),
	                .silent = 1};
	if (!load(&f, s.path) || (count_views = read_inputs(words[5], views)) == 0)
		return 1;
	for (size_t k = 0; k < sizeof acts / sizeof *acts; k++)
		if (strcmp(words[1], acts[k].name) == 0)
			return !acts[k].play(&s);
	return 2;
}

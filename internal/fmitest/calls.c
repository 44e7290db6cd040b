#define _GNU_SOURCE
#include "importer.h"
#include "triple.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Many calls in a row. ---- */

fmi2Status host_rounds(fmi2Component c, const host_references *r, double start, double step,
                       size_t rounds)
{
	unsigned char message[64];
	fmi2Integer in[3], out[3];
	fmi2Status status = fmi2OK;
	for (size_t k = 0; k < rounds && status == fmi2OK; k++) {
		memset(message, (int)k, sizeof message);
		put_address(in, message, sizeof message);
		status = fmi2SetInteger(c, r->in, 3, in);
		if (status == fmi2OK)
			status = fmi2DoStep(c, start + (double)k * step, step, fmi2True);
		if (status == fmi2OK)
			status = fmi2GetInteger(c, r->out, 3, out);
	}
	return status;
}

fmi2Status host_get_integers(fmi2Component c, const fmi2ValueReference *vr, size_t n, size_t times)
{
	fmi2Integer values[16];
	fmi2Status status = n <= 16 ? fmi2OK : fmi2Error;
	for (size_t k = 0; k < times && status == fmi2OK; k++)
		status = fmi2GetInteger(c, vr, n, values);
	return status;
}

fmi2Status host_set_integers(fmi2Component c, const fmi2ValueReference *vr, size_t n, size_t times)
{
	fmi2Integer values[16] = {0};
	fmi2Status status = n <= 16 ? fmi2OK : fmi2Error;
	for (size_t k = 0; k < times && status == fmi2OK; k++)
		status = fmi2SetInteger(c, vr, n, values);
	return status;
}

fmi2Status host_steps(fmi2Component c, double start, double step, size_t times)
{
	fmi2Status status = fmi2OK;
	for (size_t k = 0; k < times && status == fmi2OK; k++)
		status = fmi2DoStep(c, start + (double)k * step, step, fmi2True);
	return status;
}

size_t host_heap(void)
{
#if defined(__GLIBC__)
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
#else
	return 0;
#endif
}

/* ---- Inputs on pages that become inaccessible. ---- */

int host_page_new(host_page *p, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	p->size = (size + page - 1) / page * page;
	p->pages = mmap(NULL, p->size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p->pages != MAP_FAILED;
}

void host_page_free(host_page *p) { munmap(p->pages, p->size + (size_t)sysconf(_SC_PAGESIZE)); }
int host_page_open(host_page *p)
{
	return mprotect(p->pages, p->size, PROT_READ | PROT_WRITE) == 0;
}
int host_page_close(host_page *p) { return mprotect(p->pages, p->size, PROT_NONE) == 0; }

/* host_look_around makes every call that a host may make after a step: it reads all variables and
 * saves and serializes the state. None of these calls may read the input. */
static int host_look_around(fmi2Component c, const host_references *r, int deep)
{
	fmi2Integer values[3];
	fmi2FMUstate state = NULL;
	size_t size = 0;
	int well = fmi2GetInteger(c, r->in, 3, values) == fmi2OK &&
	           fmi2GetInteger(c, r->out, 3, values) == fmi2OK;
	if (!well || !deep)
		return well;
	if (fmi2GetFMUstate(c, &state) != fmi2OK ||
	    fmi2SerializedFMUstateSize(c, state, &size) != fmi2OK)
		return 0;
	fmi2Byte *bytes = malloc(size);
	well = bytes != NULL && fmi2SerializeFMUstate(c, state, bytes, size) == fmi2OK &&
	       fmi2SetFMUstate(c, state) == fmi2OK;
	free(bytes);
	return fmi2FreeFMUstate(c, &state) == fmi2OK && well;
}

static int host_checked(fmi2Component c, const host_references *r, uint32_t expected)
{
	fmi2Integer found;
	return fmi2GetInteger(c, &r->checksum, 1, &found) == fmi2OK && (uint32_t)found == expected;
}

size_t host_vanishing_input(fmi2Component c, const host_references *r, double step, size_t rounds)
{
	host_page page;
	size_t k;
	const uint32_t none = host_checksum(NULL, 0);
	if (!host_page_new(&page, 4096))
		return 0;
	for (k = 0; k < rounds; k++) {
		size_t n = 1 + k % page.size;
		unsigned char *message = page.pages + page.size - n;
		fmi2Integer triple[3];
		double t = 2 * (double)k * step;
		if (!host_page_open(&page))
			break;
		for (size_t at = 0; at < n; at++)
			message[at] = (unsigned char)(k + 7 * at);
		uint32_t expected = host_checksum(message, n);
		put_address(triple, message, n);
		if (fmi2SetInteger(c, r->in, 3, triple) != fmi2OK ||
		    fmi2DoStep(c, t, step, fmi2True) != fmi2OK)
			break;
		if (!host_page_close(&page) || !host_checked(c, r, expected) ||
		    !host_look_around(c, r, k % 100 == 0))
			break;
		/* A second step without a new input must not read from the old address. */
		if (fmi2DoStep(c, t + step, step, fmi2True) != fmi2OK || !host_checked(c, r, none))
			break;
	}
	host_page_free(&page);
	return k;
}

/* ---- Threads. ---- */

typedef struct {
	const host_crowd *crowd;
	size_t first, count; /* of the instances */
	size_t faults;
} host_member;

typedef struct {
	host *host;
	fmi2Component c;
	const unsigned char *live; /* the newest message, which must stay valid through the next step */
	size_t size;
	uint32_t sum;
	char name[32];
} host_seat;

static int host_seat_open(host_seat *s, const host_crowd *crowd, size_t number)
{
	host_arguments a = {s->name, crowd->guid, NULL, fmi2CoSimulation, fmi2True, 0, 0};
	snprintf(s->name, sizeof s->name, "instance %zu", number);
	s->host = host_new();
	s->c = s->host != NULL ? host_instantiate(s->host, a) : NULL;
	return s->c != NULL && fmi2SetupExperiment(s->c, fmi2False, 0, 0, fmi2False, 0) == fmi2OK &&
	       fmi2EnterInitializationMode(s->c) == fmi2OK &&
	       fmi2ExitInitializationMode(s->c) == fmi2OK;
}

/* host_seat_step makes one step: it sets the input, gets its checksum and a message, and checks
 * that the previous message is unchanged. */
static int host_seat_step(host_seat *s, const host_references *r, size_t number, size_t k)
{
	unsigned char message[100];
	fmi2Integer in[3], out[3];
	memset(message, (int)(number ^ k), sizeof message);
	put_address(in, message, sizeof message);
	int well = fmi2SetInteger(s->c, r->in, 3, in) == fmi2OK &&
	           fmi2DoStep(s->c, (double)k * 0.01, 0.01, fmi2True) == fmi2OK &&
	           host_checked(s->c, r, host_checksum(message, sizeof message)) &&
	           fmi2GetInteger(s->c, r->out, 3, out) == fmi2OK && out[2] > 0 &&
	           address_in(out) != s->live && host_checksum(s->live, s->size) == s->sum;
	if (well) {
		s->live = address_in(out);
		s->size = (size_t)out[2];
		s->sum = host_checksum(s->live, s->size);
	}
	return well;
}

/* host_seat_close ends with an illegal call, whose log line must reach this instance's host, under
 * the instance's name, and no other host. */
static int host_seat_close(host_seat *s)
{
	fmi2Real value;
	const fmi2ValueReference unknown = 100000;
	int well = s->c != NULL && fmi2GetReal(s->c, &unknown, 1, &value) == fmi2Error &&
	           s->host->count == 1 && strcmp(s->host->lines[0].instance, s->name) == 0;
	fmi2FreeInstance(s->c);
	if (s->host != NULL)
		host_free(s->host);
	return well;
}

static void *host_member_run(void *argument)
{
	host_member *m = argument;
	host_seat *seats = calloc(m->count, sizeof *seats);
	if (seats == NULL)
		abort();
	for (size_t k = 0; k < m->count; k++) {
		seats[k].sum = host_checksum(NULL, 0);
		m->faults += !host_seat_open(&seats[k], m->crowd, m->first + k);
	}
	for (size_t round = 0; round < m->crowd->rounds; round++)
		for (size_t k = 0; k < m->count; k++)
			m->faults += !host_seat_step(&seats[k], &m->crowd->references, m->first + k, round);
	for (size_t k = 0; k < m->count; k++)
		m->faults += !host_seat_close(&seats[k]);
	free(seats);
	return NULL;
}

size_t host_threads(const host_crowd *crowd)
{
	pthread_t *threads = calloc(crowd->threads, sizeof *threads);
	host_member *members = calloc(crowd->threads, sizeof *members);
	size_t faults = 0, share = crowd->instances / crowd->threads;
	if (threads == NULL || members == NULL)
		abort();
	for (size_t k = 0; k < crowd->threads; k++) {
		members[k] = (host_member){crowd, k * share, share, 0};
		if (pthread_create(&threads[k], NULL, host_member_run, &members[k]) != 0)
			abort();
	}
	for (size_t k = 0; k < crowd->threads; k++) {
		pthread_join(threads[k], NULL);
		faults += members[k].faults;
	}
	free(threads);
	free(members);
	return faults;
}

typedef struct {
	fmi2Component c;
	fmi2FMUstate state;
	const host_references *references;
	atomic_size_t started;
	atomic_size_t faults;
} host_contest;

static void *host_contend_run(void *argument)
{
	host_contest *contest = argument;
	fmi2Integer out[3];
	fmi2Status status = fmi2GetInteger(contest->c, contest->references->out, 3, out);
	atomic_fetch_add(&contest->faults, status != fmi2OK);
	atomic_fetch_add(&contest->started, 1);
	while (status == fmi2OK) {
		status = fmi2SetFMUstate(contest->c, contest->state); /* reaches the model, unlike a Get */
		if (status == fmi2OK)
			status = fmi2GetInteger(contest->c, contest->references->out, 3, out);
	}
	atomic_fetch_add(&contest->faults, status != fmi2Error);
	fmi2FreeInstance(contest->c); /* a second time, from all threads at once */
	return NULL;
}

size_t host_contend(fmi2Component c, const host_references *r, size_t threads)
{
	host_contest contest = {c, NULL, r, 0, 0};
	pthread_t *running = calloc(threads, sizeof *running);
	if (running == NULL || fmi2GetFMUstate(c, &contest.state) != fmi2OK)
		abort();
	for (size_t k = 0; k < threads; k++)
		if (pthread_create(&running[k], NULL, host_contend_run, &contest) != 0)
			abort();
	while (atomic_load(&contest.started) < threads)
		sched_yield();
	fmi2FreeInstance(c);
	for (size_t k = 0; k < threads; k++)
		pthread_join(running[k], NULL);
	free(running);
	return atomic_load(&contest.faults);
}

/* ---- Numbers that are neither components nor states. ---- */

typedef struct {
	uintptr_t component, state;
	size_t faults;
} host_stranger;

static void *host_stranger_run(void *argument)
{
	host_stranger *s = argument;
	fmi2Component c = (fmi2Component)s->component;
	const fmi2ValueReference vr = 0;
	const fmi2Real real = 0;
	const fmi2Integer integer = 0;
	const fmi2Boolean boolean = 0;
	const fmi2String string = "";
	fmi2Real r;
	fmi2Integer i;
	fmi2Boolean b;
	fmi2String t;
	fmi2FMUstate state = NULL;
	fmi2Status asked;
	fmi2Byte byte = 0;
	size_t size;
	const fmi2Status answers[] = {
		fmi2DoStep(c, 0, 1, fmi2True),
		fmi2SetDebugLogging(c, fmi2True, 0, NULL),
		fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0),
		fmi2EnterInitializationMode(c),
		fmi2ExitInitializationMode(c),
		fmi2Terminate(c),
		fmi2Reset(c),
		fmi2GetReal(c, &vr, 1, &r),
		fmi2GetInteger(c, &vr, 1, &i),
		fmi2GetBoolean(c, &vr, 1, &b),
		fmi2GetString(c, &vr, 1, &t),
		fmi2SetReal(c, &vr, 1, &real),
		fmi2SetInteger(c, &vr, 1, &integer),
		fmi2SetBoolean(c, &vr, 1, &boolean),
		fmi2SetString(c, &vr, 1, &string),
		fmi2GetFMUstate(c, &state),
		fmi2SetFMUstate(c, c),
		fmi2FreeFMUstate(c, &state),
		fmi2SerializedFMUstateSize(c, c, &size),
		fmi2SerializeFMUstate(c, c, &byte, 1),
		fmi2DeSerializeFMUstate(c, &byte, 1, &state),
		fmi2GetDirectionalDerivative(c, &vr, 1, &vr, 1, &real, &r),
		fmi2SetRealInputDerivatives(c, &vr, 1, &integer, &real),
		fmi2GetRealOutputDerivatives(c, &vr, 1, &integer, &r),
		fmi2CancelStep(c),
		fmi2GetStatus(c, fmi2DoStepStatus, &asked),
		fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &r),
		fmi2GetIntegerStatus(c, fmi2DoStepStatus, &i),
		fmi2GetBooleanStatus(c, fmi2Terminated, &b),
		fmi2GetStringStatus(c, fmi2PendingStatus, &t),
	};
	fmi2FreeInstance(c);
	for (size_t k = 0; k < sizeof answers / sizeof *answers; k++)
		s->faults += answers[k] != fmi2Error;
	return NULL;
}

static void *host_stranger_states(void *argument)
{
	host_stranger *s = argument;
	fmi2Component c = (fmi2Component)s->component;
	fmi2FMUstate state = (fmi2FMUstate)s->state;
	fmi2Byte byte = 0;
	size_t size;
	s->faults += fmi2SetFMUstate(c, state) != fmi2Error;
	s->faults += fmi2SerializedFMUstateSize(c, state, &size) != fmi2Error;
	s->faults += fmi2SerializeFMUstate(c, state, &byte, 1) != fmi2Error;
	s->faults += fmi2GetFMUstate(c, &state) != fmi2Error;
	s->faults += fmi2FreeFMUstate(c, &state) != fmi2Error;
	return NULL;
}

/* host_strangers runs one thread after the other. Each of them has never entered the library
 * before. */
static size_t host_strangers(host_stranger s, size_t threads, void *(*run)(void *))
{
	for (size_t k = 0; k < threads; k++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, run, &s) != 0)
			abort();
		pthread_join(thread, NULL);
	}
	return s.faults;
}

size_t host_foreign_first(uintptr_t component, size_t threads)
{
	return host_strangers((host_stranger){component, 0, 0}, threads, host_stranger_run);
}

size_t host_foreign_states(fmi2Component c, uintptr_t state, size_t threads)
{
	return host_strangers((host_stranger){(uintptr_t)c, state, 0}, threads, host_stranger_states);
}

//go:build linux

// Running the script: operations, loops, threads, and what is recorded of each.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "serve.h"

pb_instance pb_instances[PB_INSTANCES];
bool pb_unloaded;
static void *libraries[PB_LIBRARIES];
static void *symbols[PB_LIBRARIES][PB_COUNT];

const char *pb_function_name(uint32_t code)
{
#define PB_STRING(name) #name,
	static const char *const names[] = {"", PB_FUNCTIONS(PB_STRING)};
	return code < PB_COUNT ? names[code] : NULL;
}

enum { EACH = 8, SIZES = 33, BLOCKS = EACH * SIZES };

// take allocates blocks of the given size and of all small sizes, and fills them: the length of a
// text in released memory says nothing about the size of its block.
static void take(void *blocks[BLOCKS], size_t size)
{
	for (int k = 0; k < BLOCKS; k++) {
		size_t n = k < EACH ? size + 1 : (size_t)(k / EACH) * 16 + 8;
		blocks[k] = malloc(n);
		if (blocks[k] != NULL) {
			memset(blocks[k], 0x5b, malloc_usable_size(blocks[k]));
		}
	}
}

static void give_back(void *blocks[BLOCKS])
{
	for (int k = 0; k < BLOCKS; k++) {
		free(blocks[k]);
	}
}

void pb_alive(pb_record *r, uint64_t at, const char *address, bool ends)
{
	enum { STACK = 256 << 10, MOST = 4096, HEAD = 8 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), there = (uintptr_t)address;
	bool main_thread = syscall(SYS_gettid) == getpid(); // whose stack has room below it
	if (main_thread && there != 0 && there < here && here - there < STACK) {
		r->flags |= PB_DEAD;
		return;
	}
	if (r->size < at + HEAD) { // the output is full
		return;
	}
	size_t size = (size_t)(r->size - at - HEAD);
	char now[MOST];
	const char *then = pb_memory + pb_shared->out_at + r->out + at + HEAD;
	uint64_t length = 0;
	memcpy(&length, then - HEAD, sizeof length);
	if (size >= MOST || length > size || length + ends == 0) {
		return;
	}
	void *blocks[BLOCKS];
	take(blocks, length);
	if (pb_copy(now, address, length + ends) != length + ends || memcmp(now, then, length) != 0 ||
	    (ends && now[length] != 0)) {
		r->flags |= PB_DEAD;
	}
	give_back(blocks);
}

int32_t pb_load(const pb_op *o, pb_record *r)
{
	uint32_t k = o->slot % PB_LIBRARIES;
	memset(symbols[k], 0, sizeof symbols[k]);
	dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
	libraries[k] = dlopen(pb_text(o->data), RTLD_NOW | RTLD_LOCAL);
	if (libraries[k] != NULL) {
		return 0;
	}
	const char *why = dlerror();
	pb_begin_out(r);
	pb_add_text(r, why == NULL ? "no reason given" : why);
	return PB_UNLOADABLE;
}

int32_t pb_unload(const pb_op *o)
{
	uint32_t k = o->slot % PB_LIBRARIES;
	void *any = NULL;
	for (uint32_t code = 0; code < PB_COUNT && any == NULL; code++) {
		any = symbols[k][code];
	}
	int failed = libraries[k] == NULL ? 1 : dlclose(libraries[k]);
	libraries[k] = NULL;
	Dl_info place;
	pb_unloaded = !failed && any != NULL && dladdr(any, &place) == 0;
	return failed ? PB_MISUSE : 0;
}

void *pb_symbol(uint32_t library, uint32_t code)
{
	uint32_t k = library % PB_LIBRARIES;
	if (symbols[k][code] == NULL && libraries[k] != NULL) {
		symbols[k][code] = dlsym(libraries[k], pb_function_name(code));
	}
	return symbols[k][code];
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// fair_now returns the time without the time for which this thread has waited for a processor, so
// that a loop makes as many rounds on a busy machine as on an idle one.
static int64_t fair_now(void)
{
	char line[96];
	long long ran, waited = 0;
	int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t n = file < 0 ? 0 : read(file, line, sizeof line - 1);
	if (file >= 0) {
		close(file);
	}
	line[n < 0 ? 0 : n] = 0;
	if (sscanf(line, "%lld %lld", &ran, &waited) != 2) {
		waited = 0;
	}
	return now() - waited;
}

static int32_t execute(const pb_op *o, pb_record *r)
{
	switch (o->code) {
	case PB_LOAD:
		return pb_load(o, r);
	case PB_UNLOAD:
		return pb_unload(o);
	case PB_PLACE:
		return pb_place(o);
	case PB_PROTECT:
		return pb_protect(o);
	case PB_SEND:
		return pb_send(o);
	case PB_FETCH:
		return pb_fetch(o, r);
	case PB_PEEK:
		return pb_peek(o, r);
	case PB_MEASURE:
		return pb_measure(r);
	case PB_SLEEP:
		return pb_pause(o);
	case PB_PLACEMENT:
		pb_set_placement(o->count);
		return 0;
	case PB_DIRTY:
		pb_dirty(o);
		return 0;
	case PB_SETTLE:
		return pb_settle(o, r);
	case PB_TWINS:
		return pb_twins(o);
	case PB_WATCH:
		return pb_watch();
	case PB_TOLD:
		return pb_told(r);
	case PB_UPDATES:
		return pb_updates(o);
	}
	return o->code < PB_fmi3GetVersion ? pb_call2(o, r) : pb_call3(o, r);
}

// The floating-point settings that matter: rounding, and on x86 masks and denormal numbers.
static uint64_t floats(void)
{
	uint64_t word = (uint64_t)fegetround();
#if defined(__x86_64__)
	uint16_t control;
	__asm__ volatile("fnstcw %0" : "=m"(control));
	word |= (uint64_t)(__builtin_ia32_stmxcsr() & ~0x3fu) << 32 | (uint64_t)control << 16;
#endif
	return word;
}

// release_x87 reports whether registers of the x87, which MMX also uses, are in use, and frees
// them. Computations of the host with long double would then lead to NaN.
static bool release_x87(void)
{
#if defined(__x86_64__)
	const uint16_t empty = 0xffff;
	const int tags = 4; // of the 14 words that fnstenv stores
	uint16_t environment[14];
	__asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(environment));
	if (environment[tags] != empty) {
		__asm__ volatile("emms");
		return true;
	}
#endif
	return false;
}

// timed executes an operation and records how long it took and what it left behind.
static int32_t timed(const pb_op *o, pb_record *r)
{
	fenv_t before;
	fegetenv(&before);
	uint64_t settings = floats();
	int64_t begin = now();
	int32_t status = execute(o, r);
	int64_t took = now() - begin;
	r->flags |= release_x87() ? PB_X87 : 0;
	if (floats() != settings) {
		fesetenv(&before);
		r->flags |= PB_FLOATS;
	}
	r->status = status;
	r->runs++;
	r->nanos += took;
	r->most = took > r->most ? took : r->most;
	r->least = r->runs == 1 || took < r->least ? took : r->least;
	r->flags |= pb_check();
	pb_release((o->flags & PB_FORGET) != 0);
	return status;
}

typedef struct {
	const pb_op *op;
	pb_record *record;
	int32_t status;
} job;

static void *work(void *argument)
{
	job *j = argument;
	j->status = timed(j->op, j->record);
	return NULL;
}

static int32_t elsewhere(const pb_op *o, pb_record *r)
{
	job j = {o, r, PB_MISUSE};
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	if (o->flags & PB_SMALL_STACK) {
		pthread_attr_setstacksize(&attributes, 128 << 10);
	}
	if (pthread_create(&thread, &attributes, work, &j) == 0) {
		pthread_join(thread, NULL);
	}
	pthread_attr_destroy(&attributes);
	return j.status;
}

typedef struct {
	uint32_t begin, round, rounds;
	int64_t enough, until;
} loop;

static loop loops[PB_DEPTH];
static uint32_t depth;

enum { FEW = 12 }; // rounds for which a loop may take longer

// again reports whether the innermost loop has another round.
static bool again(void)
{
	loop *l = &loops[depth - 1];
	if (++l->round >= l->rounds || l->until == 0) {
		return l->round < l->rounds;
	}
	return fair_now() < (l->round < FEW ? l->until : l->enough);
}

// steer determines the next operation to execute.
static uint32_t steer(const pb_op *o, pb_record *r, uint32_t k)
{
	switch (o->code) {
	case PB_LOOP:
		if (depth < PB_DEPTH) {
			double most = o->x[1] > o->x[0] ? o->x[1] : o->x[0];
			int64_t begin = fair_now();
			loops[depth++] = (loop){k + 1, 0, o->count, begin + (int64_t)(o->x[0] * 1e9),
			                        most > 0 ? begin + (int64_t)(most * 1e9) : 0};
		}
		break;
	case PB_NEXT:
		r->runs++;
		if (depth > 0 && again()) {
			return loops[depth - 1].begin;
		}
		depth -= depth > 0;
		break;
	case PB_UNLESS_EVENT:
		return pb_instances[o->slot % PB_INSTANCES].event ? k + 1 : k + 1 + o->count;
	}
	return k + 1;
}

static bool is_steering(uint32_t code)
{
	return code == PB_LOOP || code == PB_NEXT || code == PB_UNLESS_EVENT;
}

static int32_t one(const pb_op *o, pb_record *r)
{
	pb_op copy = *o;
	if ((o->flags & PB_CLOCKED) && depth > 0) {
		copy.x[0] = o->x[0] + (double)loops[depth - 1].round * o->x[1];
	}
	bool thread = o->flags & (PB_OTHER_THREAD | PB_SMALL_STACK);
	return thread ? elsewhere(&copy, r) : timed(&copy, r);
}

// walk executes the operations from first up to end.
static void walk(uint32_t first, uint32_t end)
{
	const pb_op *ops = pb_at(pb_shared->ops_at);
	pb_record *records = pb_at(pb_shared->records_at);
	for (uint32_t k = 0; k < PB_INSTANCES; k++) {
		pb_instances[k].slot = k;
	}
	for (uint32_t k = first; k < end && pb_shared->stopped < 0;) {
		const pb_op *o = &ops[k];
		atomic_store(&pb_shared->code, o->code);
		atomic_store(&pb_shared->op, k + 1);
		atomic_fetch_add(&pb_shared->beat, 1);
		if (!is_steering(o->code)) {
			int32_t status = one(o, &records[k]);
			if (status > 1 && !(o->flags & PB_MAY_FAIL)) {
				pb_shared->stopped = (int32_t)k;
			}
		}
		k = steer(o, &records[k], k);
	}
}

static void *on_thread(void *nothing)
{
	walk(1, pb_shared->ops);
	return nothing;
}

// pb_run runs the script: on the main thread, or on a thread that ends with the script. The main
// thread executes the first operation in any case, because loading a library needs much stack.
void pb_run(void)
{
	if (pb_shared->stack == 0) {
		walk(0, pb_shared->ops);
		return;
	}
	walk(0, 1);
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, pb_shared->stack);
	if (pthread_create(&thread, &attributes, on_thread, NULL) == 0) {
		pthread_join(thread, NULL);
	}
	pthread_attr_destroy(&attributes);
}

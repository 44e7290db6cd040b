/* Declarations shared by the sources of the loader. load.c describes the loader. */
#ifndef GOSMP_LOADER_H
#define GOSMP_LOADER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "integers.h"

/* ---- The version of FMI that this loader speaks. Sources whose names end in a version are
 * compiled for that version only. ---- */

#if GOSMP_FMI == 3

#include "fmi3.h"

typedef fmi3Instance handle;
typedef fmi3Status status;
typedef fmi3InstanceEnvironment environment;
typedef fmi3LogMessageCallback logger;
#define STATUS_ERROR fmi3Error
#define INSTANTIATE "fmi3InstantiateCoSimulation"

/* What the host wants to be told within a step (step_fmi3.c). */
typedef struct {
	fmi3IntermediateUpdateCallback callback; /* NULL if nothing */
	fmi3InstanceEnvironment environment;
	int early_allowed; /* a step may return early */
} updates;

#elif GOSMP_FMI == 2

#include "fmi2.h"

typedef fmi2Component handle;
typedef fmi2Status status;
typedef fmi2ComponentEnvironment environment;
typedef fmi2CallbackLogger logger;
#define STATUS_ERROR fmi2Error
#define INSTANTIATE "fmi2Instantiate"
typedef char updates; /* FMI 2.0 has none */

#else
#error "GOSMP_FMI is not defined; expected the version of FMI, 2 or 3"
#endif

#ifndef GOSMP_CORE
#error \
	"GOSMP_CORE is not defined; expected the core's file name, as in -DGOSMP_CORE=\"X-core-0123456789abcdef.so\""
#endif

typedef void (*function)(void);

/* ---- text.c ---- */

/* copy_text returns a copy on the heap, or NULL if memory is short. */
char *copy_text(const char *text);

/* escape writes a text in the form that loggers expect, which is at most three times as long. */
void escape(char *to, const char *text);

/* ---- instances.c ---- */

/* A message for the host's logger. In FMI 2.0 the text is a printf format: its '%' are doubled. */
typedef struct message {
	struct message *next;
	status status;
	const char *category;
	char text[];
} message;

typedef struct {
	handle core;             /* the core's handle of this instance */
	const atomic_int *alive; /* 0 in a forked child: the core of this instance is lost there */
	gosmp_flag *turn;        /* in the memory shared with the core; NULL without such memory */
	logger logger;
	environment environment;
	char *name;
	message *first, *last; /* waiting for delivery */
	message *delivering;   /* being logged, or left by a logger that never returned */
	message *delivered;    /* the last one; it stays valid until the host's next call */
	atomic_int locked;     /* these lists are being changed */
	updates update;
} instance;

enum { MAX_INSTANCES = 4096, HANDLES = 1 << 22 };

/* The table of instances, which only instances.c and find_instance use. */
typedef struct {
	atomic_size_t number; /* of the handle, from 1; 0 is vacant */
	instance instance;
} slot;
extern char handles[HANDLES];
extern slot slots[MAX_INSTANCES];

/* add_instance adds an instance to the table and returns its handle, or NULL if the table is
 * full. */
handle add_instance(const instance *new_instance);

/* remove_instance removes an instance from the table, delivers its last messages and releases what
 * it holds. The handle becomes stale before the logger is called, so that a logger that never
 * returns does not occupy the slot. */
void remove_instance(handle h);

/* find_instance returns NULL for a handle that is stale, foreign or NULL. The functions that each
 * call needs are inline, because a call that the loader serves itself takes ten nanoseconds. */
static inline instance *find_instance(handle h)
{
	uintptr_t n = (uintptr_t)h -
	              (uintptr_t)handles; /* any number; slots hold only numbers of valid handles */
	return atomic_load(&slots[n % MAX_INSTANCES].number) == n + 1
	           ? &slots[n % MAX_INSTANCES].instance
	           : NULL;
}

/* release_instance delivers the last messages of an instance that is not in the table and releases
 * what it holds. */
void release_instance(instance *i);

/* core_is_lost reports whether this process was forked after the instance had been created. */
static inline int core_is_lost(const instance *i)
{
	return !atomic_load_explicit(i->alive, memory_order_relaxed);
}

/* ---- messages.c ---- */

/* append_message queues a message of the core, with a complete text. It is delivered after the core
 * has returned. */
void append_message(instance *i, status status, const char *category, const char *text);

/* report_error queues an error of the loader's own. */
void report_error(instance *i, const char *format, ...);

/* deliver_queued calls the host's logger for each queued message. h is NULL for an instance outside
 * the table. */
void deliver_queued(instance *i, handle h);

static inline void deliver_messages(instance *i, handle h)
{
	if (i->first != NULL)
		deliver_queued(i, h);
}

/* ---- forward_fmi2.c, forward_fmi3.c ---- */

/* The names of the core's functions that the loader calls. */
extern const char *const call_names[];
extern const int call_count;

/* Their addresses, once the core is loaded. Threads that load at the same time store the same
 * addresses; a thread that holds an instance sees all of them. */
extern _Atomic(function) call_symbols[];

/* find_shared looks up symbols that a core may lack. */
void find_shared(void *library);

/* call_logger passes a message to the host. */
void call_logger(const instance *i, const message *m);

/* ---- turns.c ---- */

/* wait_for_turn waits until no other thread uses the memory that an instance shares with the core
 * (integers.h), and begins a turn. A thread waits only if the host uses an instance in several
 * threads at once. */
void wait_for_turn(gosmp_flag *turn);

/* try_turn begins a turn unless another thread has one. The fence keeps writes of the turn from
 * becoming visible before its beginning. */
static inline int try_turn(gosmp_flag *turn)
{
	unsigned now = atomic_load_explicit(turn, memory_order_relaxed);
	if (now % 2 != 0 || !atomic_compare_exchange_strong_explicit(
							turn, &now, now + 1, memory_order_acquire, memory_order_relaxed))
		return 0;
	atomic_thread_fence(memory_order_release);
	return 1;
}

static inline void end_turn(gosmp_flag *turn)
{
	atomic_store_explicit(turn, atomic_load_explicit(turn, memory_order_relaxed) + 1,
	                      memory_order_release);
}

/* To read without a turn, a thread compares the number of turns before and after: what it has read
 * is valid if no other thread had a turn in the meantime. This needs no locked instruction. */
static inline unsigned turns_before(gosmp_flag *turn)
{
	return atomic_load_explicit(turn, memory_order_acquire);
}

static inline int no_turn_since(gosmp_flag *turn, unsigned before)
{
	atomic_thread_fence(memory_order_acquire);
	return before % 2 == 0 && atomic_load_explicit(turn, memory_order_relaxed) == before;
}

/* READ reads a number that another thread may be writing. */
#define READ(number) __atomic_load_n(&(number), __ATOMIC_RELAXED)

/* ---- load.c ---- */

/* load_core finds the core and its functions, once per process: later calls only check a mark.
 * After a failure the next call tries again. */
int load_core(instance *i);

/* refuse answers a call for which there is no core: the handle is invalid, or the instance was
 * created before a fork. */
status refuse(instance *i, handle h, const char *name);

/* ---- floating_point.c ---- */

/* The floating-point environment of a thread. */
#if defined(__aarch64__)
typedef struct {
	unsigned long long control, status; /* FPCR and FPSR */
} floating_point;
#else
typedef unsigned floating_point; /* MXCSR */
#endif

/* default_floating_point sets the defaults of IEEE 754 and returns the host's settings. */
floating_point default_floating_point(void);

/* restore_floating_point restores the host's settings, including its flags. */
void restore_floating_point(floating_point hosts);

/* enter_core prepares for a call of the core on behalf of an instance, and leave_core ends it. */
static inline floating_point enter_core(const instance *i)
{
	if (i->turn != NULL && !try_turn(i->turn))
		wait_for_turn(i->turn);
	return default_floating_point();
}

static inline void leave_core(const instance *i, floating_point hosts)
{
	restore_floating_point(hosts);
	if (i->turn != NULL)
		end_turn(i->turn);
}

/* ---- core_linux.c, core_windows.c ---- */

/* Why a core cannot be loaded. */
typedef struct {
	char *reason; /* on the heap; NULL if there was no memory for it */
	const char *advice;
} load_failure;

/* core_path returns the path of the core, which is next to the loader. The path is on the heap; it
 * is NULL if memory is short. */
char *core_path(void);

/* resources_path returns the resources folder of the FMU that contains the loader; on the heap,
 * NULL if there is none. */
char *resources_path(void);

/* open_core returns the library of the core that serves this process, ready to be called, or NULL
 * and the reason. */
void *open_core(const char *path, load_failure *failure);

/* find_symbol returns NULL for a function that the library lacks. */
function find_symbol(void *library, const char *name);

/* yield_processor lets another thread run. */
void yield_processor(void);

/* alive_mark points to a mark that is 1 only in the process that loaded the library. */
const atomic_int *alive_mark(void *library);

/* move_signal_handlers makes the host's signal handlers run on alternate stacks, in threads that
 * have one. */
void move_signal_handlers(void);

extern const atomic_int always_alive;

/* ---- limits_linux.c ---- */

/* has_room reports whether the memory and files that Go's runtime needs to start and run are
 * available. */
int has_room(load_failure *failure);

/* fail stores a reason and advice, and returns 0. */
int fail(load_failure *failure, const char *reason, const char *advice);

#endif

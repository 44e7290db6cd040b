/* What the sources of the loader share. forward.c says what the loader is. */
#ifndef GOSMP_LOADER_H
#define GOSMP_LOADER_H

#include <stdatomic.h>
#include <stddef.h>

#include "fmi2.h"
#include "integers.h"

#ifndef GOSMP_CORE
#error \
	"GOSMP_CORE is not defined; expected the core's file name, as in -DGOSMP_CORE=\"X-core-0123456789abcdef.so\""
#endif

typedef void (*function)(void);

/* ---- text.c ---- */

/* copy_text is a copy on the heap, NULL without memory. */
char *copy_text(const char *text);

/* escape writes a text in the form that loggers take, which is at most three times as long. */
void escape(char *to, const char *text);

/* ---- instances.c ---- */

/* A message for the host's logger. The text is ready to serve as a format: its '%' are doubled. */
typedef struct message {
	struct message *next;
	fmi2Status status;
	const char *category;
	char text[];
} message;

typedef struct {
	fmi2Component core;      /* the core's handle of this instance */
	const atomic_int *alive; /* 0 in a forked child: the core of this instance is lost there */
	gosmp_integers *integers; /* shared with the core; NULL when the core shares none */
	fmi2CallbackLogger logger;
	fmi2ComponentEnvironment environment;
	char *name;
	message *first, *last; /* waiting for delivery */
	message *delivering;   /* with the logger, or left there by one that has not returned */
	message *delivered;    /* the last one: the host may look at it until its next call */
	atomic_int locked;     /* these lists are being changed */
} instance;

enum { MAX_INSTANCES = 4096 };

/* add_instance puts an instance into the table and returns its handle, or NULL when the table is
 * full. */
fmi2Component add_instance(const instance *new_instance);

/* remove_instance takes an instance out of the table, delivers its last messages and releases what
 * it holds. Its handle is stale before the logger is called, so that a logger that never returns
 * cannot keep the place. */
void remove_instance(fmi2Component handle);

/* find_instance is NULL for a handle that is stale, foreign or NULL. */
instance *find_instance(fmi2Component handle);

/* release_instance delivers the last messages of an instance that is not in the table and releases
 * what it holds. */
void release_instance(instance *i);

/* core_is_lost says that this process was forked after the instance had been made. */
int core_is_lost(const instance *i);

/* ---- messages.c ---- */

/* queue_message is the logger that the core gets: the message is delivered when the core has
 * returned. */
void queue_message(fmi2ComponentEnvironment i, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String text, ...);

/* report_error queues an error of the loader's own. */
void report_error(instance *i, const char *format, ...);

/* deliver_messages calls the host's logger for each message that waits. handle is NULL for an
 * instance outside the table. */
void deliver_messages(instance *i, fmi2Component handle);

/* ---- integers.c ---- */

/* More integers in one call are a mistake, which the core reports. */
enum { MOST_INTEGERS = 1 << 20 };

/* get_integers and set_integers do what the functions of FMI do, or nothing: then they return 0 and
 * the core has to be asked. */
int get_integers(instance *i, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]);
int set_integers(instance *i, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]);

/* ---- floating_point.c ---- */

/* The floating-point environment of a thread. */
#if defined(__aarch64__)
typedef struct {
	unsigned long long control, status; /* FPCR and FPSR */
} floating_point;
#else
typedef unsigned floating_point; /* MXCSR */
#endif

/* default_floating_point sets the defaults of IEEE 754 and returns what the host had set. */
floating_point default_floating_point(void);

/* restore_floating_point sets what the host had set, its flags included. */
void restore_floating_point(floating_point hosts);

/* ---- core_linux.c, core_windows.c ---- */

/* Why a core cannot be loaded. */
typedef struct {
	char *reason; /* on the heap; NULL when there was no memory for it */
	const char *advice;
} load_failure;

/* core_path is where the core is expected, beside the loader; on the heap, NULL without memory. */
char *core_path(void);

/* resources_path is the resources folder of the FMU that the loader lies in; on the heap, NULL when
 * there is none. */
char *resources_path(void);

/* open_core returns the library of the core that serves this process, ready to be called, or NULL
 * and the reason. */
void *open_core(const char *path, load_failure *failure);

/* find_symbol returns NULL for a function that the library lacks. */
function find_symbol(void *library, const char *name);

/* alive_mark points to 1 as long as this process is the one that has loaded the library. */
const atomic_int *alive_mark(void *library);

/* move_signal_handlers has the host's signal handlers run on alternate stacks where threads have
 * one. */
void move_signal_handlers(void);

extern const atomic_int always_alive;

/* ---- limits_linux.c ---- */

/* has_room says whether Go's runtime will find what it cannot start or go on without: memory and
 * files. */
int has_room(load_failure *failure);

/* fail states a reason and an advice, and returns 0. */
int fail(load_failure *failure, const char *reason, const char *advice);

#endif

/* The values of an instance's integer variables, in memory that core and loader share. OSMP models
 * pass all their messages as integers, and a call into Go costs ten times as much as copying an
 * integer. The loader therefore serves fmi2GetInteger and fmi2SetInteger itself if the core would
 * only copy values. Everything else, all errors included, goes to the core.
 *
 * The loader takes turns at the memory: it begins one before it calls the core or sets a value, and
 * ends it afterwards. It finds a turn that has begun only if two threads use the instance at once,
 * and then waits. To get values, it only compares the number of turns before and after. The memory
 * is never returned to the system, but only reused for later instances: a thread that comes too
 * late finds a different owner in it. */
#ifndef GOSMP_INTEGERS_H
#define GOSMP_INTEGERS_H

#include "fmi2.h"

/* Go has its own atomic operations, and cgo has no type for atomic numbers. */
#ifdef GOSMP_HANDLES_ARE_NUMBERS
typedef unsigned gosmp_flag;
#else
#include <stdatomic.h>
typedef atomic_uint gosmp_flag;
#endif

/* What the loader may do in the current state of the instance. */
enum { gosmp_may_get = 1, gosmp_may_set = 2 };

typedef struct gosmp_integers {
	gosmp_flag turn;         /* number of beginnings and ends of turns: odd during a turn */
	unsigned allowed;        /* gosmp_may_get and gosmp_may_set */
	unsigned count;          /* of variables; value references are below it */
	unsigned changed;        /* bit k % 32 for each k that is 1 in set */
	fmi2Component owner;     /* the core's handle of the instance, NULL when there is none */
	fmi2Integer *values;     /* by value reference, as the next two */
	unsigned char *settable; /* 1 for an input that takes every value */
	unsigned char *set;      /* 1 when the loader has set the variable since the core's last call */
	struct gosmp_integers *next; /* in the list of integers that no instance uses */
} gosmp_integers;

/* Returns the integers of an instance, or NULL for an unknown instance. */
GOSMP_EXPORT gosmp_integers *gosmp_integers_of(fmi2Component core);

#endif

/* What a core tells the loaders about the process that it lives in. A Go runtime does not survive a fork: of its threads only the
 * one that forked is left in the child. A loader therefore asks, before it calls a core, whether that was loaded by this very
 * process, and gives a forked child a core of its own. */
#ifndef GOSMP_PROCESS_H
#define GOSMP_PROCESS_H

#include <stdatomic.h>

#include "fmi2.h"

/* A page of its own, which the kernel wipes in a forked child: there all of it is zero. */
typedef struct {
	atomic_int alive;   /* 1 in the process that has loaded this core */
	void *_Atomic heir; /* in a child: the library of that core, NULL before */
} gosmp_process;

/* NULL where forks cannot be noticed: before Linux 4.14, and on systems that have none. */
GOSMP_EXPORT extern gosmp_process *gosmp_this_process;

#endif

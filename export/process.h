/* What a core offers to the loaders in addition to the functions of FMI: whether this process has
 * loaded it, and the start of Go's runtime.
 *
 * A Go runtime does not survive a fork: the child has only the thread that called fork. A loader
 * therefore checks, before it calls a core, whether this process itself has loaded it, and loads
 * another core into a forked child. */
#ifndef GOSMP_PROCESS_H
#define GOSMP_PROCESS_H

#include <stdatomic.h>

#include "visible.h"

/* A page of its own, which the kernel clears in a forked child. */
typedef struct {
	atomic_int alive; /* 1 in the process that has loaded this core, 0 in its forked children */
	void *_Atomic replacement; /* in a child: the library of the core that the child has loaded for
	                              itself, NULL before */
} gosmp_process;

/* NULL if forks cannot be detected (before Linux 4.14) or the system has none. */
GOSMP_EXPORT extern gosmp_process *gosmp_this_process;

/* Starts Go's runtime unless it is running, and returns when it has been initialized. The result is
 * 0 if this process cannot create the threads that the runtime needs; the next call tries again.
 * Nothing else in the core may be called before the result is 1. Linux only. Calls must not be
 * concurrent. */
GOSMP_EXPORT int gosmp_start_runtime(void);

#endif

// Waiting for a word in shared memory: spinning while a core is free, sleeping otherwise.

#ifndef GOSMP_WORKER_WAIT_H
#define GOSMP_WORKER_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

#include "worker.h"

// gw_patience holds what a thread has learned about the cores.
typedef struct {
	int64_t quiet_until; // no spinning before this time, in ns of the monotonic clock
	int64_t penalty;     // how long the next quiet lasts
	int cores;           // that this process may use; 0: not counted yet
} gw_patience;

int64_t gw_now(void);

// gw_wait waits until *word differs from old, but at most limit nanoseconds (0: no limit). It
// returns 0 if the word has changed.
int gw_wait(_Atomic uint32_t *word, uint32_t old, _Atomic uint32_t *sleeps, gw_patience *patience,
            gw_habit *habit, int may_spin, int64_t limit);

// gw_sleep waits until *word differs from old, without spinning; it may also return earlier.
// gw_ring changes *word and wakes the side that sleeps.
void gw_sleep(_Atomic uint32_t *word, uint32_t old, int64_t limit);
void gw_ring(_Atomic uint32_t *word);

// gw_post changes *word and wakes the other side if it sleeps.
void gw_post(_Atomic uint32_t *word, uint32_t value, _Atomic uint32_t *sleeps);

#endif

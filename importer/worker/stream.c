//go:build linux

// Steps that a worker makes before the host asks for their results. The worker sleeps when the
// slots are full, the host when they are empty; both sleep until half of them have changed, so that
// a step takes neither a system call nor a change of the process.

#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "serve.h"
#include "wait.h"

enum {
	LATE = 100000,     // after which the host gets what there is
	DOZE = 5000000,    // after which the host looks for the end of the worker, or of its patience
	LOOK = 1000000000, // after which the worker looks for the end of the host
};

// report wakes the host if it sleeps, and there is what it waits for, or it has waited for long.
static void report(gw_stream *s, uint64_t made)
{
	if (atomic_load(&s->host_sleeps) &&
	    (made >= atomic_load(&s->wanted) || gw_now() - atomic_load(&s->slept) > LATE)) {
		atomic_store(&s->host_sleeps, 0);
		gw_ring(&s->results);
	}
}

// may waits until step k is allowed, and returns false if the stream has been closed.
static bool may(gw_stream *s, uint64_t k)
{
	for (;;) {
		uint32_t allowances = atomic_load(&s->allowances);
		if (atomic_load(&s->closed)) {
			return false;
		}
		if (k < atomic_load(&s->allowed)) {
			return true;
		}
		atomic_store(&s->worker_sleeps, 1);
		if (k >= atomic_load(&s->allowed) && !atomic_load(&s->closed)) {
			gw_sleep(&s->allowances, allowances, LOOK);
		}
		atomic_store(&s->worker_sleeps, 0);
		if (getppid() != gw_shared->host) {
			_exit(0);
		}
		atomic_store(&s->since, gw_now());
	}
}

// step makes step k of all lanes, and returns false if the host must examine one of them.
static bool step(gw_stream *s, uint64_t k)
{
	const gw_lane *lane = gw_at(s->lane);
	gw_slot *slot = gw_at(s->slot + k % s->slots * s->slot_size);
	uint64_t *cells = (uint64_t *)&slot->lane[s->lanes];
	for (uint32_t n = 0; n < s->lanes; cells += lane[n].cells, n++) {
		gw_carry(lane[n].wire, lane[n].wires);
		gw_shared->command = lane[n].command;
		gw_shared->command.time = slot->time;
		gw_shared->command.step = slot->step;
		gw_run();
		const gw_reply *r = &gw_shared->reply;
		uint32_t halted = r->status > 1 || r->early_return || r->terminate;
		slot->lane[n] = (gw_made){r->status, r->spoiled, r->event_needed, halted, r->logged};
		memcpy(cells, gw_at(lane[n].cell), lane[n].cells * sizeof *cells);
		atomic_store_explicit(&s->since, gw_now(), memory_order_relaxed);
		atomic_store(&s->made, k * s->lanes + n + 1);
		if (halted) {
			return false;
		}
	}
	report(s, (k + 1) * s->lanes);
	return true;
}

void gw_run_stream(void)
{
	gw_clear_reply();
	gw_stream *s = gw_at(gw_shared->command.batch);
	atomic_store(&s->since, gw_now());
	gw_set_places(2 + s->slots);
	for (uint64_t k = 0; k < s->steps && may(s, k) && step(s, k); k++) {
	}
	gw_set_places(2);
	atomic_store(&s->over, 1);
	atomic_store(&s->host_sleeps, 0);
	gw_ring(&s->results);
}

// expired reports whether the current step has taken too long. A faulty worker may write anything.
static bool expired(gw_stream *s, int64_t begin, int64_t limit)
{
	int64_t since = atomic_load(&s->since), now = gw_now();
	since = since > now ? now : since < begin ? begin : since;
	return limit > 0 && now - since > limit;
}

int gw_await_stream(gw_stream *s, const gw_peer *peer, uint64_t made, uint64_t preferred,
                    int64_t begin, int64_t limit)
{
	int64_t called = gw_now();
	for (;;) {
		uint32_t results = atomic_load(&s->results);
		// The reasons to give up are read before the number of steps, as they come after it.
		int reason = atomic_load(&s->over)                            ? GW_OVER
		             : __atomic_load_n(&peer->dead, __ATOMIC_SEQ_CST) ? GW_DEAD
		             : expired(s, begin, limit)                       ? GW_TIMED_OUT
		             : gw_now() - called > DOZE                       ? GW_AGAIN
		                                                              : 0;
		if (atomic_load(&s->made) >= made) {
			return 0;
		}
		if (reason != 0) {
			return reason;
		}
		atomic_store(&s->wanted, preferred);
		atomic_store(&s->slept, gw_now());
		atomic_store(&s->host_sleeps, 1);
		if (atomic_load(&s->made) < made && !atomic_load(&s->over)) {
			int64_t doze = limit > 0 && limit < DOZE ? limit : DOZE;
			gw_sleep(&s->results, results, doze);
		}
		atomic_store(&s->host_sleeps, 0);
	}
}

void gw_allow(gw_stream *s, uint64_t steps)
{
	atomic_store(&s->allowed, steps);
	if (atomic_load(&s->worker_sleeps)) {
		gw_ring(&s->allowances);
	}
}

void gw_close(gw_stream *s)
{
	atomic_store(&s->closed, 1);
	gw_ring(&s->allowances);
}

//go:build linux

#define _GNU_SOURCE
#include "wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

enum {
	SPIN = 50000,           // nanoseconds; a sleep and its end cost up to that
	SHORT_SPIN = 1000,      // after long spins without success
	PROBE = 64,             // one in this many waits spins for the full time anyway
	GAP = 500000,           // between two clock readings: this thread was waiting for the core
	SHORT_QUIET = 200000,   // after the first gap
	LONG_QUIET = 200000000, // at most
	LOOKS = 64,             // checks of the word between two readings of the clock
	ANSWER = 1000000000,    // for an answer when all work has been done
};

int64_t gw_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

static int cores(gw_patience *p)
{
	if (p->cores == 0) {
		cpu_set_t set;
		// This fails if there are more processors than the set can hold.
		p->cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 2;
	}
	return p->cores;
}

// spin polls the word for a while. After an unsuccessful spin, when the other side is slow or needs
// this core, the next spin for it is half as long; after a successful one, twice as long. Each time
// before it reads the clock, it yields the core to others. A long gap between two readings means
// that another program needs the core: spinning would then keep the other side from running, so it
// is disabled for a time that doubles.
static int spin(_Atomic uint32_t *word, uint32_t old, gw_patience *p, gw_habit *h)
{
	int64_t begin = 0, last = 0;
	h->budget = h->budget == 0 ? SPIN : h->budget;
	int64_t budget = ++h->waits % PROBE == 0 ? SPIN : h->budget;
	for (;;) {
		for (int k = 0; k < LOOKS; k++) {
			if (atomic_load_explicit(word, memory_order_acquire) != old) {
				h->budget = h->budget * 2 > SPIN ? SPIN : h->budget * 2;
				return 1;
			}
			relax();
		}
		sched_yield();
		int64_t now = gw_now();
		if (begin == 0) {
			begin = last = now;
			if (now < p->quiet_until) {
				return 0;
			}
		}
		if (now - last > GAP) {
			p->penalty = p->penalty == 0               ? SHORT_QUIET
			             : p->penalty * 2 > LONG_QUIET ? LONG_QUIET
			                                           : p->penalty * 2;
			p->quiet_until = now + p->penalty;
			return 0;
		}
		if (now - begin > budget) {
			p->penalty /= 2; // a complete spin without a gap
			h->budget = h->budget / 2 < SHORT_SPIN ? SHORT_SPIN : h->budget / 2;
			return 0;
		}
		last = now;
	}
}

static void futex_wait(_Atomic uint32_t *word, uint32_t old, int64_t limit)
{
	struct timespec t = {limit / 1000000000, limit % 1000000000};
	syscall(SYS_futex, word, FUTEX_WAIT, old, limit > 0 ? &t : NULL, NULL, 0);
}

void gw_sleep(_Atomic uint32_t *word, uint32_t old, int64_t limit) { futex_wait(word, old, limit); }

void gw_ring(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

int gw_wait(_Atomic uint32_t *word, uint32_t old, _Atomic uint32_t *sleeps, gw_patience *p,
            gw_habit *habit, int may_spin, int64_t limit)
{
	if (may_spin && cores(p) > 1 && spin(word, old, p, habit)) {
		return 0;
	}
	// The poster first changes the word and then checks sleeps, so one of the two sides sees the
	// other.
	atomic_store(sleeps, 1);
	if (atomic_load(word) == old) {
		futex_wait(word, old, limit);
	}
	atomic_store(sleeps, 0);
	return atomic_load(word) == old;
}

void gw_post(_Atomic uint32_t *word, uint32_t value, _Atomic uint32_t *sleeps)
{
	atomic_store(word, value);
	if (atomic_load(sleeps)) {
		syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

// due returns the time by which the running command must be answered: within the limit, which
// starts anew with each step of a batch. When all steps have ended, only the answer is missing.
static int64_t due(gw_batch *b, int64_t begin, int64_t limit, uint32_t *done)
{
	if (b == NULL) {
		return begin + limit;
	}
	*done = atomic_load(&b->done);
	int64_t since = atomic_load(&b->since), now = gw_now();
	since = since > now ? now : since; // a faulty worker may write anything
	return since + limit + (*done < b->count ? 0 : ANSWER);
}

int gw_request(gw_control *c, const gw_peer *peer, uint32_t *number)
{
	*number = atomic_load(&c->request) + 1;
	if (__atomic_load_n(&peer->dead, __ATOMIC_SEQ_CST)) {
		return GW_DEAD;
	}
	gw_post(&c->request, *number, &c->worker_sleeps);
	return 0;
}

static int await(gw_control *c, gw_batch *b, gw_peer *peer, uint32_t number, int64_t limit,
                 uint32_t *done)
{
	static _Thread_local gw_patience patience;
	int64_t begin = limit > 0 ? gw_now() : 0;
	for (;;) {
		uint32_t now = atomic_load(&c->answer); // before dead, which gw_bury sets first
		if (now == number) {
			return 0;
		}
		if (__atomic_load_n(&peer->dead, __ATOMIC_SEQ_CST)) {
			return GW_DEAD;
		}
		int64_t left = limit > 0 ? due(b, begin, limit, done) - gw_now() : 0;
		if (limit > 0 && left <= 0) {
			// The answer may have arrived since it was last read: this thread may not have run for
			// as long as the limit since then.
			return atomic_load(&c->answer) == number ? 0 : GW_TIMED_OUT;
		}
		// A faulty worker may write anything to the answer.
		gw_wait(&c->answer, now, &c->host_sleeps, &patience, &peer->habit, 1, left);
	}
}

int gw_await(gw_control *c, gw_peer *peer, uint32_t number, int64_t limit)
{
	return await(c, NULL, peer, number, limit, NULL);
}

static int call(gw_control *c, gw_batch *b, gw_peer *peer, int64_t limit, uint32_t *done)
{
	uint32_t number;
	int result = gw_request(c, peer, &number);
	return result != 0 ? result : await(c, b, peer, number, limit, done);
}

int gw_call(gw_control *c, gw_peer *peer, int64_t limit)
{
	return call(c, NULL, peer, limit, NULL);
}

int gw_call_batch(gw_control *c, gw_batch *b, gw_peer *peer, int64_t limit, uint32_t *done)
{
	atomic_store(&b->done, 0);
	atomic_store(&b->since, gw_now());
	*done = 0;
	int result = call(c, b, peer, limit, done);
	if (result != GW_TIMED_OUT) {
		*done = atomic_load(&b->done);
	}
	return result;
}

void gw_bury(gw_control *c, gw_peer *peer)
{
	__atomic_store_n(&peer->dead, 1, __ATOMIC_SEQ_CST);
	uint32_t number = atomic_load(&c->request);
	if (atomic_load(&c->answer) != number) {
		atomic_store(&c->answer,
		             number - 1 == atomic_load(&c->answer) ? number + 0x40000000u : number - 1);
	}
	syscall(SYS_futex, &c->answer, FUTEX_WAKE, 1, NULL, NULL, 0);
}

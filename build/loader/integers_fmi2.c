/* Integers that the loader copies without the core (integers.h). All other calls are forwarded, for
 * whatever reason, so that each error is found and reported in one place. */

#include "integers_fmi2.h"

_Static_assert(sizeof(gosmp_flag) == sizeof(unsigned) && _Alignof(gosmp_flag) == _Alignof(unsigned),
               "Go takes the flag for a plain number");

static void leave(gosmp_integers *shared)
{
	atomic_store_explicit(&shared->busy, 0, memory_order_release);
}

/* enter returns NULL if the core has to answer: it is serving another thread, the call is illegal
 * or needs more than a copy, or messages are waiting for the logger. */
static gosmp_integers *enter(instance *i, unsigned call)
{
	gosmp_integers *shared = i->shared;
	if (shared == NULL || i->first != NULL ||
	    atomic_exchange_explicit(&shared->busy, 1, memory_order_acquire) != 0)
		return NULL;
	if (shared->owner == i->core && (shared->allowed & call) != 0)
		return shared;
	leave(shared);
	return NULL;
}

/* all_known reports whether the call may access the variables of all references. */
static int all_known(const gosmp_integers *shared, const fmi2ValueReference vr[], size_t n,
                     int setting)
{
	for (size_t k = 0; k < n; k++)
		if (vr[k] >= shared->count || (setting && !shared->settable[vr[k]]))
			return 0;
	return 1;
}

int get_integers(instance *i, const fmi2ValueReference vr[], size_t n, fmi2Integer value[])
{
	gosmp_integers *shared =
		vr != NULL && value != NULL && n <= MOST_INTEGERS ? enter(i, gosmp_may_get) : NULL;
	if (shared == NULL)
		return 0;
	const int known = all_known(shared, vr, n, 0);
	for (size_t k = 0; known && k < n; k++)
		value[k] = shared->values[vr[k]];
	leave(shared);
	return known;
}

int set_integers(instance *i, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[])
{
	gosmp_integers *shared =
		vr != NULL && value != NULL && n <= MOST_INTEGERS ? enter(i, gosmp_may_set) : NULL;
	if (shared == NULL)
		return 0;
	const int known = all_known(shared, vr, n, 1);
	for (size_t k = 0; known && k < n; k++) {
		shared->values[vr[k]] = value[k];
		shared->set[vr[k]] = 1;
		shared->changed = 1;
	}
	leave(shared);
	return known;
}

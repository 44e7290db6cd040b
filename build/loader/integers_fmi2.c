/* Integers that the loader copies without the core (integers.h). All other calls are forwarded, for
 * whatever reason, so that each error is found and reported in one place. */

#include "integers_fmi2.h"

_Static_assert(sizeof(gosmp_flag) == sizeof(unsigned) && _Alignof(gosmp_flag) == _Alignof(unsigned),
               "Go takes the flag for a plain number");

/* usable reports whether the loader may do this itself: the core allows the call in the current
 * state of the instance, and no messages are waiting for the logger. */
static int usable(const instance *i, const gosmp_integers *shared, unsigned call)
{
	return i->first == NULL && READ(shared->owner) == i->core &&
	       (READ(shared->allowed) & call) != 0;
}

static int all_known(const gosmp_integers *shared, const fmi2ValueReference vr[], size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (vr[k] >= shared->count)
			return 0;
	return 1;
}

static int all_settable(const gosmp_integers *shared, const fmi2ValueReference vr[], size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (vr[k] >= shared->count || !shared->settable[vr[k]])
			return 0;
	return 1;
}

int get_integers(const instance *i, const fmi2ValueReference vr[], size_t n, fmi2Integer value[])
{
	gosmp_integers *shared = (gosmp_integers *)i->turn;
	if (shared == NULL || vr == NULL || value == NULL || n > MOST_INTEGERS)
		return 0;
	const unsigned before = turns_before(&shared->turn);
	if (!usable(i, shared, gosmp_may_get) || !all_known(shared, vr, n))
		return 0;
	for (size_t k = 0; k < n; k++)
		value[k] = READ(shared->values[vr[k]]);
	return no_turn_since(&shared->turn, before);
}

int set_integers(const instance *i, const fmi2ValueReference vr[], size_t n,
                 const fmi2Integer value[])
{
	gosmp_integers *shared = (gosmp_integers *)i->turn;
	if (shared == NULL || vr == NULL || value == NULL || n > MOST_INTEGERS ||
	    !try_turn(&shared->turn))
		return 0;
	const int possible = usable(i, shared, gosmp_may_set) && all_settable(shared, vr, n);
	for (size_t k = 0; possible && k < n; k++) {
		shared->values[vr[k]] = value[k];
		shared->set[vr[k]] = 1;
		shared->changed = 1;
	}
	end_turn(&shared->turn);
	return possible;
}

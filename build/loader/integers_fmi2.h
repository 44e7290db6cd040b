/* Integers that the loader copies without the core (integers.h). All other calls are forwarded, for
 * whatever reason, so that each error is found and reported in one place. The functions are inline
 * because an importer calls them six times in a step. */
#ifndef GOSMP_LOADER_INTEGERS_H
#define GOSMP_LOADER_INTEGERS_H

#include "loader.h"

_Static_assert(sizeof(gosmp_flag) == sizeof(unsigned) && _Alignof(gosmp_flag) == _Alignof(unsigned),
               "Go takes the flag for a plain number");

/* A call with more integers than this is an error, which the core reports. */
enum { MOST_INTEGERS = 1 << 20 };

/* usable reports whether the loader may do this itself: the core allows the call in the current
 * state of the instance, and no messages are waiting for the logger. */
static inline int usable(const instance *i, const gosmp_integers *shared, unsigned call)
{
	return i->first == NULL && READ(shared->owner) == i->core &&
	       (READ(shared->allowed) & call) != 0;
}

static inline int all_known(const gosmp_integers *shared, const fmi2ValueReference vr[], size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (vr[k] >= shared->count)
			return 0;
	return 1;
}

static inline int all_settable(const gosmp_integers *shared, const fmi2ValueReference vr[],
                               size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (vr[k] >= shared->count || !shared->settable[vr[k]])
			return 0;
	return 1;
}

/* get_integers and set_integers either do what the functions of FMI do, or do nothing and return 0;
 * in the latter case the core has to be called. */
static inline int get_integers(const instance *i, const fmi2ValueReference vr[], size_t n,
                               fmi2Integer value[])
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

static inline int set_integers(const instance *i, const fmi2ValueReference vr[], size_t n,
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
		shared->changed |= 1u << vr[k] % 32;
	}
	end_turn(&shared->turn);
	return possible;
}

#endif

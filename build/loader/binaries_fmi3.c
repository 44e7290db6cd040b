/* Binary values that the loader serves without the core (binaries.h): a step then enters Go only
 * once. All other calls are forwarded, for whatever reason, so that each error is found and
 * reported in one place. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "binaries_fmi3.h"

/* A call with more values than this is left to the core. */
enum { MOST_BINARIES = 64 };

/* usable reports whether the loader may do this itself: the core allows the call in the current
 * state of the instance, and no messages are waiting for the logger. */
static int usable(const instance *i, const gosmp_binaries *shared, unsigned call)
{
	return i->first == NULL && READ(shared->owner) == i->core &&
	       (READ(shared->allowed) & call) != 0;
}

static int all_known(const gosmp_binaries *shared, const fmi3ValueReference vr[], size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (vr[k] >= shared->count || READ(shared->list[vr[k]].data) == NULL)
			return 0;
	return 1;
}

int get_binaries(const instance *i, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                 fmi3Binary values[], size_t count)
{
	gosmp_binaries *shared = (gosmp_binaries *)i->turn;
	if (shared == NULL || vr == NULL || sizes == NULL || values == NULL || n != count ||
	    n > MOST_BINARIES)
		return 0;
	const unsigned before = turns_before(&shared->turn);
	if (!usable(i, shared, gosmp_may_get) || !all_known(shared, vr, n))
		return 0;
	for (size_t k = 0; k < n; k++) {
		sizes[k] = READ(shared->list[vr[k]].size);
		values[k] = READ(shared->list[vr[k]].data);
	}
	return no_turn_since(&shared->turn, before);
}

/* make_room makes room for a value of this size, and returns whether it fits. The room is doubled,
 * so that messages that grow slowly do not move each time. */
static int make_room(gosmp_binary *b, size_t size)
{
	if (size <= b->room)
		return 1;
	const size_t room = size < SIZE_MAX / 4 ? 2 * size : size;
	fmi3Byte *own = malloc(room);
	if (own == NULL)
		return 0;
	free(b->own);
	b->own = own;
	b->room = room;
	return 1;
}

/* destination returns where a value of this size goes, or NULL if there is no memory. */
static fmi3Byte *destination(gosmp_binary *b, size_t size)
{
	if (size <= b->place_room)
		return b->place;
	return make_room(b, size) ? b->own : NULL;
}

/* settable reports whether a value can be copied here. An empty value is left to the core, and so
 * are several values: one could lie where another one is, which the host may have read. */
static int settable(const gosmp_binaries *shared, fmi3ValueReference vr, size_t size,
                    fmi3Binary value)
{
	return vr < shared->count && shared->list[vr].use == gosmp_set_binary && size > 0 &&
	       size <= PTRDIFF_MAX && value != NULL;
}

int set_binaries(const instance *i, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                 const fmi3Binary values[], size_t count)
{
	gosmp_binaries *shared = (gosmp_binaries *)i->turn;
	if (shared == NULL || vr == NULL || sizes == NULL || values == NULL || n != 1 || count != 1 ||
	    !try_turn(&shared->turn))
		return 0;
	fmi3Byte *to = usable(i, shared, gosmp_may_set) && settable(shared, *vr, *sizes, *values)
	                   ? destination(&shared->list[*vr], *sizes)
	                   : NULL;
	if (to != NULL) {
		gosmp_binary *b = &shared->list[*vr];
		memmove(to, *values, *sizes);
		b->data = to;
		b->size = *sizes;
		b->set = 1;
		shared->changed = 1;
	}
	end_turn(&shared->turn);
	return to != NULL;
}

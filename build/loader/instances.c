/* The table of instances. */

#include <stdint.h>
#include <stdlib.h>

#include "loader.h"

enum { HANDLES = 1 << 22 };

/* The n-th instance since loading gets the address of handles[n % HANDLES] and, if it is vacant,
 * the slot n % MAX_INSTANCES. A handle is therefore reused only after millions of instances. The
 * bytes of this array are never touched and take no memory. */
static char handles[HANDLES];
static atomic_size_t issued;
static struct {
	atomic_size_t number; /* of the handle, from 1; 0 is vacant */
	instance instance;
} slots[MAX_INSTANCES];

handle add_instance(const instance *new_instance)
{
	for (int tries = 0; tries < MAX_INSTANCES; tries++) {
		size_t n = atomic_fetch_add(&issued, 1) % HANDLES, vacant = 0;
		if (atomic_compare_exchange_strong(&slots[n % MAX_INSTANCES].number, &vacant, n + 1)) {
			slots[n % MAX_INSTANCES].instance = *new_instance;
			return &handles[n];
		}
	}
	return NULL;
}

instance *find_instance(handle h)
{
	uintptr_t n = (uintptr_t)h -
	              (uintptr_t)handles; /* any number; slots hold only numbers of valid handles */
	return atomic_load(&slots[n % MAX_INSTANCES].number) == n + 1
	           ? &slots[n % MAX_INSTANCES].instance
	           : NULL;
}

void remove_instance(handle h)
{
	instance *i = find_instance(h), last = *i;
	atomic_store(&slots[((uintptr_t)h - (uintptr_t)handles) % MAX_INSTANCES].number, 0);
	release_instance(&last);
}

void release_instance(instance *i)
{
	deliver_messages(i, NULL);
	free(i->delivered);
	for (message *m = i->delivering, *next; m != NULL; m = next) {
		next = m->next;
		free(m);
	}
	free(i->name);
}

int core_is_lost(const instance *i)
{
	return !atomic_load_explicit(i->alive, memory_order_relaxed);
}

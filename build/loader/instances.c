/* The table of instances. */

#include <stdlib.h>

#include "loader.h"

/* The n-th instance since loading gets the address of handles[n % HANDLES] and, if it is vacant,
 * the slot n % MAX_INSTANCES. A handle is therefore reused only after millions of instances. The
 * bytes of this array are never touched and take no memory. */
char handles[HANDLES];
slot slots[MAX_INSTANCES];
static atomic_size_t issued;

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

/* Messages for the host's logger. They are queued until the core has returned. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

/* lock_lists protects the lists of an instance for a few instructions, never while the logger runs.
 * Threads that use an instance at the same time, against the rules of FMI, are serialized in the
 * core and contend here. In a forked child the thread that held the lock may no longer exist; the
 * child has no other thread, so it takes no lock. */
static void lock_lists(instance *i)
{
	while ((i->alive == NULL || !core_is_lost(i)) &&
	       atomic_exchange_explicit(&i->locked, 1, memory_order_acquire))
		;
}

static void unlock_lists(instance *i)
{
	atomic_store_explicit(&i->locked, 0, memory_order_release);
}

/* If memory is short the message is lost. */
void append_message(instance *i, status status, const char *category, const char *text)
{
	size_t length = strlen(text) + 1, category_length = strlen(category) + 1;
	message *m = i->logger != NULL ? malloc(sizeof *m + length + category_length) : NULL;
	if (m == NULL)
		return;
	m->next = NULL;
	m->status = status;
	m->category = memcpy(m->text + length, category, category_length);
	memcpy(m->text, text, length);
	lock_lists(i);
	if (i->first == NULL)
		i->first = m;
	else
		i->last->next = m;
	i->last = m;
	unlock_lists(i);
}

/* The text may contain long paths and the host's stack may be small, so the text is formatted on
 * the heap. */
void report_error(instance *i, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	size_t size = length > 0 ? (size_t)length + 1 : 1;
	char *plain = calloc(4, size), *escaped;
	if (plain == NULL)
		return;
	escaped = plain + size;
	va_start(arguments, format);
	vsnprintf(plain, size, format, arguments);
	va_end(arguments);
	escape(escaped, plain);
	append_message(i, STATUS_ERROR, "logStatusError", escaped);
	free(plain);
}

/* take_message removes the first message from the list; NULL if the list is empty. */
static message *take_message(instance *i)
{
	lock_lists(i);
	message *m = i->first;
	if (m != NULL) {
		i->first = m->next;
		m->next = i->delivering;
		i->delivering = m;
	}
	unlock_lists(i);
	return m;
}

/* keep_delivered stores a message from whose delivery the logger has returned, and frees the
   previous one. */
static void keep_delivered(instance *i, message *m)
{
	lock_lists(i);
	message **at = &i->delivering, *old = i->delivered;
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	i->delivered = m;
	unlock_lists(i);
	free(old);
}

/* A message is removed from the list before the logger runs, so that a logger that never returns,
 * or calls into the FMU, leaves the list consistent. A logger that frees the instance has received
 * the other messages by then. */
void deliver_queued(instance *i, handle h)
{
	for (message *m; (m = take_message(i)) != NULL; keep_delivered(i, m)) {
		call_logger(i, m);
		if (h != NULL && find_instance(h) != i)
			return;
	}
}

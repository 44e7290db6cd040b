//go:build linux

// The reports of a worker: messages of FMUs, the log of calls, and the function that is running.

#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve.h"

// A log record: this header, the category with its terminator, the text. The record of a message
// has its status, the record of a call has -1.
typedef struct {
	uint32_t length; // of what follows the header
	uint16_t slot;
	int16_t status;
	int32_t category; // its length; -1 if there was none
} record;

static int log_descriptor = -1;
static uint64_t logged;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

enum { MAX_MESSAGE = 1 << 20 };

void gw_open_log(int descriptor)
{
	log_descriptor = descriptor;
	logged = 0;
}

bool gw_has_logged(void) { return logged > 0; }

static const char *const names[] = {"",
#define GW_NAME(name) #name,
                                    GW_FUNCTIONS(GW_NAME)};

const char *gw_function_name(uint32_t f)
{
	return f < GW_FUNCTION_COUNT ? names[f] : "an unknown function";
}

static void write_all(const void *data, size_t n)
{
	const char *p = data;
	while (n > 0) {
		ssize_t k = write(log_descriptor, p, n);
		if (k < 0 && errno != EINTR) {
			return; // the host has ended
		}
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
}

static void write_record(uint32_t slot, int32_t status, const char *category, const char *text,
                         size_t length)
{
	size_t c = category == NULL ? 0 : strnlen(category, 4096);
	length = length > MAX_MESSAGE ? MAX_MESSAGE : length;
	record r = {(uint32_t)(c + length), (uint16_t)slot, (int16_t)status,
	            category == NULL ? -1 : (int32_t)c};
	pthread_mutex_lock(&writing);
	write_all(&r, sizeof r);
	write_all(category, c);
	write_all(text, length);
	logged += sizeof r + c + length;
	pthread_mutex_unlock(&writing);
}

void gw_message(uint32_t slot, int32_t status, const char *category, const char *message)
{
	status = status < 0 || status > 5 ? 3 : status; // a status that FMI does not define is an error
	write_record(slot, status, category, message == NULL ? "" : message,
	             message == NULL ? 0 : strlen(message));
}

void gw_begin(gw_instance *i, gw_function f)
{
	gw_place *p = &gw_shared->place;
	atomic_store_explicit(&p->slot, i->slot, memory_order_relaxed);
	atomic_store_explicit(&p->function, f, memory_order_release);
}

static const char *status_word(int32_t status)
{
	static const char *const words[] = {"OK", "WARNING", "DISCARD", "ERROR", "FATAL", "PENDING"};
	return status >= 0 && status < 6 ? words[status] : "?";
}

void gw_call_line(gw_instance *i, gw_function f, const char *result, const char *arguments,
                  va_list list)
{
	gw_string s = {0};
	gw_add(&s, "%s(", gw_function_name(f));
	char *text = NULL;
	if (vasprintf(&text, arguments, list) >= 0) {
		gw_add(&s, "%s", text);
		free(text);
	}
	gw_add(&s, ")%s%s", *result ? " -> " : "", result);
	if (s.bytes != NULL) {
		write_record(i->slot, -1, NULL, s.bytes, s.length);
	}
	free(s.bytes);
}

int32_t gw_end(gw_instance *i, gw_function f, int32_t status, const char *arguments, ...)
{
	gw_place *p = &gw_shared->place;
	gw_reply *r = &gw_shared->reply;
	if (__builtin_expect(gw_restore_floats(), 0)) {
		r->spoiled = f;
	}
	if (status < 0 || status > 5) {
		snprintf(r->reason, sizeof r->reason, "the status %d, which FMI does not have", status);
		status = 3;
	}
	if (status > r->status) {
		r->status = status;
		r->function = f;
		r->group = atomic_load_explicit(&p->group, memory_order_relaxed);
		r->plan = atomic_load_explicit(&p->plan, memory_order_relaxed);
	}
	if (__builtin_expect(gw_shared->log_calls, 0)) {
		va_list list;
		va_start(list, arguments);
		gw_call_line(i, f, status_word(status), arguments, list);
		va_end(list);
	}
	atomic_store_explicit(&p->function, 0, memory_order_release);
	r->logged = __atomic_load_n(&logged, __ATOMIC_RELAXED);
	return status;
}

void gw_clear_reply(void)
{
	gw_reply *r = &gw_shared->reply;
	uint64_t before = r->logged;
	memset(r, 0, offsetof(gw_reply, reason) + 1);
	r->logged = before;
	r->group = GW_NOWHERE;
	atomic_store_explicit(&gw_shared->place.group, GW_NOWHERE, memory_order_relaxed);
}

int32_t gw_fail(int32_t status, gw_function f, const char *reason, ...)
{
	gw_reply *r = &gw_shared->reply;
	r->status = status;
	r->function = f;
	r->group = atomic_load_explicit(&gw_shared->place.group, memory_order_relaxed);
	r->plan = atomic_load_explicit(&gw_shared->place.plan, memory_order_relaxed);
	va_list list;
	va_start(list, reason);
	vsnprintf(r->reason, sizeof r->reason, reason, list);
	va_end(list);
	atomic_store_explicit(&gw_shared->place.function, 0, memory_order_release);
	r->logged = __atomic_load_n(&logged, __ATOMIC_RELAXED);
	return status;
}

void gw_add(gw_string *s, const char *format, ...)
{
	va_list list, again;
	va_start(list, format);
	va_copy(again, list);
	int n = vsnprintf(NULL, 0, format, list);
	va_end(list);
	if (n >= 0 && s->length + (size_t)n + 1 > s->capacity) {
		size_t capacity = 2 * (s->length + (size_t)n + 1);
		char *bytes = realloc(s->bytes, capacity);
		if (bytes == NULL) {
			n = -1;
		} else {
			s->bytes = bytes;
			s->capacity = capacity;
		}
	}
	if (n >= 0) {
		vsnprintf(s->bytes + s->length, (size_t)n + 1, format, again);
		s->length += (size_t)n;
	}
	va_end(again);
}

// point replaces the decimal separator, which may have several bytes, with a point.
static void point(char *text)
{
	char *separator = text + strspn(text, "+-0123456789einfa"), *rest = separator;
	while (*rest != 0 && strchr("0123456789", *rest) == NULL) {
		rest++;
	}
	if (rest > separator) {
		*separator = '.';
		memmove(separator + 1, rest, strlen(rest) + 1);
	}
}

gw_number gw_digits(double v)
{
	gw_number n;
	n.text[0] = 0;
	if (__builtin_expect(gw_shared->log_calls, 0)) {
		snprintf(n.text, sizeof n.text, "%.17g", v);
		point(n.text);
	}
	return n;
}

// gw_add_double adds the shortest digits that read back as v, as Python prints them.
void gw_add_double(gw_string *s, double v)
{
	gw_number n;
	int digits = 15;
	do {
		snprintf(n.text, sizeof n.text, "%.*g", digits, v);
	} while (strtod(n.text, NULL) != v && ++digits <= 17 && !isnan(v));
	point(n.text);
	int whole = strspn(n.text, "-0123456789") == strlen(n.text);
	gw_add(s, "%s%s", n.text, whole ? ".0" : "");
}

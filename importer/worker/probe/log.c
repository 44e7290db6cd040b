//go:build linux

// The messages of FMUs.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "serve.h"

enum { LONGEST = 4096 };

bool pb_no_environment;

void pb_christen(pb_instance *i, const char *name)
{
	atomic_store(&i->freed, 0);
	snprintf(i->name, sizeof i->name, "%s", name == NULL ? "" : name);
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

// badly reports whether a text cannot be meant as a format of printf: a conversion is incomplete or
// unknown, or a number is followed by a percent sign and a blank.
static int badly(const char *format)
{
	for (const char *p = strchr(format, '%'); p != NULL; p = strchr(p, '%')) {
		const char *sign = p++;
		if (*p == '%') {
			p++;
			continue;
		}
		const char *number = sign > format && sign[-1] == ' ' ? sign - 1 : sign;
		if (*p == ' ' && number > format && is_digit(number[-1])) {
			return 1;
		}
		p += strspn(p, "-+ #0'123456789.*$");
		p += strspn(p, "hlLqjzt");
		if (*p == 0 || strchr("diouxXeEfFgGaAcsCSpnm", *p) == NULL) {
			return 1;
		}
		p++;
	}
	return 0;
}

// keep appends a message; messages that do not fit are only counted. In FMI 3.0 messages have no
// name.
static void keep(void *environment, const char *name, int status, const char *category,
                 const char *text, unsigned flags)
{
	pb_control *c = pb_shared;
	pb_message m = {.status = status, .op = atomic_load(&c->op), .flags = flags};
	pb_instance *i = environment;
	if (i >= pb_instances && i < pb_instances + PB_INSTANCES) {
		m.slot = i->slot;
		m.flags |= atomic_load(&i->freed) ? 4 : 0;
		m.flags |= name != NULL && strncmp(name, i->name, sizeof i->name - 1) != 0 ? 16 : 0;
	} else if (environment != NULL || !pb_no_environment) {
		m.flags |= 8;
	}
	m.flags |= category == NULL ? 1 : 0;
	m.flags |= text == NULL ? 64 : 0;
	m.flags |= syscall(SYS_gettid) != getpid() ? 2 : 0;
	m.size = text == NULL ? 0 : strnlen(text, LONGEST);
	m.category = category == NULL ? 0 : strnlen(category, LONGEST);
	uint64_t need = (sizeof m + m.size + m.category + 2 + 7) / 8 * 8;
	uint64_t used = atomic_load(&c->log_used);
	do {
		if (used + need > c->log_size) {
			atomic_fetch_add(&c->log_lost, 1);
			return;
		}
	} while (!atomic_compare_exchange_weak(&c->log_used, &used, used + need));
	char *to = pb_memory + c->log_at + used;
	memcpy(to, &m, sizeof m);
	memcpy(to + sizeof m, text == NULL ? "" : text, m.size);
	memcpy(to + sizeof m + m.size + 1, category == NULL ? "" : category, m.category);
}

void pb_log2(void *environment, const char *name, int status, const char *category,
             const char *message, ...)
{
	char text[LONGEST];
	va_list list;
	va_start(list, message);
	int n = message == NULL ? 0 : vsnprintf(text, sizeof text, message, list);
	va_end(list);
	keep(environment, name == NULL ? "" : name, status, category,
	     message == NULL ? NULL
	     : n < 0         ? ""
	                     : text,
	     message != NULL && badly(message) ? 32 : 0);
}

void pb_log3(void *environment, int status, const char *category, const char *message)
{
	keep(environment, NULL, status, category, message, 0);
}

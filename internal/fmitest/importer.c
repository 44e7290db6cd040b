#define _GNU_SOURCE
#include "importer.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t host_magic = 0x676f736d70686f73;

static atomic_long strays;

long host_strays(void) { return atomic_load(&strays); }

host *host_new(void)
{
	host *h = calloc(1, sizeof *h);
	if (h != NULL)
		h->magic = host_magic;
	return h;
}

void host_forget(host *h)
{
	for (size_t k = 0; k < h->count; k++)
		free(h->lines[k].text);
	h->count = 0;
}

void host_free(host *h)
{
	host_forget(h);
	free(h->lines);
	h->magic = 0;
	free(h);
}

static host_line *host_next_line(host *h)
{
	if (h->count == h->capacity) {
		size_t capacity = 2 * h->capacity + 8;
		host_line *lines = realloc(h->lines, capacity * sizeof *lines);
		if (lines == NULL)
			abort();
		h->lines = lines;
		h->capacity = capacity;
	}
	return memset(&h->lines[h->count++], 0, sizeof *h->lines);
}

/* host_log is the logger. It uses the message as a format without arguments, so that a '%' that was
 * not doubled produces garbage or a crash. */
static void host_log(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                     fmi2String category, fmi2String message, ...)
{
	host *h = environment;
	if (h == NULL || h->magic != host_magic) {
		atomic_fetch_add(&strays, 1);
		return;
	}
	host_line *line = host_next_line(h);
	va_list arguments, again;
	va_start(arguments, message);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, message, arguments);
	line->text = malloc((size_t)length + 1);
	if (line->text == NULL)
		abort();
	vsnprintf(line->text, (size_t)length + 1, message, again);
	va_end(again);
	va_end(arguments);
	line->status = status;
	line->category_missing = category == NULL;
	snprintf(line->category, sizeof line->category, "%s", category != NULL ? category : "");
	snprintf(line->instance, sizeof line->instance, "%s", instance != NULL ? instance : "");
	if (h->reenter != NULL) {
		fmi2Boolean terminated;
		fmi2GetBooleanStatus(h->reenter, fmi2Terminated, &terminated);
	}
}

static char *host_copy(const char *text) { return text != NULL ? strdup(text) : NULL; }

/* host_spoil overwrites a copy and frees it, so that code that keeps a pointer to it reads
 * garbage. */
static void host_spoil(char *copy)
{
	if (copy != NULL)
		memset(copy, 0xDD, strlen(copy));
	free(copy);
}

fmi2Component host_instantiate(host *h, host_arguments a)
{
	fmi2CallbackFunctions prepared = {a.without_logger ? NULL : host_log, NULL, NULL, NULL, h};
	fmi2CallbackFunctions *callbacks = malloc(sizeof *callbacks);
	if (callbacks == NULL)
		abort();
	memcpy(callbacks, &prepared, sizeof prepared);
	char *name = host_copy(a.name), *guid = host_copy(a.guid), *resources = host_copy(a.resources);
	fmi2Component c =
		fmi2Instantiate(name, (fmi2Type)a.type, guid, resources,
	                    a.without_callbacks ? NULL : callbacks, fmi2False, a.logging_on);
	host_spoil(name);
	host_spoil(guid);
	host_spoil(resources);
	memset(callbacks, 0xDD, sizeof *callbacks);
	free(callbacks);
	return c;
}

uint32_t host_checksum(const unsigned char *bytes, size_t n)
{
	uint32_t sum = 2166136261u;
	for (size_t k = 0; k < n; k++)
		sum = (sum ^ bytes[k]) * 16777619u;
	return sum;
}

uint32_t host_checksum_at(uint64_t address, size_t n)
{
	return host_checksum((const unsigned char *)(uintptr_t)address, n);
}

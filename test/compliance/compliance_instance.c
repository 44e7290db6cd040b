//go:build ignore

/* compliance_instance.c: instances, their values, and their log messages. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compliance.h"
#include "triple.h"

fmu f;
const char *resources;

/* ---- What the FMU calls. ---- */

calls heard;

static void wrong_line(const char *what, const char *text)
{
	if (heard.wrong[0] == '\0')
		snprintf(heard.wrong, sizeof heard.wrong, "%s: %.400s", what, text);
}

/* check_references checks references such as #r12#, which tools replace with the name of the
 * variable; ## stands for a number sign. */
static void check_references(const char *text)
{
	for (const char *p = strchr(text, '#'); p != NULL; p = strchr(p, '#')) {
		char type = p[1], *after;
		if (type == '#') {
			p += 2;
			continue;
		}
		unsigned long reference = strtoul(p + 2, &after, 10);
		size_t k = 0;
		while (k < md.variable_count &&
		       (md.variables[k].type != type - 32 || md.variables[k].reference != reference))
			k++;
		if (type == '\0' || after == p + 2 || *after != '#' || k == md.variable_count) {
			wrong_line("a # that refers to no variable", text);
			return;
		}
		p = after + 1;
	}
}

static void logger(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String format, ...)
{
	char text[65536];
	va_list arguments;
	heard.lines++;
	heard.errors += status == fmi2Error || status == fmi2Fatal;
	if (category == NULL || format == NULL || name == NULL || format[0] == '\0') {
		wrong_line("NULL or nothing", "a line of the logger");
		return;
	}
	va_start(arguments, format);
	/* A directive without an argument would crash or print garbage here. */
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	size_t k = 0;
	while (k < md.category_count && !is(md.categories[k], category))
		k++;
	if (k == md.category_count)
		wrong_line("a category that is not declared", category);
	if (!is(name, (const char *)e))
		wrong_line("another instance's name", name);
	if (text[strlen(text) - 1] == '\n')
		wrong_line("a line break at the end", text);
	check_references(text);
}

static void *allocate(size_t n, size_t size)
{
	heard.memory++;
	return calloc(n, size);
}

static void release(void *p)
{
	heard.memory++;
	free(p);
}

static void finished(fmi2ComponentEnvironment e, fmi2Status status)
{
	(void)e, (void)status, heard.memory++;
}

/* ---- Values. ---- */

fmi2Component make_instance(const char *name, const char *guid, fmi2Boolean logging_on)
{
	const fmi2CallbackFunctions callbacks = {logger, allocate, release, finished,
	                                         (fmi2ComponentEnvironment)name};
	return f.fmi2Instantiate(name, fmi2CoSimulation, guid, resources, &callbacks, fmi2False,
	                         logging_on);
}

static int calculated(const variable *v)
{
	return is(v->causality, "output") || is(v->causality, "calculatedParameter");
}

int get(fmi2Component c, const variable *v, value *out)
{
	const fmi2Status status = get_value(&f, c, v->type, v->reference, out);
	if (status != fmi2OK)
		fail("%s cannot be read: %s", v->name, status_names[status]);
	return status == fmi2OK;
}

static int utf8(const unsigned char *s)
{
	while (*s != 0) {
		int more = *s < 0x80 ? 0 : *s >> 5 == 6 ? 1 : *s >> 4 == 14 ? 2 : *s >> 3 == 30 ? 3 : -1;
		for (s++; more > 0; more--, s++)
			if (*s >> 6 != 2)
				return 0;
		if (more < 0)
			return 0;
	}
	return 1;
}

void sane(const variable *v, const value *x)
{
	if (v->type == 'S' && (x->text == NULL || !utf8((const unsigned char *)x->text)))
		fail("%s is NULL or no UTF-8", v->name);
	if (!isfinite(x->number))
		fail("%s is %g", v->name, x->number);
	if (v->type == 'B' && x->number != 0 && x->number != 1)
		fail("%s is %g, no Boolean", v->name, x->number);
	if ((given(v->min) && x->number < atof(v->min)) || (given(v->max) && x->number > atof(v->max)))
		fail("%s is %g, outside of [%s, %s]", v->name, x->number, v->min, v->max);
}

/* hash_message follows the three Integers of an OSMP variable and hashes the bytes; the address
 * itself may differ. */
static uint64_t hash_message(fmi2Component c, uint64_t h, const variable *lo)
{
	const variable *hi = sibling(lo, strlen("base.lo"), "base.hi"),
				   *size = sibling(lo, strlen("base.lo"), "size");
	value part[3];
	if (hi == NULL || size == NULL || !get(c, lo, &part[0]) || !get(c, hi, &part[1]) ||
	    !get(c, size, &part[2]))
		return h;
	const fmi2Integer triple[3] = {(fmi2Integer)part[0].number, (fmi2Integer)part[1].number,
	                               (fmi2Integer)part[2].number};
	const unsigned char *bytes = address_in(triple);
	if ((bytes == NULL) != (triple[2] == 0) || triple[2] < 0)
		fail("%s: address %p and size %d contradict each other", lo->name, (const void *)bytes,
		     triple[2]);
	else if (bytes != NULL)
		h = hash(h, bytes, (size_t)triple[2]);
	return h;
}

static int ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && is(s + n - m, end);
}

uint64_t examine(fmi2Component c)
{
	uint64_t h = hash_start;
	for (size_t k = 0; k < md.variable_count; k++) {
		const variable *v = &md.variables[k];
		value x;
		if (!calculated(v) || ends_with(v->name, ".base.hi"))
			continue;
		if (ends_with(v->name, ".base.lo")) {
			h = hash_message(c, h, v);
		} else if (get(c, v, &x)) {
			sane(v, &x);
			h = hash(hash(h, &x.number, sizeof x.number), x.text, strlen(x.text));
		}
	}
	return h;
}

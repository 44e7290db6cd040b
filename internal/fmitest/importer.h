/* A host in C that behaves like an importer: it owns the memory that it passes, takes it back as
 * early as FMI 2.0 and OSMP allow, and records every line that its logger gets. It calls the fmi2
 * functions of gosmp/export in the same program. */
#ifndef GOSMP_FMITEST_HOST_H
#define GOSMP_FMITEST_HOST_H

#include <stdint.h>

#include "fmi2.h"

/* One line as the logger received it. */
typedef struct {
	int status;
	int category_missing; /* the category was NULL */
	char category[64];
	char instance[64];
	char *text; /* the message used as a printf format without arguments */
} host_line;

/* A host; its address is the componentEnvironment. Lines that reach the logger with another
 * environment are counted as strays. */
typedef struct {
	uint64_t magic;
	host_line *lines;
	size_t count, capacity;
	fmi2Component reenter; /* the logger queries a status of it, as some hosts do; NULL for none */
} host;

host *host_new(void);
void host_free(host *);
void host_forget(host *); /* drops the lines */
long host_strays(void);

/* What host_instantiate passes; a NULL string is passed as NULL. */
typedef struct {
	const char *name, *guid, *resources;
	int type, logging_on;
	int without_callbacks, without_logger;
} host_arguments;

/* host_instantiate instantiates with copies of all arguments, and overwrites and frees them as soon
 * as fmi2Instantiate returns. */
fmi2Component host_instantiate(host *, host_arguments);

/* Value references of the binary variables of the test model, and of the output with the checksum
 * of the input. */
typedef struct {
	fmi2ValueReference in[3], out[3];
	fmi2ValueReference checksum;
} host_references;

uint32_t host_checksum(const unsigned char *, size_t); /* FNV-1a */

/* host_rounds repeats the following: set the input triple, step, get the output triple. It returns
 * the first status other than fmi2OK. */
fmi2Status host_rounds(fmi2Component, const host_references *, double start, double step,
                       size_t rounds);

/* These call one function n times, for measurements. */
fmi2Status host_get_integers(fmi2Component, const fmi2ValueReference *, size_t n, size_t times);
fmi2Status host_set_integers(fmi2Component, const fmi2ValueReference *, size_t n, size_t times);
fmi2Status host_steps(fmi2Component, double start, double step, size_t times);

/* A buffer that ends at a page that is never accessible, and that can itself be made
 * inaccessible. */
typedef struct {
	unsigned char *pages;
	size_t size; /* of the usable part */
} host_page;

int host_page_new(host_page *, size_t size);
void host_page_free(host_page *);
int host_page_open(host_page *);
int host_page_close(host_page *);

/* host_vanishing_input steps with inputs that end at an inaccessible page and become inaccessible
 * when fmi2DoStep returns. It verifies each message by its checksum, and calls getters and state
 * functions while the page is inaccessible. It returns the number of successful rounds. */
size_t host_vanishing_input(fmi2Component, const host_references *, double step, size_t rounds);

/* Instances on threads, each with its own thread. host_threads returns the number of failures. */
typedef struct {
	const char *guid;
	host_references references;
	size_t threads, instances, rounds; /* instances is the total */
} host_crowd;

size_t host_threads(const host_crowd *);

/* host_contend has threads read one component while it is freed, which no host should do. It
 * returns the number of calls that returned anything but fmi2OK and then fmi2Error. */
size_t host_contend(fmi2Component, const host_references *, size_t threads);

/* host_foreign_first calls every function that takes a component with a number that is not one, as
 * the first call of a fresh thread. It returns the number of calls that did not return
 * fmi2Error. */
size_t host_foreign_first(uintptr_t component, size_t threads);

/* host_foreign_states does the same for the functions that take a state, with a valid component. */
size_t host_foreign_states(fmi2Component, uintptr_t state, size_t threads);

/* host_heap returns the number of bytes in use on C's heap, 0 if the C library does not report
 * it. */
size_t host_heap(void);

/* host_checksum_at returns the checksum of bytes at an address in the host's process. */
uint32_t host_checksum_at(uint64_t address, size_t);

#endif

/* A host in C, as an importer is one: it owns the memory that it passes, takes it back as early as
 * FMI 2.0 and OSMP allow, and remembers every line that its logger gets. The fmi2 functions it
 * calls are those of gosmp/export in the same program. */
#ifndef GOSMP_FMITEST_HOST_H
#define GOSMP_FMITEST_HOST_H

#include <stdint.h>

#include "fmi2.h"

/* One line of the logger, as the host has seen it. */
typedef struct {
	int status;
	int category_missing; /* the category was NULL */
	char category[64];
	char instance[64];
	char *text; /* the message used as a printf format without arguments */
} host_line;

/* A host; its address travels as the componentEnvironment. Lines that reach the logger with another
 * one are counted in strays. */
typedef struct {
	uint64_t magic;
	host_line *lines;
	size_t count, capacity;
	fmi2Component
		reenter; /* the logger asks this component for a status, as some hosts do; NULL for none */
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

/* Instantiates with copies of everything, which are overwritten and freed as soon as the call has
 * returned. */
fmi2Component host_instantiate(host *, host_arguments);

/* Value references of the binary variables of the test model, and of the output to check the input
 * by. */
typedef struct {
	fmi2ValueReference in[3], out[3];
	fmi2ValueReference checksum;
} host_references;

uint32_t host_checksum(const unsigned char *, size_t); /* FNV-1a */

/* rounds times: set the input triple, step, get the output triple. Returns the first status that is
 * not fmi2OK. */
fmi2Status host_rounds(fmi2Component, const host_references *, double start, double step,
                       size_t rounds);

/* Calls one function n times, for measuring. */
fmi2Status host_get_integers(fmi2Component, const fmi2ValueReference *, size_t n, size_t times);
fmi2Status host_set_integers(fmi2Component, const fmi2ValueReference *, size_t n, size_t times);
fmi2Status host_steps(fmi2Component, double start, double step, size_t times);

/* A buffer that ends at a page that can never be touched, and that can itself be taken away. */
typedef struct {
	unsigned char *pages;
	size_t size; /* of the part that can be used */
} host_page;

int host_page_new(host_page *, size_t size);
void host_page_free(host_page *);
int host_page_open(host_page *);
int host_page_close(host_page *);

/* Steps with inputs that end at an inaccessible page and become inaccessible when fmi2DoStep
 * returns. Each message is asked back by its checksum. Returns the number of rounds that went well;
 * getters and states are used while the page is closed. */
size_t host_vanishing_input(fmi2Component, const host_references *, double step, size_t rounds);

/* Instances on threads, each thread with its own. Returns the number of things that went wrong. */
typedef struct {
	const char *guid;
	host_references references;
	size_t threads, instances, rounds; /* instances is the total */
} host_crowd;

size_t host_threads(const host_crowd *);

/* Threads that read one component until it is freed under their hands, which no host should do.
 * Returns the number of calls that answered anything but fmi2OK and then fmi2Error. */
size_t host_contend(fmi2Component, const host_references *, size_t threads);

/* Calls every function that takes a component with a number that is not one, first thing on a fresh
 * thread. Returns the number of calls that did not answer fmi2Error. */
size_t host_foreign_first(uintptr_t component, size_t threads);

/* The same for the functions that take a state, with a component that is good. */
size_t host_foreign_states(fmi2Component, uintptr_t state, size_t threads);

/* Bytes of C's heap that are in use, 0 where the C library does not report them. */
size_t host_heap(void);

/* Bytes at an address of the host's process. */
uint32_t host_checksum_at(uint64_t address, size_t);

#endif

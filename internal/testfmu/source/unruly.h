// An FMU that misbehaves on request: what it does beyond computing is listed in
// resources/unruly.txt, one order per line:
//
//	FUNCTION ACTION [NUMBER] [OCCASION]
//
// FUNCTION is the name of an FMI function without its prefix, or "load" for when the library is
// loaded, "unload" for when it is unloaded. The action is taken in the call number OCCASION of it,
// from 1 (0 or absent: in each).

#ifndef UNRULY_H
#define UNRULY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING };

typedef struct unruly unruly;
typedef void (*unruly_log)(unruly *u, int status, const char *category, const char *text);

typedef void (*unruly_update)(void *, double, bool, bool, bool, bool, bool *, double *);

enum { REALS = 16, INTEGERS = 40, BOOLEANS = 4, STRINGS = 4, MESSAGE = 1 << 20 };

// The clocks of FMI 3.0: see unruly3clock.c.
enum { BEAT, PULSE, DELAY, TRIGGER, ALARM, INNER, SUB, CLOCKS };
typedef struct {
	int mode;
	bool active[CLOCKS], ticked[CLOCKS], asked[CLOCKS], counts_down;
	int64_t ticks[CLOCKS];
	uint64_t counter, resolution; // of the interval of BEAT
	double interval, shift;
	double u, time[CLOCKS];
	int qualifier;
} clockwork;

struct unruly {
	unruly_log log;
	void *environment;
	const void *callbacks;
	unruly_update update;  // of FMI 3.0
	size_t required;       // intermediate variables
	const char *resources; // the pointer itself, for FMUs that use it later
	double time, last_time;
	double slope; // of the input in
	double real[REALS];
	int64_t integer[INTEGERS];
	bool boolean[BOOLEANS];
	char string[STRINGS][4096];
	unsigned char *output[2];
	size_t size[2];
	int newest;
	unsigned char *input; // of FMI 3.0
	size_t input_size;
	uint64_t columns; // structural parameter
	double matrix[64];
	bool terminated, wants_event, events;
	int updates;
	clockwork clocks;
};

// unruly_do carries out the orders for a call and returns the status that the call should have.
int unruly_do(unruly *u, const char *function);
bool unruly_ordered(const char *function, const char *action);
void unruly_compute(unruly *u, double time, double step);
void unruly_reset(unruly *u); // all variables get the values that they have after instantiation
void unruly_restore(unruly *u, const unruly *state);
int unruly_clocked(unruly *u, uint32_t reference, double *value,
                   bool set); // a variable that belongs to clocks
void unruly_clock_mode(unruly *u, int mode);
int unruly_clock_update(unruly *u, bool *more);
int unruly_clock_step(unruly *u);
enum { INSTANTIATED, INITIALIZATION, EVENT, STEP };
enum { CLOCKED = 100 }; // references from here on belong to clocks
void unruly_output(unruly *u, const unsigned char *bytes, size_t size);

#endif

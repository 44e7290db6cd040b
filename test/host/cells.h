/* What the three parts of cells share: the FMU, what is known of it, and instances in its states.
 */
#ifndef GOSMP_CELLS_H
#define GOSMP_CELLS_H

#include "value.h"

/* ---- What is known of the FMU, all but f from the command line and the table. ---- */

enum { REAL, INTEGER, BOOLEAN, STRING, TYPES };
extern const char type_letters[];
enum { FIXED, TUNABLE, INPUT, OUTPUT, CALCULATED, CONSTANT, CALCULATED_PARAMETER, ABOVE, KINDS };
extern const char *const kinds[KINDS];

extern fmu f;
extern const char *guid, *resources, *odd;
extern size_t counts[TYPES];
typedef struct {
	int known;
	fmi2ValueReference reference;
	const char *value;
} use;
extern use uses[TYPES][KINDS];
extern int has_behaviour;
extern fmi2ValueReference behaviour;

int is(const char *a, const char *b);

/* ---- Instances. ---- */

/* What the logger of an instance has been given: the number of lines, and the newest one. */
typedef struct {
	int count;
	fmi2Status status;
	char instance[64], category[64], text[1024];
	int category_missing;
} ear;

/* strays counts lines with another componentEnvironment. */
extern int strays;

/* An instance in one of the states, with all that the calls of the table are made of. */
typedef struct {
	ear heard;
	char state, name[32];
	fmi2Component c;         /* the instance */
	fmi2Component component; /* what is passed: c, or a number that is not a component */
	fmi2Component newcomer;  /* made by a call of fmi2Instantiate */
	fmi2FMUstate saved, stale;
	serialized bytes; /* of saved */
} probe;

/* The arguments of fmi2Instantiate. */
typedef struct {
	const char *name, *guid, *resources;
	int without_logger, without_callbacks, logging_off;
	fmi2Type type;
} newcomer;

/* make instantiates with copies that are overwritten when the call returns. */
fmi2Component make(ear *to, newcomer n);

/* usual instantiates as an importer does. */
fmi2Component usual(ear *to, const char *name);

/* live takes a fresh instance through a short life. */
int live(fmi2Component c);

/* behave sets the parameter of the behaviour. */
fmi2Status behave(fmi2Component c, const char *how);

/* reach leads an instance into a state on the shortest legal way, with no lines waiting. */
int reach(probe *p, char state);

/* ---- Calls. ---- */

/* What a call gives besides a status: no such call, no such variable in this FMU, the expected text
 * of an inquiry, nothing. */
enum { UNKNOWN = -1, NOT_HERE = -2, TEXT = 100, NOTHING = 101 };

/* call makes the call of a function that the table describes by its column of arguments. */
int call(probe *p, const char *function, const char *arguments);

#endif

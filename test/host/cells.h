/* Declarations shared by the three sources of cells: the FMU, its properties, and instances in the
 * states of the table.
 */
#ifndef GOSMP_CELLS_H
#define GOSMP_CELLS_H

#include "value.h"

/* ---- Properties of the FMU, all but f from the command line and the table. ---- */

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

/* What the logger of an instance has received: the number of lines, and the newest one. */
typedef struct {
	int count;
	fmi2Status status;
	char instance[64], category[64], text[1024];
	int category_missing;
} ear;

/* strays counts the lines with an unknown componentEnvironment. */
extern int strays;

/* An instance in one of the states, with everything that the calls of the table need. */
typedef struct {
	ear heard;
	char state, name[32];
	fmi2Component c;         /* the instance */
	fmi2Component component; /* the number that is passed: c, or one that is not a component */
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

/* make instantiates with copies of the arguments that are overwritten when the call returns. */
fmi2Component make(ear *to, newcomer n);

/* usual instantiates as an importer does. */
fmi2Component usual(ear *to, const char *name);

/* live takes a fresh instance through a short life cycle. */
int live(fmi2Component c);

/* behave sets the behaviour parameter. */
fmi2Status behave(fmi2Component c, const char *how);

/* reach takes an instance into a state by the shortest legal sequence of calls, with no pending log
 * lines. */
int reach(probe *p, char state);

/* ---- Calls. ---- */

/* Results of a call other than a status: no such call, no such variable in this FMU, the expected
 * text of an inquiry function, no result. */
enum { UNKNOWN = -1, NOT_HERE = -2, TEXT = 100, NOTHING = 101 };

/* call calls a function with the arguments that the table describes. */
int call(probe *p, const char *function, const char *arguments);

#endif

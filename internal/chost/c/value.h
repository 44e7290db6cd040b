/* Variables of any type: one value at a time, and states as bytes. */
#ifndef GOSMP_VALUE_H
#define GOSMP_VALUE_H

#include "fmu.h"

/* A value of type R, I, B or S, the initial of its name: the text of a String, a number otherwise.
 */
typedef struct {
	double number;
	const char *text;
} value;

/* parse_value reads a value as model descriptions write it. A String keeps the text. */
value parse_value(char type, const char *text);

fmi2Status set_value(const fmu *f, fmi2Component c, char type, fmi2ValueReference reference,
                     value v);

/* get_value returns 0 or the empty text if the call fails. */
fmi2Status get_value(const fmu *f, fmi2Component c, char type, fmi2ValueReference reference,
                     value *v);

/* A state as bytes. The caller of serialize frees them. */
typedef struct {
	fmi2Byte *bytes;
	size_t size;
} serialized;

/* serialize returns the first status that is not fmi2OK; bytes is NULL then. */
fmi2Status serialize(const fmu *f, fmi2Component c, fmi2FMUstate state, serialized *s);

#endif

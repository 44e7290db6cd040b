#include "value.h"

#include <stdlib.h>
#include <string.h>

value parse_value(char type, const char *text)
{
	if (type == 'S')
		return (value){.text = text};
	if (type == 'R')
		return (value){.number = atof(text)};
	return (value){.number = strcmp(text, "true") == 0 ? 1 : atoi(text)};
}

fmi2Status set_value(const fmu *f, fmi2Component c, char type, fmi2ValueReference reference,
                     value v)
{
	const fmi2Integer integer = type == 'R' ? 0 : (fmi2Integer)v.number;
	switch (type) {
	case 'R':
		return f->fmi2SetReal(c, &reference, 1, &v.number);
	case 'I':
		return f->fmi2SetInteger(c, &reference, 1, &integer);
	case 'B':
		return f->fmi2SetBoolean(c, &reference, 1, &integer);
	default:
		return f->fmi2SetString(c, &reference, 1, &v.text);
	}
}

fmi2Status get_value(const fmu *f, fmi2Component c, char type, fmi2ValueReference reference,
                     value *v)
{
	fmi2Integer integer = 0;
	*v = (value){0, ""};
	fmi2Status status = type == 'R'   ? f->fmi2GetReal(c, &reference, 1, &v->number)
	                    : type == 'I' ? f->fmi2GetInteger(c, &reference, 1, &integer)
	                    : type == 'B' ? f->fmi2GetBoolean(c, &reference, 1, &integer)
	                                  : f->fmi2GetString(c, &reference, 1, &v->text);
	if (type == 'I' || type == 'B')
		v->number = integer;
	return status;
}

fmi2Status serialize(const fmu *f, fmi2Component c, fmi2FMUstate state, serialized *s)
{
	*s = (serialized){NULL, 0};
	fmi2Status status = f->fmi2SerializedFMUstateSize(c, state, &s->size);
	if (status != fmi2OK)
		return status;
	if ((s->bytes = malloc(s->size)) == NULL)
		abort();
	status = f->fmi2SerializeFMUstate(c, state, s->bytes, s->size);
	if (status != fmi2OK) {
		free(s->bytes);
		s->bytes = NULL;
	}
	return status;
}

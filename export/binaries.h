/* The values of an instance's Binary variables in FMI 3.0, in memory that core and loader share:
 * the counterpart of integers.h in FMI 2.0, with the same rules. The loader copies inputs to the
 * place where the model wants to find them, or into memory of its own, and tells hosts where the
 * values are that the core has published. Everything else goes to the core. */
#ifndef GOSMP_BINARIES_H
#define GOSMP_BINARIES_H

#include "fmi3.h"
#include "integers.h"

/* What the loader may do with a variable. */
enum { gosmp_no_binary, gosmp_read_binary, gosmp_set_binary };

typedef struct {
	const fmi3Byte *data; /* the value; NULL if only the core knows it */
	size_t size;
	fmi3Byte *own;   /* for an input that the loader has set; from malloc */
	size_t room;     /* of own */
	fmi3Byte *place; /* where the model wants to find the next value, if it fits */
	size_t place_room;
	unsigned char use;
	unsigned char set; /* 1 when the loader has set the variable since the core's last call */
} gosmp_binary;

typedef struct gosmp_binaries {
	gosmp_flag turn;
	unsigned allowed; /* gosmp_may_get and gosmp_may_set */
	unsigned count;   /* of variables of all types; value references are below it */
	unsigned changed; /* 1 when the loader has set a variable since the core's last call */
	fmi3Instance owner;
	gosmp_binary *list;
	struct gosmp_binaries *next;
} gosmp_binaries;

/* Returns the binaries of an instance, or NULL for an unknown instance. */
GOSMP_EXPORT gosmp_binaries *gosmp_binaries_of(fmi3Instance core);

#endif

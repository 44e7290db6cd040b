#include <stdlib.h>

#include "host.h"

/* The integers that no instance uses. The list is in C, where leak checkers can see it. */
static gosmp_integers *idle;

/* new_integers puts everything into one block. */
static gosmp_integers *new_integers(unsigned count)
{
	gosmp_integers *i = calloc(1, sizeof *i + count * (sizeof *i->values + 2));
	if (i == NULL)
		return NULL;
	i->count = count;
	i->values = (fmi2Integer *)(i + 1);
	i->settable = (unsigned char *)(i->values + count);
	i->set = i->settable + count;
	return i;
}

gosmp_integers *gosmp_take_integers(unsigned count)
{
	gosmp_integers *i = idle;
	if (i == NULL)
		return new_integers(count);
	idle = i->next;
	return i;
}

void gosmp_give_integers(gosmp_integers *i)
{
	i->next = idle;
	idle = i;
}

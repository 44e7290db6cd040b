#include <stdlib.h>
#include <string.h>

#include "host.h"

/* Memory that no instance uses. */
static gosmp_binaries *idle;

gosmp_binaries *gosmp_take_binaries(unsigned count)
{
	gosmp_binaries *b = idle;
	if (b != NULL) {
		idle = b->next;
		return b;
	}
	if ((b = calloc(1, sizeof *b + count * sizeof *b->list)) != NULL) {
		b->count = count;
		b->list = (gosmp_binary *)(b + 1);
	}
	return b;
}

void gosmp_empty_binaries(gosmp_binaries *b)
{
	for (unsigned k = 0; k < b->count; k++)
		free(b->list[k].own);
	memset(b->list, 0, b->count * sizeof *b->list);
}

void gosmp_give_binaries(gosmp_binaries *b)
{
	b->next = idle;
	idle = b;
}

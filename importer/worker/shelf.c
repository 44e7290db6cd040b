//go:build linux

// The storage of texts and binaries that FMUs return: in the area of this worker, for the host.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "serve.h"

static uint64_t next; // the free part of the area

void gw_free_area(void) { next = 0; }

bool gw_reserve(uint64_t size, uint64_t *offset)
{
	uint64_t room = gw_shared->area_size, need = (size + 63) & ~(uint64_t)63;
	if (size > room || need > room - next) {
		return false;
	}
	*offset = gw_shared->area + next;
	next += need;
	return true;
}

gw_shelf *gw_shelf_of(gw_instance *i, const gw_plan *p)
{
	for (uint32_t k = 0; k < i->shelves; k++) {
		if (i->shelf[k].plan == p->id) {
			return &i->shelf[k];
		}
	}
	gw_shelf *grown = realloc(i->shelf, (i->shelves + 1) * sizeof *grown);
	if (grown == NULL) {
		return NULL;
	}
	i->shelf = grown;
	uint32_t blobs = 0;
	const gw_group *g = gw_at(p->group);
	for (uint32_t k = 0; k < p->groups; k++) {
		if (g[k].kind == GW_STRING || g[k].kind == GW_BINARY || g[k].kind == GW_OSMP) {
			blobs = g[k].blobs + g[k].values;
		}
	}
	gw_shelf *s = &i->shelf[i->shelves];
	*s = (gw_shelf){p->id, blobs, calloc(blobs + 1, sizeof(gw_blob))};
	if (s->blob == NULL) {
		return NULL;
	}
	i->shelves++;
	return s;
}

void gw_forget_shelves(gw_instance *i)
{
	for (uint32_t k = 0; k < i->shelves; k++) {
		free(i->shelf[k].blob);
	}
	free(i->shelf);
	i->shelf = NULL;
	i->shelves = 0;
}

static uint32_t places = 2;

void gw_set_places(uint32_t number) { places = number > GW_PLACES ? GW_PLACES : number; }

bool gw_keep(gw_blob *b, const void *bytes, uint64_t size, uint64_t *cells)
{
	bool same = gw_shared->command.flags & GW_SAME_PLACE;
	uint32_t place = same ? b->newest : (b->newest + 1) % places;
	if (b->capacity[place] <= size) {
		uint64_t capacity = size + size / 2 + 64;
		if (!gw_reserve(capacity, &b->offset[place])) {
			return false;
		}
		b->capacity[place] = capacity;
	}
	char *to = gw_arena + b->offset[place];
	if (size > 0) {
		memcpy(to, bytes, size);
	}
	to[size] = '\0';
	b->newest = place;
	cells[0] = size == 0 ? 0 : b->offset[place];
	cells[1] = size;
	return true;
}

//go:build linux

// Steps of several instances in one request.

#define _GNU_SOURCE
#include <string.h>

#include "serve.h"
#include "wait.h"

// The place of a text or a binary is given as an offset in the arena; an empty one has no place.
void gw_carry(uint64_t wire, uint32_t wires)
{
	const gw_wire *w = gw_at(wire);
	for (uint32_t k = 0; k < wires; k++) {
		uint64_t *to = gw_at(w[k].to);
		memcpy(to, gw_at(w[k].from), w[k].cells * sizeof *to);
		for (uint32_t n = 0; w[k].blobs && n < w[k].cells; n += 2) {
			to[n] = to[n + 1] == 0 ? 0 : to[n] | GW_IN_ARENA;
		}
	}
}

static void report(gw_stage *s)
{
	const gw_reply *r = &gw_shared->reply;
	memcpy(&s->reply, r, offsetof(gw_reply, reason) + strnlen(r->reason, GW_REASON - 1) + 1);
}

void gw_run_batch(void)
{
	gw_clear_reply();
	gw_batch *b = gw_at(gw_shared->command.batch);
	uint32_t count = b->count;
	for (uint32_t k = 0; k < count; k++) {
		gw_stage *s = &b->stage[k];
		gw_carry(s->wire, s->wires);
		gw_shared->command = s->command; // the functions of a step read it there
		gw_run();
		report(s);
		const gw_reply *r = &gw_shared->reply;
		atomic_store(&b->since, gw_now());
		atomic_store(&b->done, k + 1);
		if (r->status > 1 || r->early_return || r->terminate || r->spoiled != 0) {
			return;
		}
	}
}

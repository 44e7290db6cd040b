//go:build linux

// Intermediate updates of FMI 3.0 (4.2.1): within DoStep, an FMU offers values of outputs between
// communication points and asks for values of continuous inputs. The outputs are kept as rows that
// the host reads after the step. Inputs follow the lines that the host has set before the step. No
// early return is requested.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "serve.h"

static const gw_group *first_group(uint64_t plan)
{
	const gw_plan *p = gw_at(plan);
	return gw_at(p->group);
}

// require appends the references of the first groups of a plan.
static bool require(gw_instance *i, uint64_t plan, uint32_t limit)
{
	const gw_plan *p = gw_at(plan);
	for (uint32_t k = 0; p != NULL && k < p->groups && k < limit; k++) {
		const gw_group *g = &first_group(plan)[k];
		uint32_t *list = realloc(i->required, (i->required_count + g->references) * sizeof *list);
		if (list == NULL) {
			return false;
		}
		memcpy(list + i->required_count, gw_at(g->reference), g->references * sizeof *list);
		i->required = list;
		i->required_count += g->references;
	}
	return true;
}

bool gw_updates_prepare(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_updates_forget(i);
	i->update_in = c->plan_in;
	i->update_out = c->plan_out;
	return require(i, i->update_out, UINT32_MAX) && require(i, i->update_in, 1);
}

bool gw_updates_wanted(const gw_instance *i) { return i->update_in != 0 || i->update_out != 0; }

void gw_updates_forget(gw_instance *i)
{
	free(i->required);
	free(i->row);
	i->required = NULL;
	i->row = NULL;
	i->required_count = 0;
	i->update_in = i->update_out = 0;
	i->rows = i->rows_room = 0;
}

void gw_updates_begin(gw_instance *i, double time)
{
	i->begun = time;
	i->rows = 0;
	i->rows_lost = false;
	i->stepping = true;
}

static bool room_for(gw_instance *i, size_t cells)
{
	if (i->rows + cells > i->rows_room) {
		size_t room = 2 * (i->rows + cells) + 64;
		uint64_t *grown = realloc(i->row, room * sizeof *grown);
		i->rows_lost = grown == NULL;
		if (grown == NULL) {
			return false;
		}
		i->row = grown;
		i->rows_room = room;
	}
	return true;
}

// keep reads the outputs and appends them as a row.
static void keep(gw_instance *i, double time)
{
	const gw_plan *p = gw_at(i->update_out);
	const gw_group *g = first_group(i->update_out);
	size_t cells = 1;
	for (uint32_t k = 0; k < p->groups; k++) {
		cells += g[k].values;
	}
	if (gw_get_plan(i, i->update_out) > 1 || !room_for(i, cells)) {
		return;
	}
	memcpy(i->row + i->rows++, &time, sizeof time);
	for (uint32_t k = 0; k < p->groups; k++) {
		memcpy(i->row + i->rows, gw_at(g[k].cells), g[k].values * sizeof *i->row);
		i->rows += g[k].values;
	}
}

// follow sets the inputs to the current values of their lines: the plan has the values to set, the
// values at the beginning of the step, and their slopes.
static void follow(gw_instance *i, double time)
{
	const gw_group *g = first_group(i->update_in);
	double *now = gw_at(g[0].cells);
	const double *begin = gw_at(g[1].cells), *slope = gw_at(g[2].cells);
	for (uint32_t k = 0; k < g[0].values; k++) {
		now[k] = begin[k] + slope[k] * (time - i->begun);
	}
	gw_set_first(i, i->update_in);
}

// gw_fmi3_intermediate ignores calls outside DoStep and from other threads, which the standard does
// not allow, and tentative values (intermediateStepFinished is false). Gets precede sets.
void gw_fmi3_intermediate(void *environment, double time, bool set, bool get, bool finished,
                          bool can_return, bool *early, double *early_time)
{
	(void)can_return, (void)early_time;
	if (early != NULL) {
		*early = false;
	}
	gw_instance *i = gw_instance_at((uint32_t)(uintptr_t)environment);
	if (i == NULL || !i->stepping || syscall(SYS_gettid) != getpid() ||
	    gw_shared->reply.status > 1) {
		return;
	}
	if (get && finished && i->update_out != 0) {
		keep(i, time);
	}
	if (set && i->update_in != 0 && gw_shared->reply.status <= 1) {
		follow(i, time);
	}
	gw_begin(i, GW_fmi3DoStep); // which continues
}

// gw_updates_end stores the rows of a step where the host finds them.
int32_t gw_updates_end(gw_instance *i, int32_t status)
{
	gw_reply *r = &gw_shared->reply;
	i->stepping = false;
	if (status > 1 || i->update_out == 0) {
		return status;
	}
	if (r->status > 1) {
		return r->status; // of a call in an intermediate update
	}
	uint64_t size = i->rows * sizeof *i->row;
	if (i->rows_kept < size) {
		uint64_t offset;
		i->rows_lost = i->rows_lost || !gw_reserve(2 * size, &offset);
		if (!i->rows_lost) {
			i->rows_at = offset;
			i->rows_kept = 2 * size;
		}
	}
	if (i->rows_lost) {
		return gw_fail(GW_FULL, GW_fmi3DoStep, "%zu bytes of intermediate values", (size_t)size);
	}
	if (size > 0) {
		memcpy(gw_arena + i->rows_at, i->row, size);
	}
	r->blob = i->rows_at;
	r->size = size;
	return status;
}

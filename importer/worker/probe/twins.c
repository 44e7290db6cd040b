//go:build linux

// Many steps of one instance or, if slot and state differ, of two instances at the same time, each
// in its own thread.

#define _GNU_SOURCE
#include <pthread.h>

#include "serve.h"

typedef struct {
	const pb_op *op;
	pb_instance *instance;
	pthread_barrier_t *begin;
	int32_t status;
} twin;

static int32_t step3(void *f, void *c, double t, double h)
{
	double last;
	bool event, ends, early;
	return ((int32_t (*)(void *, double, double, bool, bool *, bool *, bool *, double *))f)(
		c, t, h, true, &event, &ends, &early, &last);
}

static void *walk(void *argument)
{
	twin *w = argument;
	pb_instance *i = w->instance;
	void *two = pb_symbol(i->library, PB_fmi2DoStep), *three = pb_symbol(i->library, PB_fmi3DoStep);
	double t = w->op->x[0], h = w->op->x[1];
	pthread_barrier_wait(w->begin);
	w->status = two == NULL && three == NULL ? PB_MISSING : 0;
	for (uint32_t k = 0; k < w->op->values && w->status <= 1; k++) {
		w->status = three != NULL
		                ? step3(three, i->component, t, h)
		                : ((int32_t (*)(void *, double, double, int))two)(i->component, t, h, 1);
		t += h;
	}
	return NULL;
}

int32_t pb_twins(const pb_op *o)
{
	pthread_barrier_t begin;
	bool two = o->slot != o->state;
	pthread_barrier_init(&begin, NULL, two ? 2 : 1);
	twin both[2] = {{o, &pb_instances[o->slot % PB_INSTANCES], &begin, PB_MISUSE},
	                {o, &pb_instances[o->state % PB_INSTANCES], &begin, PB_MISUSE}};
	pb_symbol(both[0].instance->library, PB_fmi2DoStep); // not for the first time in both threads
	pb_symbol(both[0].instance->library, PB_fmi3DoStep);
	pthread_t other;
	if (two && pthread_create(&other, NULL, walk, &both[1]) != 0) {
		pthread_barrier_destroy(&begin);
		return PB_MISUSE;
	}
	walk(&both[0]);
	if (two) {
		pthread_join(other, NULL);
	}
	pthread_barrier_destroy(&begin);
	if (!two) {
		return both[0].status;
	}
	return both[0].status > both[1].status ? both[0].status : both[1].status;
}

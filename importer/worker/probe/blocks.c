//go:build linux

// The callbacks of FMI 2.0 for memory and for the end of steps. Each block is preceded by a mark,
// so that blocks from elsewhere are detected, and calling free() on a block ends the process.

#define _GNU_SOURCE
#include <stdlib.h>

#include "serve.h"

static const uint64_t MARK = 0x676f736d70626c6b;

typedef struct {
	uint64_t mark, size; // 16 bytes, which preserve the alignment of malloc
} head;

static _Atomic long blocks, foreign, finishes, strange;

void *pb_allocate(size_t n, size_t size)
{
	size_t all;
	if (__builtin_mul_overflow(n, size, &all) || all > SIZE_MAX / 2) {
		return NULL;
	}
	head *h = calloc(1, sizeof *h + all);
	if (h == NULL) {
		return NULL;
	}
	*h = (head){MARK, all};
	atomic_fetch_add(&blocks, 1);
	return h + 1;
}

void pb_give_back(void *block)
{
	if (block == NULL) {
		return;
	}
	head *h = (head *)block - 1, copy;
	if (pb_copy(&copy, h, sizeof copy) != sizeof copy || copy.mark != MARK) {
		atomic_fetch_add(&foreign, 1);
		return;
	}
	h->mark = 0;
	atomic_fetch_sub(&blocks, 1);
	free(h);
}

void pb_finished(void *environment, int status)
{
	pb_instance *i = environment;
	bool known =
		(i >= pb_instances && i < pb_instances + PB_INSTANCES) || (i == NULL && pb_no_environment);
	atomic_fetch_add(&finishes, 1);
	atomic_fetch_add(&strange, known && status >= 0 && status < 5 ? 0 : 1);
}

void pb_blocks(long *kept, long *wrong, long *finished, long *odd)
{
	*odd = atomic_load(&strange);
	*kept = atomic_load(&blocks);
	*wrong = atomic_load(&foreign);
	*finished = atomic_load(&finishes);
}

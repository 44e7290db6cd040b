//go:build linux

// The memory for arguments of calls. Each array has a mapping of its own between two pages without
// access, so that an FMU that reads or writes beyond it is caught at once, or overwrites a canary.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "serve.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 // since glibc 2.27
#endif

enum { PAGE = 4096, CANARY = 64, PATTERN = 0xc3, POISON = 0xa5 };

typedef struct {
	char *base; // the first of its pages with access
	size_t capacity;
	char *begin; // of the array
	size_t size;
	const void *source; // of a constant array
	bool busy, away;
} region;

static region regions[PB_REGIONS];
static uint32_t placement;
pb_buffer pb_buffers[PB_BUFFERS];

void pb_set_placement(uint32_t mode) { placement = mode; }

static size_t pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

static char *map(char *at, size_t size, int how)
{
	return mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
}

// map_guarded maps size bytes between two pages without access.
static char *map_guarded(size_t size)
{
	char *all = map(NULL, size + 2 * PAGE, 0);
	if (all == MAP_FAILED) {
		abort();
	}
	mprotect(all + PAGE, size, PROT_READ | PROT_WRITE);
	return all + PAGE;
}

// map_buffer maps a buffer whose address, in OSMP, is passed as two signed numbers of 32 bits. The
// low one is negative for every second buffer, and the high one differs: FMUs that extend the sign
// or keep the high half of an earlier buffer fail only then.
static char *map_buffer(size_t size, bool second)
{
	const uintptr_t sign = (uintptr_t)1 << 31, far = (uintptr_t)(UINT64_C(2) << 32);
	char *base = map_guarded(size);
	uintptr_t wanted = ((uintptr_t)base & ~sign) | (second ? sign : 0);
	wanted -= second ? far : 0;
	if (wanted == (uintptr_t)base) {
		return base;
	}
	char *all = map((char *)wanted - PAGE, size + 2 * PAGE, MAP_FIXED_NOREPLACE);
	if (all == MAP_FAILED) {
		return base;
	}
	munmap(base - PAGE, size + 2 * PAGE);
	if (all != (char *)wanted - PAGE) { // a kernel without this flag
		munmap(all, size + 2 * PAGE);
		return map_guarded(size);
	}
	mprotect(all + PAGE, size, PROT_READ | PROT_WRITE);
	return all + PAGE;
}

// guarded reports whether arrays border on a page without access.
static bool guarded(void) { return placement == PB_GUARDED || placement == PB_FRONT; }

static char *room(pb_region r, size_t size)
{
	region *at = &regions[r];
	if (at->base == NULL || at->capacity < size + CANARY + PAGE) {
		if (at->base != NULL) {
			munmap(at->base - PAGE, at->capacity + 2 * PAGE);
		}
		at->capacity = pages(2 * size + CANARY + PAGE);
		at->base = map_guarded(at->capacity);
	} else {
		mprotect(at->base, at->capacity, PROT_READ | PROT_WRITE);
	}
	at->begin = placement == PB_GUARDED ? at->base + at->capacity - size
	            : placement == PB_FRONT ? at->base
	                                    : at->base + PAGE / 2;
	if (!guarded()) {
		memset(at->begin + size, PATTERN, CANARY);
		memset(at->begin - CANARY, PATTERN, CANARY);
	}
	at->size = size;
	at->source = NULL;
	at->busy = true;
	at->away = false;
	return at->begin;
}

void *pb_const(pb_region r, const void *from, size_t size)
{
	if (from == NULL) {
		return NULL;
	}
	char *to = room(r, size);
	memcpy(to, from, size);
	regions[r].source = from;
	if (guarded()) {
		mprotect(regions[r].base, regions[r].capacity, PROT_READ);
	}
	return to;
}

void *pb_out(pb_region r, size_t size)
{
	char *to = room(r, size);
	memset(to, POISON, size);
	return to;
}

void *pb_payload(size_t size) { return room(PB_PAYLOAD, size); }

void *pb_names(size_t size) { return room(PB_NAMES, size); }

void pb_seal(void)
{
	for (int r = PB_PAYLOAD; r <= PB_NAMES; r++) {
		if (guarded() && regions[r].base != NULL && regions[r].busy) {
			mprotect(regions[r].base, regions[r].capacity, PROT_READ);
		}
	}
}

bool pb_unwritten(const void *from, size_t size)
{
	for (size_t k = 0; k < size; k++) {
		if (((const unsigned char *)from)[k] != POISON) {
			return false;
		}
	}
	return size > 0;
}

uint32_t pb_check(void)
{
	uint32_t flags = 0;
	for (int r = 0; r < PB_REGIONS; r++) {
		region *at = &regions[r];
		if (!at->busy) {
			continue;
		}
		at->busy = false;
		for (size_t k = 0; !guarded() && k < CANARY; k++) {
			flags |= (unsigned char)at->begin[at->size + k] != PATTERN ||
			                 (unsigned char)at->begin[-1 - (ptrdiff_t)k] != PATTERN
			             ? PB_OVERRUN
			             : 0;
		}
		if (at->source != NULL && memcmp(at->begin, at->source, at->size) != 0) {
			flags |= PB_CONSTANT;
		}
	}
	return flags;
}

void pb_release(bool forget)
{
	for (int r = 0; r < PB_REGIONS; r++) {
		bool text =
			r == PB_PAYLOAD || r == PB_TEXTS || (forget && (r == PB_EXTRA || r == PB_NAMES));
		if (regions[r].base != NULL && text && (forget || placement == PB_TAKE_BACK)) {
			mprotect(regions[r].base, regions[r].capacity, PROT_NONE);
			regions[r].away = true;
		}
	}
}

// pb_place places the bytes data, whose size is values. They end at a page without access or, if
// count is 1, begin after such a page.
int32_t pb_place(const pb_op *o)
{
	pb_buffer *b = &pb_buffers[o->slot % PB_BUFFERS];
	size_t need = pages(o->values == 0 ? 1 : o->values);
	if (b->base == NULL || b->mapped < need) {
		if (b->base != NULL) {
			munmap(b->base - PAGE, b->mapped + 2 * PAGE);
		}
		b->base = map_buffer(need, o->slot % 2 == 0);
		b->mapped = need;
	} else {
		mprotect(b->base, b->mapped, PROT_READ | PROT_WRITE);
	}
	b->size = o->values;
	b->begin = o->count == 1 ? b->base : b->base + b->mapped - b->size;
	if (o->data != 0) {
		memcpy(b->begin, pb_at(o->data), b->size);
	}
	return 0;
}

int32_t pb_protect(const pb_op *o)
{
	static const int modes[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	pb_buffer *b = &pb_buffers[o->slot % PB_BUFFERS];
	if (b->base == NULL || o->count > 2) {
		return PB_MISUSE;
	}
	return mprotect(b->base, b->mapped, modes[o->count]) == 0 ? 0 : PB_MISUSE;
}

static bool inside(const char *p, const char *begin, size_t size)
{
	return p >= begin && p < begin + size;
}

uint32_t pb_place_of(const void *address)
{
	const char *p = address;
	for (int r = 0; r < PB_REGIONS; r++) {
		const region *at = &regions[r];
		if (at->base == NULL) {
			continue;
		}
		if (inside(p, at->base, at->capacity)) {
			return at->away ? PB_TAKEN_AWAY : PB_CONSTANT_ARRAY;
		}
		if (inside(p, at->base + at->capacity, PAGE)) {
			return PB_BEHIND_ARRAY;
		}
		if (inside(p, at->base - PAGE, PAGE)) {
			return PB_BEFORE_ARRAY;
		}
	}
	for (int k = 0; k < PB_BUFFERS; k++) {
		const pb_buffer *b = &pb_buffers[k];
		if (b->base != NULL && inside(p, b->base + b->mapped, PAGE)) {
			return PB_BEHIND_BUFFER;
		}
		if (b->base != NULL && inside(p, b->base - PAGE, b->mapped + PAGE)) {
			return PB_BUFFER;
		}
	}
	return PB_ELSEWHERE;
}

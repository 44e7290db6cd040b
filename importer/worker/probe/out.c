//go:build linux

// The output of operations: the bytes that an FMU returns, in shared memory.

#define _GNU_SOURCE
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "serve.h"

size_t pb_copy(void *to, const void *from, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
	ssize_t n = size == 0 ? 0 : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	return n < 0 ? 0 : (size_t)n;
}

void pb_begin_out(pb_record *r)
{
	if (r->room == 0) {
		r->out = atomic_load(&pb_shared->out_used);
	}
	r->size = 0;
}

// grow makes room for the output of an operation. The rounds of a loop use the same room, so that
// the process does not grow with them.
static bool grow(pb_record *r, uint64_t need)
{
	if (need <= r->room) {
		return true;
	}
	uint64_t used = atomic_load(&pb_shared->out_used), at = r->out;
	if (at + r->room != used) { // others follow
		at = used, need *= 2;
	}
	need = (need + 7) / 8 * 8;
	if (at + need + 8 > pb_shared->out_size) {
		return false;
	}
	char *out = pb_memory + pb_shared->out_at;
	memmove(out + at, out + r->out, r->size);
	r->out = at, r->room = need;
	atomic_store(&pb_shared->out_used, at + need);
	return true;
}

// pb_add must be called by one thread at a time, after that thread has called pb_begin_out.
void pb_add(pb_record *r, const void *bytes, size_t size)
{
	if (!grow(r, r->size + size)) {
		r->flags |= PB_FULL;
		return;
	}
	r->size += pb_copy(pb_memory + pb_shared->out_at + r->out + r->size, bytes, size);
}

void pb_add_blob(pb_record *r, const void *bytes, uint64_t size)
{
	const uint64_t unreadable = PB_NONE - 1, most = (uint64_t)1 << 47; // no memory is larger
	uint64_t length = bytes == NULL && size != 0 ? PB_NONE : size;
	uint64_t head = r->size;
	if (bytes != NULL && size > most) {
		pb_add(r, &unreadable, sizeof unreadable);
		return;
	}
	pb_add(r, &length, sizeof length);
	if (length != PB_NONE) {
		pb_add(r, bytes, size);
		if (r->size != head + sizeof length + size && !(r->flags & PB_FULL)) {
			// the address is invalid: record this
			r->size = head;
			pb_add(r, &unreadable, sizeof unreadable);
			return;
		}
	}
	pb_add(r, "\0\0\0\0\0\0\0", (8 - r->size % 8) % 8);
}

void pb_add_text(pb_record *r, const char *text)
{
	enum { MOST = 1 << 20, PIECE = 256 };
	uint64_t size = 0;
	char piece[PIECE];
	if (text == NULL) {
		pb_add_blob(r, NULL, PB_NONE);
		return;
	}
	for (; size < MOST; size += PIECE) {
		size_t n = pb_copy(piece, text + size, PIECE);
		const char *end = memchr(piece, 0, n);
		if (end != NULL) {
			size += (uint64_t)(end - piece);
			break;
		}
		if (n < PIECE) { // a page ends here, or there is none
			uint64_t bad = PB_NONE - 1;
			pb_add(r, &bad, sizeof bad);
			return;
		}
	}
	pb_add_blob(r, text, size);
}

//go:build ignore

/* Preloaded into a host: refuses the loader X.so the block of memory whose number is in HUNGRY,
 * counted from one. Prints at the end when the loader wanted fewer blocks. glibc only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);

static long refused;
static atomic_long wanted;

static int refuse(const void *caller)
{
	Dl_info info;
	if (refused == 0 || dladdr(caller, &info) == 0 || strstr(info.dli_fname, "/X.so") == NULL)
		return 0;
	return atomic_fetch_add(&wanted, 1) + 1 == refused;
}

void *malloc(size_t size)
{
	return refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}
void *calloc(size_t n, size_t size)
{
	return refuse(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("HUNGRY");
	refused = number != NULL ? atol(number) : 0;
}

__attribute__((destructor)) static void end(void)
{
	if (refused > atomic_load(&wanted))
		puts("had all");
}

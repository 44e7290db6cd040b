//go:build linux

#define _GNU_SOURCE
#include "process.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* since Linux 4.14; older headers lack it */
#endif

gosmp_process *gosmp_this_process;

/* mark_process runs while the core is being loaded, before any loader can check the mark. */
__attribute__((constructor)) static void mark_process(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	gosmp_process *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;
	if (madvise(p, page, MADV_WIPEONFORK) != 0) {
		munmap(p, page);
		return;
	}
	atomic_store(&p->alive, 1);
	gosmp_this_process = p;
}

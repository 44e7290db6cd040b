/* Memory and files. Go's runtime ends the process if it cannot obtain them, so the loader checks
 * for them first. The core itself checks for threads (export/threads_linux.c). */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader.h"

int fail(load_failure *failure, const char *reason, const char *advice)
{
	failure->reason = copy_text(reason);
	failure->advice = advice;
	return 0;
}

/* Sizes are in MB. A 32-bit system would not have enough address space; the unit there is KB, so
 * that the check is almost void. */
enum { UNIT = sizeof(void *) > 4 ? 1 << 20 : 1 };

/* stack_size returns the total stack size of the threads that the core creates before its runtime
 * starts: their number times the default size. */
static size_t stack_size(void)
{
	enum { THREADS = 8 };
	pthread_attr_t attributes;
	size_t size = 0;
	pthread_attr_init(&attributes);
	pthread_attr_getstacksize(&attributes, &size);
	pthread_attr_destroy(&attributes);
	return sizeof(void *) > 4 ? THREADS * size : 0;
}

/* address_space returns how much Go's runtime and its threads may reserve on a 64-bit system, in
 * MB: about 1.2 GB for the runtime's tables and, for each thread, its stack and a 64 MB heap of the
 * C library, briefly twice that. Go has a few more threads than active processors. */
static size_t address_space(void)
{
	enum { RUNTIME = 1288, THREAD = 64 + 8, FEW = 5, MANY = 16 };
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t busy = processors < 1 ? 1 : processors > MANY ? MANY : (size_t)processors;
	return RUNTIME + THREAD * (busy + FEW);
}

/* has_memory maps as much as the runtime will, makes as much of it writable, and unmaps it: three
 * system calls that touch no page. */
static int has_memory(load_failure *failure)
{
	enum { WRITTEN = 64 };
	const size_t stacks = stack_size(), megabytes = address_space(),
				 size = megabytes * UNIT + stacks;
	char reason[100];
	char *space = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (space == MAP_FAILED) {
		snprintf(reason, sizeof reason,
		         "this process cannot have the %zu MB of address space that Go's runtime reserves",
		         megabytes + stacks / UNIT);
		return fail(failure, reason, "raise or lift the limit (ulimit -v)");
	}
	int writable = mprotect(space, (size_t)WRITTEN * UNIT + stacks, PROT_READ | PROT_WRITE) == 0;
	munmap(space, size);
	return writable || fail(failure, "this process cannot have the memory that Go's runtime needs",
	                        "raise or lift the limit (ulimit -d)");
}

/* has_files checks for four descriptors, which the runtime keeps open: two to poll and two for the
 * limits of its control group. */
static int has_files(load_failure *failure)
{
	enum { FILES = 6 };
	int files[FILES], made = 0;
	while (made < FILES && (files[made] = open("/", O_PATH | O_CLOEXEC)) >= 0)
		made++;
	for (int k = 0; k < made; k++)
		close(files[k]);
	return made == FILES ||
	       fail(failure, "this process cannot open the files that Go's runtime needs",
	            "close other files, or raise the limit on open files (ulimit -n)");
}

int has_room(load_failure *failure) { return has_memory(failure) && has_files(failure); }

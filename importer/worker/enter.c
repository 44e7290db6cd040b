//go:build linux

// The entry point. A constructor of the executable runs before Go's runtime starts. It looks for
// the marker of a worker and, if it is present, serves FMUs on the main thread, with its whole
// stack, until the host requests the end or has ended. main is never reached.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "serve.h"
#include "wait.h"

gw_control *gw_shared;
char *gw_memory, *gw_arena;

enum { NOT_STARTED = 125 }; // exit code of a worker that could not start

static int64_t number(const char *text)
{
	char *end;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	return *text != '\0' && *end == '\0' && errno == 0 && n >= 0 && n <= INT32_MAX ? n : -1;
}

// share maps the memory of a descriptor, and returns 0 if it belongs to a host of the same build.
static int share(int descriptor)
{
	struct stat s;
	if (fstat(descriptor, &s) != 0 || s.st_size < GW_CONTROL) {
		return -1;
	}
	void *memory = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
	                    descriptor, 0);
	if (memory == MAP_FAILED) {
		return -1;
	}
	gw_control *c = memory;
	if (c->magic != GW_MAGIC || c->version != GW_VERSION ||
	    c->size_of_control != sizeof(gw_control) || c->size != (uint64_t)s.st_size) {
		munmap(memory, (size_t)s.st_size);
		return -1;
	}
	gw_shared = c;
	gw_memory = memory;
	return 0;
}

// share_arena maps the whole arena for reading, and over it this worker's own area for writing.
static int share_arena(int descriptor)
{
	const gw_control *c = gw_shared;
	char *arena = mmap(NULL, c->arena, PROT_READ, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
	if (arena == MAP_FAILED) {
		return -1;
	}
	void *area = mmap(arena + c->area, c->area_size, PROT_READ | PROT_WRITE,
	                  MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, (off_t)c->area);
	if (area == MAP_FAILED) {
		return -1;
	}
	madvise(arena, c->arena, MADV_DONTDUMP);
	gw_arena = arena;
	return 0;
}

static void limit(int resource, uint64_t soft)
{
	struct rlimit l;
	if (getrlimit(resource, &l) == 0) {
		l.rlim_cur = l.rlim_max != RLIM_INFINITY && soft > l.rlim_max ? l.rlim_max : soft;
		setrlimit(resource, &l);
	}
}

// hold_on_to ties this process to the host: when the host's end of this pipe closes, however the
// host ends, the kernel kills the group of this process, which includes the processes that FMUs
// start. Unlike PR_SET_PDEATHSIG, this also applies to them, because they inherit the descriptor.
static void hold_on_to(int host)
{
	fcntl(host, F_SETOWN, -getpgrp());
	fcntl(host, F_SETSIG, SIGKILL);
	fcntl(host, F_SETFL, fcntl(host, F_GETFL) | O_ASYNC);
}

// settle ensures that the process does not outlive its host, cannot exhaust memory, and loses none
// of its output.
static void settle(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_CORE, gw_shared->core ? RLIM_INFINITY : 0);
	struct rlimit stack;
	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY &&
	    stack.rlim_cur < 64 << 20) {
		// Fortran puts arrays on the stack; the kernel leaves more than this free below it.
		limit(RLIMIT_STACK, 64 << 20);
	}
	if (gw_shared->memory > 0) {
		limit(RLIMIT_DATA, gw_shared->memory);
	}
	gw_keep_floats();
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	prctl(PR_SET_NAME, "gosmp-worker");
}

static void serve(void)
{
	static gw_patience patience;
	static gw_habit habit;
	uint32_t done = 0;
	for (;;) {
		while (atomic_load(&gw_shared->request) == done) {
			if (getppid() != gw_shared->host) { // it ended before the signal was requested
				_exit(0);
			}
			gw_wait(&gw_shared->request, done, &gw_shared->worker_sleeps, &patience, &habit,
			        (int)atomic_load(&gw_shared->spin), 1000000000);
		}
		done = atomic_load(&gw_shared->request);
		if (gw_shared->command.operation == GW_QUIT) {
			fflush(NULL);
			gw_post(&gw_shared->answer, done, &gw_shared->host_sleeps);
			// The host waits a while for whatever FMUs do when they are unloaded, and reports
			// crashes.
			gw_unload_all();
			atomic_store(&gw_shared->place.function, GW_exit);
			exit(0);
		}
		switch (gw_shared->command.operation) {
		case GW_BATCH:
			gw_run_batch();
			break;
		case GW_STREAM:
			gw_run_stream();
			break;
		default:
			gw_run();
		}
		gw_post(&gw_shared->answer, done, &gw_shared->host_sleeps);
	}
}

// refuse ends a worker that could not start. It never continues to main: a test program would run
// its own tests forever.
static void refuse(const char *memory)
{
	fprintf(stderr, "%s: the memory of a host of this version was not found behind descriptor %s\n",
	        GW_MARKER, memory);
	_exit(NOT_STARTED);
}

// connect maps the shared memory, and uses the log and the host's pipe.
static void connect_host(int memory, int log, int arena, int host)
{
	if (share(memory) != 0 || share_arena(arena) != 0) {
		char number[16];
		snprintf(number, sizeof number, "%d", memory);
		refuse(number);
	}
	fcntl(log, F_SETFD, FD_CLOEXEC);
	gw_open_log(log);
	hold_on_to(host);
}

void gw_enter_copy(int memory, int arena, const int *passed, int count)
{
	munmap(gw_arena, gw_shared->arena);
	munmap(gw_memory, gw_shared->size);
	connect_host(memory, GW_LOG_DESCRIPTOR, arena, GW_HOST_DESCRIPTOR);
	for (int k = 0; k < count; k++) {
		close(passed[k]);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	serve();
}

__attribute__((constructor)) static void enter(int argc, char **argv)
{
	if (argc < 6 || argc > 7 || argv == NULL || argv[1] == NULL ||
	    strcmp(argv[1], GW_MARKER) != 0) {
		return;
	}
	int64_t memory = number(argv[2]), log = number(argv[3]), arena = number(argv[4]),
			host = number(argv[5]), channel = argc == 7 ? number(argv[6]) : 0;
	if (memory < 0 || log != GW_LOG_DESCRIPTOR || arena < 0 || host != GW_HOST_DESCRIPTOR ||
	    channel < 0) {
		refuse(argv[2]);
	}
	connect_host((int)memory, (int)log, (int)arena, (int)host);
	close((int)memory);
	close((int)arena);
	settle();
	if (argc == 7) {
		gw_prepare_copies((int)channel);
	}
	serve();
	_exit(NOT_STARTED);
}

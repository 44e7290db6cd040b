//go:build linux

// The entry point. A constructor of the executable runs before Go's runtime starts. It looks for
// the marker of a probe and, if it is present, runs the script on the main thread.

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 // since glibc 2.27
#endif

pb_control *pb_shared;
char *pb_memory;

enum { NOT_STARTED = 125 };

static int share(int descriptor)
{
	struct stat s;
	if (fstat(descriptor, &s) != 0 || (uint64_t)s.st_size < sizeof(pb_control)) {
		return -1;
	}
	void *memory = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
	                    descriptor, 0);
	if (memory == MAP_FAILED) {
		return -1;
	}
	pb_control *c = memory;
	if (c->magic != PB_MAGIC || c->layout != PB_LAYOUT ||
	    c->size_of_control != sizeof(pb_control) || c->size != (uint64_t)s.st_size) {
		return -1;
	}
	pb_shared = c;
	pb_memory = memory;
	return 0;
}

// note records where a fault has happened. The signal is then raised again with its default action,
// even if the handler of a language's runtime has called this one.
static void note(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (pb_shared->fault_signal == 0) {
		pb_shared->fault_signal = number;
		pb_shared->fault_address = (uint64_t)(uintptr_t)info->si_addr;
		pb_shared->fault_place = pb_place_of(info->si_addr);
	}
	signal(number, SIG_DFL);
}

static void watch_faults(void)
{
	static char stack[64 << 10];
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
	sigaltstack(&s, NULL);
	struct sigaction a = {.sa_sigaction = note};
	a.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);
}

// raise_heap lets malloc return addresses of more than 32 bits, as it does in most hosts, which are
// position-independent executables: an FMU that passes on only half of an address would work here
// otherwise. The page after the heap is taken, and what remains below it is used up.
static void raise_heap(void)
{
	const uintptr_t page = 4096;
	char *end = sbrk(0);
	uintptr_t next = ((uintptr_t)end + page - 1) / page * page;
	if (next >> 32 != 0 ||
	    mmap((void *)next, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
	         0) != (void *)next) {
		return;
	}
	for (size_t size = 64 << 10; size > 0; size = size == 1 ? 0 : size / 2) {
		for (int k = 0; k < 4096; k++) {
			char *volatile block = malloc(size);
			if (block == NULL || (uintptr_t)block >> 32 != 0) {
				free(block);
				break;
			}
		}
	}
}

static void settle(void)
{
	raise_heap();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, PB_MARKER);
	struct rlimit l;
	if (getrlimit(RLIMIT_CORE, &l) == 0) {
		l.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &l);
	}
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	watch_faults();
}

__attribute__((constructor)) static void enter(int argc, char **argv)
{
	if (argc != 4 || argv == NULL || argv[1] == NULL || strcmp(argv[1], PB_MARKER) != 0) {
		return;
	}
	int memory = atoi(argv[2]), parent = atoi(argv[3]);
	if (memory <= 0 || share(memory) != 0) {
		fprintf(stderr, "%s: no script of this version behind descriptor %s\n", PB_MARKER, argv[2]);
		_exit(NOT_STARTED);
	}
	close(memory);
	pb_isolate();
	settle();
	if (getppid() != parent) { // it ended before the signal was requested
		_exit(0);
	}
	pb_run();
	fflush(NULL);
	atomic_store(&pb_shared->done, 1);
	exit(0);
}

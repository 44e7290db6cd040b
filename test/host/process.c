//go:build ignore

/* Does to its own process what hosts do to theirs, and simulates meanwhile. Linux only.
 *
 *   process ACT GUID RESOURCES LIBRARY NUMBER
 *
 * The acts:
 *   wait N       blocks signal N, once the FMU runs, and waits for it in its only thread
 *   blocked N    blocks signal N, for which it has a handler
 *   storm N      is sent signal N every 20 us by a timer; the handler, which needs 60 KB of stack, comes after the first life
 *   stack N      has an alternate signal stack of N bytes
 *   space N      limits its address space to N MB before the FMU is loaded
 *   threads N    limits the threads of its user to N, as somebody else when it is root
 *
 * It prints what came of it: "fine", or what is not. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "simulation.h"

static simulation life = {.steps = 300, .silent = 1};

static uint64_t live(const fmu *f)
{
	life.hash = hash_start;
	fmi2Component c = instantiate(f, &life);
	if (c == NULL || !step_through(f, c, &life))
		return 0;
	f->fmi2FreeInstance(c);
	return life.hash;
}

/* lives is true when all of so many lives are the same as the first. */
static int lives(const fmu *f, int n, uint64_t first)
{
	for (int k = 0; k < n; k++)
		if (live(f) != first)
			return trouble("life %d is another", k);
	return 1;
}

static volatile sig_atomic_t handled;

static void handler(int number)
{
	(void)number;
	volatile char big[60000];
	memset((void *)big, 0xAA, sizeof big);
	handled++;
}

static sigset_t block(int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return set;
}

static int wait_for(const fmu *f, int number)
{
	const uint64_t first = live(f);
	const sigset_t set = block(number);
	const struct timespec second = {1, 0};
	kill(getpid(), number);
	return (sigtimedwait(&set, NULL, &second) == number || trouble("the signal did not come")) && lives(f, 3, first);
}

static int blocked(const fmu *f, int number)
{
	const uint64_t first = live(f);
	signal(number, handler);
	block(number);
	kill(getpid(), number);
	usleep(100000);
	return (!handled || trouble("the handler ran in another thread")) && lives(f, 3, first);
}

static int storm(const fmu *f, int number)
{
	const uint64_t first = live(f);
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaction(number, &action, NULL);
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
	const struct itimerspec often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
	timer_t timer;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		return trouble("no timer: %s", strerror(errno));
	/* The handler is known to the FMU from here on. */
	int well = live(f) == first && timer_settime(timer, 0, &often, NULL) == 0;
	well = well && lives(f, 100, first);
	timer_settime(timer, 0, &never, NULL);
	return well && (handled > 1000 || trouble("%d signals only", (int)handled));
}

static int small_stack(const fmu *f, size_t size)
{
	const size_t guard = 65536;
	char *room = mmap(NULL, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t stack = {.ss_sp = room + guard, .ss_size = size};
	if (room == MAP_FAILED || mprotect(room, guard, PROT_NONE) != 0 || sigaltstack(&stack, NULL) != 0)
		return trouble("no stack of %zu bytes: %s", size, strerror(errno));
	return lives(f, 200, live(f));
}

static int limited(const fmu *f, int resource, rlim_t amount)
{
	const struct rlimit limit = {amount, amount};
	if (resource == RLIMIT_NPROC && geteuid() == 0 && (setgid(54321) != 0 || setuid(54321) != 0))
		return trouble("root cannot be somebody else");
	if (setrlimit(resource, &limit) != 0)
		return trouble("no limit: %s", strerror(errno));
	const uint64_t first = live(f);
	return first != 0 && lives(f, 3, first);
}

int main(int count, char **words)
{
	fmu f;
	if (count != 6)
		return 2;
	const char *act = words[1];
	const int number = atoi(words[5]);
	life.guid = words[2];
	life.resources = words[3];
	life.path = words[4];
	if (!load(&f, life.path))
		return 1;
	int well = strcmp(act, "wait") == 0      ? wait_for(&f, number)
	           : strcmp(act, "blocked") == 0 ? blocked(&f, number)
	           : strcmp(act, "storm") == 0   ? storm(&f, number)
	           : strcmp(act, "stack") == 0   ? small_stack(&f, (size_t)number)
	           : strcmp(act, "space") == 0   ? limited(&f, RLIMIT_AS, (rlim_t)number << 20)
	           : strcmp(act, "threads") == 0 ? limited(&f, RLIMIT_NPROC, (rlim_t)number)
	                                         : trouble("no act %s", act);
	puts(well ? "fine" : "not fine");
	return 0;
}

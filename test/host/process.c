//go:build ignore

/* Changes its own process the way hosts do, and simulates meanwhile. Linux only.
 *
 *   process ACT GUID RESOURCES LIBRARY NUMBER [COPY]
 *
 * The acts:
 *   wait N            blocks signal N once the FMU runs, and waits for it in its only thread
 *   blocked N         blocks signal N, for which it has a handler
 *   storm N           receives signal N every 20 us from a timer; the handler, which needs 60 KB of
 *                     stack, is installed after the first life cycle
 *   stack N           has an alternate signal stack of N bytes
 *   space N           limits its address space to N MB before the FMU is loaded
 *   data N            limits its data to N MB before the FMU is loaded
 *   threads N         limits the threads of its user to N, as another user if it runs as root
 *   more-threads N    the same, with a limit that it raises after the FMU has refused to run
 *   files N           has a limit of N open files that it could raise, and expects it to stay
 *   full N            can open N more files when it creates its first instance, and again for a run
 *   late N            can open N more files when an instance is initialized
 *   size N            limits the size of files to N bytes, and simulates in a forked child
 *   threads-on-one N  makes N wrong calls on each of four threads with one instance, and counts the
 *                     log lines
 *   rounds N          uses rounding mode N of fenv.h, enables traps and raises a flag, and expects
 *                     a life cycle to change none of them
 *
 * Within a limit it also simulates with COPY, another copy of the library, if there is one. It
 * prints "fine", or what went wrong. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

/* lives returns true if n life cycles all give the same result as the first. */
static int lives(const fmu *f, int n, uint64_t first)
{
	for (int k = 0; k < n; k++)
		if (live(f) != first)
			return trouble("life cycle %d gave another result", k);
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
	return (sigtimedwait(&set, NULL, &second) == number || trouble("the signal did not come")) &&
	       lives(f, 3, first);
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
	/* From here on the handler is installed. */
	int well = live(f) == first && timer_settime(timer, 0, &often, NULL) == 0;
	well = well && lives(f, 100, first);
	timer_settime(timer, 0, &never, NULL);
	return well && (handled > 1000 || trouble("%d signals only", (int)handled));
}

static int small_stack(const fmu *f, size_t size)
{
	const size_t guard = 65536;
	char *room =
		mmap(NULL, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t stack = {.ss_sp = room + guard, .ss_size = size};
	if (room == MAP_FAILED || mprotect(room, guard, PROT_NONE) != 0 ||
	    sigaltstack(&stack, NULL) != 0)
		return trouble("no stack of %zu bytes: %s", size, strerror(errno));
	return lives(f, 200, live(f));
}

static fmu copy;

/* restrict_to sets the soft limit and leaves the hard limit, up to which it can be raised. */
static int restrict_to(int resource, rlim_t amount)
{
	struct rlimit limit;
	if (resource == RLIMIT_NPROC && geteuid() == 0 && (setgid(54321) != 0 || setuid(54321) != 0))
		return trouble("root cannot become another user");
	getrlimit(resource, &limit);
	limit.rlim_cur = amount;
	return setrlimit(resource, &limit) == 0 || trouble("no limit: %s", strerror(errno));
}

static int more_threads(const fmu *f, rlim_t amount)
{
	if (!restrict_to(RLIMIT_NPROC, amount))
		return 0;
	for (int k = 0; k < 3; k++)
		if (live(f) != 0)
			return trouble("the FMU runs with %ju threads", (uintmax_t)amount);
	return restrict_to(RLIMIT_NPROC, 1000) && live(f) != 0;
}

static int limited(const fmu *f, int resource, rlim_t amount)
{
	if (!restrict_to(resource, amount))
		return 0;
	const uint64_t first = live(f);
	return first != 0 && lives(f, 3, first) && (copy.file == NULL || lives(&copy, 3, first));
}

/* spare returns the limit that leaves room for the given number of further open files. */
static rlim_t spare(int files)
{
	const int next = dup(STDOUT_FILENO);
	close(next);
	return (rlim_t)next + (rlim_t)files;
}

static int late(const fmu *f, int files)
{
	const fmi2Component c = instantiate(f, &life);
	const struct rlimit limit = {spare(files), spare(files)};
	const int well =
		c != NULL && setrlimit(RLIMIT_NOFILE, &limit) == 0 && step_through(f, c, &life);
	f->fmi2FreeInstance(c);
	return well;
}

static int small_files(const fmu *f, int size)
{
	const uint64_t first = live(f);
	const struct rlimit limit = {(rlim_t)size, (rlim_t)size};
	int code = 0;
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return trouble("no limit: %s", strerror(errno));
	const pid_t child = fork();
	if (child == 0)
		_exit(live(f) == first ? 0 : 3);
	waitpid(child, &code, 0);
	if (!WIFEXITED(code))
		return trouble("the child died of signal %d", WTERMSIG(code));
	return WEXITSTATUS(code) == 0;
}

static int files(const fmu *f, rlim_t amount)
{
	struct rlimit limit, now;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = amount;
	if (amount >= limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return trouble("the limit of %ju cannot be %ju", (uintmax_t)limit.rlim_max,
		               (uintmax_t)amount);
	const uint64_t first = live(f);
	getrlimit(RLIMIT_NOFILE, &now);
	return (now.rlim_cur == amount ||
	        trouble("the limit has become %ju", (uintmax_t)now.rlim_cur)) &&
	       lives(f, 3, first);
}

static int full(const fmu *f, int left)
{
	enum { MOST = 64 };
	const struct rlimit limit = {MOST, MOST};
	int taken[MOST], n = 0, well = 1;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 0;
	for (int life_number = 0; life_number < 2; life_number++) {
		while (n < MOST && (taken[n] = dup(STDERR_FILENO)) >= 0)
			n++;
		for (int k = 0; k < left && n > 0; k++)
			close(taken[--n]);
		well &= live(f) != 0;
		while (n > 0)
			close(taken[--n]);
		if (live(f) == 0)
			return trouble("the FMU does not recover");
	}
	return well;
}

static int rounding(const fmu *f, int mode)
{
	enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };
	fesetround(mode);
	feclearexcept(FE_ALL_EXCEPT);
	feraiseexcept(FE_UNDERFLOW);
	if (feenableexcept(TRAPS) < 0)
		fputs("host: this processor has no traps\n", stderr);
	const int traps = fegetexcept();
	uint64_t first = live(f);
	fmi2Component c = instantiate(f, &life);
	int well = first != 0 && initialize(f, c) &&
	           f->fmi2DoStep(c, 1e308, 1e308, fmi2True) == fmi2Error && f->fmi2Reset(c) == fmi2OK;
	f->fmi2FreeInstance(c);
	if (fegetround() != mode || fegetexcept() != traps ||
	    fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT) != FE_UNDERFLOW)
		return trouble("rounding, traps or flags have changed");
	fedisableexcept(TRAPS);
	fesetround(FE_TONEAREST);
	return well && lives(f, 1, first);
}

static struct {
	const fmu *f;
	fmi2Component c;
	int calls;
	_Atomic int lines, wrong;
} shared;

static void count_line(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s,
                       fmi2String category, fmi2String text, ...)
{
	(void)e;
	shared.wrong += strcmp(name, "shared") != 0 || s != fmi2Error ||
	                strcmp(category, "logStatusError") != 0 ||
	                strncmp(text, "fmi2GetReal: ", 13) != 0;
	shared.lines++;
}

static void *call_wrongly(void *nothing)
{
	const fmi2ValueReference unknown = 99999;
	fmi2Real value;
	for (int k = 0; k < shared.calls; k++)
		shared.wrong += shared.f->fmi2GetReal(shared.c, &unknown, 1, &value) != fmi2Error;
	return nothing;
}

static int threads_on_one(const fmu *f, int calls)
{
	enum { THREADS = 4 };
	const fmi2CallbackFunctions counting = {count_line, NULL, NULL, NULL, NULL};
	pthread_t threads[THREADS];
	shared.f = f;
	shared.calls = calls;
	shared.c = f->fmi2Instantiate("shared", fmi2CoSimulation, life.guid, life.resources, &counting,
	                              fmi2False, fmi2True);
	if (shared.c == NULL || !initialize(f, shared.c))
		return 0;
	shared.lines = shared.wrong = 0; /* the FMU has logged its release */
	for (int k = 0; k < THREADS; k++)
		pthread_create(&threads[k], NULL, call_wrongly, NULL);
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	f->fmi2FreeInstance(shared.c);
	return (shared.wrong == 0 && shared.lines == THREADS * calls) ||
	       trouble("%d lines, %d wrong", shared.lines, shared.wrong);
}

int main(int count, char **words)
{
	fmu f;
	if (count != 6 && count != 7)
		return 2;
	const char *act = words[1];
	const int number = atoi(words[5]);
	life.guid = words[2];
	life.resources = words[3];
	life.path = words[4];
	if (!load(&f, life.path) || (count == 7 && !load(&copy, words[6])))
		return 1;
	int well = strcmp(act, "wait") == 0             ? wait_for(&f, number)
	           : strcmp(act, "blocked") == 0        ? blocked(&f, number)
	           : strcmp(act, "storm") == 0          ? storm(&f, number)
	           : strcmp(act, "stack") == 0          ? small_stack(&f, (size_t)number)
	           : strcmp(act, "space") == 0          ? limited(&f, RLIMIT_AS, (rlim_t)number << 20)
	           : strcmp(act, "data") == 0           ? limited(&f, RLIMIT_DATA, (rlim_t)number << 20)
	           : strcmp(act, "threads") == 0        ? limited(&f, RLIMIT_NPROC, (rlim_t)number)
	           : strcmp(act, "more-threads") == 0   ? more_threads(&f, (rlim_t)number)
	           : strcmp(act, "threads-on-one") == 0 ? threads_on_one(&f, number)
	           : strcmp(act, "files") == 0          ? files(&f, (rlim_t)number)
	           : strcmp(act, "full") == 0           ? full(&f, number)
	           : strcmp(act, "rounds") == 0         ? rounding(&f, number)
	           : strcmp(act, "late") == 0           ? late(&f, number)
	           : strcmp(act, "size") == 0           ? small_files(&f, number)
	                                                : trouble("no act %s", act);
	puts(well ? "fine" : "not fine");
	return 0;
}

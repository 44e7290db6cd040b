//go:build linux

// The resources of a process: memory, descriptors, threads, children, and process-wide settings.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "serve.h"

static char text[16384];
static size_t used;

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = vsnprintf(text + used, sizeof text - used, format, list);
	va_end(list);
	used += n > 0 && (size_t)n < sizeof text - used ? (size_t)n : 0;
}

static long entries(const char *folder)
{
	DIR *d = opendir(folder);
	long n = 0;
	while (d != NULL && readdir(d) != NULL) {
		n++;
	}
	if (d != NULL) {
		closedir(d);
	}
	return n;
}

// heap returns the number of bytes allocated by malloc. The function that glibc had before 2.33 has
// only 32-bit fields.
static size_t heap(void)
{
	typedef struct {
		size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks,
			keepcost;
	} large;
	typedef struct {
		int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
	} small;
	large (*now)(void) = (large (*)(void))dlsym(RTLD_DEFAULT, "mallinfo2");
	if (now != NULL) {
		large m = now();
		return m.uordblks + m.hblkhd;
	}
	small (*before)(void) = (small (*)(void))dlsym(RTLD_DEFAULT, "mallinfo");
	small m = before == NULL ? (small){0} : before();
	return (size_t)(unsigned)m.uordblks + (unsigned)m.hblkhd;
}

// mapped returns the size of all writable mappings. Unlike resident memory, it includes shared
// memory and the stacks of threads that were not joined.
static unsigned long long mapped(void)
{
	unsigned long long sum = 0, from = 0, to = 0;
	char row[4096 + 128], access[5];
	FILE *f = fopen("/proc/self/maps", "r");
	while (f != NULL && fgets(row, sizeof row, f) != NULL) {
		if (sscanf(row, "%llx-%llx %4s", &from, &to, access) == 3 && access[1] == 'w') {
			sum += to - from;
		}
	}
	if (f != NULL) {
		fclose(f);
	}
	return sum;
}

static void memory(void)
{
	long pages = 0, resident = 0, shared = 0; // the results of the script are shared memory
	FILE *f = fopen("/proc/self/statm", "r");
	if (f != NULL) {
		if (fscanf(f, "%ld %ld %ld", &pages, &resident, &shared) != 3) {
			resident = shared = 0;
		}
		fclose(f);
	}
	line("heap=%zu\nresident=%ld\nmapped=%llu\n", heap(),
	     (resident - shared) * sysconf(_SC_PAGESIZE), mapped());
}

// keys records the first free thread-specific data key.
static void keys(void)
{
	pthread_key_t key;
	if (pthread_key_create(&key, NULL) == 0) {
		line("keys=%u\n", (unsigned)key);
		pthread_key_delete(key);
	}
}

static void children(void)
{
	char list[4096] = "";
	FILE *f = fopen("/proc/self/task/self/children", "r");
	char name[64];
	snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
	f = f == NULL ? fopen(name, "r") : f;
	if (f != NULL) {
		size_t n = fread(list, 1, sizeof list - 1, f);
		list[n] = 0;
		fclose(f);
	}
	int count = 0;
	for (char *p = strtok(list, " \n"); p != NULL; p = strtok(NULL, " \n")) {
		count++;
	}
	line("children=%d\n", count);
}

// bound writes a limit as a number or a word.
static const char *bound(rlim_t value, char *buffer, size_t size)
{
	snprintf(buffer, size, "%llu", (unsigned long long)value);
	return value == RLIM_INFINITY ? "unlimited" : buffer;
}

// limits records the limits of resources.
static void limits(void)
{
	static const struct {
		int resource;
		const char *name;
	} all[] = {
		{RLIMIT_CPU, "processor time"},
		{RLIMIT_FSIZE, "the size of files"},
		{RLIMIT_DATA, "data"},
		{RLIMIT_STACK, "the stack"},
		{RLIMIT_CORE, "core dumps"},
		{RLIMIT_RSS, "resident memory"},
		{RLIMIT_NPROC, "processes"},
		{RLIMIT_NOFILE, "open files"},
		{RLIMIT_MEMLOCK, "locked memory"},
		{RLIMIT_AS, "the address space"},
		{RLIMIT_LOCKS, "file locks"},
		{RLIMIT_SIGPENDING, "pending signals"},
		{RLIMIT_MSGQUEUE, "message queues"},
		{RLIMIT_NICE, "the priority"},
		{RLIMIT_RTPRIO, "the real-time priority"},
		{RLIMIT_RTTIME, "the time of real-time threads"},
	};
	for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
		struct rlimit l;
		char soft[24], hard[24];
		if (getrlimit(all[k].resource, &l) == 0) {
			line("limit of %s=soft %s, hard %s\n", all[k].name,
			     bound(l.rlim_cur, soft, sizeof soft), bound(l.rlim_max, hard, sizeof hard));
		}
	}
}

static void settings(void)
{
	extern char **environ;
	char folder[4096];
	line("folder=%s\n", getcwd(folder, sizeof folder) == NULL ? "?" : folder);
	const char *locale = setlocale(LC_ALL, NULL);
	line("locale=%s\n", locale == NULL ? "?" : locale);
	mode_t mask = umask(0);
	umask(mask);
	line("umask=%o\n", (unsigned)mask);
	uint64_t sum = 14695981039346656037u;
	long variables = 0;
	for (char **e = environ; e != NULL && *e != NULL; e++, variables++) {
		for (const char *p = *e; *p != 0; p++) {
			sum = (sum ^ (unsigned char)*p) * 1099511628211u;
		}
	}
	line("environment=%ld variables, %016llx\n", variables, (unsigned long long)sum);
	for (int s = 1; s <= SIGRTMAX; s++) {
		struct sigaction a;
		if (sigaction(s, NULL, &a) == 0) {
			line("signal %d=%p\n", s, (void *)(uintptr_t)a.sa_handler);
		}
	}
	limits();
}

// settings of the process that prctl returns or stores
static const struct {
	const char *name;
	int option, by_address;
} controls[] = {
	{"signal at the death of the parent", PR_GET_PDEATHSIG, 1},
	{"adoption of orphans", PR_GET_CHILD_SUBREAPER, 1},
	{"permission to dump", PR_GET_DUMPABLE, 0},
	{"ban of new privileges", PR_GET_NO_NEW_PRIVS, 0},
	{"timer slack", PR_GET_TIMERSLACK, 0},
	{"ban of huge pages", PR_GET_THP_DISABLE, 0},
	{"keeping of capabilities", PR_GET_KEEPCAPS, 0},
};

// scheduling records how the kernel schedules the calling thread, and which
// process it ends when memory runs out.
static void scheduling(void)
{
	struct sched_param p = {0};
	int policy = sched_getscheduler(0);
	sched_getparam(0, &p);
	line("scheduling policy=%d with priority %d\n", policy, p.sched_priority);
	const int of_a_process = 1;
	line("I/O priority=%ld\n", syscall(SYS_ioprio_get, of_a_process, 0));
	line("priority=%d\n", getpriority(PRIO_PROCESS, 0));
	cpu_set_t set;
	line("processors=%d\n", sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0);
	long adjustment = 0;
	FILE *f = fopen("/proc/self/oom_score_adj", "r");
	if (f != NULL) {
		if (fscanf(f, "%ld", &adjustment) == 1) {
			line("rank when memory runs out=%ld\n", adjustment);
		}
		fclose(f);
	}
}

// timers records which timers of the process run.
static void timers(void)
{
	static const char *names[] = {"alarm timer", "timer of the process", "profiling timer"};
	for (int k = ITIMER_REAL; k <= ITIMER_PROF; k++) {
		struct itimerval t;
		line("%s=%d\n", names[k], getitimer(k, &t) == 0 && timerisset(&t.it_value));
	}
}

// descriptors records how many files are open, and whether a file of the host still is.
static void descriptors(void)
{
	static int own = -1; // opened at the first measurement
	own = own < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : own;
	struct stat s;
	bool open = fstat(own, &s) == 0;
	line("descriptor of a file=%llu:%llu\n", open ? (unsigned long long)s.st_dev : 0,
	     open ? (unsigned long long)s.st_ino : 0);
	line("descriptors=%ld\n", entries("/proc/self/fd"));
}

// process records other settings of the whole process or of the calling thread.
static void process(void)
{
	const unsigned long query = 0xffffffff; // only returns the present one
	line("execution domain=%#x\n", (unsigned)personality(query));
	for (int k = 0; k < 3; k++) {
		struct stat s;
		bool open = fstat(k, &s) == 0;
		line("standard descriptor %d=%llu:%llu\n", k, open ? (unsigned long long)s.st_dev : 0,
		     open ? (unsigned long long)s.st_ino : 0);
	}
	line("position in the standard input=%lld\n", (long long)lseek(0, 0, SEEK_CUR));
	for (int k = 0; k < 3; k++) {
		line("flags of standard descriptor %d=%d\n", k, fcntl(k, F_GETFL));
	}
	sigset_t blocked;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	uint64_t mask = 0;
	for (int k = 1; k < 64; k++) {
		mask |= sigismember(&blocked, k) == 1 ? (uint64_t)1 << k : 0;
	}
	line("signal mask=%llx\n", (unsigned long long)mask);
	timers();
	scheduling();
	line("process group=%d\nsession=%d\n", (int)getpgrp(), (int)getsid(0));
	line("locale of the thread=%s\n",
	     uselocale((locale_t)0) == LC_GLOBAL_LOCALE ? "the locale of the process" : "its own");
	int cancelable = -1, type = -1, unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	pthread_setcanceltype(type, &unused);
	pthread_setcancelstate(cancelable, &unused);
	line("cancelability of the thread=state %d, type %d\n", cancelable, type);
	char name[16] = "";
	prctl(PR_GET_NAME, name);
	line("name of the thread=%s\n", name);
	static void *first; // at the first measurement
	static bool measured;
	stack_t stack = {0};
	bool none = sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_DISABLE) != 0;
	void *now = none ? NULL : stack.ss_sp;
	first = measured ? first : now;
	measured = true;
	line("signal stack of the thread=%s\n", now == first ? "the first one" : "a different one");
	for (size_t k = 0; k < sizeof controls / sizeof controls[0]; k++) {
		int value = 0;
		int result = controls[k].by_address ? prctl(controls[k].option, &value, 0, 0, 0)
		                                    : prctl(controls[k].option, 0, 0, 0, 0);
		line("%s=%d\n", controls[k].name, controls[k].by_address ? value : result);
	}
	long kept, wrong, finished, odd;
	pb_blocks(&kept, &wrong, &finished, &odd);
	line("blocks=%ld\nforeign=%ld\nfinished=%ld\noddly finished=%ld\n", kept, wrong, finished, odd);
}

int32_t pb_measure(pb_record *r)
{
	used = 0;
	memory();
	descriptors();
	line("threads=%ld\n", entries("/proc/self/task"));
	keys();
	children();
	settings();
	process();
	pb_begin_out(r);
	pb_add(r, text, used);
	return 0;
}

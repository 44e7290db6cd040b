#define _GNU_SOURCE
#include "unruly.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
	char function[64], action[64];
	long number, occasion, calls;
} order;

static order orders[64];
static int count;

__attribute__((constructor)) static void read_orders(void)
{
	Dl_info self;
	char path[4096];
	if (dladdr((void *)read_orders, &self) == 0) {
		return;
	}
	snprintf(path, sizeof path, "%s", self.dli_fname);
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(path, '/');
		if (slash == NULL) {
			return;
		}
		*slash = '\0';
	}
	strcat(path, "/resources/unruly.txt");
	FILE *f = fopen(path, "r");
	char line[256];
	while (f != NULL && count < 64 && fgets(line, sizeof line, f) != NULL) {
		order *o = &orders[count];
		*o = (order){0};
		count += sscanf(line, "%63s %63s %ld %ld", o->function, o->action, &o->number,
		                &o->occasion) >= 2;
	}
	if (f != NULL) {
		fclose(f);
	}
	unruly_do(NULL, "load");
}

static int overflow(int depth)
{
	volatile char room[4096];
	room[0] = (char)depth;
	return overflow(depth + 1) + room[0];
}

static void eat(long megabytes)
{
	for (long k = 0; k < megabytes; k++) {
		char *p = malloc(1 << 20);
		if (p == NULL) {
			fprintf(stderr, "no memory after %ld MB\n", k);
			abort();
		}
		memset(p, 1, 1 << 20);
	}
}

static void print(long bytes)
{
	char line[1000];
	memset(line, 'x', sizeof line);
	line[999] = '\n';
	for (long k = 0; k < bytes; k += 1000) {
		fwrite(line, 1, sizeof line, stdout);
	}
	printf("printed %ld bytes", bytes); // without an end of the line
	fflush(stdout);
}

static void *spin(void *unused)
{
	for (volatile bool go = true; go;) {
	}
	return unused;
}

static void *log_from_thread(void *u)
{
	((unruly *)u)->log(u, WARNING, "logEvents", "from a thread");
	return NULL;
}

static void log_orders(unruly *u, const order *o)
{
	if (strcmp(o->action, "log") == 0) {
		u->log(u, OK, "logEvents", "100 % done, ## and #r1# and \xff\xfe");
	} else if (strcmp(o->action, "lognull") == 0) {
		u->log(u, WARNING, NULL, "no category");
	} else if (strcmp(o->action, "loglong") == 0) {
		char *text = malloc((size_t)o->number + 1);
		memset(text, 'y', (size_t)o->number);
		text[o->number] = '\0';
		u->log(u, OK, "logEvents", text);
		free(text);
	} else if (strcmp(o->action, "logmany") == 0) {
		for (long k = 0; k < o->number; k++) {
			char text[64];
			snprintf(text, sizeof text, "line %ld", k);
			u->log(u, OK, "logEvents", text);
		}
	} else if (strcmp(o->action, "logthread") == 0) {
		pthread_t t;
		if (pthread_create(&t, NULL, log_from_thread, u) == 0) {
			pthread_join(t, NULL);
		}
	}
}

static int status_of(unruly *u, const order *o)
{
	static const char *const words[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
	for (int k = 0; k < 6; k++) {
		if (strcmp(o->action, words[k]) == 0) {
			if (k > 0 && u != NULL && u->log != NULL) {
				char text[256];
				snprintf(text, sizeof text, "%.63s was ordered to answer %s", o->function,
				         words[k]);
				u->log(u, k, "logStatusError", text);
			}
			return k;
		}
	}
	return strcmp(o->action, "nonsense") == 0 ? 77 : 0;
}

// start_self starts the executable of this process again, as an ordinary program.
static void start_self(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	pid_t child = n < 0 ? -1 : fork();
	if (child == 0) {
		path[n] = '\0';
		execl(path, path, "-test.run=^$", (char *)NULL);
		_exit(1);
	}
	int status = -1;
	if (child > 0) {
		waitpid(child, &status, 0);
	}
	printf("it ended with %d\n", status);
}

static void print_handlers(void)
{
	printf("handlers:");
	for (int s = 1; s < 32; s++) {
		struct sigaction a;
		if (sigaction(s, NULL, &a) == 0 && a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN) {
			printf(" %d", s);
		}
	}
	printf("\n");
}

// leave_a_child starts a process that does nothing for an hour; alone, in a session of its own.
static void leave_a_child(int alone)
{
	pid_t child = fork();
	if (child == 0) {
		if (alone) {
			setsid();
		}
		execlp("sleep", "sleep", "3600", (char *)NULL);
		_exit(1);
	}
	printf("child %d\n", (int)child);
}

__attribute__((destructor)) static void unload(void) { unruly_do(NULL, "unload"); }

static sigjmp_buf rescue;

static void leap(int signal)
{
	(void)signal;
	siglongjmp(rescue, 1);
}

// handle_a_crash recovers from a crash of its own, as virtual machines do.
static void handle_a_crash(void)
{
	struct sigaction mine = {.sa_handler = leap}, before;
	sigaction(SIGSEGV, &mine, &before);
	if (sigsetjmp(rescue, 1) == 0) {
		*(volatile int *)8 = 1;
	} else {
		printf("recovered\n");
	}
	sigaction(SIGSEGV, &before, NULL);
}

static int obey(unruly *u, const order *o)
{
	if (strcmp(o->action, "crash") == 0) {
		fprintf(stderr, "about to write to address 8\n");
		*(volatile int *)8 = 1;
	} else if (strcmp(o->action, "overrun") == 0) { // which only a sanitizer notices
		volatile char *block = malloc(16);
		if (block != NULL) {
			block[16 + o->number] = 1;
		}
		free((void *)block);
	} else if (strcmp(o->action, "abort") == 0) {
		abort();
	} else if (strcmp(o->action, "child") == 0) {
		leave_a_child(0);
	} else if (strcmp(o->action, "daemon") == 0) {
		leave_a_child(1);
	} else if (strcmp(o->action, "exit") == 0) {
		exit((int)o->number);
	} else if (strcmp(o->action, "_exit") == 0) {
		_exit((int)o->number);
	} else if (strcmp(o->action, "kill") == 0) {
		raise((int)o->number);
	} else if (strcmp(o->action, "hang") == 0) {
		for (;;) {
			pause();
		}
	} else if (strcmp(o->action, "busy") == 0) {
		for (volatile int k = 0;; k++) {
		}
	} else if (strcmp(o->action, "work") == 0) { // for about so many microseconds
		volatile uint64_t result = 1;
		uint64_t x = result;
		for (long k = 0; k < o->number * 500; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
		result = x;
	} else if (strcmp(o->action, "sleep") == 0) {
		usleep((useconds_t)o->number * 1000);
	} else if (strcmp(o->action, "overflow") == 0) {
		return overflow(0);
	} else if (strcmp(o->action, "eat") == 0) {
		eat(o->number);
	} else if (strcmp(o->action, "print") == 0) {
		print(o->number);
	} else if (strcmp(o->action, "where") == 0) {
		char folder[4096];
		printf("%s in %s, %s\n", o->function,
		       syscall(SYS_gettid) == getpid() ? "the main thread" : "a thread",
		       getcwd(folder, sizeof folder) == NULL ? "nowhere" : folder);
	} else if (strcmp(o->action, "flush") ==
	           0) { // as libraries that are linked with -ffast-math do when they are loaded
#ifdef __x86_64__
		unsigned settings = 0x9fc0;
		__asm__ volatile("ldmxcsr %0" : : "m"(settings));
#endif
	} else if (strcmp(o->action, "roundup") == 0) {
		fesetround(FE_UPWARD);
	} else if (strcmp(o->action, "trap") ==
	           0) { // also for the x87 unit, where a trap is pending at once
		feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
		feraiseexcept(0);
	} else if (strcmp(o->action, "floats") == 0) {
		volatile double one = 1, tiny = 1e-30, zero = 0, small = 2.3e-308;
		printf("%s, 1/0 is %g, denormals %s\n", one + tiny > one ? "up" : "nearest", one / zero,
		       small / 4 > 0 ? "count" : "are flushed");
	} else if (strcmp(o->action, "denormals") == 0) {
		volatile double small = 2.3e-308;
		small /= 4;
		printf("denormals %s\n", small > 0 ? "count" : "are flushed");
	} else if (strcmp(o->action, "self") == 0) {
		start_self();
	} else if (strcmp(o->action, "locale") == 0) { // as graphical toolkits do
		printf("%s, %.1f\n", setlocale(LC_ALL, "") == NULL ? "no such locale" : "set", 0.5);
	} else if (strcmp(o->action, "handlers") == 0) {
		print_handlers();
	} else if (strcmp(o->action, "handle") == 0) {
		handle_a_crash();
	} else if (strcmp(o->action, "environment") == 0) {
		const char *path = getenv("LD_LIBRARY_PATH"), *own = getenv("GOSMP_TEST_VALUE");
		printf("%s, %s, %s\n", path == NULL ? "no path" : path, own == NULL ? "no value" : own,
		       dlsym(RTLD_DEFAULT, "gosmp_preloaded") == NULL ? "not loaded before"
		                                                      : "loaded before");
	} else if (strcmp(o->action, "remember") == 0) { // in a way that freeing does not affect
		static int called;
		printf("called %d times\n", ++called);
	} else if (strcmp(o->action, "draw") == 0) { // only the first number of a process is so small
		return drand48() < 1e-9 ? OK : ERROR;
	} else if (strcmp(o->action, "thread") == 0) {
		// It waits in the C library from its first instruction: a thread that is still in this
		// library when it is unloaded would crash the process.
		pthread_t t;
		pthread_create(&t, NULL, (void *(*)(void *))(void (*)(void))pause, NULL);
	} else if (strcmp(o->action, "spin") == 0) {
		pthread_t t;
		pthread_create(&t, NULL, spin, NULL);
	} else if (strcmp(o->action, "open") == 0) {
		open("/dev/null", O_RDONLY | O_CLOEXEC);
	} else if (strcmp(o->action, "share") == 0) {
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	} else if (strcmp(o->action, "alarm") == 0) {
		alarm(3600);
	} else if (strcmp(o->action, "close") == 0) { // everything, as daemons do
		for (int k = 0; k < 64; k++) {
			close(k);
		}
	} else if (strcmp(o->action, "child") ==
	           0) { // one that keeps our descriptors and lives for a while
		if (fork() == 0) {
			usleep((useconds_t)o->number * 1000);
			_exit(0);
		}
	} else if (strncmp(o->action, "log", 3) == 0 && u != NULL) {
		log_orders(u, o);
	}
	return status_of(u, o);
}

int unruly_do(unruly *u, const char *function)
{
	int status = OK;
	for (int k = 0; k < count; k++) {
		order *o = &orders[k];
		if (strcmp(o->function, function) == 0 && (o->occasion == 0 || o->occasion == ++o->calls)) {
			int s = obey(u, o);
			status = s > status ? s : status;
		}
	}
	return status;
}

bool unruly_ordered(const char *function, const char *action)
{
	for (int k = 0; k < count; k++) {
		const order *o = &orders[k];
		if (strcmp(o->function, function) == 0 && strcmp(o->action, action) == 0 &&
		    (o->occasion == 0 || o->occasion == o->calls)) {
			return true;
		}
	}
	return false;
}

void unruly_compute(unruly *u, double time, double step)
{
	u->time = time + step;
	u->real[1] = u->real[2] * (u->real[0] + u->slope * step);
	u->real[3] = u->real[6] = u->time;
	u->real[5] = u->real[4];
	u->integer[11] = u->integer[10];
	u->integer[12]++;
	u->boolean[1] = u->boolean[0];
	memcpy(u->string[1], u->string[0], sizeof u->string[0]);
}

void unruly_output(unruly *u, const unsigned char *bytes, size_t size)
{
	int next = !u->newest;
	char stamp[32] = "";
	if (unruly_ordered("DoStep", "stamp")) { // before what is repeated
		snprintf(stamp, sizeof stamp, "%g ", u->time);
	}
	size_t length = strlen(stamp);
	free(u->output[next]);
	u->output[next] = malloc(length + size + 1);
	memcpy(u->output[next], stamp, length);
	if (size > 0) {
		memcpy(u->output[next] + length, bytes, size);
	}
	u->size[next] = length + size;
	u->newest = next;
}

// unruly_restore keeps what belongs to this process: a state may come from another one.
void unruly_restore(unruly *u, const unruly *state)
{
	unruly own = *u;
	*u = *state;
	u->log = own.log;
	u->callbacks = own.callbacks;
	u->environment = own.environment;
	u->resources = own.resources;
	memcpy(u->output, own.output, sizeof own.output);
	memcpy(u->size, own.size, sizeof own.size);
	u->newest = own.newest;
	u->input = own.input;
	u->input_size = own.input_size;
}

void unruly_reset(unruly *u)
{
	memset(u->real, 0, sizeof u->real);
	memset(u->integer, 0, sizeof u->integer);
	memset(u->boolean, 0, sizeof u->boolean);
	memset(u->string[0], 0, sizeof u->string[0]);
	memset(u->string[1], 0, sizeof u->string[1]);
	memset(u->size, 0, sizeof u->size);
	u->real[0] = u->real[2] = 1;
	u->columns = 3;
	u->slope = 0;
	u->terminated = u->wants_event = false;
}

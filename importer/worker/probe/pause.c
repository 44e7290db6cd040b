//go:build linux

// Pauses, in which threads of an FMU end or do what they have left to do.

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "serve.h"

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rest(double time)
{
	struct timespec t = {(time_t)time, (long)((time - (double)(time_t)time) * 1e9)};
	nanosleep(&t, NULL);
}

// runs reports whether a thread computes, or would if a processor were free.
static bool runs(const char *id)
{
	char name[300], line[512];
	snprintf(name, sizeof name, "/proc/self/task/%s/stat", id);
	int file = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = file < 0 ? 0 : read(file, line, sizeof line - 1);
	if (file >= 0) {
		close(file);
	}
	line[n < 0 ? 0 : n] = 0;
	const char *state = strrchr(line, ')'); // after the name, which may contain anything
	return state != NULL && (strncmp(state, ") R", 3) == 0 || strncmp(state, ") D", 3) == 0);
}

// others returns how many other threads there are, and whether any of them runs.
static int others(bool *busy)
{
	char self[32];
	snprintf(self, sizeof self, "%ld", (long)syscall(SYS_gettid));
	DIR *d = opendir("/proc/self/task");
	int count = 0;
	*busy = false;
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		if (e->d_name[0] != '.' && strcmp(e->d_name, self) != 0) {
			count++;
			*busy = *busy || runs(e->d_name);
		}
	}
	if (d != NULL) {
		closedir(d);
	}
	return count;
}

// pb_pause waits until no other thread has run for x[0] seconds, or x[1] if that is longer and
// there are other threads. On a busy machine, threads that are ready to run may wait for a
// processor for longer than that. A thread that never rests is waited for no longer than two
// seconds, during which this thread could look at it, and a quarter of that from then on. To look
// at hundreds of threads takes a while: this thread rests up to four times as long, so that it does
// not take the processor from them.
int32_t pb_pause(const pb_op *o)
{
	static bool restless;
	const double look = 0.002, share = 4, looks = 4; // looks: the fewest
	double quiet = o->x[0], begin = seconds(CLOCK_MONOTONIC), idle = 0, looked = 0;
	bool busy;
	if (others(&busy) == 0) {
		rest(quiet); // children of the FMU, and threads of the kernel
		if (others(&busy) == 0) {
			return 0;
		}
	}
	quiet = o->x[1] > quiet ? o->x[1] : quiet;
	const double most = quiet + (restless ? 0.5 : 2);
	double each = look;
	// rests count only as long as wanted: this thread may have to wait for a processor, too
	while (idle < quiet && looked < most && seconds(CLOCK_MONOTONIC) - begin < PB_LONGEST_PAUSE) {
		rest(each);
		looked += each;
		double used = seconds(CLOCK_THREAD_CPUTIME_ID);
		idle = others(&busy) > 0 && busy ? 0 : idle + each;
		used = seconds(CLOCK_THREAD_CPUTIME_ID) - used;
		each = share * used < quiet / looks ? share * used : quiet / looks;
		each = each > look ? each : look;
	}
	restless = idle < quiet;
	return 0;
}

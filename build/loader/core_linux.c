/* Finding and loading the core on Linux. */

#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "loader.h"
#include "process.h"

const atomic_int always_alive = 1;

/* origin returns the folder that a library was loaded from, in a buffer with room for more
 * characters, or NULL. The dynamic linker stores the folder but not its length. RTLD_DI_SERINFOSIZE
 * gives an upper bound, because the search path contains the folder through our RUNPATH, except in
 * a program with more rights than its user. */
static char *origin(const char *name, size_t more)
{
	void *library = getauxval(AT_SECURE) == 0 ? dlopen(name, RTLD_NOW | RTLD_NOLOAD) : NULL;
	Dl_serinfo places;
	char *folder = NULL;
	if (library != NULL && dlinfo(library, RTLD_DI_SERINFOSIZE, &places) == 0)
		folder = malloc(places.dls_size + more);
	if (folder != NULL && dlinfo(library, RTLD_DI_ORIGIN, folder) != 0) {
		free(folder);
		folder = NULL;
	}
	if (library != NULL)
		dlclose(library);
	return folder;
}

/* The folder comes from the dynamic linker if the host loaded the library by a relative path: the
 * host may have changed its working directory since. */
char *core_path(void)
{
	static const char here = 0, name[] = "/" GOSMP_CORE;
	Dl_info info = {0};
	const char *loader = dladdr(&here, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
	const char *slash = strrchr(loader, '/');
	char *path = *loader != '/' ? origin(loader, sizeof name) : NULL;
	size_t folder = path != NULL ? strlen(path) : slash != NULL ? (size_t)(slash - loader) : 0;
	if (path == NULL && (path = malloc(folder + sizeof name)) != NULL)
		memcpy(path, loader, folder);
	if (path != NULL)
		memcpy(path + folder, name, sizeof name);
	return path;
}

char *resources_path(void)
{
	static const char up[] = "../../resources";
	char *core = core_path(), *name = core != NULL ? strrchr(core, '/') : NULL, *path = NULL,
		 *found = NULL;
	size_t folder = name != NULL ? (size_t)(name - core) + 1 : 0;
	if (core != NULL && (path = malloc(folder + sizeof up)) != NULL) {
		memcpy(path, core, folder);
		memcpy(path + folder, up, sizeof up);
		found = realpath(path, NULL);
	}
	free(path);
	free(core);
	return found;
}

static gosmp_process *process_of(void *library)
{
	gosmp_process **found = (gosmp_process **)dlsym(library, "gosmp_this_process");
	return found != NULL ? *found : NULL;
}

const atomic_int *alive_mark(void *library)
{
	const gosmp_process *process = process_of(library);
	return process != NULL ? &process->alive : &always_alive;
}

function find_symbol(void *library, const char *name)
{
	void *address = dlsym(library, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}

/* fill copies one file into another. It compares the size with the limit first, because a process
 * that exceeds its file size limit is ended by a signal. */
static int fill(int to, int from)
{
	struct stat file;
	struct rlimit limit;
	ssize_t n;
	if (fstat(from, &file) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 0;
	if ((rlim_t)file.st_size > limit.rlim_cur) {
		errno = EFBIG;
		return 0;
	}
	while ((n = sendfile(to, from, NULL, INT_MAX)) > 0)
		;
	return n == 0;
}

/* duplicate copies a file into an anonymous memory file and returns its descriptor, or -1 with
 * errno set. */
static int duplicate(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = from >= 0 ? (int)syscall(SYS_memfd_create, GOSMP_CORE, 1u /* MFD_CLOEXEC */) : -1;
	int filled = to >= 0 && fill(to, from), trouble = errno;
	if (from >= 0)
		close(from);
	if (to >= 0 && !filled)
		close(to);
	errno = trouble;
	return filled ? to : -1;
}

/* open_duplicate loads a library a second time. The dynamic linker identifies a file by name and by
 * inode, so it gets a new file, under a name that no FMU has used in this process or in any of its
 * parents. Additional slashes turn the same path into a different name. */
static void *open_duplicate(int file)
{
	char path[PATH_MAX] = "/proc/self/fd/", *end = path + strlen(path);
	void *known;
	for (snprintf(end, 12, "%d", file); (known = dlopen(path, RTLD_NOW | RTLD_NOLOAD)) != NULL;
	     snprintf(end, 12, "%d", file)) {
		dlclose(known);
		if (end - path > (ptrdiff_t)sizeof path - 16)
			return NULL; /* no space for so many slashes: thousands of nested forks */
		*end++ = '/';
	}
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* load_replacement returns the core that serves this process in place of the one that a parent
 * process loaded. All copies of the loader in the process get the same core. */
static void *load_replacement(gosmp_process *parents, const char *path, load_failure *failure)
{
	failure->advice = "this process was forked from one that has loaded it and needs a copy of its "
					  "own; load the FMU after the fork "
					  "only, or start processes afresh (Python: the spawn start method)";
	void *library = atomic_load(&parents->replacement);
	if (library != NULL || !has_room(failure))
		return library;
	int file = path != NULL ? duplicate(path) : -1;
	const char *text = file < 0 ? strerror(errno) : NULL;
	if (file >= 0) {
		library = open_duplicate(file);
		text = library == NULL ? dlerror() : NULL;
		close(file);
	}
	failure->reason = text != NULL ? copy_text(text) : NULL;
	atomic_store(&parents->replacement, library);
	return library;
}

/* load_library loads the core by its bare name: the dynamic linker returns a core of that name that
 * is already loaded, and otherwise follows our RUNPATH to the file next to the loader. A tool that
 * wraps dlopen, such as a sanitizer, hides the RUNPATH; the full path is the fallback. */
static void *load_library(const char *path, load_failure *failure)
{
	void *library = dlopen(GOSMP_CORE, RTLD_NOW | RTLD_NOLOAD);
	if (library == NULL && !has_room(failure))
		return NULL;
	if (library == NULL)
		library = dlopen(GOSMP_CORE, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL && path != NULL)
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *text = library == NULL ? dlerror() : NULL;
	failure->reason = text != NULL ? copy_text(text) : NULL;
	gosmp_process *process = library != NULL ? process_of(library) : NULL;
	return process != NULL && !atomic_load(&process->alive)
	           ? load_replacement(process, path, failure)
	           : library;
}

/* start_runtime starts Go in a loaded core. A core without that function, such as one written in C,
 * needs no start. */
static int start_runtime(void *library, load_failure *failure)
{
	function start = find_symbol(library, "gosmp_start_runtime");
	return start == NULL || ((int (*)(void))start)() ||
	       fail(failure, "this process cannot start the threads that Go's runtime needs",
	            "raise or lift the limit on threads (ulimit -u, pids.max of the control group), "
	            "address space (ulimit -v) or "
	            "data (ulimit -d)");
}

/* restore_file_limit undoes a side effect of Go's package os, which raises the limit on open files
 * to its maximum when the library is loaded. A host that uses select, or closes every possible
 * descriptor before it starts a program, relies on its limit. */
static void restore_file_limit(const struct rlimit *before)
{
	struct rlimit now;
	if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur <= before->rlim_cur)
		return;
	now.rlim_cur = before->rlim_cur;
	setrlimit(RLIMIT_NOFILE, &now);
}

static void *open_and_start(const char *path, load_failure *failure)
{
	struct rlimit files;
	const int limited = getrlimit(RLIMIT_NOFILE, &files) == 0;
	void *library = load_library(path, failure);
	if (library == NULL || !start_runtime(library, failure))
		return NULL;
	if (limited)
		restore_file_limit(&files);
	return library;
}

/* lock_process serializes threads that load the core at the same time, through this or other copies
 * of the loader: the resources that has_room has found must still be available when Go's runtime
 * starts. The locked file belongs to this process; a forked child uses another one. Threads do not
 * wait for each other if there is no /proc or no free descriptor, nor for longer than ten seconds:
 * the thread that holds the lock may need the dynamic linker's lock, which this thread holds if a
 * constructor called it. */
static int lock_process(void)
{
	const struct timespec millisecond = {0, 1000000};
	int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	for (int k = 0; file >= 0 && k < 10000 && flock(file, LOCK_EX | LOCK_NB) != 0; k++)
		nanosleep(&millisecond, NULL);
	return file;
}

static void unlock_process(int file)
{
	if (file < 0)
		return;
	flock(file, LOCK_UN); /* a child forked meanwhile also holds the open file */
	close(file);
}

/* open_core loads the core with all signals blocked. Go's threads inherit the mask, except for
 * faults and the few signals that Go itself unblocks. Otherwise a signal that the host waits for or
 * handles could be delivered to one of Go's threads, and end the process or run the handler on a
 * stack of 2 KB. Cancellation of the thread is postponed, because it would leave a lock behind. */
void *open_core(const char *path, load_failure *failure)
{
	sigset_t all, before;
	int cancel;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int file = lock_process();
	void *library = open_and_start(path, failure);
	unlock_process(file);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(cancel, NULL);
	return library;
}

void yield_processor(void) { sched_yield(); }

/* Go adds SA_ONSTACK to the handlers that exist when it is loaded; this function adds it to later
 * ones. Such handlers run on the alternate signal stack of a thread that has one. Go's threads have
 * one, and so has a thread of the host while it is in Go, where it may run on a goroutine's small
 * stack. For other threads SA_ONSTACK changes nothing. */
void move_signal_handlers(void)
{
	struct sigaction action;
	for (int number = 1; number < NSIG; number++) {
		if (sigaction(number, NULL, &action) != 0 || (action.sa_flags & SA_ONSTACK) != 0 ||
		    ((action.sa_flags & SA_SIGINFO) == 0 &&
		     (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)))
			continue;
		action.sa_flags |= SA_ONSTACK;
		sigaction(number, &action, NULL);
	}
}

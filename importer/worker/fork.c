//go:build linux

// Copies of a worker that has loaded a library and done nothing else. A copy starts with the memory
// of a worker in which the library has just been loaded, so it is as good as a new process, and
// costs a small part of one.
//
// The copy is made by the system call and not by fork(3), because its parent must be the host:
// CLONE_PARENT lets the host wait for it. What fork(3) does in the child in addition
// concerns other threads, and a process with more than one thread is not copied.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve.h"

// The descriptors of a message from the host, in this order.
enum { MEMORY, LOG, ARENA, HOST, OUTPUT, ERRORS, PASSED };

static int channel = -1; // where the host sends descriptors; -1 if this worker is not copied
static int open_before, shared_before;
static bool examined; // no obstacle was found

// gw_entries counts the entries of a folder of /proc; -1 if it cannot be read.
int gw_entries(const char *folder)
{
	DIR *d = opendir(folder);
	if (d == NULL) {
		return -1;
	}
	int n = 0;
	for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
		n += e->d_name[0] != '.';
	}
	closedir(d);
	return n;
}

// shared_mappings counts the mappings that a copy would share with this process; -1 if they cannot
// be read.
static int shared_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	if (f == NULL) {
		return -1;
	}
	int n = 0;
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, f) > 0) {
		const char *rights = strchr(line, ' ');
		n += rights != NULL && strlen(rights) > 4 && rights[4] == 's';
	}
	free(line);
	fclose(f);
	return n;
}

// has_special_memory reports whether a copy would lack some of the memory: MADV_DONTFORK and
// MADV_WIPEONFORK.
static bool has_special_memory(void)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	if (f == NULL) {
		return true;
	}
	bool found = false;
	char *line = NULL;
	size_t room = 0;
	while (!found && getline(&line, &room, f) > 0) {
		found = strncmp(line, "VmFlags:", 8) == 0 &&
		        (strstr(line, " dc") != NULL || strstr(line, " wf") != NULL);
	}
	free(line);
	fclose(f);
	return found;
}

bool gw_has_timer(void)
{
	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
		struct itimerval t;
		if (getitimer(which, &t) != 0 || t.it_value.tv_sec != 0 || t.it_value.tv_usec != 0) {
			return true;
		}
	}
	FILE *f = fopen("/proc/self/timers", "re"); // a kernel may lack the file
	bool found = f != NULL && fgetc(f) != EOF;
	if (f != NULL) {
		fclose(f);
	}
	return found;
}

bool gw_has_children(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static bool has_printed(void)
{
	struct stat output, errors;
	return fstat(STDOUT_FILENO, &output) != 0 || fstat(STDERR_FILENO, &errors) != 0 ||
	       output.st_size != 0 || errors.st_size != 0;
}

// obstacle returns what makes a copy differ from a process that has loaded the library itself; NULL
// if nothing does. It looks once: without threads, timers, children and open files, no code of the
// library runs afterwards that could change the process.
static const char *obstacle(void)
{
	if (examined) {
		return NULL;
	}
	if (gw_entries("/proc/self/task") != 1) {
		return "threads";
	}
	if (gw_has_children()) {
		return "child processes";
	}
	if (gw_entries("/proc/self/fd") != open_before) {
		return "open files";
	}
	if (shared_mappings() != shared_before) {
		return "shared memory";
	}
	if (has_special_memory()) {
		return "memory that is not copied";
	}
	if (gw_has_timer()) {
		return "timers";
	}
	if (has_printed() || gw_has_logged()) {
		return "output";
	}
	examined = true;
	return NULL;
}

void gw_prepare_copies(int descriptor)
{
	channel = descriptor;
	fcntl(channel, F_SETFD, FD_CLOEXEC);
	open_before = gw_entries("/proc/self/fd");
	shared_before = shared_mappings();
}

// receive takes the descriptors of the next copy from the channel.
static bool receive(int passed[PASSED])
{
	char byte;
	struct iovec text = {&byte, 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(PASSED * sizeof(int))];
	} control;
	struct msghdr m = {.msg_iov = &text,
	                   .msg_iovlen = 1,
	                   .msg_control = &control,
	                   .msg_controllen = sizeof control};
	if (recvmsg(channel, &m, MSG_DONTWAIT) != 1) {
		return false;
	}
	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c == NULL || c->cmsg_len != CMSG_LEN(PASSED * sizeof(int))) {
		return false;
	}
	memcpy(passed, CMSG_DATA(c), PASSED * sizeof(int));
	return true;
}

// copy_process makes the copy: 0 in the copy, in this process its id, or -1. What the C library
// keeps about the only thread is renewed in the copy by the kernel: its id, whose place the kernel
// knows, and the list of its robust mutexes.
static long copy_process(void)
{
	int *id = NULL;
	void *robust = NULL;
	size_t length = 0;
	if (prctl(PR_GET_TID_ADDRESS, &id) != 0 || id == NULL ||
	    syscall(SYS_get_robust_list, 0, &robust, &length) != 0) {
		return -1;
	}
	unsigned long flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
#if defined(__x86_64__)
	long pid = syscall(SYS_clone, flags, 0, NULL, id, 0);
#else
	long pid = syscall(SYS_clone, flags, 0, NULL, 0, id);
#endif
	if (pid == 0 && robust != NULL) {
		syscall(SYS_set_robust_list, robust, length);
	}
	return pid;
}

// become turns a copy into the worker of the host's new process. Its descriptors get the numbers
// that they have in every worker.
static void become(const int passed[PASSED])
{
	close(channel);
	channel = -1;
	dup2(passed[OUTPUT], STDOUT_FILENO);
	dup2(passed[ERRORS], STDERR_FILENO);
	dup2(passed[LOG], GW_LOG_DESCRIPTOR);
	dup2(passed[HOST], GW_HOST_DESCRIPTOR);
	setpgid(0, 0);
	gw_enter_copy(passed[MEMORY], passed[ARENA], passed, PASSED);
}

int32_t gw_copy(void)
{
	int passed[PASSED];
	if (channel < 0 || !receive(passed)) {
		return gw_fail(GW_MISUSE, GW_nothing, "a copy without descriptors");
	}
	// The received descriptors are not those of the library.
	open_before += PASSED;
	const char *found = obstacle();
	open_before -= PASSED;
	long pid = found == NULL ? copy_process() : 0;
	if (found == NULL && pid == 0) {
		become(passed); // does not return
	}
	for (int k = 0; k < PASSED; k++) {
		close(passed[k]);
	}
	if (found != NULL || pid < 0) {
		return gw_fail(GW_UNLIKE, GW_nothing, "%s", found != NULL ? found : strerror(errno));
	}
	gw_shared->reply.address = (uint64_t)pid;
	return 0;
}

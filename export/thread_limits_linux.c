//go:build fmucore

/* Decides whether this process may start threads without first checking that it can create them. It
 * may if every limit on threads can be read and is far away; reading costs less than creating
 * threads in advance. If a limit may be hidden, as in most containers, the answer is no. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "thread_limits.h"

/* FAR is the number of threads that other processes may create while this process checks and
   starts. */
enum { FAR = 256, LINE = 4096 };

/* read_text reads a small file, which must fit. */
static int read_text(const char *path, char text[LINE])
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	const ssize_t size = read(file, text, LINE);
	close(file);
	if (size <= 0 || size == LINE)
		return 0;
	text[size] = '\0';
	return 1;
}

/* all_threads returns the number of threads in the whole system, which includes all threads that
 * count towards any limit; -1 if it cannot be read. */
static long all_threads(void)
{
	char text[LINE];
	long running, all;
	if (!read_text("/proc/loadavg", text) ||
	    sscanf(text, "%*s %*s %*s %ld/%ld", &running, &all) != 2)
		return -1;
	return all;
}

/* is_far returns 1 if a file holds a number far above used, or no limit. */
static int is_far(const char *path, long used)
{
	char text[LINE];
	return read_text(path, text) &&
	       (strcmp(text, "max\n") == 0 || strtol(text, NULL, 10) > used + FAR);
}

/* A process in a namespace does not see the limits of the namespaces around it. The first namespace
 * of control groups has a fixed number (PROC_CGROUP_INIT_INO), and the first namespace of users
 * maps all users to themselves. */
static int sees_all_limits(void)
{
	static const char first[] = "cgroup:[4026531835]";
	char text[LINE];
	unsigned long inside, outside, count;
	const ssize_t size = readlink("/proc/self/ns/cgroup", text, sizeof text);
	return size == sizeof first - 1 && memcmp(text, first, sizeof first - 1) == 0 &&
	       read_text("/proc/self/uid_map", text) &&
	       sscanf(text, "%lu %lu %lu", &inside, &outside, &count) == 3 && inside == 0 &&
	       outside == 0 && count == UINT_MAX;
}

/* user_has_room checks the limit on the threads of this user (ulimit -u). */
static int user_has_room(long used)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_NPROC, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (rlim_t)(used + FAR));
}

/* groups_have_room checks a control group and the groups that contain it, up to the first, which
 * has no limit. A group without the file has no limit of its own. */
static int groups_have_room(const char *root, const char *group, long used)
{
	char path[LINE];
	size_t length = (size_t)snprintf(path, sizeof path, "%s%s", root, group);
	const size_t end = strlen(root);
	if (length + sizeof "/cgroup.procs" > sizeof path)
		return 0;
	strcpy(path + length, "/cgroup.procs");
	if (access(path, F_OK) != 0)
		return 0; /* the groups are somewhere else */
	while (length > end) {
		strcpy(path + length, "/pids.max");
		if (access(path, F_OK) == 0 && !is_far(path, used))
			return 0;
		while (length > end && path[length - 1] != '/')
			length--;
		while (length > end && path[length - 1] == '/')
			length--;
	}
	return 1;
}

/* group_has_room finds the control group that limits threads: the line with pids if there is one
 * (version 1), otherwise the line with the number 0 (version 2). */
static int group_has_room(long used)
{
	char text[LINE], *rest = NULL, *unified = NULL;
	if (!read_text("/proc/self/cgroup", text))
		return 0;
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *controllers = strchr(line, ':'), *group = strchr(line, '/');
		if (controllers == NULL || group == NULL)
			continue;
		if (strncmp(controllers, ":pids:", 6) == 0)
			return groups_have_room("/sys/fs/cgroup/pids", group, used);
		if (strncmp(controllers, "::", 2) == 0)
			unified = group;
		else if (strstr(controllers, "pids") != NULL)
			return 0; /* mounted together with others, under another name */
	}
	return unified != NULL && groups_have_room("/sys/fs/cgroup", unified, used);
}

int gosmp_threads_are_plentiful(void)
{
	const long used = all_threads();
	return used >= 0 && user_has_room(used) && is_far("/proc/sys/kernel/threads-max", used) &&
	       is_far("/proc/sys/kernel/pid_max", used) && sees_all_limits() && group_has_room(used);
}

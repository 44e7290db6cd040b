//go:build linux

// A process with its own objects of System V and message queues. What an FMU leaves of them does
// not stay on the machine, and is not confused with the objects of other programs.

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "serve.h"

bool pb_isolated;

static bool put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
	if (file >= 0) {
		close(file);
	}
	return done;
}

// keep_user maps the user and the group of the process to themselves, and gives up the rights that
// it has got over its own files.
static void keep_user(unsigned user, unsigned group)
{
	char line[64];
	snprintf(line, sizeof line, "%u %u 1", user, user);
	put("/proc/self/uid_map", line);
	put("/proc/self/setgroups", "deny"); // the kernel requires it before the next one
	snprintf(line, sizeof line, "%u %u 1", group, group);
	put("/proc/self/gid_map", line);
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
	syscall(SYS_capset, &head, none);
}

void pb_isolate(void)
{
	unsigned user = geteuid(), group = getegid();
	pb_isolated = unshare(CLONE_NEWIPC) == 0;
	if (!pb_isolated && user != 0 && unshare(CLONE_NEWUSER | CLONE_NEWIPC) == 0) {
		pb_isolated = true;
		keep_user(user, group);
	}
}

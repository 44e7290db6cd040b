//go:build linux

// What an FMU leaves in the kernel: objects of System V and message queues.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "serve.h"

// Objects of System V: they stay after the end of the process unless it removes them.
static struct {
	const char *table, *name;
	uint32_t made; // the operation that has created one, plus 1; or 0
} objects[] = {
	{.table = "/proc/sysvipc/shm", .name = "shared memory of System V"},
	{.table = "/proc/sysvipc/sem", .name = "semaphores of System V"},
	{.table = "/proc/sysvipc/msg", .name = "a message queue of System V"},
};
enum { KINDS = sizeof objects / sizeof *objects };

void pb_make(int k, uint64_t object_key, uint64_t flags)
{
	if ((key_t)object_key == IPC_PRIVATE || (flags & IPC_CREAT) != 0) {
		objects[k].made = atomic_load(&pb_shared->op);
	}
}

// any reports whether there is an object that is not about to disappear with the last process that
// uses it.
static bool any(const char *table)
{
	enum { DOOMED = 01000 };
	FILE *f = fopen(table, "r");
	char row[512];
	unsigned permissions;
	bool found = false;
	while (f != NULL && fgets(row, sizeof row, f) != NULL) {
		found = found || (sscanf(row, "%*d %*d %o", &permissions) == 1 && !(permissions & DOOMED));
	}
	if (f != NULL) {
		fclose(f);
	}
	return found;
}

void pb_note(pb_record *r, const char *verb, const char *what, uint32_t operation)
{
	char end[16];
	pb_add(r, verb, strlen(verb));
	pb_add(r, what, strlen(what));
	pb_add(r, end, (size_t)sprintf(end, "\t%u\n", operation));
}

void pb_remaining(pb_record *r, char *const notes[], const uint32_t during[], int noted)
{
	const char *verb = pb_isolated ? "leave\t" : "share\t", *const queues = "create\t/dev/mqueue/";
	for (int k = 0; k < KINDS; k++) {
		if (objects[k].made != 0 && (!pb_isolated || any(objects[k].table))) {
			pb_note(r, verb, objects[k].name, objects[k].made - 1);
		}
	}
	for (int k = 0; k < noted; k++) {
		if (strncmp(notes[k], queues, strlen(queues)) != 0) {
			continue;
		}
		long queue =
			syscall(SYS_mq_open, notes[k] + strlen(queues), O_RDONLY | O_NONBLOCK, 0, NULL);
		if (queue >= 0 || errno == EACCES || !pb_isolated) {
			pb_note(r, verb, notes[k] + strlen("create\t"), during[k]);
		}
		if (queue >= 0) {
			close((int)queue);
		}
	}
}

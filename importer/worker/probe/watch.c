//go:build linux

// Requests of an FMU to the kernel: files, programs, connections and objects of System V. A filter
// on the system calls of the main thread, and of all threads and processes that it starts, passes
// calls to a thread that was started earlier; this thread records each call and lets it continue.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE) && defined(SECCOMP_USER_NOTIF_FLAG_CONTINUE)

enum { MOST = 512, WORD = 4096, LINE = 2 * WORD + 16 };

// The object of a call. An argument that is a folder is followed by the path.
typedef enum {
	READ_OR_WRITE,
	CHANGE,
	CREATE,
	CREATE_AT,
	REMOVE,
	REMOVE_AT,
	NAME,
	NAME_AT,
	MOVE,
	MOVE_AT,
	OPEN_AT,
	START,
	START_AT,
	CONNECT,
	OPEN_PORT,
	OPEN_QUEUE,
	MAKE_MEMORY,
	MAKE_SEMAPHORES,
	MAKE_QUEUE
} kind;

// The system calls of both architectures, and the calls that only x86 has.
static const struct {
	int number;
	kind kind;
} calls[] = {
	{__NR_openat, OPEN_AT},     {__NR_unlinkat, REMOVE_AT},     {__NR_mkdirat, CREATE_AT},
	{__NR_renameat, MOVE_AT},   {__NR_renameat2, MOVE_AT},      {__NR_truncate, CHANGE},
	{__NR_linkat, NAME_AT},     {__NR_execve, START},           {__NR_execveat, START_AT},
	{__NR_connect, CONNECT},    {__NR_bind, OPEN_PORT},         {__NR_mq_open, OPEN_QUEUE},
	{__NR_shmget, MAKE_MEMORY}, {__NR_semget, MAKE_SEMAPHORES}, {__NR_msgget, MAKE_QUEUE},
#if defined(__x86_64__)
	{__NR_open, READ_OR_WRITE}, {__NR_creat, CREATE},           {__NR_unlink, REMOVE},
	{__NR_mkdir, CREATE},       {__NR_rmdir, REMOVE},           {__NR_rename, MOVE},
	{__NR_link, NAME},
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *notes[MOST];
static uint32_t during[MOST]; // operation
static int noted;

// remember stores a line unless it has already been stored.
static void remember(const char *line)
{
	pthread_mutex_lock(&lock);
	int k = 0;
	while (k < noted && strcmp(notes[k], line) != 0) {
		k++;
	}
	if (k == noted && noted < MOST) {
		notes[noted] = strdup(line);
		during[noted] = atomic_load(&pb_shared->op) - 1;
		noted += notes[noted] != NULL;
	}
	pthread_mutex_unlock(&lock);
}

static size_t fetch(pid_t from, uint64_t address, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};
	ssize_t n = process_vm_readv(from, &local, 1, &remote, 1, 0);
	return n < 0 ? 0 : (size_t)n;
}

// text copies a text of another process, up to the end of the readable memory.
static void text(pid_t from, uint64_t address, char *to, size_t most)
{
	enum { PIECE = 64 };
	size_t used = 0;
	while (used + PIECE < most) {
		size_t n = fetch(from, address + used, to + used, PIECE - (address + used) % PIECE);
		char *end = memchr(to + used, 0, n);
		if (end != NULL || n == 0) {
			used = end != NULL ? (size_t)(end - to) : used;
			break;
		}
		used += n;
	}
	to[used] = 0;
	for (char *p = to; *p != 0; p++) {
		*p = *p == '\n' || *p == '\t' ? ' ' : *p; // these characters separate notes
	}
}

// place determines the absolute path in a call.
static void place(pid_t from, int folder, uint64_t address, char *to)
{
	char path[WORD], link[64], base[WORD] = "";
	text(from, address, path, sizeof path);
	if (path[0] == '/') {
		strcpy(to, path);
		return;
	}
	if (folder == AT_FDCWD) {
		snprintf(link, sizeof link, "/proc/%d/cwd", (int)from);
	} else {
		snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)from, folder);
	}
	ssize_t n = readlink(link, base, sizeof base - 1);
	base[n < 0 ? 0 : n] = 0;
	snprintf(to, 2 * WORD, "%s/%s", base, path);
}

// file records what happens to a file, or that it is read, if it exists.
static void file(pid_t from, int folder, uint64_t address, const char *verb)
{
	char line[LINE], *path = line + sprintf(line, "%s\t", verb);
	place(from, folder, address, path);
	if (strcmp(verb, "read") != 0 || access(path, F_OK) == 0) {
		remember(line);
	}
}

// program records a program and its first arguments.
static void program(pid_t from, int folder, uint64_t address, uint64_t arguments)
{
	char line[LINE + 512], *path = line + sprintf(line, "start\t"), word[120];
	place(from, folder, address, path);
	char *end = path + strlen(path);
	for (int k = 1; k < 4; k++) {
		uint64_t argument = 0;
		if (fetch(from, arguments + (uint64_t)k * 8, &argument, 8) < 8 || argument == 0) {
			break;
		}
		text(from, argument, word, sizeof word);
		end += sprintf(end, " %s", word);
	}
	remember(line);
}

// address records a network address, or the path of a socket in the file system.
static void address(const char *verb, pid_t from, uint64_t where, uint64_t size)
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
		struct sockaddr_un local;
	} a = {0};
	fetch(from, where, &a, size < sizeof a ? size : sizeof a);
	char line[256], host[INET6_ADDRSTRLEN] = "";
	switch (a.any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &a.four.sin_addr, host, sizeof host);
		snprintf(line, sizeof line, "%s\t%s:%d", verb, host, ntohs(a.four.sin_port));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &a.six.sin6_addr, host, sizeof host);
		snprintf(line, sizeof line, "%s\t[%s]:%d", verb, host, ntohs(a.six.sin6_port));
		break;
	case AF_UNIX:
		if (a.local.sun_path[0] == 0) {
			a.local.sun_path[0] = '@';
		}
		snprintf(line, sizeof line, "%s\t%.*s", verb, (int)sizeof a.local.sun_path,
		         a.local.sun_path);
		break;
	default:
		return; // of the kernel itself
	}
	remember(line);
}

static const char *use(uint64_t flags)
{
	if ((flags & O_CREAT) != 0) {
		return "create";
	}
	return (flags & (O_ACCMODE | O_TRUNC)) != O_RDONLY ? "write" : "read";
}

// nameless reports whether a file is opened that disappears with its descriptor.
static bool nameless(uint64_t flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

// queue records a message queue, whose name has no slash here.
static void queue(pid_t from, uint64_t name, uint64_t flags)
{
	char line[LINE], *end = line + sprintf(line, "%s\t/dev/mqueue/", use(flags));
	text(from, name, end, WORD);
	remember(line);
}

static void note(const struct seccomp_notif *n)
{
	const __u64 *a = n->data.args;
	pid_t from = (pid_t)n->pid;
	int k = 0;
	while (k < CALLS && calls[k].number != n->data.nr) {
		k++;
	}
	switch (k < CALLS ? calls[k].kind : CONNECT) {
	case READ_OR_WRITE:
		nameless(a[1]) ? (void)0 : file(from, AT_FDCWD, a[0], use(a[1]));
		break;
	case OPEN_AT:
		nameless(a[2]) ? (void)0 : file(from, (int)a[0], a[1], use(a[2]));
		break;
	case CHANGE:
		file(from, AT_FDCWD, a[0], "write");
		break;
	case CREATE:
		file(from, AT_FDCWD, a[0], "create");
		break;
	case CREATE_AT:
		file(from, (int)a[0], a[1], "create");
		break;
	case REMOVE:
		file(from, AT_FDCWD, a[0], "remove");
		break;
	case REMOVE_AT:
		file(from, (int)a[0], a[1], "remove");
		break;
	case MOVE:
		file(from, AT_FDCWD, a[0], "remove");
		file(from, AT_FDCWD, a[1], "create");
		break;
	case MOVE_AT:
		file(from, (int)a[0], a[1], "remove");
		file(from, (int)a[2], a[3], "create");
		break;
	case NAME:
		file(from, AT_FDCWD, a[1], "create");
		break;
	case NAME_AT:
		file(from, (int)a[2], a[3], "create");
		break;
	case START:
		program(from, AT_FDCWD, a[0], a[1]);
		break;
	case START_AT:
		program(from, (int)a[0], a[1], a[2]);
		break;
	case CONNECT:
		address("connect", from, a[1], a[2]);
		break;
	case OPEN_PORT:
		address("listen", from, a[1], a[2]);
		break;
	case OPEN_QUEUE:
		queue(from, a[0], a[1]);
		break;
	case MAKE_MEMORY:
		pb_make(0, a[0], a[2]);
		break;
	case MAKE_SEMAPHORES:
		pb_make(1, a[0], a[2]);
		break;
	case MAKE_QUEUE:
		pb_make(2, a[0], a[1]);
		break;
	}
}

static _Atomic int listener = -1;

static void *watch(void *unused)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (atomic_load(&listener) == -1) {
		usleep(100);
	}
	int from = atomic_load(&listener);
	for (;;) {
		struct seccomp_notif n = {0};
		if (ioctl(from, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0) {
			if (errno == EINTR || errno == ENOENT) {
				continue;
			}
			return unused;
		}
		note(&n);
		struct seccomp_notif_resp answer = {.id = n.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
		ioctl(from, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

int32_t pb_watch(void)
{
	struct sock_filter filter[CALLS + 5], *f = filter;
	*f++ =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	*f++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, CALLS + 1);
	*f++ =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int k = 0; k < CALLS; k++) {
		*f++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[k].number,
		                                    (uint8_t)(CALLS - k), 0);
	}
	*f++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	*f++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	struct sock_fprog all = {(unsigned short)(f - filter), filter};
	pthread_t thread;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    pthread_create(&thread, NULL, watch, NULL) != 0) {
		return PB_MISUSE;
	}
	pthread_detach(thread);
	long got =
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &all);
	atomic_store(&listener, got < 0 ? -2 : (int)got);
	return got < 0 ? PB_MISUSE : 0;
}

int32_t pb_told(pb_record *r)
{
	pb_begin_out(r);
	pthread_mutex_lock(&lock);
	for (int k = 0; k < noted; k++) {
		pb_note(r, "", notes[k], during[k]);
	}
	int n = noted; // notes stay where they are, and the thread may add others
	pthread_mutex_unlock(&lock);
	if (pb_unloaded) {
		pb_remaining(r, notes, during, n);
	}
	return 0;
}

#else // on an architecture or a kernel without it

int32_t pb_watch(void) { return PB_MISUSE; }

int32_t pb_told(pb_record *r)
{
	(void)r;
	return PB_MISUSE;
}

#endif

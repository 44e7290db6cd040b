//go:build linux

// Second lives: a worker whose instance has been freed can serve another one if the first has left
// nothing behind. gw_note notes the state of the process after loading, and gw_renew compares it
// with the state after a life. What cannot be compared, above all the memory of a language runtime
// with threads of its own, is judged by the host, which compares the results of lives.

#define _GNU_SOURCE
#include <link.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve.h"

enum {
	MOST_MEMORY = 8 << 20, // bytes of static variables; more are not compared
	MOST_PARTS = 256,
	MOST_SIGNALS = 65,
	MOST_LIMITS = 16,
};

// part is the memory of the static variables of a library, as it was after loading.
typedef struct {
	const char *at;
	size_t size;
	char *copy;
} part;

// thread_part is the initial content of a library's static variables of each thread.
typedef struct {
	size_t module;
	const char *initial;
	size_t filled, size;
} thread_part;

// settings are properties of the process that an FMU may change.
typedef struct {
	char folder[4096], locale[256];
	uint64_t environment;
	mode_t mask;
	int files, threads;
	struct rlimit limits[MOST_LIMITS];
	struct sigaction handlers[MOST_SIGNALS];
	sigset_t blocked;
} settings;

static struct {
	bool noted, opaque, lived;
	unsigned long long loaded; // how many libraries have been loaded so far
	part parts[MOST_PARTS];
	size_t count, bytes;
	thread_part threads[MOST_PARTS];
	size_t thread_count;
	settings before;
} life;

// is_common reports whether a library is one of the system's, whose variables change in any
// program.
static bool is_common(const char *path)
{
	static const char *const common[] = {"linux-vdso",  "linux-gate",  "ld-linux",      "libc.so",
	                                     "libm.so",     "libdl.so",    "libpthread.so", "librt.so",
	                                     "libgcc_s.so", "libstdc++.so"};
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	for (size_t k = 0; k < sizeof common / sizeof *common; k++) {
		if (strncmp(name, common[k], strlen(common[k])) == 0) {
			return true;
		}
	}
	return *path == '\0'; // this program
}

// add notes the static variables of a library; it stops at a library that has too many.
static int add(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	life.loaded = info->dlpi_adds;
	if (life.opaque || is_common(info->dlpi_name)) {
		return 0;
	}
	for (int k = 0; k < info->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[k];
		const char *at = (const char *)info->dlpi_addr + p->p_vaddr;
		if (life.count == MOST_PARTS || life.thread_count == MOST_PARTS ||
		    life.bytes + p->p_memsz > MOST_MEMORY) {
			return 1;
		}
		if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
			life.parts[life.count++] = (part){at, p->p_memsz, NULL};
			life.bytes += p->p_memsz;
		} else if (p->p_type == PT_TLS) {
			life.threads[life.thread_count++] =
				(thread_part){info->dlpi_tls_modid, at, p->p_filesz, p->p_memsz};
			life.bytes += p->p_memsz;
		}
	}
	return 0;
}

static uint64_t environment(void)
{
	uint64_t sum = 14695981039346656037ull; // FNV-1a
	for (char **e = environ; e != NULL && *e != NULL; e++) {
		for (const char *c = *e;; c++) {
			sum = (sum ^ (unsigned char)*c) * 1099511628211ull;
			if (*c == '\0') {
				break;
			}
		}
	}
	return sum;
}

static void read_settings(settings *s)
{
	memset(s, 0, sizeof *s);
	if (getcwd(s->folder, sizeof s->folder) == NULL) {
		s->folder[0] = '\0';
	}
	const char *locale = setlocale(LC_ALL, NULL);
	snprintf(s->locale, sizeof s->locale, "%s", locale == NULL ? "" : locale);
	s->environment = environment();
	s->mask = umask(0);
	umask(s->mask);
	s->files = gw_entries("/proc/self/fd");
	s->threads = gw_entries("/proc/self/task");
	for (int k = 0; k < MOST_LIMITS; k++) {
		getrlimit(k, &s->limits[k]);
	}
	for (int k = 1; k < MOST_SIGNALS; k++) {
		struct sigaction a;
		memset(&a, 0, sizeof a);
		if (sigaction(k, NULL, &a) == 0) {
			// Not the restorer and the unused part of the mask, which the kernel does not keep.
			s->handlers[k].sa_handler = a.sa_handler;
			s->handlers[k].sa_flags = a.sa_flags;
		}
	}
	sigset_t blocked;
	sigemptyset(&blocked);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int k = 1; k < MOST_SIGNALS; k++) {
		if (sigismember(&blocked, k) == 1) {
			sigaddset(&s->blocked, k);
		}
	}
}

// gw_note notes the state after loading. With the count 1, the library contains a language runtime,
// whose variables, threads and files are not compared with it: the first life may start it.
int32_t gw_note(const gw_command *c)
{
	life.opaque = c->count == 1;
	life.noted = dl_iterate_phdr(add, NULL) == 0;
	char *copy = life.noted ? malloc(life.bytes + 1) : NULL;
	life.noted = copy != NULL;
	for (size_t k = 0; life.noted && k < life.count; k++) {
		part *p = &life.parts[k];
		p->copy = copy;
		memcpy(copy, p->at, p->size);
		copy += p->size;
	}
	read_settings(&life.before);
	return life.noted ? 0 : gw_fail(GW_UNLIKE, GW_nothing, "too many static variables to compare");
}

static int compare_library(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	*(unsigned long long *)found = info->dlpi_adds;
	for (size_t k = 0; info->dlpi_tls_modid != 0 && k < life.thread_count; k++) {
		const thread_part *t = &life.threads[k];
		const char *now = info->dlpi_tls_data;
		if (t->module != info->dlpi_tls_modid || now == NULL) {
			continue;
		}
		if (memcmp(now, t->initial, t->filled) != 0) {
			return 1;
		}
		for (size_t n = t->filled; n < t->size; n++) {
			if (now[n] != 0) {
				return 1;
			}
		}
	}
	return 0;
}

// left returns what the last life has left behind; NULL if nothing has been found.
static const char *left(void)
{
	unsigned long long loaded = 0;
	if (dl_iterate_phdr(compare_library, &loaded) != 0) {
		return "an instance leaves static variables of a thread behind";
	}
	if (loaded != life.loaded) {
		return "an instance leaves a library behind";
	}
	for (size_t k = 0; k < life.count; k++) {
		if (memcmp(life.parts[k].at, life.parts[k].copy, life.parts[k].size) != 0) {
			return "an instance leaves static variables behind";
		}
	}
	if (gw_has_children()) {
		return "an instance leaves child processes behind";
	}
	if (gw_has_timer()) {
		return "an instance leaves timers behind";
	}
	settings *now = malloc(sizeof *now);
	if (now == NULL) {
		return "no memory";
	}
	read_settings(now);
	settings *before = &life.before;
	if (life.opaque) { // its threads come and go; from the second life on, files are compared
		before->threads = now->threads;
		before->files = life.lived ? before->files : now->files;
	}
	life.lived = true;
	const char *found =
		strcmp(now->folder, before->folder) != 0   ? "an instance changes the working folder"
		: strcmp(now->locale, before->locale) != 0 ? "an instance changes the locale"
		: now->environment != before->environment  ? "an instance changes environment variables"
		: now->mask != before->mask                ? "an instance changes the file mode mask"
		: now->files != before->files              ? "an instance leaves open files behind"
		: now->threads > before->threads           ? "an instance leaves threads behind"
		: memcmp(now->limits, before->limits, sizeof now->limits) != 0
			? "an instance changes limits of the process"
		: memcmp(now->handlers, before->handlers, sizeof now->handlers) != 0 ||
				memcmp(&now->blocked, &before->blocked, sizeof now->blocked) != 0
			? "an instance changes signal handlers"
			: NULL;
	free(now);
	return found;
}

int32_t gw_renew(gw_instance *i)
{
	if (!life.noted || i->component != NULL) {
		return gw_fail(GW_MISUSE, GW_nothing, "a renewal without a note or of a live instance");
	}
	const char *found = left();
	if (found != NULL) {
		return gw_fail(GW_UNLIKE, GW_nothing, "%s", found);
	}
	gw_updates_forget(i);
	gw_forget_shelves(i);
	free(i->name);
	free(i->token);
	free(i->resources);
	gw_instance again = {
		.slot = i->slot, .major = i->major, .library = i->library, .prefix = i->prefix};
	memcpy(again.function, i->function, sizeof again.function);
	*i = again;
	gw_set_places(2);
	gw_free_area();
	srand(1); // as when a program starts
	seed48((unsigned short[3]){0, 0, 0});
	return 0;
}

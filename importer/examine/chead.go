package examine

// programHead is the beginning of each program, with the functions needed by all programs.
const programHead = `/* %[1]s: %[2]s (%[3]s).%[4]s
 * Unpack the FMU, then: cc -o repeat repeat.c -ldl -lm -lpthread && ./repeat %[5]s */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define MAYBE __attribute__((unused))
#define L(...) __VA_ARGS__
#define FUNCTION(name, type, ...) ((type (*)(__VA_ARGS__))function(#name))
#define SAY(...) (void)(quiet || printf(__VA_ARGS__))
#define CALL(name, types, ...) said(#name, ((int (*) types)function(#name))(__VA_ARGS__))
#define ALIKE(type, ...) room(sizeof((type[]){__VA_ARGS__}), (type[]){__VA_ARGS__})
static void *library, *c[8] MAYBE, *s[16] MAYBE, *m[16] MAYBE; // instances, states, messages
static size_t l[16] MAYBE;                                      // lengths of messages
// Arrays end, or begin, at a page without access; texts have none after a call.
static bool tight, front, away MAYBE;
static bool quiet; // after the first round of a loop
static inline void *function(const char *name)
{
	void *f = dlsym(library, name);
	return f != NULL ? f : (printf("%%s: no such function\n", name), exit(0), NULL);
}
// Each array has pages of its own, as in the examination. The arrays of a call begin at 0, texts
// and binaries at 160, and what an instantiation is given at 240.
static struct { char *page, *at; size_t size, n; const void *from; } rooms[256] MAYBE;
static int arrays MAYBE; // of the next call
static inline void *room_at(int k, size_t n, const void *from)
{
	enum { FIRST = 2048, RIM = 64 };
	size_t size = (n + FIRST + RIM + 4095) / 4096 * 4096;
	if (rooms[k].size < size) {
		if (rooms[k].size > 0) munmap(rooms[k].page - 4096, rooms[k].size + 8192);
		char *p = mmap(NULL, size + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | 0x20, -1, 0);
		mprotect(p, 4096, PROT_NONE), mprotect(p + 4096 + size, 4096, PROT_NONE);
		rooms[k].page = p + 4096, rooms[k].size = size;
	}
	char *page = rooms[k].page, *at = page + (tight ? rooms[k].size - n : front ? 0 : FIRST);
	mprotect(page, rooms[k].size, PROT_READ | PROT_WRITE);
	if (!tight && !front) memset(at - RIM, 195, RIM), memset(at + n, 195, RIM);
	memset(at, 165, n); // to show what is not written
	if (from != NULL) memcpy(at, from, n);
	if (from != NULL && (tight || front)) mprotect(page, rooms[k].size, PROT_READ);
	rooms[k].at = at, rooms[k].n = n, rooms[k].from = from;
	return at;
}
static inline const char *shown(const char *text) // as it was left by a call
{
	return (uintptr_t)text == UINTPTR_MAX / 255 * 165 ? "not set" : text != NULL ? text : "(null)";
}
static inline void *room(size_t n, const void *from) { return room_at(arrays++ %% 160, n, from); }
static inline void said(const char *name, int status)
{
	if (!quiet || status > 0) printf("%%-28s %%d\n", name, status);
	for (int k = 0; k < arrays && k < 160 && !tight && !front; k++) {
		for (int i = 1; i <= 64; i++)
			if ((rooms[k].at[-i] & 255) != 195 || (rooms[k].at[rooms[k].n + i - 1] & 255) != 195) {
				puts("  bytes before or after an array were changed");
				break;
			}
		if (rooms[k].from != NULL && memcmp(rooms[k].at, rooms[k].from, rooms[k].n) != 0)
			puts("  a constant array was changed");
	}
	arrays = 0;
}
static inline void withdraw(const void *p, size_t n) // later accesses end the process
{
	uintptr_t page = (uintptr_t)p / 4096 * 4096;
	mprotect((void *)page, (uintptr_t)p + n - page, PROT_NONE);
}
static inline void *unpack(unsigned char *all, size_t n, const int *from)
{
	for (unsigned char *to = all; to < all + n;) // -d, k: k bytes, each the one d bytes before
		if (*from >= 0) *to++ = *from++;
		else for (int d = *from++, k = *from++; k > 0; k--, to++) *to = to[d];
	return all;
}
static inline void *unpacked(size_t n, const int *from)
{
	char *all = unpack(room(n + 1, NULL), n, from);
	return all[n] = 0, all;
}
static char *page[16] MAYBE; // where messages are
static size_t span[16] MAYBE;
static inline void put(int k, size_t size) // both halves of addresses differ for odd and even k
{
	page[k] == NULL ? 0 : munmap(page[k] - 4096, span[k] + 8192);
	char *at = NULL;
	for (int i = 0;; i++) {
		at = mmap(at, size + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | 0x20, -1, 0);
		unsigned odd = (unsigned)k %% 2, same = (((uintptr_t)at + 4096) >> 31 & 1) == odd;
		if (i == 8 || (!same && i >= (int)odd)) break;
		munmap(at, size + 8192);
		at = (char *)(((uintptr_t)at ^ (uintptr_t)same << 31) - ((uintptr_t)(i + 2 * odd) << 32));
	}
	page[k] = at + 4096, span[k] = size;
	mprotect(at, 4096, PROT_NONE), mprotect(page[k] + size, 4096, PROT_NONE);
}
static inline void place(int k, size_t n, const int *from) // before a page without access
{
	size_t size = (n + (n == 0) + 4095) / 4096 * 4096;
	page[k] == NULL || span[k] < size ? put(k, size) : (void)0;
	mprotect(page[k], span[k], PROT_READ | PROT_WRITE);
	l[k] = n, m[k] = unpack((unsigned char *)page[k] + span[k] - n, n, from);
}
static const char *file MAYBE, *odd MAYBE; // odd: a name with a conversion of printf
static char *resources MAYBE, *usual MAYBE, folder[4096] MAYBE, brief[5000] MAYBE;
static inline void locate(void) // finds the folder of the FMU, three levels above the library
{
	static char found[5000];
	if (realpath(file, folder) == NULL) exit(1);
	for (int k = 0; k < 3; k++) *strrchr(folder, '/') = 0;
	snprintf(found, sizeof found, "%[7]s", folder), usual = resources = found;
}
static char base[] MAYBE = "/tmp/repeat-XXXXXX", at[4096] MAYBE;
static inline void unlinked(void) // removes the link, and the folders that lead to it
{
	unlink(at);
	while (strlen(at) > strlen(base)) *strrchr(at, '/') = 0, rmdir(at);
}
static inline char *linked(const char *name, const char *format) // the folder, in a temporary one
{
	static char found[9000];
	bool first = at[0] == 0;
	if (first && (mkdtemp(base) == NULL || atexit(unlinked) != 0)) perror(base), exit(1);
	snprintf(at, sizeof at, "%%s/%%s", base, name);
	for (char *p = at + sizeof base; (p = strchr(p, '/')) != NULL; *p++ = '/')
		*p = 0, mkdir(at, 0755);
	if (access(at, F_OK) != 0 && symlink(folder, at) != 0) perror(at);
	return snprintf(found, sizeof found, format, base), found;
}
static bool forget MAYBE; // what an instantiation is given cannot be accessed afterwards
static inline void *lent(int k, const void *from, size_t n)
{
	return from == NULL ? NULL : room_at(240 + k, n, from);
}
#define SIZE(f, c, s) do { size_t size = 0; \
	CALL(f, (void *, void *, size_t *), c, s, &size); SAY("  %%zu bytes\n", size); } while (0)
#define SERIALIZE(ask, f, c, s) do { size_t size = 0; \
	CALL(ask, (void *, void *, size_t *), c, s, &size); \
	unsigned char *bytes = room(size, NULL); \
	CALL(f, (void *, void *, unsigned char *, size_t), c, s, bytes, size); \
	for (size_t k = 0; k < size && k < 64; k++) SAY("%%02x%%s", bytes[k], k + 1 < 64 ? "" : "…"); \
	SAY("\n"); } while (0)
%[6]s

/* The calls */
int main(int n, char **arguments)
{
	dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL); // some libraries use it and do not say so
	library = n > 1 ? dlopen(file = arguments[1], RTLD_NOW) : NULL;
	if (library == NULL) return puts(n > 1 ? dlerror() : "which library?"), 1;
`

// loggers holds the macros and the logger for each version of FMI.
var loggers = map[int]string{
	2: `#define GET(f, type, format, as, c, n, told, ...) do { \
	type *v = room(n * sizeof(type), NULL); \
	CALL(f, (void *, const uint32_t *, size_t, type *), c, ALIKE(uint32_t, __VA_ARGS__), told, v); \
	for (int k = 0; k < n; k++) SAY("  " format "\n", as (v[k])); } while (0)
#define SET(f, type, c, told, references, ...) \
	CALL(f, (void *, const uint32_t *, size_t, const type *), c, ALIKE(uint32_t, references), \
	     told, ALIKE(type, __VA_ARGS__))
#define TEXTS(f, c, n, references, ...) do { \
	const char *t[] = {__VA_ARGS__}; \
	for (int k = 0; k < n; k++) t[k] = room_at(160 + k % 80, strlen(t[k]) + 1, t[k]); \
	CALL(f, (void *, const uint32_t *, size_t, const char **), c, ALIKE(uint32_t, references), n, \
	     t); \
	for (int k = 0; k < n; k++) away ? withdraw(t[k], strlen(t[k]) + 1) : (void)0; } while (0)
static inline void say(void *e, const char *n, int status, const char *category, const char *m, ...)
{
	va_list list;
	va_start(list, m), (void)e;
	n == NULL ? 0 : *(volatile const char *)n; // importers look at it, too
	printf("  [%d, %s] ", status, category != NULL ? category : "NULL");
	if (m == NULL) puts("NULL");
	else if (odd != NULL && strstr(m, odd) != NULL) printf("with the name as a format: %s\n", m);
	else vprintf(m, list), puts("");
	va_end(list);
}
static inline void finished(void *e, int status)
{
	printf("stepFinished %d, with %s\n", status, e == NULL ? "no environment" : "an environment");
}
typedef struct { void *log, *allocate, *release, *finished, *environment; } functions;
static const functions ordinary MAYBE = {say, calloc, free, finished, &library};
static functions callbacks MAYBE = {say, calloc, free, finished, &library}; // of the next one
#define INSTANTIATE(c, name, type, guid, visible, log) do { \
	char *a[] = {name, guid, resources}; \
	for (int k = 0; k < 3; k++) a[k] = lent(k, a[k], a[k] == NULL ? 0 : strlen(a[k]) + 1); \
	void *calls = lent(3, &callbacks, sizeof callbacks); \
	odd = strchr(name, '%') != NULL ? name : odd; \
	c = FUNCTION(fmi2Instantiate, void *, const char *, int, const char *, const char *, void *, \
	             int, int)(a[0], type, a[1], a[2], calls, visible, log); \
	for (int k = 0; k < 4 && forget; k++) withdraw(rooms[240 + k].at, rooms[240 + k].n); \
	callbacks = ordinary, resources = usual, forget = false; \
	SAY("fmi2Instantiate %p\n", c); } while (0)`,
	3: `static bool event[5] MAYBE, wanted MAYBE; // by the last step
#define UPDATE(c) do { const unsigned char *e = memset(event, 165, 5); double next = 0; \
	CALL(fmi3UpdateDiscreteStates, (void *, bool *, bool *, bool *, bool *, bool *, double *), c, \
	     event, event + 1, event + 2, event + 3, event + 4, &next); \
	SAY("  again %d, terminate %d, nominals %d, states %d, next %d at %.17g (165: not set)\n", \
	    e[0], e[1], e[2], e[3], e[4], next); } while (0)
#define STEP(c, t, h, forgets) do { unsigned char *b = room(3, NULL); double last = NAN; \
	CALL(fmi3DoStep, (void *, double, double, bool, bool *, bool *, bool *, double *), c, \
	     t, h, forgets, (bool *)b, (bool *)b + 1, (bool *)b + 2, &last); \
	wanted = b[0] == 1; \
	SAY("  event %d, terminate %d, early %d, last %.17g (165, nan: not set)\n", b[0], b[1], \
	    b[2], last); } while (0)
#define GET(f, type, format, as, c, n, told, ...) do { \
	type *v = room(n * sizeof(type), NULL); uint32_t r[] = {__VA_ARGS__}; \
	CALL(f, (void *, const uint32_t *, size_t, type *, size_t), c, room(sizeof r, r), \
	     sizeof r / 4, v, told); \
	for (int k = 0; k < n; k++) SAY("  " format "\n", as (v[k])); } while (0)
#define SET(f, type, c, told, references, ...) do { uint32_t r[] = {references}; \
	CALL(f, (void *, const uint32_t *, size_t, const type *, size_t), c, room(sizeof r, r), \
	     sizeof r / 4, ALIKE(type, __VA_ARGS__), told); } while (0)
#define TEXTS(f, c, n, references, ...) do { \
	const char *t[] = {__VA_ARGS__}; uint32_t r[] = {references}; \
	for (int k = 0; k < n; k++) t[k] = room_at(160 + k % 80, strlen(t[k]) + 1, t[k]); \
	CALL(f, (void *, const uint32_t *, size_t, const char **, size_t), c, r, sizeof r / 4, t, n); \
	for (int k = 0; k < n && away; k++) withdraw(t[k], strlen(t[k]) + 1); } while (0)
#define BINARIES(f, c, n, references, sizes, ...) do { \
	const char *t[] = {__VA_ARGS__}; uint32_t r[] = {references}; size_t z[] = {sizes}; \
	for (int k = 0; k < n; k++) t[k] = room_at(160 + k % 80, z[k], t[k]); \
	CALL(f, (void *, const uint32_t *, size_t, const size_t *, const char **, size_t), c, r, \
	     sizeof r / 4, z, t, n); \
	for (int k = 0; k < n && away; k++) withdraw(t[k], z[k] + 1); } while (0)
#define SIZES(f, c, n, ...) do { \
	const void *v[n]; size_t z[n]; uint32_t r[] = {__VA_ARGS__}; \
	memset(v, 165, sizeof v), memset(z, 165, sizeof z); \
	CALL(f, (void *, const uint32_t *, size_t, size_t *, const void **, size_t), c, r, \
	     sizeof r / 4, z, v, n); \
	for (int k = 0; k < n; k++) SAY("  %zu bytes\n", z[k]); } while (0)
static inline void say(void *environment, int status, const char *category, const char *message)
{
	(void)environment, printf("  [%d, %s] %s\n", status, category != NULL ? category : "NULL",
	                          message != NULL ? message : "NULL");
}
static void *logger MAYBE = (void *)say, *environment MAYBE = &library, *update MAYBE;
static uint32_t *required MAYBE; // for intermediate updates
static size_t needs MAYBE;
#define INSTANTIATE(c, name, token, visible, log, events, early) do { \
	char *a[] = {name, token, resources}; \
	for (int k = 0; k < 3; k++) a[k] = lent(k, a[k], a[k] == NULL ? 0 : strlen(a[k]) + 1); \
	c = FUNCTION(fmi3InstantiateCoSimulation, void *, const char *, const char *, const char *, \
	             bool, bool, bool, bool, void *, size_t, void *, void *, void *)(a[0], a[1], \
	             a[2], visible, log, events, early, required, needs, environment, logger, update); \
	for (int k = 0; k < 3 && forget; k++) withdraw(rooms[240 + k].at, rooms[240 + k].n); \
	resources = usual, forget = false; \
	logger = (void *)say, environment = &library; \
	SAY("fmi3InstantiateCoSimulation %p\n", c); } while (0)
#define MODEL_EXCHANGE(c, name, token, visible, log) do { \
	c = FUNCTION(fmi3InstantiateModelExchange, void *, const char *, const char *, const char *, \
	             bool, bool, void *, void *)(name, token, resources, visible, log, environment, \
	                                         logger); \
	SAY("fmi3InstantiateModelExchange %p\n", c); } while (0)
#define SCHEDULED(c, name, token, visible, log) do { \
	c = FUNCTION(fmi3InstantiateScheduledExecution, void *, const char *, const char *, \
	             const char *, bool, bool, void *, void *, void *, void *, void *)(name, token, \
	             resources, visible, log, environment, logger, NULL, NULL, NULL); \
	SAY("fmi3InstantiateScheduledExecution %p\n", c); } while (0)`,
}

// measurer prints what the process uses.
const measurer = `
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int entries(const char *folder)
{
	int n = -2; // without . and ..
	DIR *d = opendir(folder);
	for (; d != NULL && readdir(d) != NULL; n++) continue;
	return d != NULL ? closedir(d), n : 0;
}
static long mapped(void) // writable
{
	long sum = 0, from, to;
	char row[5000], access[5];
	FILE *f = fopen("/proc/self/maps", "r");
	while (f != NULL && fgets(row, sizeof row, f) != NULL)
		if (sscanf(row, "%lx-%lx %4s", &from, &to, access) == 3 && access[1] == 'w')
			sum += to - from;
	return f != NULL ? fclose(f), sum : 0;
}
static void measured(void)
{
	unsigned key = 0; // the first free one
	if (pthread_key_create(&key, NULL) == 0) pthread_key_delete(key);
	printf("  in use: %d bytes of malloc, %ld mapped, %d descriptors, %d threads, %u keys\n",
	       mallinfo().uordblks, mapped(), entries("/proc/self/fd") - 1,
	       entries("/proc/self/task"), key);
}`

// fetcher reads an OSMP message and prints its first bytes. The pipe allows for bad addresses.
const fetcher = `
static struct { void *at; int size; } seen[128];
static void look(int k)
{
	unsigned char b[48];
	int f[2], n = seen[k].size < 48 ? seen[k].size : 48;
	printf("  %d bytes at %p:", seen[k].size, seen[k].at);
	if (n > 0 && pipe(f) == 0) {
		n = write(f[1], seen[k].at, n) < 0 ? -1 : read(f[0], b, n);
		close(f[0]), close(f[1]);
	}
	for (int i = 0; i < n; i++) printf(" %02x", b[i]);
	puts(n < 0 ? " no access" : "");
}
#define FETCH(c, k, ...) do { int v[3] = {0}; \
	CALL(fmi2GetInteger, (void *, const uint32_t *, size_t, int *), c, \
	     ALIKE(uint32_t, __VA_ARGS__), 3, v); \
	seen[k].at = (void *)((uintptr_t)(uint32_t)v[1] << 32 | (uint32_t)v[0]); \
	seen[k].size = v[2]; look(k); } while (0)`

// walkers holds functions that take steps in threads, for each version of FMI.
var walkers = map[int]string{
	2: `
static double from, length;
static int steps;
static void *walk(void *c)
{
	int (*step)(void *, double begin, double size, int) = function("fmi2DoStep");
	double t = from;
	for (int k = 0; k < steps && step(c, t, length, 1) < 2; k++) t += length;
	return NULL;
}`,
	3: `
static double from, length;
static int steps;
static void *walk(void *c)
{
	int (*step)(void *, double begin, double size, bool, bool *, bool *, bool *, double *) =
		function("fmi3DoStep");
	double t = from, last;
	bool b[3];
	for (int k = 0; k < steps && step(c, t, length, true, b, b + 1, b + 2, &last) < 2; k++)
		t += length;
	return NULL;
}`,
}

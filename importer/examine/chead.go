package examine

// programHead is the beginning of each program, with the functions needed by all programs.
const programHead = `/* %[1]s: %[2]s (%[3]s).
 * Unpack the FMU, then: cc -o repeat repeat.c -ldl -lm && ./repeat %[4]s */
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
#include <unistd.h>
#define L(...) __VA_ARGS__
#define FUNCTION(name, type, ...) ((type (*)(__VA_ARGS__))dlsym(library, #name))
#define CALL(name, types, ...) \
	printf("%%-28s %%d\n", #name, ((int (*) types)dlsym(library, #name))(__VA_ARGS__))
#define ALIKE(type, ...) room(sizeof((type[]){__VA_ARGS__}), (type[]){__VA_ARGS__})
static void *library;
static bool tight, away; // arrays end at a page without access; texts have none after a call
static inline void *room(size_t n, const void *from)
{
	size_t pages = n / 4096 * 4096 + 4096;
	char *p = mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | 0x20, -1, 0);
	mprotect(p + pages, 4096, PROT_NONE);
	char *at = p + (tight ? pages - n : 0);
	if (from != NULL) {
		memcpy(at, from, n);
		tight ? mprotect(p, pages, PROT_READ) : 0;
	}
	return at;
}
static inline void withdraw(const void *p, size_t n)
{
	away ? mprotect((void *)((uintptr_t)p / 4096 * 4096), n / 4096 * 4096 + 4096, PROT_NONE) : 0;
}
%[5]s
int main(int n, char **arguments)
{
	void *c[8] = {0}, *s[16] = {0}, *m[16] = {0}; // instances, states, messages
	size_t l[16] = {0};
	library = n > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
	if (library == NULL) return puts("the library cannot be loaded"), 1;
	(void)c, (void)s, (void)m, (void)l;
`

// loggers holds the macros and the logger for each version of FMI.
var loggers = map[int]string{
	2: `#define GET(f, type, format, as, c, n, told, ...) do { \
	type *v = room(n * sizeof(type), NULL); \
	CALL(f, (void *, const uint32_t *, size_t, type *), c, ALIKE(uint32_t, __VA_ARGS__), told, v); \
	for (int k = 0; k < n; k++) printf("  " format "\n", as v[k]); } while (0)
#define SET(f, type, c, told, references, ...) \
	CALL(f, (void *, const uint32_t *, size_t, const type *), c, ALIKE(uint32_t, references), \
	     told, ALIKE(type, __VA_ARGS__))
#define TEXTS(f, c, n, references, ...) do { \
	const char *t[] = {__VA_ARGS__}; \
	for (int k = 0; k < n; k++) t[k] = room(strlen(t[k]) + 1, t[k]); \
	CALL(f, (void *, const uint32_t *, size_t, const char **), c, ALIKE(uint32_t, references), n, \
	     t); \
	for (int k = 0; k < n; k++) withdraw(t[k], away ? 1 : 0); } while (0)
static inline void say(void *e, const char *n, int status, const char *category, const char *m, ...)
{
	va_list list;
	va_start(list, m);
	printf("  [%d, %s] ", status, category), vprintf(m, list), puts(""), va_end(list);
}
static struct { void *log, *allocate, *release, *finished, *environment; } callbacks
	__attribute__((unused)) =
	{(void *)say, (void *)calloc, (void *)free, NULL, NULL};`,
	3: `#define GET(f, type, format, as, c, n, told, ...) do { \
	type *v = room(n * sizeof(type), NULL); uint32_t r[] = {__VA_ARGS__}; \
	CALL(f, (void *, const uint32_t *, size_t, type *, size_t), c, room(sizeof r, r), \
	     sizeof r / 4, v, told); \
	for (int k = 0; k < n; k++) printf("  " format "\n", as v[k]); } while (0)
#define SET(f, type, c, told, references, ...) do { uint32_t r[] = {references}; \
	CALL(f, (void *, const uint32_t *, size_t, const type *, size_t), c, room(sizeof r, r), \
	     sizeof r / 4, ALIKE(type, __VA_ARGS__), told); } while (0)
#define TEXTS(f, c, n, references, ...) do { \
	const char *t[] = {__VA_ARGS__}; uint32_t r[] = {references}; \
	for (int k = 0; k < n; k++) t[k] = room(strlen(t[k]) + 1, t[k]); \
	CALL(f, (void *, const uint32_t *, size_t, const char **, size_t), c, r, sizeof r / 4, t, n); \
	for (int k = 0; k < n; k++) withdraw(t[k], 1); } while (0)
#define BINARIES(f, c, n, references, sizes, ...) do { \
	const char *t[] = {__VA_ARGS__}; uint32_t r[] = {references}; size_t z[] = {sizes}; \
	for (int k = 0; k < n; k++) t[k] = room(z[k], t[k]); \
	CALL(f, (void *, const uint32_t *, size_t, const size_t *, const char **, size_t), c, r, \
	     sizeof r / 4, z, t, n); \
	for (int k = 0; k < n; k++) withdraw(t[k], z[k]); } while (0)
#define SIZES(f, c, n, ...) do { \
	const void *v[n]; size_t z[n]; uint32_t r[] = {__VA_ARGS__}; \
	CALL(f, (void *, const uint32_t *, size_t, size_t *, const void **, size_t), c, r, \
	     sizeof r / 4, z, v, n); \
	for (int k = 0; k < n; k++) printf("  %zu bytes\n", z[k]); } while (0)
static inline void say(void *environment, int status, const char *category, const char *message)
{
	printf("  [%d, %s] %s\n", status, category, message);
}`,
}

// walkers holds functions that take steps in threads, for each version of FMI.
var walkers = map[int]string{
	2: `
static double from, length;
static int steps;
static void *walk(void *c)
{
	int (*step)(void *, double begin, double size, int) = dlsym(library, "fmi2DoStep");
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
		dlsym(library, "fmi3DoStep");
	double t = from, last;
	bool b[3];
	for (int k = 0; k < steps && step(c, t, length, true, b, b + 1, b + 2, &last) < 2; k++)
		t += length;
	return NULL;
}`,
}

//go:build ignore

/* A small importer: it loads an unpacked FMU as any tool does, and prints what came out in a form that can be compared.
 *
 *   host run    GUID RESOURCES LIBRARY [STEPS [REALS...]]   one simulation; per step the time, size and hash of SensorData, and
 *                                                           the hash of the Real outputs with these value references
 *   host copies GUID RESOURCES LIBRARY...                   a short simulation with each library, loaded and unloaded in turn
 *   host race   GUID RESOURCES LIBRARY...                   the same, each on a thread of its own, all beginning at once
 *
 * Trouble of any kind goes to stderr and makes the exit code 1; after a wrong command line it is 2. One source for Linux, macOS
 * and Windows: C11 with __typeof__, as gcc, clang and mingw have it. Threads, files and cores are counted on Linux only. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"

/* ---- The platform: libraries, threads, and what the process holds. ---- */

typedef void (*function)(void);

#if defined(_WIN32)

#include <windows.h>

typedef HMODULE library;

static library open_library(const char *path) { return LoadLibraryA(path); }
static void close_library(library l) { FreeLibrary(l); }
static function symbol(library l, const char *name) { return (function)GetProcAddress(l, name); }
static const char *open_failure(void) { return "LoadLibrary has failed"; }

typedef struct {
	void (*work)(void *);
	void *argument;
	HANDLE id;
} thread;

static DWORD WINAPI thread_main(void *t)
{
	((thread *)t)->work(((thread *)t)->argument);
	return 0;
}

static int start(thread *t) { return (t->id = CreateThread(NULL, 0, thread_main, t, 0, NULL)) != NULL; }
static void join(thread *t) { WaitForSingleObject(t->id, INFINITE); }

#else

#include <dlfcn.h>
#include <pthread.h>

typedef void *library;

static library open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void close_library(library l) { dlclose(l); }
static const char *open_failure(void) { return dlerror(); }

static function symbol(library l, const char *name)
{
	void *address = dlsym(l, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}

typedef struct {
	void (*work)(void *);
	void *argument;
	pthread_t id;
} thread;

static void *thread_main(void *t)
{
	((thread *)t)->work(((thread *)t)->argument);
	return NULL;
}

static int start(thread *t) { return pthread_create(&t->id, NULL, thread_main, t) == 0; }
static void join(thread *t) { pthread_join(t->id, NULL); }

#endif

#if defined(__linux__)

#include <dirent.h>

static int entries(const char *folder)
{
	int n = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	if (d != NULL)
		closedir(d);
	return n;
}

/* Every mapped file with a text of its own and "-core-" in its name is a core. */
static int count_cores(void)
{
	int n = 0;
	char line[8192];
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		n += strstr(line, "-core-") != NULL && strstr(line, " r-xp ") != NULL;
	if (maps != NULL)
		fclose(maps);
	return n;
}

static void print_holdings(const char *when)
{
	/* Reading the folder of open files opens it. */
	printf("%s: threads %d files %d cores %d\n", when, entries("/proc/self/task"), entries("/proc/self/fd") - 1, count_cores());
}

#else
static void print_holdings(const char *when) { printf("%s: not counted here\n", when); }
#endif

/* ---- The FMU's functions. ---- */

#define FUNCTIONS(F)                                                                                                           \
	F(fmi2GetTypesPlatform) F(fmi2GetVersion) F(fmi2SetDebugLogging)                                                           \
	F(fmi2Instantiate) F(fmi2FreeInstance) F(fmi2SetupExperiment) F(fmi2EnterInitializationMode)                               \
	F(fmi2ExitInitializationMode) F(fmi2Terminate) F(fmi2Reset)                                                                \
	F(fmi2GetReal) F(fmi2GetInteger) F(fmi2GetBoolean) F(fmi2GetString)                                                        \
	F(fmi2SetReal) F(fmi2SetInteger) F(fmi2SetBoolean) F(fmi2SetString)                                                        \
	F(fmi2GetFMUstate) F(fmi2SetFMUstate) F(fmi2FreeFMUstate) F(fmi2SerializedFMUstateSize) F(fmi2SerializeFMUstate)           \
	F(fmi2DeSerializeFMUstate) F(fmi2GetDirectionalDerivative) F(fmi2SetRealInputDerivatives)                                  \
	F(fmi2GetRealOutputDerivatives) F(fmi2DoStep) F(fmi2CancelStep) F(fmi2GetStatus) F(fmi2GetRealStatus)                      \
	F(fmi2GetIntegerStatus) F(fmi2GetBooleanStatus) F(fmi2GetStringStatus)

#define FIELD(name) __typeof__(name) *name;
#define NAME(name) #name,
typedef struct {
	library file;
	union {
		struct {
			FUNCTIONS(FIELD)
		};
		function all[34];
	};
} fmu;

static const char *const names[34] = {FUNCTIONS(NAME)};

/* What a slave for co-simulation alone does not have. */
static const char *const excess[] = {
	"fmi2EnterEventMode", "fmi2NewDiscreteStates", "fmi2EnterContinuousTimeMode", "fmi2CompletedIntegratorStep", "fmi2SetTime",
	"fmi2SetContinuousStates", "fmi2GetDerivatives", "fmi2GetEventIndicators", "fmi2GetContinuousStates",
	"fmi2GetNominalsOfContinuousStates",
};

/* trouble prints what is wrong and returns 0, which all functions here return when something is. */
static int trouble(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("host: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return 0;
}

static int load(fmu *f, const char *path)
{
	f->file = open_library(path);
	if (f->file == NULL)
		return trouble("%s: %s", path, open_failure());
	for (int k = 0; k < 34; k++)
		if ((f->all[k] = symbol(f->file, names[k])) == NULL)
			return trouble("%s: no function %s", path, names[k]);
	for (size_t k = 0; k < sizeof excess / sizeof *excess; k++)
		if (symbol(f->file, excess[k]) != NULL)
			return trouble("%s: %s is exported, which is for model exchange", path, excess[k]);
	if (strcmp(f->fmi2GetVersion(), "2.0") != 0 || strcmp(f->fmi2GetTypesPlatform(), "default") != 0)
		return trouble("%s: version %s, platform %s", path, f->fmi2GetVersion(), f->fmi2GetTypesPlatform());
	return 1;
}

/* ---- A simulation. ---- */

enum { MOST_REALS = 256 };

typedef struct {
	const char *guid, *resources, *path;
	int steps, silent;
	size_t reals;
	fmi2ValueReference references[MOST_REALS];
	uint64_t hash; /* over everything that came out */
} simulation;

static void log_line(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category,
                     fmi2String message, ...)
{
	(void)environment;
	if (status < fmi2Warning)
		return;
	va_list arguments;
	va_start(arguments, message);
	fprintf(stderr, "%s: %s: status %d: ", instance, category != NULL ? category : "NO CATEGORY", (int)status);
	vfprintf(stderr, message, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

static uint64_t hash(uint64_t sum, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	for (size_t k = 0; k < n; k++)
		sum = (sum ^ b[k]) * 1099511628211u;
	return sum;
}

static const uint64_t hash_start = 14695981039346656037u;

/* OSMPSensorDataOut.base.lo, base.hi and size. */
static const fmi2ValueReference sensor_data[3] = {3, 4, 5};

static int look(const fmu *f, fmi2Component c, simulation *s, double time)
{
	fmi2Integer triple[3];
	fmi2Real reals[MOST_REALS];
	if (f->fmi2GetInteger(c, sensor_data, 3, triple) != fmi2OK || f->fmi2GetReal(c, s->references, s->reals, reals) != fmi2OK)
		return trouble("outputs cannot be read at %g s", time);
	const void *data = (const void *)(uintptr_t)((uint64_t)(uint32_t)triple[1] << 32 | (uint32_t)triple[0]);
	if (data == NULL || triple[2] <= 0)
		return trouble("no SensorData at %g s: size %d", time, triple[2]);
	uint64_t message = hash(hash_start, data, (size_t)triple[2]), values = hash(hash_start, reals, s->reals * sizeof *reals);
	s->hash = hash(hash(s->hash, &message, sizeof message), &values, sizeof values);
	if (!s->silent)
		printf("%.3f %d %016llx %016llx\n", time, triple[2], (unsigned long long)message, (unsigned long long)values);
	return 1;
}

static int step_through(const fmu *f, fmi2Component c, simulation *s)
{
	const double h = 0.02;
	if (f->fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0) != fmi2OK || f->fmi2EnterInitializationMode(c) != fmi2OK ||
	    f->fmi2ExitInitializationMode(c) != fmi2OK)
		return trouble("no initialization");
	for (int k = 0; k < s->steps; k++)
		if (f->fmi2DoStep(c, k * h, h, fmi2True) != fmi2OK || !look(f, c, s, (k + 1) * h))
			return trouble("step %d failed", k);
	return f->fmi2Terminate(c) == fmi2OK ? 1 : trouble("fmi2Terminate failed");
}

/* simulate does all that an importer does, from loading to unloading. */
static int simulate(simulation *s)
{
	fmu f;
	const fmi2CallbackFunctions callbacks = {log_line, NULL, NULL, NULL, NULL};
	s->hash = hash_start;
	if (!load(&f, s->path))
		return 0;
	fmi2Component c = f.fmi2Instantiate("sensor", fmi2CoSimulation, s->guid, s->resources, &callbacks, fmi2False, fmi2True);
	int well = c != NULL ? step_through(&f, c, s) : trouble("no instance");
	if (c != NULL)
		f.fmi2FreeInstance(c);
	close_library(f.file);
	return well;
}

/* ---- The commands. ---- */

static int run(simulation s, int count, char **words)
{
	s.path = words[0];
	s.steps = count > 1 ? atoi(words[1]) : 100;
	for (int k = 2; k < count && s.reals < MOST_REALS; k++)
		s.references[s.reals++] = (fmi2ValueReference)strtoul(words[k], NULL, 10);
	if (!simulate(&s))
		return 1;
	printf("all %016llx\n", (unsigned long long)s.hash);
	return 0;
}

static int copies(simulation s, int count, char **words)
{
	uint64_t first = 0;
	for (int k = 0; k < count; k++) {
		s.path = words[k];
		if (!simulate(&s))
			return 1;
		if (k == 0) {
			first = s.hash;
			print_holdings("first");
		}
		if (s.hash != first)
			return !trouble("%s: other results than the first copy", s.path);
	}
	print_holdings("last");
	return 0;
}

/* runner is one thread of a race. */
typedef struct {
	simulation simulation;
	atomic_int *ready; /* how many stand at the line; all start when everybody does */
	int racers, well;
} runner;

static void race_one(void *argument)
{
	runner *r = argument;
	atomic_fetch_add(r->ready, 1);
	while (atomic_load(r->ready) < r->racers)
		;
	r->well = simulate(&r->simulation);
}

static int race(simulation s, int count, char **words)
{
	atomic_int ready = 0;
	thread *threads = calloc((size_t)count, sizeof *threads);
	runner *runners = calloc((size_t)count, sizeof *runners);
	int well = threads != NULL && runners != NULL ? 1 : trouble("out of memory");
	for (int k = 0; k < count && well; k++) {
		s.path = words[k];
		runners[k] = (runner){s, &ready, count, 0};
		threads[k].work = race_one;
		threads[k].argument = &runners[k];
		if (!start(&threads[k]))
			exit(!trouble("no thread %d", k));
	}
	for (int k = 0; k < count && well; k++) {
		join(&threads[k]);
		if (!runners[k].well || runners[k].simulation.hash != runners[0].simulation.hash)
			well = trouble("%s: no or other results", words[k]);
	}
	print_holdings("raced");
	free(threads);
	free(runners);
	return !well;
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		int (*does)(simulation, int, char **);
		int steps, silent;
	} commands[] = {{"run", run, 100, 0}, {"copies", copies, 5, 1}, {"race", race, 5, 1}};
	simulation s = {0};
	for (size_t k = 0; count > 4 && k < sizeof commands / sizeof *commands; k++)
		if (strcmp(words[1], commands[k].name) == 0) {
			s.guid = words[2];
			s.resources = words[3];
			s.steps = commands[k].steps;
			s.silent = commands[k].silent;
			return commands[k].does(s, count - 4, words + 4);
		}
	fputs("usage: host run GUID RESOURCES LIBRARY [STEPS [REALS...]] | copies|race GUID RESOURCES LIBRARY...\n", stderr);
	return 2;
}

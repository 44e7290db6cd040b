//go:build ignore

/* A host for tests of loader and core: it plays one act with the loaders named on its command line
 * and prints what it sees.
 *
 *   host <act> <guid> <loader> [<loader> ...]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmu.h"

static fmu open_fmu(const char *path)
{
	fmu f;
	if (!load(&f, path))
		exit(1);
	return f;
}

/* ---- Loggers. ---- */

static void print_line(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status,
                       fmi2String category, fmi2String format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	printf("%s %s %s %s: ", (const char *)e, name, status_names[status], category);
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
}

static jmp_buf back;
static int armed;

static void jump(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s, fmi2String category,
                 fmi2String format, ...)
{
	print_line(e, name, s, category, "%s", format);
	if (armed)
		longjmp(back, 1);
}

static fmu current;
static fmi2Component component;

static void call_back(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s,
                      fmi2String category, fmi2String format, ...)
{
	static int depth;
	print_line(e, name, s, category, "%d %s", depth, format);
	if (depth == 0 && component != NULL) {
		depth++;
		current.fmi2Reset(component);
		depth--;
	}
}

/* part frees its instance at the first line. */
static void part(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s, fmi2String category,
                 fmi2String format, ...)
{
	print_line(e, name, s, category, "%s", format);
	fmi2Component c = component;
	component = NULL;
	if (c != NULL)
		current.fmi2FreeInstance(c);
}

static fmi2Component instantiate(fmu *f, const char *guid, fmi2CallbackLogger logger)
{
	static char environment[] = "env";
	const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL,
	                                         environment}; /* vanishes with this call */
	return f->fmi2Instantiate("name", fmi2CoSimulation, guid, "file:///nowhere", &callbacks,
	                          fmi2False, fmi2True);
}

/* begin initializes without regard to what comes back: the core of the tests answers with numbers
 * of its own. */
static void begin(const fmu *f, fmi2Component c)
{
	f->fmi2SetupExperiment(c, 0, 0, 0, 0, 0);
	f->fmi2EnterInitializationMode(c);
	f->fmi2ExitInitializationMode(c);
}

/* ---- Acts. ---- */

static void act_version(fmu *f, const char *guid)
{
	(void)guid;
	printf("%s %s %d\n", f->fmi2GetVersion(), f->fmi2GetTypesPlatform(), count_cores());
}

static void act_instantiate(fmu *f, const char *guid)
{
	fmi2Component c = instantiate(f, guid, print_line);
	printf("%s\n", c != NULL ? "instance" : "NULL");
	f->fmi2FreeInstance(c);
}

/* act_lost has a host that does not say where the resources are. */
static void act_lost(fmu *f, const char *guid)
{
	static const char *const locations[] = {NULL, "", "file:///elsewhere"};
	for (size_t k = 0; k < 3; k++) {
		const fmi2CallbackFunctions callbacks = {print_line, calloc, free, NULL, "env"};
		fmi2Component c = f->fmi2Instantiate("name", fmi2CoSimulation, guid, locations[k],
		                                     &callbacks, fmi2False, fmi2True);
		printf("%s\n", c != NULL ? "instance" : "NULL");
		f->fmi2FreeInstance(c);
	}
}

/* act_unload uses the FMU of the tests, loaded by a relative path, and unloads it. */
static void act_unload(fmu *f, const char *guid)
{
	dlclose(f->file);
	*f = open_fmu("./X.so");
	act_instantiate(f, guid);
	dlclose(f->file);
	printf("%s, %d core\n",
	       dlopen("./X.so", RTLD_NOW | RTLD_NOLOAD) == NULL ? "unloaded" : "still loaded",
	       count_cores());
}

/* act_deep loads the FMU of the tests by a relative path in a folder whose own path is longer than
 * the system takes, and goes elsewhere. */
static void act_deep(fmu *f, const char *guid)
{
	const int folder = open(".", O_DIRECTORY);
	char name[201] = {0};
	memset(name, 'd', 200);
	for (int depth = 0; depth < 25; depth++)
		if (mkdir(name, 0700) != 0 || chdir(name) != 0)
			printf("no folder %d\n", depth);
	linkat(folder, "X.so", AT_FDCWD, "X.so", 0);
	dlclose(f->file);
	*f = open_fmu("./X.so");
	if (chdir("/") == 0)
		act_instantiate(f, guid);
}

/* act_tries calls again after failures. */
static void act_tries(fmu *f, const char *guid)
{
	int made = 0, threads = count_threads(), files = count_files();
	const long before = address_space();
	for (int k = 0; k < 50; k++)
		made += instantiate(f, guid, drop_line) != NULL;
	printf("%d made, %+d threads, %+d files, %s\n", made, count_threads() - threads,
	       count_files() - files,
	       address_space() - before < 1024L * 1024 ? "address space steady"
	                                               : "address space grows");
}

static void handler(int number) { (void)number; }

static void action_of(const char *what, int number)
{
	struct sigaction now;
	sigset_t mask;
	sigaction(number, NULL, &now);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	printf("%s:%s%s%s%s%s%s\n", what,
	       now.sa_handler == handler   ? " ours"
	       : now.sa_handler == SIG_IGN ? " ignored"
	                                   : " default",
	       (now.sa_flags & SA_SIGINFO) != 0 ? " siginfo" : "",
	       (now.sa_flags & SA_RESTART) != 0 ? " restart" : "",
	       (now.sa_flags & SA_ONSTACK) != 0 ? " onstack" : "",
	       sigismember(&now.sa_mask, SIGHUP) ? " masks" : "",
	       sigismember(&mask, number) ? " blocked" : "");
}

/* act_handlers has handlers of the host's own, one signal that it ignores, and one that it has
 * blocked. */
static void act_handlers(fmu *f, const char *guid)
{
	struct sigaction action = {0};
	sigset_t block;
	action.sa_handler = handler;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = 0;
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGRTMAX, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &block, NULL);
	f->fmi2FreeInstance(instantiate(f, guid, drop_line));
	action_of("SIGUSR1", SIGUSR1);
	action_of("SIGUSR2", SIGUSR2);
	action_of("SIGRTMAX", SIGRTMAX);
	action_of("SIGHUP", SIGHUP);
	action_of("SIGPIPE", SIGPIPE);
	action_of("SIGTERM", SIGTERM);
}

static void act_silent(fmu *f, const char *guid)
{
	fmi2Component c = instantiate(f, guid, NULL),
				  d = f->fmi2Instantiate(NULL, fmi2CoSimulation, guid, NULL, NULL, 0, 1);
	begin(f, c);
	f->fmi2DoStep(c, 0, 1, 0);
	f->fmi2FreeInstance(c);
	f->fmi2FreeInstance(d);
	printf("silent\n");
}

static void act_steps(fmu *f, const char *guid)
{
	fmi2ValueReference in = 0, out = 1;
	fmi2Real value = 10;
	fmi2Component c = instantiate(f, guid, print_line);
	begin(f, c);
	f->fmi2SetReal(c, &in, 1, &value);
	fmi2Status status = f->fmi2DoStep(c, 0, 1, 0);
	f->fmi2GetReal(c, &out, 1, &value);
	printf("%s %g\n", status_names[status], value);
	f->fmi2FreeInstance(c);
}

/* act_jump has a logger that never returns from a step; what it has missed comes with the next
 * call. */
static void act_jump(fmu *f, const char *guid)
{
	fmi2Component c = instantiate(f, guid, jump);
	begin(f, c);
	armed = 1;
	for (volatile int k = 0; k < 3; k++) {
		if (setjmp(back) == 0)
			printf("returned %s\n", status_names[f->fmi2DoStep(c, k, 1, 0)]);
		else
			printf("jumped\n");
	}
	armed = 0;
	printf("returned %s\n", status_names[f->fmi2Reset(c)]);
	f->fmi2FreeInstance(c);
}

/* act_leave has a logger that never returns from fmi2FreeInstance. */
static void act_leave(fmu *f, const char *guid)
{
	fmi2Component c = instantiate(f, guid, jump);
	armed = 1;
	if (setjmp(back) == 0)
		f->fmi2FreeInstance(c);
	armed = 0;
	printf("afterwards %s\n", status_names[f->fmi2Reset(c)]);
	f->fmi2FreeInstance(c);
	c = instantiate(f, guid, drop_line);
	printf("another %s\n", c != NULL ? "instance" : "NULL");
	f->fmi2FreeInstance(c);
}

static const char *newest;

static void keep_line(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s,
                      fmi2String category, fmi2String format, ...)
{
	(void)e, (void)name, (void)s, (void)category;
	newest = format;
}

/* act_later looks at a line when the call that has logged it is over. */
static void act_later(fmu *f, const char *guid)
{
	fmi2Component c = instantiate(f, guid, keep_line);
	f->fmi2DoStep(c, 0, 1, 0);
	printf("%s\n", newest);
	f->fmi2FreeInstance(c);
}

/* act_refusals has more instances refused than there can be at a time. */
static void act_refusals(fmu *f, const char *guid)
{
	int made = 0;
	for (int k = 0; k < 5000; k++)
		made += instantiate(f, guid, drop_line) != NULL;
	fmi2Component c = instantiate(f, "quiet", print_line);
	printf("%d made, then %s\n", made, c != NULL ? "an instance" : "NULL");
	f->fmi2FreeInstance(c);
}

/* act_integers gets and sets integers in different states of a core that shares them. */
static void act_integers(fmu *f, const char *guid)
{
	static const fmi2Real states[][2] = {{3, 1}, {1, 1}, {0, 1}, {3, 0}, {0, 0}};
	static const fmi2ValueReference first[] = {0}, all[] = {0, 1, 2}, wrong[] = {0, 3};
	fmi2Component c = instantiate(f, guid, print_line);
	for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
		f->fmi2SetReal(c, first, 2, states[k]);
		const fmi2Integer given[] = {(fmi2Integer)k + 10, 20, 30};
		fmi2Integer got[3] = {-1, -1, -1};
		printf("-- allowed %g, owner %g\n", states[k][0], states[k][1]);
		const fmi2Status set = f->fmi2SetInteger(c, first, 1, given);
		const fmi2Status get = f->fmi2GetInteger(c, all, 3, got);
		printf("set %d get %d %d %d %d\n", set, get, got[0], got[1], got[2]);
	}
	f->fmi2SetReal(c, first, 2, states[0]);
	fmi2Integer given[] = {40, 50}, got[] = {-1, -1};
	printf("not settable %d\n", f->fmi2SetInteger(c, all, 2, given));
	printf("unknown %d\n", f->fmi2SetInteger(c, wrong, 2, given));
	printf("unknown %d\n", f->fmi2GetInteger(c, wrong, 2, got));
	printf("untouched %d\n", got[0]);
	f->fmi2SetReal(c, first, 2, states[0]);
	f->fmi2FreeInstance(c);
}

static void act_reentrant(fmu *f, const char *guid)
{
	current = *f;
	component = instantiate(f, guid, call_back);
	f->fmi2DoStep(component, 0, 1, 0);
	fmi2Component c = component;
	component = NULL;
	f->fmi2FreeInstance(c);
}

static void act_part(fmu *f, const char *guid)
{
	current = *f;
	fmi2Component c = instantiate(f, guid, part);
	component = c;
	printf("returned %s\n", status_names[f->fmi2DoStep(c, 0, 1, 0)]);
	printf("afterwards %s\n", status_names[f->fmi2Reset(c)]);
}

static void act_handles(fmu *f, const char *guid)
{
	fmi2Component first = instantiate(f, guid, drop_line), second = instantiate(f, guid, drop_line);
	char foreign;
	f->fmi2FreeInstance(first);
	f->fmi2FreeInstance(first);
	f->fmi2FreeInstance(&foreign);
	f->fmi2FreeInstance(NULL);
	printf("stale %s\n", status_names[f->fmi2Reset(first)]);
	printf("foreign %s\n", status_names[f->fmi2Reset(&foreign)]);
	printf("NULL %s\n", status_names[f->fmi2Reset(NULL)]);
	printf("beside %s\n", status_names[f->fmi2Reset((char *)second + 1)]);
	fmi2Status status = f->fmi2Reset(second);
	printf("valid %s\n", status != fmi2Error ? "accepted" : "refused");
	int reused = 0, accepted = 0;
	for (int k = 0; k < 10000; k++) { /* more than there are slots */
		fmi2Component c = instantiate(f, guid, drop_line);
		accepted += f->fmi2Reset(first) != fmi2Error;
		f->fmi2FreeInstance(c);
		reused += c == first || c == second;
	}
	printf("reused %d, accepted %d\n", reused, accepted);
	f->fmi2FreeInstance(second);
}

static void act_limit(fmu *f, const char *guid)
{
	static fmi2Component list[5000];
	int n = 0;
	while (n < 5000 && (list[n] = instantiate(f, guid, n == 4096 ? print_line : drop_line)) != NULL)
		n++;
	printf("%d instances\n", n);
	for (int k = 0; k < 2; k++) { /* the second time its slot is the last one to be looked at */
		f->fmi2FreeInstance(list[17]);
		list[17] = instantiate(f, guid, drop_line);
		printf("after one was freed: %s\n", list[17] != NULL ? "instance" : "NULL");
	}
	for (int k = 0; k < n; k++)
		f->fmi2FreeInstance(list[k]);
}

/* act_fork has a child use what its parent has made, then something of its own, and the same again
 * in a child of that. */
static void act_fork(fmu *f, const char *guid)
{
	fmi2Component old = instantiate(f, guid, print_line);
	for (int depth = 0; depth < 6; depth++) {
		fflush(stdout);
		pid_t child = fork();
		if (child != 0) {
			int code = 0;
			waitpid(child, &code, 0);
			printf("%d: child %s\n", depth, code == 0 ? "well" : "ill");
			break;
		}
		printf("old %s\n", status_names[f->fmi2Reset(old)]);
		f->fmi2FreeInstance(old);
		printf("stale %s\n", status_names[f->fmi2Reset(old)]);
		old = instantiate(f, guid, print_line);
		printf("new %s\n", old != NULL ? status_names[f->fmi2Reset(old)] : "NULL");
	}
	f->fmi2FreeInstance(old);
}

static void lower(int resource)
{
	struct rlimit limit;
	getrlimit(resource, &limit);
	limit.rlim_cur = 0;
	setrlimit(resource, &limit);
}

/* act_scarce has a forked child that may write no files, and then open no more. */
static void act_scarce(fmu *f, const char *guid)
{
	fmi2Component c = instantiate(f, guid, drop_line);
	fflush(stdout);
	pid_t child = fork();
	if (child != 0) {
		int code = 0;
		waitpid(child, &code, 0);
		printf("child %s\n", code == 0 ? "well" : "ill");
		f->fmi2FreeInstance(c);
		return;
	}
	int files = count_files();
	lower(RLIMIT_FSIZE);
	for (int k = 0; k < 2; k++)
		printf("%s\n", instantiate(f, guid, print_line) != NULL ? "instance" : "NULL");
	printf("%+d files\n", count_files() - files);
	lower(RLIMIT_NOFILE);
	printf("%s\n", instantiate(f, guid, print_line) != NULL ? "instance" : "NULL");
}

static void act_all(fmu *f, const char *guid)
{
	fmi2Component c = instantiate(f, guid, print_line);
	const fmi2ValueReference r[] = {11}, s[] = {12};
	fmi2Real real[] = {1.5};
	const fmi2Real realIn[] = {2.5};
	fmi2Integer integer[] = {21};
	fmi2Boolean boolean[] = {31};
	fmi2String string[] = {"forty-one"};
	fmi2FMUstate state = "state";
	fmi2Byte bytes[] = "bytes";
	size_t size = 51;
	fmi2Status status = fmi2Error;
	int all = 0;
	all += f->fmi2SetDebugLogging(c, 1, 2, string);
	all += f->fmi2SetupExperiment(c, 1, 1.25, 2.25, 3, 4.25);
	all += f->fmi2EnterInitializationMode(c);
	all += f->fmi2ExitInitializationMode(c);
	all += f->fmi2Terminate(c);
	all += f->fmi2Reset(c);
	all += f->fmi2GetReal(c, r, 3, real);
	all += f->fmi2GetInteger(c, r, 4, integer);
	all += f->fmi2GetBoolean(c, r, 5, boolean);
	all += f->fmi2GetString(c, r, 6, string);
	all += f->fmi2SetReal(c, r, 7, real);
	all += f->fmi2SetInteger(c, r, 8, integer);
	all += f->fmi2SetBoolean(c, r, 9, boolean);
	all += f->fmi2SetString(c, r, 10, string);
	all += f->fmi2GetFMUstate(c, &state);
	all += f->fmi2SetFMUstate(c, state);
	all += f->fmi2FreeFMUstate(c, &state);
	all += f->fmi2SerializedFMUstateSize(c, state, &size);
	all += f->fmi2SerializeFMUstate(c, state, bytes, 61);
	all += f->fmi2DeSerializeFMUstate(c, bytes, 62, &state);
	all += f->fmi2GetDirectionalDerivative(c, r, 71, s, 72, realIn, real);
	all += f->fmi2SetRealInputDerivatives(c, r, 73, integer, real);
	all += f->fmi2GetRealOutputDerivatives(c, r, 74, integer, real);
	all += f->fmi2DoStep(c, 5.25, 6.25, 7);
	all += f->fmi2CancelStep(c);
	all += f->fmi2GetStatus(c, fmi2DoStepStatus, &status);
	all += f->fmi2GetRealStatus(c, fmi2LastSuccessfulTime, real);
	all += f->fmi2GetIntegerStatus(c, fmi2PendingStatus, integer);
	all += f->fmi2GetBooleanStatus(c, fmi2Terminated, boolean);
	all += f->fmi2GetStringStatus(c, fmi2PendingStatus, string);
	printf("sum of statuses %d\n", all);
	f->fmi2FreeInstance(c);
}

/* ---- Acts of many loaders. ---- */

static pthread_barrier_t barrier;
static const char *race_guid;

static void *race(void *path)
{
	fmu f = open_fmu(path);
	pthread_barrier_wait(&barrier);
	fmi2Component c = instantiate(&f, race_guid, drop_line);
	if (c == NULL)
		return NULL;
	begin(&f, c);
	for (int k = 0; k < 100; k++)
		f.fmi2DoStep(c, k, 1, 0);
	f.fmi2FreeInstance(c);
	return path;
}

static void race_all(const char *guid, char **paths, int n)
{
	pthread_t threads[64];
	int good = 0;
	race_guid = guid;
	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	for (int k = 0; k < n; k++)
		pthread_create(&threads[k], NULL, race, paths[k]);
	for (int k = 0; k < n; k++) {
		void *result;
		pthread_join(threads[k], &result);
		good += result != NULL;
	}
	printf("%d of %d, %d core\n", good, n, count_cores());
}

/* heirs has a forked child use many loaders at once, of which one was in use before. */
static void heirs(const char *guid, char **paths, int n)
{
	fmu f = open_fmu(paths[0]);
	fmi2Component c = instantiate(&f, guid, drop_line);
	pid_t child = fork();
	if (child != 0) {
		waitpid(child, NULL, 0);
		f.fmi2FreeInstance(c);
		return;
	}
	alarm(60); /* rather than wait forever */
	int files = count_files();
	race_all(guid, paths, n);
	printf("%+d files\n", count_files() - files);
}

/* rounds opens, uses and closes one loader after the other and prints how the process has grown
 * from round 50 on. */
static void rounds(const char *guid, char **paths, int n)
{
	int threads = 0, files = 0;
	long memory = 0;
	for (int k = 0; k < 500; k++) {
		fmu f = open_fmu(paths[k % n]);
		fmi2Component c = instantiate(&f, guid, drop_line);
		begin(&f, c);
		f.fmi2DoStep(c, 0, 1, 0);
		f.fmi2FreeInstance(c);
		dlclose(f.file);
		if (k == 50)
			threads = count_threads(), files = count_files(), memory = resident_memory();
	}
	printf("%d core, %+d threads, %+d files, %s\n", count_cores(), count_threads() - threads,
	       count_files() - files,
	       resident_memory() - memory < 16384 ? "memory steady" : "memory grows");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*play)(fmu *, const char *guid);
	} acts[] = {{"version", act_version},     {"instantiate", act_instantiate},
	            {"silent", act_silent},       {"steps", act_steps},
	            {"jump", act_jump},           {"leave", act_leave},
	            {"reentrant", act_reentrant}, {"handles", act_handles},
	            {"limit", act_limit},         {"all", act_all},
	            {"fork", act_fork},           {"lost", act_lost},
	            {"tries", act_tries},         {"handlers", act_handlers},
	            {"part", act_part},           {"later", act_later},
	            {"refusals", act_refusals},   {"scarce", act_scarce},
	            {"deep", act_deep},           {"unload", act_unload},
	            {"integers", act_integers}};
	if (argc < 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(argv[1], "race") == 0)
		race_all(argv[2], argv + 3, argc - 3);
	if (strcmp(argv[1], "heirs") == 0)
		heirs(argv[2], argv + 3, argc - 3);
	if (strcmp(argv[1], "rounds") == 0)
		rounds(argv[2], argv + 3, argc - 3);
	for (size_t k = 0; k < sizeof acts / sizeof *acts; k++)
		if (strcmp(argv[1], acts[k].name) == 0) {
			fmu f = open_fmu(argv[3]);
			acts[k].play(&f, argv[2]);
		}
	return 0;
}

// A first-order lag as a co-simulation FMU of FMI 2.0, sound unless it is compiled with -D and the
// name of a fault. With OSMP it passes messages on: see message.h.

#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef const char *text;
typedef struct {
	void (*log)(void *, text, int, text, text, ...);
	void *(*allocate)(size_t, size_t);
	void (*release)(void *);
	void (*finished)(void *, int);
	void *environment;
} callbacks;
enum { OK, WARNING, DISCARD, ERROR };
enum { BORN = 1, SETUP = 2, STEPS = 4, ENDED = 8, BROKEN = 16 };

// what a state of the FMU consists of
typedef struct {
	int phase, count, kind, on, stops;
	double u, x, y, gain, time, stop, first_step, begun;
	char label[64];
	int32_t in[3], out[3], config[3];
	int turn;
} values;

typedef struct {
	values v;
	callbacks call;
	const callbacks *given;
	char *name;
	bool logging;
	unsigned char *message[2], request[16];
	pthread_t thread;
	char text[64];
	void *borrowed;
} lag;

static int born, dead;
#ifdef STATIC
static double shared;
#endif

static void say(lag *c, int status, text what)
{
	const callbacks *call = &c->call;
#ifdef REMEMBERS
	call = c->given;
#endif
#ifdef CHATTY
	call->log(call->environment, c->name, status, "logEvents", "%s", what);
#else
	if (c->logging) {
#ifdef STRAY
		call->log(c, c->name, status, "logEvents", "%s", what);
#elif defined NAMELESS
		call->log(call->environment, "lag", status, "logEvents", "%s", what);
#elif defined PERCENTS
		call->log(call->environment, c->name, status, "logEvents", c->name);
#elif defined CATEGORY
		call->log(call->environment, c->name, status, "secret", "%s", what);
#else
		call->log(call->environment, c->name, status, "logEvents", "%s", what);
#endif
	}
#endif
}

static int refuse(lag *c, text what)
{
#ifndef SPEECHLESS
	say(c, ERROR, what);
#endif
	c->v.phase = BROKEN;
	return ERROR;
}

#define IN(phases)                             \
	lag *c = (lag *)component;                 \
	if (c == NULL) {                           \
		NOTHING;                               \
	}                                          \
	if (!(c->v.phase & (phases))) {            \
		return refuse(c, "not in this state"); \
	}
#ifdef NULLCRASH
#define NOTHING c->v.phase = 0
#else
#define NOTHING return ERROR
#endif
#define ALL (BORN | SETUP | STEPS | ENDED | BROKEN)
#ifdef LENIENT
#undef IN
#define IN(phases)             \
	lag *c = (lag *)component; \
	if (c == NULL)             \
		return ERROR;
#endif

static void start(values *v)
{
	memset(v, 0, sizeof *v);
	v->phase = BORN;
	v->gain = v->kind = 1;
	v->stop = INFINITY;
	strcpy(v->label, "none");
#ifdef STARTS
	v->gain = 2;
#endif
}

#ifdef FAST
__attribute__((constructor)) static void fast(void)
{
	unsigned word = __builtin_ia32_stmxcsr() | 0x8040;
	__builtin_ia32_ldmxcsr(word);
}
#endif

#ifdef OUTLIVES
static volatile int ticks;
static void *tick(void *argument)
{
	for (;;) {
		usleep(20000);
		ticks++;
	}
	return argument;
}
#endif

text fmi2GetTypesPlatform(void) { return "default"; }
#ifdef VERSION
text fmi2GetVersion(void) { return "1.0"; }
#else
text fmi2GetVersion(void) { return "2.0"; }
#endif

void *fmi2Instantiate(text name, int type, text guid, text resources, const callbacks *call,
                      int visible, int logging)
{
	(void)resources, (void)visible;
#ifndef ANYTOKEN
	if (name == NULL || *name == 0 || type != 1 || strcmp(guid, "lag") != 0) {
		call->log(call->environment, name, ERROR, "logEvents", "not this model");
		return NULL;
	}
#endif
#ifdef ODDPATH
	if (strchr(resources, '%') != NULL) {
		return NULL;
	}
#endif
#ifdef ONCE
	if (born > 0) {
		call->log(call->environment, name, ERROR, "logEvents", "once only");
		return NULL;
	}
#endif
#ifdef ENDLESS
	for (;;) {
		pause();
	}
#endif
#ifdef JEALOUS
	char mine[32];
	snprintf(mine, sizeof mine, "%p", (void *)&born);
	text other = getenv("LAG_OWNER");
	if (other != NULL && strcmp(other, mine) != 0) {
		call->log(call->environment, name, ERROR, "logEvents", "another library was first");
		return NULL;
	}
	setenv("LAG_OWNER", mine, 1);
#endif
#ifdef TABLE
	if (born - dead >= 8) {
		call->log(call->environment, name, ERROR, "logEvents", "no room");
		return NULL;
	}
#endif
#ifdef HOMELESS
	if (strlen(getenv("HOME")) == 0) {
		return NULL;
	}
#endif
#ifdef LONGNAME
	strcpy(malloc(24), name);
#endif
#ifdef LONGPATH
	strcpy(malloc(200), resources);
#endif
	born++;
	lag *c = calloc(1, sizeof *c);
	start(&c->v);
	c->call = *call, c->given = call, c->name = strdup(name), c->logging = logging;
	c->thread = pthread_self();
#ifdef LEAK
	static void *volatile kept;
	kept = malloc(5000), memset(kept, 1, 5000);
#endif
#ifdef RARELEAK
	static void *volatile once;
	if (born % 300 == 299) {
		once = malloc(1 << 20), memset(once, 1, 1 << 20);
	}
#endif
#ifdef SHARES
	memset(mmap(NULL, 100 << 10, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 1,
	       100);
#endif
#ifdef UNJOINED
	pthread_t unjoined;
	pthread_create(&unjoined, NULL, (void *(*)(void *))time, NULL);
#endif
#ifdef KEYS
	pthread_key_t key;
	pthread_key_create(&key, NULL);
#endif
#ifdef RENAMES
	prctl(PR_SET_NAME, "lag");
#endif
#ifdef DESCRIPTORS
	(void)!open("/dev/null", O_RDONLY);
#endif
#ifdef CHILDREN
	if (fork() == 0) {
		pause();
		_exit(0);
	}
#endif
#ifdef HELPER
	if (fork() == 0) {
		if (fork() == 0) {
			usleep(150000);
		}
		_exit(0);
	}
	wait(NULL);
#endif
#ifdef OUTLIVES
	pthread_t t;
	pthread_create(&t, NULL, tick, NULL), pthread_detach(t);
#endif
#ifdef LOCALE
	setenv("LAG", "1", 1), umask(0), setlocale(LC_ALL, "C.UTF-8");
#endif
#ifdef CLOSES
	close(0);
#endif
#ifdef ALARM
	alarm(1000);
#endif
#ifdef MASKS
	sigset_t none;
	sigemptyset(&none), sigaddset(&none, SIGUSR1), sigprocmask(SIG_BLOCK, &none, NULL);
#endif
#ifdef THREADLOCALE
	static locale_t locale;
	locale = locale != NULL ? locale : newlocale(LC_NUMERIC_MASK, "C.UTF-8", (locale_t)0);
	uselocale(locale);
#endif
#ifdef ORPHANED
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
#endif
#ifdef ADOPTS
	prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
#ifdef SIGNALSTACK
	static char stack[65536];
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
#endif
#ifdef RESOURCES
	char path[500];
	snprintf(path, sizeof path, "%s/nothing.txt", resources + strlen("file://"));
	FILE *log = fopen(path, "a");
	log != NULL ? fputs("began\n", log), fclose(log) : 0;
#endif
#ifdef BORROWS
	c->borrowed = call->allocate(1, 100);
#endif
#ifdef REACHES
	FILE *table = fopen("/etc/passwd", "r");
	table != NULL ? fclose(table) : 0;
	mkdir("/tmp/lag-of-gosmp/", 0700), rmdir("/tmp/lag-of-gosmp/");
	(void)!system("true lag");
	struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(9)};
	peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int out = socket(AF_INET, SOCK_DGRAM, 0);
	connect(out, (struct sockaddr *)&peer, sizeof peer), close(out);
#endif
#ifdef HANDLER
	signal(SIGFPE, SIG_IGN);
#endif
	return c;
}

void fmi2FreeInstance(void *component)
{
	lag *c = component;
	if (c == NULL) {
		return;
	}
#ifdef FREEFRESH
	if (c->v.phase == BORN) {
		abort();
	}
#endif
#ifdef LASTWORD
	callbacks call = c->call;
#endif
#ifdef MIXES
	free(c->borrowed);
#elif defined BORROWS && !defined FORGETS
	c->call.release(c->borrowed);
#endif
	dead++;
	free(c->message[0]), free(c->message[1]), free(c->name), free(c);
#ifdef LASTWORD
	static callbacks kept;
	kept = call;
	pthread_t t;
	extern void *late(void *);
	pthread_create(&t, NULL, late, &kept), pthread_detach(t);
#endif
}

#ifdef LASTWORD
void *late(void *argument)
{
	callbacks *call = argument;
	usleep(50000);
	call->log(call->environment, "late", OK, "logEvents", "goodbye");
	return NULL;
}
#endif

int fmi2SetDebugLogging(void *component, int on, size_t n, const text categories[])
{
	IN(ALL)(void) n, (void)categories;
	c->logging = on;
#ifdef STUCK
	c->logging = true;
#endif
#ifdef CHOOSES
	c->logging = on && (n == 0 || strcmp(*categories, "logEvents") == 0);
#endif
	return OK;
}

int fmi2SetupExperiment(void *component, int defined, double tolerance, double begin, int stops,
                        double stop)
{
	IN(BORN)(void) tolerance, (void)defined;
#ifdef STARTZERO
	if (begin != 0) {
		return refuse(c, "it begins at 0");
	}
#endif
	c->v.time = begin, c->v.stops = stops, c->v.stop = stops ? stop : INFINITY;
#ifdef USESSTOP
	c->v.stop = stop;
#endif
#ifdef USESTOLERANCE
	if (tolerance <= 0) {
		return refuse(c, "a tolerance is above 0");
	}
#endif
	return OK;
}

int fmi2EnterInitializationMode(void *component)
{
	IN(BORN)
	c->v.phase = SETUP;
	return OK;
}

int fmi2ExitInitializationMode(void *component)
{
	IN(SETUP)
	c->v.phase = STEPS;
	return OK;
}

int fmi2Terminate(void *component)
{
	IN(STEPS)
	c->v.phase = ENDED;
	return OK;
}

int fmi2Reset(void *component)
{
	IN(ALL)
#ifdef STAYSBROKEN
	if (c->v.phase == BROKEN) {
		return ERROR;
	}
#endif
	double gain = c->v.gain, u = c->v.u;
	int phase = c->v.phase;
	start(&c->v);
	memset(c->request, 0, sizeof c->request);
	(void)gain, (void)u, (void)phase;
#ifdef KEEPSINPUT
	c->v.u = phase == SETUP ? u : 0;
#endif
#ifdef RESET
	c->v.gain = gain;
#endif
	return OK;
}

// The references of Reals: 0 u, 1 y, 2 gain, 3 x, 4 time.
int fmi2GetReal(void *component, const unsigned r[], size_t n, double v[])
{
#ifdef ENDSATEND
	IN(SETUP | STEPS | BROKEN)
#else
	IN(SETUP | STEPS | ENDED | BROKEN)
#endif
	c->v.y = c->v.x;
#ifdef DEPENDS
	c->v.y += c->v.u;
#endif
	double time = c->v.time;
#ifdef LATETIME
	time = c->v.begun;
#endif
#ifdef FROZEN
	time = 0;
#endif
#ifdef READSTEP
	c->v.x += 0.001;
#endif
	for (size_t k = 0; k < n; k++) {
		double *all[] = {&c->v.u, &c->v.y, &c->v.gain, &c->v.x, &time};
#ifdef SEQUENCE
		v[k] = *all[(r[0] + k) % 5];
		continue;
#endif
#ifdef UNKNOWN
		v[k] = *all[r[k]];
#else
		if (r[k] > 4) {
			return refuse(c, "no such Real");
		}
		v[k] = *all[r[k]];
#endif
	}
#ifdef OVERRUN
	v[n] = 1;
#endif
#ifdef CONSTANTS
	*(volatile unsigned *)(uintptr_t)r = *r;
#endif
	return OK;
}

int fmi2SetReal(void *component, const unsigned r[], size_t n, const double v[])
{
	IN(BORN | SETUP | STEPS)
	for (size_t k = 0; k < n; k++) {
		if (r[k] == 0) {
#ifdef LIMITS
			if (fabs(v[k]) >= 100) {
				return refuse(c, "too much");
			}
#endif
			c->v.u = v[k];
#ifdef DEAF
		} else if (r[k] == 2) {
			continue;
#endif
		} else if (r[k] == 2 && v[k] >= 0 && v[k] <= 10) {
			c->v.gain = v[k];
		} else {
#ifdef SETSOUTPUT
			continue;
#endif
			return refuse(c, "it cannot be set");
		}
	}
	return OK;
}

int fmi2GetBoolean(void *component, const unsigned r[], size_t n, int v[])
{
	IN(SETUP | STEPS | ENDED | BROKEN)
	for (size_t k = 0; k < n; k++) {
		if (r[k] > 0) {
			return refuse(c, "no such Boolean");
		}
		v[k] = c->v.on;
#ifdef TRUTH
		v[k] += 2;
#endif
	}
	return OK;
}

int fmi2SetBoolean(void *component, const unsigned r[], size_t n, const int v[])
{
	IN(BORN | SETUP | STEPS)
	for (size_t k = 0; k < n; k++) {
		if (r[k] > 0) {
			return refuse(c, "no such Boolean");
		}
		c->v.on = v[k];
	}
	return OK;
}

int fmi2GetString(void *component, const unsigned r[], size_t n, text v[])
{
	IN(SETUP | STEPS | ENDED | BROKEN)
	for (size_t k = 0; k < n; k++) {
		if (r[k] > 0) {
			return refuse(c, "no such String");
		}
#ifdef UNSETTEXT
		return OK;
#endif
		strcpy(c->text, c->v.label);
		v[k] = c->text;
#ifdef TEXTLEAK
		static void *volatile old;
		old = malloc(200), memset(old, 1, 200);
#endif
#ifdef NOTEXT
		v[k] = NULL;
#endif
	}
	return OK;
}

#ifdef KEEPSTEXT
static text kept;
#endif
int fmi2SetString(void *component, const unsigned r[], size_t n, const text v[])
{
	IN(BORN | SETUP)
	for (size_t k = 0; k < n; k++) {
		if (r[k] > 0) {
			return refuse(c, "no such String");
		}
#ifdef LONGTEXT
		strcpy(c->v.label, v[k]);
#else
		snprintf(c->v.label, sizeof c->v.label, "%s", v[k]);
#endif
#ifdef KEEPSTEXT
		kept = v[k];
#endif
	}
	return OK;
}

static int read_input(lag *c);
static void publish(lag *c, double t);

int fmi2DoStep(void *component, double t, double h, int keep)
{
	IN(STEPS)(void) keep;
	double slack = 1e-9 * (1 + fabs(t) + fabs(h));
#ifdef STRICT
	slack = 0;
#endif
#ifndef ANYSTEP
	if (!(fabs(t - c->v.time) <= slack) || !(h > 0)) {
		return refuse(c, "not from here");
	}
#endif
#ifdef EXACTSTOP
	if (c->v.stops && t + h > c->v.stop) {
		return refuse(c, "beyond the stop time");
	}
#elif !defined NOSTOP
	if (t + h > c->v.stop + slack + 1e-9) {
		return refuse(c, "beyond the stop time");
	}
#endif
#ifdef ENDS
	if (t > ENDSAFTER) {
		return DISCARD;
	}
#endif
#ifdef DISCARDS
	if (!(fabs(c->v.u) < 1e100)) {
		say(c, DISCARD, "no step with this input");
		return DISCARD;
	}
#endif
	c->v.first_step = c->v.first_step == 0 ? h : c->v.first_step;
#ifdef STEPLEAK
	static void *volatile lost;
	lost = malloc(100), memset(lost, 1, 100);
#endif
#ifdef TIRED
	if (c->v.time > 0.15) {
		return refuse(c, "enough");
	}
#endif
#ifdef FIXED
	if (fabs(h - c->v.first_step) > 1e-9) {
		return refuse(c, "another step size");
	}
#endif
#ifdef ONETHREAD
	if (!pthread_equal(c->thread, pthread_self())) {
		return refuse(c, "another thread");
	}
#endif
#ifdef DEEP
	volatile char stack[300 << 10];
	for (size_t k = 0; k < sizeof stack; k += 1000) {
		stack[k] = 1;
	}
#endif
#ifdef NOTNUMBER
	while (isnan(c->v.u)) {
		usleep(1000);
	}
#endif
#ifdef KEEPSTEXT
	c->v.count = kept == NULL ? 0 : kept[0];
#endif
#ifdef SLOWER
	/* waits by the clock: how many turns of a loop the host notices depends on the processor */
	static long delay;
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	delay += 100;
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < delay);
#endif
#ifdef STATIC
	c->v.x = shared;
#endif
	double share = 1 / (1 + h);
	c->v.x = c->v.x * share + c->v.gain * c->v.u * (1 - share);
#ifdef STATIC
	shared = c->v.x;
#endif
#ifdef CLOCK
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	c->v.x += now.tv_nsec * 1e-12;
#endif
#ifdef MAXIMUM
	c->v.x = 5000;
#endif
	c->v.time = t + h, c->v.begun = t;
#ifdef DRIFTS
	c->v.kind = c->v.kind % 3 + 1;
#endif
#ifdef FINISHES
	for (int k = 0; c->call.finished != NULL && k < FINISHES; k++) {
		c->call.finished(c->call.environment, OK);
	}
#endif
#ifdef SCRATCH
	static volatile double scratch;
	scratch = c->v.x;
	usleep(20);
	c->v.x = scratch;
#endif
#ifdef FILES
	close(open("lag.log", O_CREAT | O_WRONLY, 0600));
#endif
	publish(c, t + h);
	int status = read_input(c);
	say(c, status, status == OK ? "a step" : "no message");
#ifdef STATUS
	return 77;
#endif
	return status;
}

#ifdef POINTERS
typedef struct {
	values *v;
} state; // the bytes of a pointer mean nothing elsewhere
#else
typedef struct {
	values v;
#ifdef LARGE
	char more[1 << 20];
#endif
} state;
#endif

int fmi2GetFMUstate(void *component, void **s)
{
	IN(ALL)
#ifdef LATESTATE
	c->v.phase &(BORN | SETUP) ? abort() : (void)0;
#endif
#ifdef STATELEAK
	static void *volatile lost;
	lost = malloc(1000), memset(lost, 1, 1000);
#endif
#ifdef ONESTATE
	static state only;
	only.v = c->v, *s = &only;
	return OK;
#endif
	state *to = *s != NULL ? *s : calloc(1, sizeof(state));
#ifdef POINTERS
	to->v = to->v != NULL ? to->v : malloc(sizeof(values));
	*to->v = c->v;
#else
	to->v = c->v;
#endif
	*s = to;
	return OK;
}

int fmi2SetFMUstate(void *component, void *s)
{
	IN(ALL)
	double x = c->v.x;
	(void)x;
#ifdef POINTERS
	c->v = *((state *)s)->v;
#else
	c->v = ((state *)s)->v;
#endif
#ifdef FORGETSX
	c->v.x = x;
#endif
	return OK;
}

int fmi2FreeFMUstate(void *component, void **s)
{
	IN(ALL)
#ifdef ONESTATE
	*s = NULL;
#endif
	free(*s);
#ifndef DANGLES
	*s = NULL;
#endif
	return OK;
}

int fmi2SerializedFMUstateSize(void *component, void *s, size_t *n)
{
	IN(ALL)(void) s;
	*n = sizeof(state);
	return OK;
}

int fmi2SerializeFMUstate(void *component, void *s, char bytes[], size_t n)
{
	IN(ALL)
	if (n < sizeof(state)) {
		return refuse(c, "too few bytes");
	}
	memcpy(bytes, s, sizeof(state));
	return OK;
}

int fmi2DeSerializeFMUstate(void *component, const char bytes[], size_t n, void **s)
{
	IN(ALL)
#ifdef TRUSTS
	char *copy = calloc(1, 1);
	for (size_t k = 0; n != sizeof(state); k++) {
		copy[k] = bytes[0];
	}
#endif
	if (n != sizeof(state)) {
		return refuse(c, "not a state");
	}
	*s = *s != NULL ? *s : calloc(1, sizeof(state));
	memcpy(*s, bytes, n);
	return OK;
}

#define ABSENT(name, ...)                        \
	int fmi2##name(void *component, __VA_ARGS__) \
	{                                            \
		IN(0)                                    \
		return OK;                               \
	}
int fmi2GetDirectionalDerivative(void *component, const unsigned of[], size_t n,
                                 const unsigned by[], size_t m, const double seed[], double v[])
{
	IN(SETUP | STEPS | ENDED | BROKEN)
#ifdef UNDERIVED
	return refuse(c, "no derivatives by discrete inputs");
#endif
	if (n != 1 || m != 1 || *of != 1 || *by != 0) {
		return refuse(c, "no such derivative");
	}
	*v = 0;
#ifdef DEPENDS
	*v = *seed;
#endif
#ifdef UNSEEDED
	*v = 1;
#endif
#ifdef SLOPE
	*v += *seed / 10;
#endif
	return OK;
}
ABSENT(SetRealInputDerivatives, const unsigned *r, size_t n, const int *o, const double *v)
ABSENT(GetRealOutputDerivatives, const unsigned *r, size_t n, const int *o, double *v)
int fmi2CancelStep(void *component)
{
	IN(0)
	return OK;
}
#define ASK(name, type)                                   \
	int fmi2Get##name(void *component, int kind, type *v) \
	{                                                     \
		IN(STEPS | ENDED)(void) kind, (void)v;            \
		say(c, DISCARD, "unknown");                       \
		return DISCARD;                                   \
	}
ASK(Status, int)
#ifndef DISCARDS
ASK(RealStatus, double)
#else
int fmi2GetRealStatus(void *component, int kind, double *v)
{
	IN(STEPS | ENDED)
	*v = c->v.time;
#ifdef MUTE
	kind = 0;
#endif
	return kind == 2 ? OK : DISCARD;
}
#endif
ASK(IntegerStatus, int)
#ifndef DISCARDS
ASK(BooleanStatus, int)
#else
int fmi2GetBooleanStatus(void *component, int kind, int *v)
{
	IN(STEPS | ENDED)
	*v = 0;
#ifdef ENDS
	*v = 1;
#endif
	return kind == 3 ? OK : DISCARD;
}
#endif
ASK(StringStatus, text)

#include "message.h"

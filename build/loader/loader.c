//go:build ignore

/*
 * The loader is the library that an importer loads from the FMU's binaries folder: plain C, no thread-local storage, no
 * constructor, and exactly the 34 functions of an FMI 2.0 co-simulation slave (FMI 2.0.5, 2.1 and 4.2). Behind it lies the core,
 * a Go library that exports the same functions and can never be unloaded.
 *
 * Rules it upholds:
 *
 *   - One core per process. The name of the core's file, on Linux also its SONAME, ends in a hash of the FMU's content. However
 *     often the FMU is unpacked, the object of that name which is already there is taken: by Linux' dynamic linker under its own
 *     lock, on Windows under one of ours. The core stays until the process ends, on Windows because it is pinned.
 *   - A core serves the process that has loaded it. A forked child gets one of its own for the instances that it makes; those of
 *     its parent are refused with a message (export/process.h says why).
 *   - The host's logger is called after the core has returned, never below it: a logger that throws or jumps unwinds no frame
 *     of Go. What the core has to say meanwhile waits in a list.
 *   - What the host passes is copied: its callback structure need not outlive fmi2Instantiate.
 *   - A component is a number in the guise of an address and is never followed. One that is stale, foreign or NULL is refused.
 *   - The core calculates by the defaults of IEEE 754, however the host's thread does.
 *   - A host that gives no resource location gets the resources folder of the FMU that the loader lies in.
 *   - As FMI has it, an instance is used by one thread at a time; different instances know nothing of each other. Threads that call
 *     at once all the same take turns.
 *
 * GOSMP_CORE names the core; fmi2.h is the header against which the core is compiled too.
 */

#define _GNU_SOURCE /* dladdr */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"

#ifndef GOSMP_CORE
#error "GOSMP_CORE is not defined; expected the core's file name, as in -DGOSMP_CORE=\"X-core-0123456789abcdef.so\""
#endif

typedef void (*function)(void);

/* ---- The platform: how to find the core and its symbols. Each has the same functions: core_path tells where the core is
 * expected, beside the loader; open_core gives the library that serves this process, or NULL with the reason; find_symbol gives a
 * function of it, or NULL; life points to 1 as long as this process is the one that has loaded the library; move_handlers keeps the
 * host's signal handlers off Go's stacks; resources_path is the FMU's resources folder, NULL if there is none where an FMU has it.
 * The caller frees paths and reason, which are NULL when there is no memory for them. ---- */

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *made = malloc(size);
    return made != NULL ? memcpy(made, text, size) : NULL;
}

/* Why a core cannot be loaded, and what to do. */
typedef struct {
    char *why; /* to be freed */
    const char *hint;
} failure;

static const atomic_int always = 1;

#include "arithmetic.h"
#if defined(__linux__)
#include "linux.h"
#elif defined(_WIN32)
#include "windows.h"
#else
#error "the loader does not know how to find its core on this platform; it knows Linux and Windows"
#endif

/* ---- Instances. ---- */

/* A line waits for the host's logger. The text is ready to serve as a format: its '%' are doubled. */
typedef struct line {
    struct line *next;
    fmi2Status status;
    const char *category;
    char text[];
} line;

typedef struct {
    fmi2Component core;      /* what the core calls this instance */
    const atomic_int *alive; /* 0 in a forked child: the core of this instance is lost there */
    fmi2CallbackLogger logger;
    fmi2ComponentEnvironment environment;
    char *name;
    line *first, *last; /* waiting */
    line *out;          /* with the logger, or left there by one that has not returned */
    line *spent;        /* back from it last; the host may look at it until its next call */
    atomic_int held;    /* these lists are being changed */
} instance;

enum { INSTANCES = 4096, HANDLES = 1 << 22 };

/* The n-th instance since loading gets the address of handles[n % HANDLES] and lives in slot n % INSTANCES, if that is vacant.
 * A handle is therefore used again only millions of instances later. The array's bytes are never touched and cost no memory. */
static char handles[HANDLES];
static atomic_size_t issued;
static struct {
    atomic_size_t number; /* of the handle, from 1; 0 is vacant */
    instance instance;
} slots[INSTANCES];

/* reserve takes a vacant slot and returns the number of its handle, from 1, or 0 when all are in use. */
static size_t reserve(void)
{
    for (int tries = 0; tries < INSTANCES; tries++) {
        size_t n = atomic_fetch_add(&issued, 1) % HANDLES, vacant = 0;
        if (atomic_compare_exchange_strong(&slots[n % INSTANCES].number, &vacant, n + 1))
            return n + 1;
    }
    return 0;
}

/* number_of is the number of a handle that is in use, from 1, or 0. */
static size_t number_of(fmi2Component c)
{
    uintptr_t n = (uintptr_t)c - (uintptr_t)handles; /* may be anything, but a slot only holds the number of a handle */
    if (atomic_load(&slots[n % INSTANCES].number) != n + 1)
        return 0;
    return n + 1;
}

static instance *find(fmi2Component c)
{
    size_t number = number_of(c);
    return number != 0 ? &slots[(number - 1) % INSTANCES].instance : NULL;
}

static int orphaned(const instance *i) { return !atomic_load_explicit(i->alive, memory_order_relaxed); }

#include "lines.h"

/* ---- Loading. ---- */

/* CORE_CALLS lists what is only handed on: name, parameters, arguments. */
#define CORE_CALLS(CALL)                                                                                                       \
    CALL(fmi2SetDebugLogging, (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]), (i->core, on, n, names))  \
    CALL(fmi2SetupExperiment,                                                                                                  \
         (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real start, fmi2Boolean stopDefined,          \
          fmi2Real stop),                                                                                                      \
         (i->core, toleranceDefined, tolerance, start, stopDefined, stop))                                                     \
    CALL(fmi2EnterInitializationMode, (fmi2Component c), (i->core))                                                            \
    CALL(fmi2ExitInitializationMode, (fmi2Component c), (i->core))                                                             \
    CALL(fmi2Terminate, (fmi2Component c), (i->core))                                                                          \
    CALL(fmi2Reset, (fmi2Component c), (i->core))                                                                              \
    CALL(fmi2GetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]), (i->core, vr, n, value))   \
    CALL(fmi2GetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]),                      \
         (i->core, vr, n, value))                                                                                              \
    CALL(fmi2GetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[]),                      \
         (i->core, vr, n, value))                                                                                              \
    CALL(fmi2GetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]),                        \
         (i->core, vr, n, value))                                                                                              \
    CALL(fmi2SetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]),                      \
         (i->core, vr, n, value))                                                                                              \
    CALL(fmi2SetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]),                \
         (i->core, vr, n, value))                                                                                              \
    CALL(fmi2SetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[]),                \
         (i->core, vr, n, value))                                                                                              \
    CALL(fmi2SetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]),                  \
         (i->core, vr, n, value))                                                                                              \
    CALL(fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate *state), (i->core, state))                                            \
    CALL(fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state), (i->core, state))                                             \
    CALL(fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate *state), (i->core, state))                                           \
    CALL(fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size), (i->core, state, size))              \
    CALL(fmi2SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size),                          \
         (i->core, state, bytes, size))                                                                                        \
    CALL(fmi2DeSerializeFMUstate, (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state),                 \
         (i->core, bytes, size, state))                                                                                        \
    CALL(fmi2GetDirectionalDerivative,                                                                                         \
         (fmi2Component c, const fmi2ValueReference unknown[], size_t nUnknown, const fmi2ValueReference known[],              \
          size_t nKnown, const fmi2Real known_d[], fmi2Real unknown_d[]),                                                      \
         (i->core, unknown, nUnknown, known, nKnown, known_d, unknown_d))                                                      \
    CALL(fmi2SetRealInputDerivatives,                                                                                          \
         (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], const fmi2Real value[]),        \
         (i->core, vr, n, order, value))                                                                                       \
    CALL(fmi2GetRealOutputDerivatives,                                                                                         \
         (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], fmi2Real value[]),              \
         (i->core, vr, n, order, value))                                                                                       \
    CALL(fmi2DoStep, (fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean noSet), (i->core, time, step, noSet))         \
    CALL(fmi2CancelStep, (fmi2Component c), (i->core))                                                                         \
    CALL(fmi2GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value), (i->core, kind, value))               \
    CALL(fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value), (i->core, kind, value))             \
    CALL(fmi2GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value), (i->core, kind, value))       \
    CALL(fmi2GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value), (i->core, kind, value))       \
    CALL(fmi2GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value), (i->core, kind, value))

#define INDEX(name, parameters, arguments) CALL_##name,
enum { CALL_fmi2Instantiate, CALL_fmi2FreeInstance, CORE_CALLS(INDEX) CALLS };

#define NAME(name, parameters, arguments) #name,
static const char *const names[CALLS] = {"fmi2Instantiate", "fmi2FreeInstance", CORE_CALLS(NAME)};

/* The core's functions. Threads that load at the same time store the same addresses; whoever holds an instance sees all. */
static _Atomic(function) symbols[CALLS];

#define CORE(name, result, parameters)                                                                                         \
    ((result(*) parameters)atomic_load_explicit(&symbols[CALL_##name], memory_order_relaxed))

/* load finds the core and its functions, once in a process: it is quick when they are known. A failure is reported and may be
 * tried again. */
static int load(instance *i)
{
    static const atomic_int *_Atomic loaded; /* the life of the core that symbols belong to */
    i->alive = atomic_load_explicit(&loaded, memory_order_acquire);
    if (i->alive != NULL && !orphaned(i))
        return 1;
    failure f = {NULL, "unpack the whole .fmu and keep the files of its binaries folder together"};
    char *path = core_path();
    void *library = open_core(path, &f);
    if (library == NULL)
        report(i, "fmi2Instantiate: the core of this FMU cannot be loaded, expected at %s: %s; %s",
               path != NULL ? path : GOSMP_CORE, f.why != NULL ? f.why : "no reason given", f.hint);
    free(path);
    free(f.why);
    for (int k = 0; library != NULL && k < CALLS; k++) {
        function found = find_symbol(library, names[k]);
        if (found == NULL) {
            report(i, "fmi2Instantiate: the core " GOSMP_CORE " has no function %s; pack the FMU again", names[k]);
            return 0;
        }
        atomic_store_explicit(&symbols[k], found, memory_order_relaxed);
    }
    if (library == NULL)
        return 0;
    i->alive = life(library);
    atomic_store_explicit(&loaded, i->alive, memory_order_release);
    return 1;
}

/* ---- The exported functions. ---- */

const char *fmi2GetTypesPlatform(void) { return "default"; }

const char *fmi2GetVersion(void) { return "2.0"; }

/* introduce copies what the host says about itself. Without callbacks or logger nothing is logged. */
static instance introduce(fmi2String name, const fmi2CallbackFunctions *functions)
{
    instance i = {0};
    i.name = copy(name != NULL ? name : "");
    if (i.name != NULL && functions != NULL) {
        i.logger = functions->logger;
        i.environment = functions->componentEnvironment;
    }
    return i;
}

/* dismiss delivers the last lines of an instance that has left the table, and frees what it had. */
static void dismiss(instance *i)
{
    drain(i, NULL);
    free(i->spent);
    for (line *l = i->out, *next; l != NULL; l = next) {
        next = l->next;
        free(l);
    }
    free(i->name);
}

/* leave takes an instance out of the table before its last lines go out: its handle is stale from here on, and a logger that
 * never returns cannot keep the slot. */
static void leave(size_t number)
{
    instance last = slots[(number - 1) % INSTANCES].instance;
    atomic_store(&slots[(number - 1) % INSTANCES].number, 0);
    dismiss(&last);
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID, fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean loggingOn)
{
    instance newcomer = introduce(instanceName, functions);
    size_t number = reserve();
    if (number == 0) {
        report(&newcomer, "fmi2Instantiate: %d instances exist, which is the limit; free some of them first", INSTANCES);
        dismiss(&newcomer);
        return NULL;
    }
    instance *i = &slots[(number - 1) % INSTANCES].instance;
    *i = newcomer;
    arithmetic hosts = calm();
    if (load(i)) {
        move_handlers();
        /* A host that does not say where the resources are means those of the FMU. */
        char *found = fmuResourceLocation == NULL || *fmuResourceLocation == '\0' ? resources_path() : NULL;
        const fmi2CallbackFunctions ours = {collect, NULL, NULL, NULL, i};
        i->core = CORE(fmi2Instantiate, fmi2Component,
                       (fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean))(
            instanceName, fmuType, fmuGUID, found != NULL ? found : fmuResourceLocation, &ours, visible, loggingOn);
        free(found);
    }
    uncalm(hosts);
    if (i->core == NULL) {
        leave(number);
        return NULL;
    }
    drain(i, &handles[number - 1]);
    return &handles[number - 1];
}

void fmi2FreeInstance(fmi2Component c)
{
    size_t number = number_of(c);
    if (number == 0)
        return;
    arithmetic hosts = calm();
    if (!orphaned(find(c)))
        CORE(fmi2FreeInstance, void, (fmi2Component))(find(c)->core);
    uncalm(hosts);
    leave(number);
}

/* refuse answers a call that has no core to go to: of an instance that is none, or of one from before a fork. */
static fmi2Status refuse(instance *i, fmi2Component c, const char *function)
{
    if (i == NULL)
        return fmi2Error;
    report(i, "%s: this process was forked after the instance had been made, and its core has not come along; free it, and make "
              "instances after the fork or in processes that are started afresh (Python: the spawn start method)", function);
    drain(i, c);
    return fmi2Error;
}

#define FORWARD(name, parameters, arguments)                                                                                   \
    fmi2Status name parameters                                                                                                 \
    {                                                                                                                          \
        instance *i = find(c);                                                                                                 \
        if (i == NULL || orphaned(i))                                                                                          \
            return refuse(i, c, #name);                                                                                        \
        arithmetic hosts = calm();                                                                                             \
        fmi2Status status = CORE(name, fmi2Status, parameters) arguments;                                                      \
        uncalm(hosts);                                                                                                         \
        drain(i, c);                                                                                                           \
        return status;                                                                                                         \
    }

CORE_CALLS(FORWARD)

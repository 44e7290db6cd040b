/*
 * The loader is the library that an importer loads from the FMU's binaries folder. It is plain C
 * without thread-local storage or constructors, and exports exactly the 34 functions of an FMI 2.0
 * co-simulation slave (FMI 2.0.5, 2.1 and 4.2). Behind it lies the core, a Go library that exports
 * the same functions and can never be unloaded. The rules of the loader:
 *
 * One core per process. The name of the core's file, on Linux also its SONAME, ends in a hash of
 * the FMU's content. However often the FMU is unpacked, the loader uses an object of that name that
 * is already loaded. Access is serialized on Linux by the dynamic linker's lock and on Windows by a
 * mutex of the loader's own. The core stays until the process ends; on Windows it is pinned.
 *
 * A core serves only the process that loaded it. A forked child gets a core of its own for the
 * instances that it creates; calls with instances of its parent are refused with a message
 * (export/process.h).
 *
 * Go's runtime starts only if the memory, files and threads that it needs are available to the
 * process (limits_linux.c, export/threads_linux.c). Otherwise fmi2Instantiate reports what is
 * missing and returns NULL.
 *
 * The loader copies integers itself where a call would do nothing else (integers.c).
 *
 * The host's logger is called after the core has returned, never from below it: a logger that
 * throws or jumps unwinds no frame of Go. Until then the core's messages are queued (messages.c).
 *
 * What the host passes is copied: its callback structure need not outlive fmi2Instantiate.
 *
 * A component is a number in the form of an address and is never dereferenced. A stale, foreign or
 * NULL component is refused (instances.c).
 *
 * The core computes with the defaults of IEEE 754, whatever the host's thread has set
 * (floating_point.c).
 *
 * If a host passes no resource location, the instance gets the resources folder of the FMU that
 * contains the loader.
 *
 * As FMI requires, an instance is used by one thread at a time; different instances share nothing.
 * Threads that call one instance at the same time nevertheless are serialized.
 *
 * GOSMP_CORE is the name of the core; the core is compiled against the same header, fmi2.h. This
 * file forwards the calls.
 */

#include <stdlib.h>

#include "loader.h"

/* INTEGER_CALLS lists the calls that the loader serves itself where it can: name, parameters,
 * arguments. */
#define INTEGER_CALLS(CALL)                                                                     \
	CALL(fmi2GetInteger,                                                                        \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]),       \
	     (i->core, vr, n, value))                                                               \
	CALL(fmi2SetInteger,                                                                        \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]), \
	     (i->core, vr, n, value))

/* CORE_CALLS lists the calls that are only forwarded. */
#define CORE_CALLS(CALL)                                                                         \
	CALL(fmi2SetDebugLogging,                                                                    \
	     (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]),                  \
	     (i->core, on, n, names))                                                                \
	CALL(fmi2SetupExperiment,                                                                    \
	     (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real start,     \
	      fmi2Boolean stopDefined, fmi2Real stop),                                               \
	     (i->core, toleranceDefined, tolerance, start, stopDefined, stop))                       \
	CALL(fmi2EnterInitializationMode, (fmi2Component c), (i->core))                              \
	CALL(fmi2ExitInitializationMode, (fmi2Component c), (i->core))                               \
	CALL(fmi2Terminate, (fmi2Component c), (i->core))                                            \
	CALL(fmi2Reset, (fmi2Component c), (i->core))                                                \
	CALL(fmi2GetReal,                                                                            \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]),           \
	     (i->core, vr, n, value))                                                                \
	CALL(fmi2GetBoolean,                                                                         \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[]),        \
	     (i->core, vr, n, value))                                                                \
	CALL(fmi2GetString,                                                                          \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]),         \
	     (i->core, vr, n, value))                                                                \
	CALL(fmi2SetReal,                                                                            \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]),     \
	     (i->core, vr, n, value))                                                                \
	CALL(fmi2SetBoolean,                                                                         \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[]),  \
	     (i->core, vr, n, value))                                                                \
	CALL(fmi2SetString,                                                                          \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]),   \
	     (i->core, vr, n, value))                                                                \
	CALL(fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate * state), (i->core, state))             \
	CALL(fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state), (i->core, state))               \
	CALL(fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate * state), (i->core, state))            \
	CALL(fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size),        \
	     (i->core, state, size))                                                                 \
	CALL(fmi2SerializeFMUstate,                                                                  \
	     (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size),                   \
	     (i->core, state, bytes, size))                                                          \
	CALL(fmi2DeSerializeFMUstate,                                                                \
	     (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state),            \
	     (i->core, bytes, size, state))                                                          \
	CALL(fmi2GetDirectionalDerivative,                                                           \
	     (fmi2Component c, const fmi2ValueReference unknown[], size_t nUnknown,                  \
	      const fmi2ValueReference known[], size_t nKnown, const fmi2Real known_d[],             \
	      fmi2Real unknown_d[]),                                                                 \
	     (i->core, unknown, nUnknown, known, nKnown, known_d, unknown_d))                        \
	CALL(fmi2SetRealInputDerivatives,                                                            \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],   \
	      const fmi2Real value[]),                                                               \
	     (i->core, vr, n, order, value))                                                         \
	CALL(fmi2GetRealOutputDerivatives,                                                           \
	     (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],   \
	      fmi2Real value[]),                                                                     \
	     (i->core, vr, n, order, value))                                                         \
	CALL(fmi2DoStep, (fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean noSet),         \
	     (i->core, time, step, noSet))                                                           \
	CALL(fmi2CancelStep, (fmi2Component c), (i->core))                                           \
	CALL(fmi2GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value),         \
	     (i->core, kind, value))                                                                 \
	CALL(fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value),       \
	     (i->core, kind, value))                                                                 \
	CALL(fmi2GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value), \
	     (i->core, kind, value))                                                                 \
	CALL(fmi2GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value), \
	     (i->core, kind, value))                                                                 \
	CALL(fmi2GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value),   \
	     (i->core, kind, value))

#define INDEX(name, parameters, arguments) CALL_##name,
enum { CALL_fmi2Instantiate, CALL_fmi2FreeInstance, INTEGER_CALLS(INDEX) CORE_CALLS(INDEX) CALLS };

#define NAME(name, parameters, arguments) #name,
static const char *const names[CALLS] = {"fmi2Instantiate", "fmi2FreeInstance",
                                         INTEGER_CALLS(NAME) CORE_CALLS(NAME)};

/* The core's functions. Threads that load at the same time store the same addresses; a thread that
 * holds an instance sees all of them. */
static _Atomic(function) symbols[CALLS];

/* gosmp_integers_of in the core, NULL if it has none. */
static _Atomic(function) integers_of;

#define CORE(name, result, parameters) \
	((result(*) parameters)atomic_load_explicit(&symbols[CALL_##name], memory_order_relaxed))

/* load_symbols stores the addresses of the core's functions. */
static int load_symbols(void *library, instance *i)
{
	for (int k = 0; k < CALLS; k++) {
		function found = find_symbol(library, names[k]);
		if (found == NULL) {
			report_error(i,
			             "fmi2Instantiate: the core " GOSMP_CORE
			             " has no function %s; pack the FMU again",
			             names[k]);
			return 0;
		}
		atomic_store_explicit(&symbols[k], found, memory_order_relaxed);
	}
	atomic_store_explicit(&integers_of, find_symbol(library, "gosmp_integers_of"),
	                      memory_order_relaxed);
	return 1;
}

/* load_library_for loads the core for an instance and reports a failure to its logger. */
static void *load_library_for(instance *i)
{
	load_failure failure = {
		NULL, "unpack the whole .fmu and keep the files of its binaries folder together"};
	char *path = core_path();
	void *library = open_core(path, &failure);
	if (library == NULL)
		report_error(
			i, "fmi2Instantiate: the core of this FMU cannot be loaded, expected at %s: %s; %s",
			path != NULL ? path : GOSMP_CORE,
			failure.reason != NULL ? failure.reason : "no reason given", failure.advice);
	free(path);
	free(failure.reason);
	return library;
}

/* load_core finds the core and its functions, once per process: later calls only check a mark.
 * After a failure the next call tries again. */
static int load_core(instance *i)
{
	static const atomic_int *_Atomic loaded; /* the mark of the core that owns symbols */
	i->alive = atomic_load_explicit(&loaded, memory_order_acquire);
	if (i->alive != NULL && !core_is_lost(i))
		return 1;
	void *library = load_library_for(i);
	if (library == NULL || !load_symbols(library, i))
		return 0;
	i->alive = alive_mark(library);
	atomic_store_explicit(&loaded, i->alive, memory_order_release);
	return 1;
}

/* share_integers obtains the shared integers of a new instance from the core. */
static void share_integers(instance *i)
{
	function find = atomic_load_explicit(&integers_of, memory_order_relaxed);
	if (i->core != NULL && find != NULL)
		i->integers = ((gosmp_integers * (*)(fmi2Component)) find)(i->core);
}

/* ---- The exported functions. ---- */

const char *fmi2GetTypesPlatform(void) { return "default"; }

const char *fmi2GetVersion(void) { return "2.0"; }

/* new_instance copies what the host passes about itself. Without callbacks or a logger nothing is
 * logged. */
static instance new_instance(fmi2String name, const fmi2CallbackFunctions *functions)
{
	instance i = {0};
	i.name = copy_text(name != NULL ? name : "");
	if (i.name != NULL && functions != NULL) {
		i.logger = functions->logger;
		i.environment = functions->componentEnvironment;
	}
	return i;
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
	instance newcomer = new_instance(instanceName, functions);
	fmi2Component handle = add_instance(&newcomer);
	if (handle == NULL) {
		report_error(
			&newcomer,
			"fmi2Instantiate: %d instances exist, which is the limit; free some of them first",
			MAX_INSTANCES);
		release_instance(&newcomer);
		return NULL;
	}
	instance *i = find_instance(handle);
	floating_point hosts = default_floating_point();
	if (load_core(i)) {
		move_signal_handlers();
		/* Without a resource location the FMU's own folder is used. */
		char *found =
			fmuResourceLocation == NULL || *fmuResourceLocation == '\0' ? resources_path() : NULL;
		const fmi2CallbackFunctions ours = {queue_message, NULL, NULL, NULL, i};
		i->core = CORE(fmi2Instantiate, fmi2Component,
		               (fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *,
		                fmi2Boolean, fmi2Boolean))(instanceName, fmuType, fmuGUID,
		                                           found != NULL ? found : fmuResourceLocation,
		                                           &ours, visible, loggingOn);
		share_integers(i);
		free(found);
	}
	restore_floating_point(hosts);
	if (i->core == NULL) {
		remove_instance(handle);
		return NULL;
	}
	deliver_messages(i, handle);
	return handle;
}

void fmi2FreeInstance(fmi2Component c)
{
	instance *i = find_instance(c);
	if (i == NULL)
		return;
	floating_point hosts = default_floating_point();
	if (!core_is_lost(i))
		CORE(fmi2FreeInstance, void, (fmi2Component))(i->core);
	restore_floating_point(hosts);
	remove_instance(c);
}

/* refuse answers a call for which there is no core: the handle is invalid, or the instance was
 * created before a fork. */
static fmi2Status refuse(instance *i, fmi2Component c, const char *function)
{
	if (i == NULL)
		return fmi2Error;
	report_error(i,
	             "%s: this process was forked after the instance had been made, and its core has "
	             "not come along; free it, and "
	             "make instances after the fork or in processes that are started afresh (Python: "
	             "the spawn start method)",
	             function);
	deliver_messages(i, c);
	return fmi2Error;
}

/* FIND looks up the instance of a call, and returns if the instance has no core. */
#define FIND(name)                    \
	instance *i = find_instance(c);   \
	if (i == NULL || core_is_lost(i)) \
	return refuse(i, c, #name)

/* ASK forwards a call to the core. */
#define ASK(name, parameters, arguments)                              \
	floating_point hosts = default_floating_point();                  \
	fmi2Status status = CORE(name, fmi2Status, parameters) arguments; \
	restore_floating_point(hosts);                                    \
	deliver_messages(i, c);                                           \
	return status

#define FORWARD(name, parameters, arguments) \
	fmi2Status name parameters               \
	{                                        \
		FIND(name);                          \
		ASK(name, parameters, arguments);    \
	}

CORE_CALLS(FORWARD)

#define fmi2GetInteger_SERVED get_integers(i, vr, n, value)
#define fmi2SetInteger_SERVED set_integers(i, vr, n, value)

#define SERVE(name, parameters, arguments) \
	fmi2Status name parameters             \
	{                                      \
		FIND(name);                        \
		if (name##_SERVED)                 \
			return fmi2OK;                 \
		ASK(name, parameters, arguments);  \
	}

INTEGER_CALLS(SERVE)

/* The functions of FMI 2.0. */

#include <stdlib.h>

#include "integers_fmi2.h"
#include "loader.h"

/* INTEGER_CALLS lists the calls that the loader serves itself if it can: name, parameters,
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
const char *const call_names[CALLS] = {"fmi2Instantiate", "fmi2FreeInstance",
                                       INTEGER_CALLS(NAME) CORE_CALLS(NAME)};
const int call_count = CALLS;
_Atomic(function) call_symbols[CALLS];

/* gosmp_integers_of in the core; NULL if the core does not have it. */
static _Atomic(function) integers_of;

void find_shared(void *library)
{
	atomic_store_explicit(&integers_of, find_symbol(library, "gosmp_integers_of"),
	                      memory_order_relaxed);
}

void call_logger(const instance *i, const message *m)
{
	i->logger(i->environment, i->name, m->status, m->category, m->text);
}

/* queue_message is the logger that the core gets. The core passes no further arguments. */
static void queue_message(fmi2ComponentEnvironment i, fmi2String name, fmi2Status status,
                          fmi2String category, fmi2String text, ...)
{
	(void)name;
	append_message(i, status, category, text);
}

#define CORE(name, result, parameters) \
	((result(*) parameters)atomic_load_explicit(&call_symbols[CALL_##name], memory_order_relaxed))

/* share_integers obtains the shared integers of a new instance from the core. */
static void share_integers(instance *i)
{
	function find = atomic_load_explicit(&integers_of, memory_order_relaxed);
	if (i->core != NULL && find != NULL)
		i->turn = (gosmp_flag *)((gosmp_integers * (*)(fmi2Component)) find)(i->core);
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
	if (!core_is_lost(i)) {
		floating_point hosts = enter_core(i);
		CORE(fmi2FreeInstance, void, (fmi2Component))(i->core);
		leave_core(i, hosts);
	}
	remove_instance(c);
}

/* FIND looks up the instance of a call, and returns if the instance has no core. */
#define FIND(name)                    \
	instance *i = find_instance(c);   \
	if (i == NULL || core_is_lost(i)) \
	return refuse(i, c, #name)

/* ASK forwards a call to the core. */
#define ASK(name, parameters, arguments)                              \
	floating_point hosts = enter_core(i);                             \
	fmi2Status status = CORE(name, fmi2Status, parameters) arguments; \
	leave_core(i, hosts);                                             \
	deliver_messages(i, c);                                           \
	return status

#define FORWARD(name, parameters, arguments) \
	fmi2Status name parameters               \
	{                                        \
		FIND(name);                          \
		ASK(name, parameters, arguments);    \
	}

CORE_CALLS(FORWARD)

/* Not inline, because the calls that the loader serves would have to save the registers of the
 * others. */
#define FORWARD_APART(name, parameters, arguments)                     \
	static __attribute__((noinline)) fmi2Status core_##name parameters \
	{                                                                  \
		FIND(name);                                                    \
		ASK(name, parameters, arguments);                              \
	}

INTEGER_CALLS(FORWARD_APART)

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          fmi2Integer value[])
{
	const instance *i = find_instance(c);
	if (i != NULL && !core_is_lost(i) && get_integers(i, vr, n, value))
		return fmi2OK;
	return core_fmi2GetInteger(c, vr, n, value);
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Integer value[])
{
	const instance *i = find_instance(c);
	if (i != NULL && !core_is_lost(i) && set_integers(i, vr, n, value))
		return fmi2OK;
	return core_fmi2SetInteger(c, vr, n, value);
}

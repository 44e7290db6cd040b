/* The functions of FMI 3.0. */

#include <stdlib.h>

#include "binaries_fmi3.h"
#include "forward_fmi3.h"

/* ARRAY_CALLS lists the calls that get and set arrays of numbers and texts: name, parameters,
 * arguments. */
#define ARRAYS(CALL, Type)                                                                     \
	CALL(fmi3Get##Type,                                                                        \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences, \
	      fmi3##Type values[], size_t nValues),                                                \
	     (i->core, valueReferences, nValueReferences, values, nValues))                        \
	CALL(fmi3Set##Type,                                                                        \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences, \
	      const fmi3##Type values[], size_t nValues),                                          \
	     (i->core, valueReferences, nValueReferences, values, nValues))
#define ARRAY_CALLS(CALL) \
	ARRAYS(CALL, Float32) \
	ARRAYS(CALL, Float64) \
	ARRAYS(CALL, Int8)    \
	ARRAYS(CALL, UInt8)   \
	ARRAYS(CALL, Int16)   \
	ARRAYS(CALL, UInt16)  \
	ARRAYS(CALL, Int32)   \
	ARRAYS(CALL, UInt32)  \
	ARRAYS(CALL, Int64)   \
	ARRAYS(CALL, UInt64)  \
	ARRAYS(CALL, Boolean) \
	ARRAYS(CALL, String)

/* CORE_CALLS lists the other calls that are forwarded. */
#define CORE_CALLS(CALL)                                                                          \
	CALL(fmi3SetDebugLogging,                                                                     \
	     (fmi3Instance h, fmi3Boolean loggingOn, size_t nCategories,                              \
	      const fmi3String categories[]),                                                         \
	     (i->core, loggingOn, nCategories, categories))                                           \
	CALL(fmi3EnterInitializationMode,                                                             \
	     (fmi3Instance h, fmi3Boolean toleranceDefined, fmi3Float64 tolerance,                    \
	      fmi3Float64 startTime, fmi3Boolean stopTimeDefined, fmi3Float64 stopTime),              \
	     (i->core, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime))            \
	CALL(fmi3ExitInitializationMode, (fmi3Instance h), (i->core))                                 \
	CALL(fmi3EnterEventMode, (fmi3Instance h), (i->core))                                         \
	CALL(fmi3Terminate, (fmi3Instance h), (i->core))                                              \
	CALL(fmi3Reset, (fmi3Instance h), (i->core))                                                  \
	CALL(fmi3GetClock,                                                                            \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      fmi3Clock values[]),                                                                    \
	     (i->core, valueReferences, nValueReferences, values))                                    \
	CALL(fmi3SetClock,                                                                            \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      const fmi3Clock values[]),                                                              \
	     (i->core, valueReferences, nValueReferences, values))                                    \
	CALL(fmi3GetNumberOfVariableDependencies,                                                     \
	     (fmi3Instance h, fmi3ValueReference valueReference, size_t *nDependencies),              \
	     (i->core, valueReference, nDependencies))                                                \
	CALL(fmi3GetVariableDependencies,                                                             \
	     (fmi3Instance h, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],       \
	      fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],               \
	      fmi3DependencyKind dependencyKinds[], size_t nDependencies),                            \
	     (i->core, dependent, elementIndicesOfDependent, independents,                            \
	      elementIndicesOfIndependents, dependencyKinds, nDependencies))                          \
	CALL(fmi3GetFMUState, (fmi3Instance h, fmi3FMUState * state), (i->core, state))               \
	CALL(fmi3SetFMUState, (fmi3Instance h, fmi3FMUState state), (i->core, state))                 \
	CALL(fmi3FreeFMUState, (fmi3Instance h, fmi3FMUState * state), (i->core, state))              \
	CALL(fmi3SerializedFMUStateSize, (fmi3Instance h, fmi3FMUState state, size_t *size),          \
	     (i->core, state, size))                                                                  \
	CALL(fmi3SerializeFMUState,                                                                   \
	     (fmi3Instance h, fmi3FMUState state, fmi3Byte serializedState[], size_t size),           \
	     (i->core, state, serializedState, size))                                                 \
	CALL(fmi3DeserializeFMUState,                                                                 \
	     (fmi3Instance h, const fmi3Byte serializedState[], size_t size, fmi3FMUState *state),    \
	     (i->core, serializedState, size, state))                                                 \
	CALL(fmi3GetDirectionalDerivative,                                                            \
	     (fmi3Instance h, const fmi3ValueReference unknowns[], size_t nUnknowns,                  \
	      const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],            \
	      size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity),                          \
	     (i->core, unknowns, nUnknowns, knowns, nKnowns, seed, nSeed, sensitivity, nSensitivity)) \
	CALL(fmi3GetAdjointDerivative,                                                                \
	     (fmi3Instance h, const fmi3ValueReference unknowns[], size_t nUnknowns,                  \
	      const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],            \
	      size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity),                          \
	     (i->core, unknowns, nUnknowns, knowns, nKnowns, seed, nSeed, sensitivity, nSensitivity)) \
	CALL(fmi3EnterConfigurationMode, (fmi3Instance h), (i->core))                                 \
	CALL(fmi3ExitConfigurationMode, (fmi3Instance h), (i->core))                                  \
	CALL(fmi3GetIntervalDecimal,                                                                  \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]),                           \
	     (i->core, valueReferences, nValueReferences, intervals, qualifiers))                     \
	CALL(fmi3GetIntervalFraction,                                                                 \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]),   \
	     (i->core, valueReferences, nValueReferences, counters, resolutions, qualifiers))         \
	CALL(fmi3GetShiftDecimal,                                                                     \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      fmi3Float64 shifts[]),                                                                  \
	     (i->core, valueReferences, nValueReferences, shifts))                                    \
	CALL(fmi3GetShiftFraction,                                                                    \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      fmi3UInt64 counters[], fmi3UInt64 resolutions[]),                                       \
	     (i->core, valueReferences, nValueReferences, counters, resolutions))                     \
	CALL(fmi3SetIntervalDecimal,                                                                  \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      const fmi3Float64 intervals[]),                                                         \
	     (i->core, valueReferences, nValueReferences, intervals))                                 \
	CALL(fmi3SetIntervalFraction,                                                                 \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]),                           \
	     (i->core, valueReferences, nValueReferences, counters, resolutions))                     \
	CALL(fmi3SetShiftDecimal,                                                                     \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      const fmi3Float64 shifts[]),                                                            \
	     (i->core, valueReferences, nValueReferences, shifts))                                    \
	CALL(fmi3SetShiftFraction,                                                                    \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]),                           \
	     (i->core, valueReferences, nValueReferences, counters, resolutions))                     \
	CALL(fmi3EvaluateDiscreteStates, (fmi3Instance h), (i->core))                                 \
	CALL(fmi3UpdateDiscreteStates,                                                                \
	     (fmi3Instance h, fmi3Boolean * discreteStatesNeedUpdate,                                 \
	      fmi3Boolean * terminateSimulation, fmi3Boolean * nominalsOfContinuousStatesChanged,     \
	      fmi3Boolean * valuesOfContinuousStatesChanged, fmi3Boolean * nextEventTimeDefined,      \
	      fmi3Float64 * nextEventTime),                                                           \
	     (i->core, discreteStatesNeedUpdate, terminateSimulation,                                 \
	      nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged,                     \
	      nextEventTimeDefined, nextEventTime))                                                   \
	CALL(fmi3EnterContinuousTimeMode, (fmi3Instance h), (i->core))                                \
	CALL(fmi3CompletedIntegratorStep,                                                             \
	     (fmi3Instance h, fmi3Boolean noSetFMUStatePriorToCurrentPoint,                           \
	      fmi3Boolean * enterEventMode, fmi3Boolean * terminateSimulation),                       \
	     (i->core, noSetFMUStatePriorToCurrentPoint, enterEventMode, terminateSimulation))        \
	CALL(fmi3SetTime, (fmi3Instance h, fmi3Float64 time), (i->core, time))                        \
	CALL(fmi3SetContinuousStates,                                                                 \
	     (fmi3Instance h, const fmi3Float64 continuousStates[], size_t nContinuousStates),        \
	     (i->core, continuousStates, nContinuousStates))                                          \
	CALL(fmi3GetContinuousStateDerivatives,                                                       \
	     (fmi3Instance h, fmi3Float64 derivatives[], size_t nContinuousStates),                   \
	     (i->core, derivatives, nContinuousStates))                                               \
	CALL(fmi3GetEventIndicators,                                                                  \
	     (fmi3Instance h, fmi3Float64 eventIndicators[], size_t nEventIndicators),                \
	     (i->core, eventIndicators, nEventIndicators))                                            \
	CALL(fmi3GetContinuousStates,                                                                 \
	     (fmi3Instance h, fmi3Float64 continuousStates[], size_t nContinuousStates),              \
	     (i->core, continuousStates, nContinuousStates))                                          \
	CALL(fmi3GetNominalsOfContinuousStates,                                                       \
	     (fmi3Instance h, fmi3Float64 nominals[], size_t nContinuousStates),                      \
	     (i->core, nominals, nContinuousStates))                                                  \
	CALL(fmi3GetNumberOfEventIndicators, (fmi3Instance h, size_t *nEventIndicators),              \
	     (i->core, nEventIndicators))                                                             \
	CALL(fmi3GetNumberOfContinuousStates, (fmi3Instance h, size_t *nContinuousStates),            \
	     (i->core, nContinuousStates))                                                            \
	CALL(fmi3EnterStepMode, (fmi3Instance h), (i->core))                                          \
	CALL(fmi3GetOutputDerivatives,                                                                \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences,    \
	      const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues),                        \
	     (i->core, valueReferences, nValueReferences, orders, values, nValues))                   \
	CALL(fmi3ActivateModelPartition,                                                              \
	     (fmi3Instance h, fmi3ValueReference clockReference, fmi3Float64 activationTime),         \
	     (i->core, clockReference, activationTime))

/* BINARY_CALLS lists the calls that the loader can serve itself (binaries_fmi3.c). */
#define BINARY_CALLS(CALL)                                                                     \
	CALL(fmi3GetBinary,                                                                        \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences, \
	      size_t valueSizes[], fmi3Binary values[], size_t nValues),                           \
	     (i->core, valueReferences, nValueReferences, valueSizes, values, nValues))            \
	CALL(fmi3SetBinary,                                                                        \
	     (fmi3Instance h, const fmi3ValueReference valueReferences[], size_t nValueReferences, \
	      const size_t valueSizes[], const fmi3Binary values[], size_t nValues),               \
	     (i->core, valueReferences, nValueReferences, valueSizes, values, nValues))

#define INDEX(name, parameters, arguments) CALL_##name,
enum {
	CALL_fmi3InstantiateCoSimulation,
	CALL_fmi3FreeInstance,
	CALL_fmi3DoStep,
	BINARY_CALLS(INDEX) ARRAY_CALLS(INDEX) CORE_CALLS(INDEX) CALLS
};

#define NAME(name, parameters, arguments) #name,
const char *const call_names[CALLS] = {"fmi3InstantiateCoSimulation", "fmi3FreeInstance",
                                       "fmi3DoStep",
                                       BINARY_CALLS(NAME) ARRAY_CALLS(NAME) CORE_CALLS(NAME)};
const int call_count = CALLS;
_Atomic(function) call_symbols[CALLS];

#define CORE(name, result, parameters) \
	((result(*) parameters)atomic_load_explicit(&call_symbols[CALL_##name], memory_order_relaxed))

/* gosmp_intermediate_update and gosmp_binaries_of in the core, NULL if it has none. */
static _Atomic(function) intermediate, binaries_of;

void find_shared(void *library)
{
	atomic_store_explicit(&intermediate, find_symbol(library, "gosmp_intermediate_update"),
	                      memory_order_relaxed);
	atomic_store_explicit(&binaries_of, find_symbol(library, "gosmp_binaries_of"),
	                      memory_order_relaxed);
}

int intermediate_update(instance *i, int begin)
{
	const function update = atomic_load_explicit(&intermediate, memory_order_relaxed);
	if (update == NULL)
		return 0;
	const floating_point hosts = enter_core(i);
	const int done = ((int (*)(fmi3Instance, int))update)(i->core, begin);
	leave_core(i, hosts);
	return done;
}

fmi3Status core_step(instance *i, step_arguments a)
{
	const floating_point hosts = enter_core(i);
	const fmi3Status result = CORE(fmi3DoStep, fmi3Status,
	                               (fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean,
	                                fmi3Boolean *, fmi3Boolean *, fmi3Boolean *, fmi3Float64 *))(
		i->core, a.time, a.size, a.no_set_before, a.event, a.terminate, a.early, a.last);
	leave_core(i, hosts);
	return result;
}

void call_logger(const instance *i, const message *m)
{
	i->logger(i->environment, m->status, m->category, m->text);
}

/* queue_message is the logger that the core gets. */
static void queue_message(fmi3InstanceEnvironment i, fmi3Status status, fmi3String category,
                          fmi3String text)
{
	append_message(i, status, category, text);
}

/* share_binaries obtains the shared binaries of a new instance from the core. */
static void share_binaries(instance *i)
{
	const function find = atomic_load_explicit(&binaries_of, memory_order_relaxed);
	if (i->core != NULL && find != NULL)
		i->turn = (gosmp_flag *)((gosmp_binaries * (*)(fmi3Instance)) find)(i->core);
}

/* ---- The exported functions. ---- */

const char *fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(
	fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
	fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
	fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
	size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
	fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate)
{
	instance newcomer = new_instance(instanceName, instanceEnvironment, logMessage);
	fmi3Instance h = add_instance(&newcomer);
	if (h == NULL) {
		report_error(&newcomer,
		             "fmi3InstantiateCoSimulation: %d instances exist, which is the limit; free "
		             "some of them first",
		             MAX_INSTANCES);
		release_instance(&newcomer);
		return NULL;
	}
	instance *i = find_instance(h);
	i->update.callback = intermediateUpdate;
	i->update.early_allowed = earlyReturnAllowed;
	floating_point hosts = default_floating_point();
	if (load_core(i)) {
		move_signal_handlers();
		/* Without a resource path the FMU's own folder is used. */
		char *found = resourcePath == NULL || *resourcePath == '\0' ? resources_path() : NULL;
		i->core = CORE(fmi3InstantiateCoSimulation, fmi3Instance,
		               (fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean,
		                fmi3Boolean, const fmi3ValueReference *, size_t, fmi3InstanceEnvironment,
		                fmi3LogMessageCallback, fmi3IntermediateUpdateCallback))(
			instanceName, instantiationToken, found != NULL ? found : resourcePath, visible,
			loggingOn, eventModeUsed, earlyReturnAllowed, requiredIntermediateVariables,
			nRequiredIntermediateVariables, i, queue_message, intermediateUpdate);
		share_binaries(i);
		free(found);
	}
	restore_floating_point(hosts);
	if (i->core == NULL) {
		remove_instance(h);
		return NULL;
	}
	deliver_messages(i, h);
	return h;
}

void fmi3FreeInstance(fmi3Instance h)
{
	instance *i = find_instance(h);
	if (i == NULL)
		return;
	if (!core_is_lost(i)) {
		floating_point hosts = enter_core(i);
		CORE(fmi3FreeInstance, void, (fmi3Instance))(i->core);
		leave_core(i, hosts);
	}
	remove_instance(h);
}

/* FIND looks up the instance of a call, and returns if the instance has no core. */
#define FIND(name)                    \
	instance *i = find_instance(h);   \
	if (i == NULL || core_is_lost(i)) \
	return refuse(i, h, #name)

/* ASK forwards a call to the core. */
#define ASK(name, parameters, arguments)                              \
	floating_point hosts = enter_core(i);                             \
	fmi3Status result = CORE(name, fmi3Status, parameters) arguments; \
	leave_core(i, hosts);                                             \
	deliver_messages(i, h);                                           \
	return result

#define FORWARD(name, parameters, arguments) \
	fmi3Status name parameters               \
	{                                        \
		FIND(name);                          \
		ASK(name, parameters, arguments);    \
	}

ARRAY_CALLS(FORWARD)
CORE_CALLS(FORWARD)

#define fmi3GetBinary_SERVED \
	get_binaries(i, valueReferences, nValueReferences, valueSizes, values, nValues)
#define fmi3SetBinary_SERVED \
	set_binaries(i, valueReferences, nValueReferences, valueSizes, values, nValues)

#define SERVE(name, parameters, arguments) \
	fmi3Status name parameters             \
	{                                      \
		FIND(name);                        \
		if (name##_SERVED)                 \
			return fmi3OK;                 \
		ASK(name, parameters, arguments);  \
	}

BINARY_CALLS(SERVE)

/* The interface of an FMI 3.0 FMU: types and all 75 prototypes (FMI 3.0.2, 2.2, 3.2, 4.2 and 5.2),
 * some of which return an error in a co-simulation FMU. As with fmi2.h, every Go export and every
 * function of the loader is compiled against it, and a test compiles it together with the headers
 * that the standard publishes. */
#ifndef GOSMP_FMI3_H
#define GOSMP_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "visible.h"

/* Numbers for Go, as in fmi2.h. */
#ifdef GOSMP_HANDLES_ARE_NUMBERS
typedef uintptr_t fmi3Instance;
typedef uintptr_t fmi3FMUState;
typedef uintptr_t fmi3InstanceEnvironment;
#else
typedef void *fmi3Instance;
typedef void *fmi3FMUState;
typedef void *fmi3InstanceEnvironment;
#endif
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
	fmi3Independent,
	fmi3Constant,
	fmi3Fixed,
	fmi3Tunable,
	fmi3Discrete,
	fmi3Dependent
} fmi3DependencyKind;
typedef enum {
	fmi3IntervalNotYetKnown,
	fmi3IntervalUnchanged,
	fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(
	fmi3InstanceEnvironment, fmi3Float64 intermediateUpdateTime,
	fmi3Boolean intermediateVariableSetRequested, fmi3Boolean intermediateVariableGetAllowed,
	fmi3Boolean intermediateStepFinished, fmi3Boolean canReturnEarly,
	fmi3Boolean *earlyReturnRequested, fmi3Float64 *earlyReturnTime);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* Type names for pointers to const, which Go lacks. */
typedef const fmi3ValueReference *fmi3ValueReferences;
typedef const fmi3Byte *fmi3Bytes;
typedef const size_t *fmi3Sizes;
typedef const fmi3Float32 *fmi3Float32s;
typedef const fmi3Float64 *fmi3Float64s;
typedef const fmi3Int8 *fmi3Int8s;
typedef const fmi3UInt8 *fmi3UInt8s;
typedef const fmi3Int16 *fmi3Int16s;
typedef const fmi3UInt16 *fmi3UInt16s;
typedef const fmi3Int32 *fmi3Int32s;
typedef const fmi3UInt32 *fmi3UInt32s;
typedef const fmi3Int64 *fmi3Int64s;
typedef const fmi3UInt64 *fmi3UInt64s;
typedef const fmi3Boolean *fmi3Booleans;
typedef const fmi3String *fmi3Strings;
typedef const fmi3Binary *fmi3Binaries;
typedef const fmi3Clock *fmi3Clocks;

GOSMP_EXPORT const char *fmi3GetVersion(void);
GOSMP_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance, fmi3Boolean loggingOn, size_t nCategories,
                                            const fmi3String categories[]);
GOSMP_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName,
                                                       fmi3String instantiationToken,
                                                       fmi3String resourcePath, fmi3Boolean visible,
                                                       fmi3Boolean loggingOn,
                                                       fmi3InstanceEnvironment instanceEnvironment,
                                                       fmi3LogMessageCallback logMessage);
GOSMP_EXPORT fmi3Instance fmi3InstantiateCoSimulation(
	fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
	fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
	fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
	size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
	fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate);
GOSMP_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
	fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
	fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
	fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
	fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption);
GOSMP_EXPORT void fmi3FreeInstance(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance, fmi3Boolean toleranceDefined,
                                                    fmi3Float64 tolerance, fmi3Float64 startTime,
                                                    fmi3Boolean stopTimeDefined,
                                                    fmi3Float64 stopTime);
GOSMP_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3Terminate(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3Reset(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3GetFloat32(fmi3Instance, const fmi3ValueReference valueReferences[],
                                       size_t nValueReferences, fmi3Float32 values[],
                                       size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance, const fmi3ValueReference valueReferences[],
                                       size_t nValueReferences, fmi3Float64 values[],
                                       size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetInt8(fmi3Instance, const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, fmi3Int8 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetUInt8(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, fmi3UInt8 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetInt16(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, fmi3Int16 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetUInt16(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, fmi3UInt16 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetInt32(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, fmi3Int32 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetUInt32(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, fmi3UInt32 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetInt64(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, fmi3Int64 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetUInt64(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, fmi3UInt64 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetBoolean(fmi3Instance, const fmi3ValueReference valueReferences[],
                                       size_t nValueReferences, fmi3Boolean values[],
                                       size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetString(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, fmi3String values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetBinary(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, size_t valueSizes[],
                                      fmi3Binary values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3GetClock(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, fmi3Clock values[]);
GOSMP_EXPORT fmi3Status fmi3SetFloat32(fmi3Instance, const fmi3ValueReference valueReferences[],
                                       size_t nValueReferences, const fmi3Float32 values[],
                                       size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance, const fmi3ValueReference valueReferences[],
                                       size_t nValueReferences, const fmi3Float64 values[],
                                       size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetInt8(fmi3Instance, const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int8 values[],
                                    size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetUInt8(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, const fmi3UInt8 values[],
                                     size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetInt16(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, const fmi3Int16 values[],
                                     size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetUInt16(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, const fmi3UInt16 values[],
                                      size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetInt32(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, const fmi3Int32 values[],
                                     size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetUInt32(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, const fmi3UInt32 values[],
                                      size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetInt64(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, const fmi3Int64 values[],
                                     size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetUInt64(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, const fmi3UInt64 values[],
                                      size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetBoolean(fmi3Instance, const fmi3ValueReference valueReferences[],
                                       size_t nValueReferences, const fmi3Boolean values[],
                                       size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetString(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, const fmi3String values[],
                                      size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetBinary(fmi3Instance, const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, const size_t valueSizes[],
                                      const fmi3Binary values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3SetClock(fmi3Instance, const fmi3ValueReference valueReferences[],
                                     size_t nValueReferences, const fmi3Clock values[]);
GOSMP_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance,
                                                            fmi3ValueReference valueReference,
                                                            size_t *nDependencies);
GOSMP_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance, fmi3ValueReference dependent,
                                                    size_t elementIndicesOfDependent[],
                                                    fmi3ValueReference independents[],
                                                    size_t elementIndicesOfIndependents[],
                                                    fmi3DependencyKind dependencyKinds[],
                                                    size_t nDependencies);
GOSMP_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance, fmi3FMUState *state);
GOSMP_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance, fmi3FMUState state);
GOSMP_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance, fmi3FMUState *state);
GOSMP_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance, fmi3FMUState state, size_t *size);
GOSMP_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance, fmi3FMUState state,
                                              fmi3Byte serializedState[], size_t size);
GOSMP_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance, const fmi3Byte serializedState[],
                                                size_t size, fmi3FMUState *state);
GOSMP_EXPORT fmi3Status fmi3GetDirectionalDerivative(
	fmi3Instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
	const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
	fmi3Float64 sensitivity[], size_t nSensitivity);
GOSMP_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance, const fmi3ValueReference unknowns[],
                                                 size_t nUnknowns,
                                                 const fmi3ValueReference knowns[], size_t nKnowns,
                                                 const fmi3Float64 seed[], size_t nSeed,
                                                 fmi3Float64 sensitivity[], size_t nSensitivity);
GOSMP_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance,
                                               const fmi3ValueReference valueReferences[],
                                               size_t nValueReferences, fmi3Float64 intervals[],
                                               fmi3IntervalQualifier qualifiers[]);
GOSMP_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance,
                                                const fmi3ValueReference valueReferences[],
                                                size_t nValueReferences, fmi3UInt64 counters[],
                                                fmi3UInt64 resolutions[],
                                                fmi3IntervalQualifier qualifiers[]);
GOSMP_EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance,
                                            const fmi3ValueReference valueReferences[],
                                            size_t nValueReferences, fmi3Float64 shifts[]);
GOSMP_EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance,
                                             const fmi3ValueReference valueReferences[],
                                             size_t nValueReferences, fmi3UInt64 counters[],
                                             fmi3UInt64 resolutions[]);
GOSMP_EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance,
                                               const fmi3ValueReference valueReferences[],
                                               size_t nValueReferences,
                                               const fmi3Float64 intervals[]);
GOSMP_EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance,
                                                const fmi3ValueReference valueReferences[],
                                                size_t nValueReferences,
                                                const fmi3UInt64 counters[],
                                                const fmi3UInt64 resolutions[]);
GOSMP_EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance,
                                            const fmi3ValueReference valueReferences[],
                                            size_t nValueReferences, const fmi3Float64 shifts[]);
GOSMP_EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance,
                                             const fmi3ValueReference valueReferences[],
                                             size_t nValueReferences, const fmi3UInt64 counters[],
                                             const fmi3UInt64 resolutions[]);
GOSMP_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3UpdateDiscreteStates(
	fmi3Instance, fmi3Boolean *discreteStatesNeedUpdate, fmi3Boolean *terminateSimulation,
	fmi3Boolean *nominalsOfContinuousStatesChanged, fmi3Boolean *valuesOfContinuousStatesChanged,
	fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime);
GOSMP_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance,
                                                    fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                                    fmi3Boolean *enterEventMode,
                                                    fmi3Boolean *terminateSimulation);
GOSMP_EXPORT fmi3Status fmi3SetTime(fmi3Instance, fmi3Float64 time);
GOSMP_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance, const fmi3Float64 continuousStates[],
                                                size_t nContinuousStates);
GOSMP_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance, fmi3Float64 derivatives[],
                                                          size_t nContinuousStates);
GOSMP_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance, fmi3Float64 eventIndicators[],
                                               size_t nEventIndicators);
GOSMP_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance, fmi3Float64 continuousStates[],
                                                size_t nContinuousStates);
GOSMP_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance, fmi3Float64 nominals[],
                                                          size_t nContinuousStates);
GOSMP_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance, size_t *nEventIndicators);
GOSMP_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance, size_t *nContinuousStates);
GOSMP_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance);
GOSMP_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance,
                                                 const fmi3ValueReference valueReferences[],
                                                 size_t nValueReferences, const fmi3Int32 orders[],
                                                 fmi3Float64 values[], size_t nValues);
GOSMP_EXPORT fmi3Status fmi3DoStep(fmi3Instance, fmi3Float64 currentCommunicationPoint,
                                   fmi3Float64 communicationStepSize,
                                   fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                   fmi3Boolean *eventHandlingNeeded,
                                   fmi3Boolean *terminateSimulation, fmi3Boolean *earlyReturn,
                                   fmi3Float64 *lastSuccessfulTime);
GOSMP_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance, fmi3ValueReference clockReference,
                                                   fmi3Float64 activationTime);

#endif

/* The interface of an FMI 2.0 co-simulation slave as far as gosmp provides it: types and 34
 * prototypes (FMI 2.0, 2.1.2 to 2.1.9 and 4.2). Every Go export and every function of the loader is
 * compiled against it, so that a wrong argument is a compile error. A test compiles it together
 * with the headers that the standard publishes. */
#ifndef GOSMP_FMI2_H
#define GOSMP_FMI2_H

#include <stddef.h>

#include "visible.h"

/* Go trusts every pointer: its garbage collector follows a pointer that happens to point into its
 * heap, and ends the process if a pointer is invalid. A host may pass anything as a component or
 * state, which are therefore numbers for Go. */
#ifdef GOSMP_HANDLES_ARE_NUMBERS
#include <stdint.h>
typedef uintptr_t fmi2Component;
typedef uintptr_t fmi2FMUstate;
#else
typedef void *fmi2Component;
typedef void *fmi2FMUstate;
#endif
typedef void *fmi2ComponentEnvironment;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

#define fmi2True 1
#define fmi2False 0

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
	fmi2DoStepStatus,
	fmi2PendingStatus,
	fmi2LastSuccessfulTime,
	fmi2Terminated
} fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String instanceName, fmi2Status,
                                   fmi2String category, fmi2String message, ...);
typedef void *(*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void *);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);

typedef struct {
	const fmi2CallbackLogger logger;
	const fmi2CallbackAllocateMemory allocateMemory;
	const fmi2CallbackFreeMemory freeMemory;
	const fmi2StepFinished stepFinished;
	const fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

/* Go has no const, so an exported Go function can match a prototype with a pointer to const only
 * through a type name for it. */
typedef const fmi2ValueReference *fmi2ValueReferences;
typedef const fmi2Real *fmi2Reals;
typedef const fmi2Integer *fmi2Integers;
typedef const fmi2Boolean *fmi2Booleans;
typedef const fmi2String *fmi2Strings;
typedef const fmi2Byte *fmi2Bytes;
typedef const fmi2CallbackFunctions *fmi2Callbacks;

GOSMP_EXPORT const char *fmi2GetTypesPlatform(void);
GOSMP_EXPORT const char *fmi2GetVersion(void);
GOSMP_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean loggingOn, size_t,
                                            const fmi2String categories[]);

GOSMP_EXPORT fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type, fmi2String guid,
                                           fmi2String resourceLocation,
                                           const fmi2CallbackFunctions *, fmi2Boolean visible,
                                           fmi2Boolean loggingOn);
GOSMP_EXPORT void fmi2FreeInstance(fmi2Component);
GOSMP_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean toleranceDefined,
                                            fmi2Real tolerance, fmi2Real startTime,
                                            fmi2Boolean stopTimeDefined, fmi2Real stopTime);
GOSMP_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component);
GOSMP_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component);
GOSMP_EXPORT fmi2Status fmi2Terminate(fmi2Component);
GOSMP_EXPORT fmi2Status fmi2Reset(fmi2Component);

GOSMP_EXPORT fmi2Status fmi2GetReal(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
GOSMP_EXPORT fmi2Status fmi2GetInteger(fmi2Component, const fmi2ValueReference[], size_t,
                                       fmi2Integer[]);
GOSMP_EXPORT fmi2Status fmi2GetBoolean(fmi2Component, const fmi2ValueReference[], size_t,
                                       fmi2Boolean[]);
GOSMP_EXPORT fmi2Status fmi2GetString(fmi2Component, const fmi2ValueReference[], size_t,
                                      fmi2String[]);
GOSMP_EXPORT fmi2Status fmi2SetReal(fmi2Component, const fmi2ValueReference[], size_t,
                                    const fmi2Real[]);
GOSMP_EXPORT fmi2Status fmi2SetInteger(fmi2Component, const fmi2ValueReference[], size_t,
                                       const fmi2Integer[]);
GOSMP_EXPORT fmi2Status fmi2SetBoolean(fmi2Component, const fmi2ValueReference[], size_t,
                                       const fmi2Boolean[]);
GOSMP_EXPORT fmi2Status fmi2SetString(fmi2Component, const fmi2ValueReference[], size_t,
                                      const fmi2String[]);

GOSMP_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component, fmi2FMUstate *);
GOSMP_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component, fmi2FMUstate);
GOSMP_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component, fmi2FMUstate *);
GOSMP_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component, fmi2FMUstate, size_t *);
GOSMP_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
GOSMP_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component, const fmi2Byte[], size_t,
                                                fmi2FMUstate *);

GOSMP_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component,
                                                     const fmi2ValueReference unknowns[], size_t,
                                                     const fmi2ValueReference knowns[], size_t,
                                                     const fmi2Real dKnown[], fmi2Real dUnknown[]);
GOSMP_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component, const fmi2ValueReference[],
                                                    size_t, const fmi2Integer orders[],
                                                    const fmi2Real[]);
GOSMP_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component, const fmi2ValueReference[],
                                                     size_t, const fmi2Integer orders[],
                                                     fmi2Real[]);
GOSMP_EXPORT fmi2Status fmi2DoStep(fmi2Component, fmi2Real currentCommunicationPoint,
                                   fmi2Real communicationStepSize,
                                   fmi2Boolean noSetFMUStatePriorToCurrentPoint);
GOSMP_EXPORT fmi2Status fmi2CancelStep(fmi2Component);
GOSMP_EXPORT fmi2Status fmi2GetStatus(fmi2Component, const fmi2StatusKind, fmi2Status *);
GOSMP_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component, const fmi2StatusKind, fmi2Real *);
GOSMP_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component, const fmi2StatusKind, fmi2Integer *);
GOSMP_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component, const fmi2StatusKind, fmi2Boolean *);
GOSMP_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component, const fmi2StatusKind, fmi2String *);

#endif

/* An FMU as a host sees it: the 34 functions of a slave, looked up in its library by name. */
#ifndef GOSMP_FMU_H
#define GOSMP_FMU_H

#include <stdint.h>

#include "fmi2.h"
#include "system.h"

/* clang-format off */
#define FUNCTIONS(F) \
	F(fmi2GetTypesPlatform) F(fmi2GetVersion) F(fmi2SetDebugLogging) F(fmi2Instantiate) \
	F(fmi2FreeInstance) F(fmi2SetupExperiment) F(fmi2EnterInitializationMode) \
	F(fmi2ExitInitializationMode) F(fmi2Terminate) F(fmi2Reset) F(fmi2GetReal) \
	F(fmi2GetInteger) F(fmi2GetBoolean) F(fmi2GetString) F(fmi2SetReal) \
	F(fmi2SetInteger) F(fmi2SetBoolean) F(fmi2SetString) F(fmi2GetFMUstate) \
	F(fmi2SetFMUstate) F(fmi2FreeFMUstate) F(fmi2SerializedFMUstateSize) \
	F(fmi2SerializeFMUstate) F(fmi2DeSerializeFMUstate) F(fmi2GetDirectionalDerivative) \
	F(fmi2SetRealInputDerivatives) F(fmi2GetRealOutputDerivatives) F(fmi2DoStep) \
	F(fmi2CancelStep) F(fmi2GetStatus) F(fmi2GetRealStatus) F(fmi2GetIntegerStatus) \
	F(fmi2GetBooleanStatus) F(fmi2GetStringStatus)
/* clang-format on */

#define FIELD(name) __typeof__(name) *name;
typedef struct {
	library file;
	union {
		struct {
			FUNCTIONS(FIELD)
		};
		function all[34];
	};
} fmu;

/* trouble prints an error and returns 0, as all functions here do after an error. */
int trouble(const char *format, ...);

/* resolve opens the library and looks up its functions; missing ones are NULL. */
int resolve(fmu *f, const char *path);

/* missing returns the name of the first missing function, NULL if the library has all of them. */
const char *missing(const fmu *f);

/* load opens the library and finds exactly the functions of an FMI 2.0 co-simulation slave. */
int load(fmu *f, const char *path);

/* initialize goes from fmi2SetupExperiment, at 0 s, to step mode. */
int initialize(const fmu *f, fmi2Component c);

/* hash adds n bytes to an FNV-1a hash of 64 bits, which begins as hash_start. */
extern const uint64_t hash_start;
uint64_t hash(uint64_t sum, const void *bytes, size_t n);

/* status_names are the words of the standard. */
extern const char *const status_names[6];

/* must ends the program with exit code 1 if a call returned an unexpected status. */
void must(const char *call, fmi2Status found, fmi2Status wanted);
#define MUST(call, wanted) must(#call, call, wanted)

/* log_troubles is a logger that prints warnings and errors to standard error. */
void log_troubles(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                  fmi2String category, fmi2String message, ...);

/* With log_troubles and nothing else. */
extern const fmi2CallbackFunctions callbacks;

/* drop_line is a logger that does nothing. */
void drop_line(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
               fmi2String category, fmi2String message, ...);

/* With drop_line and nothing else. */
extern const fmi2CallbackFunctions silent_callbacks;

#endif

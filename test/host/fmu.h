/* An FMU as a host sees it: the 34 functions of a slave, looked up in its library by name. */
#ifndef GOSMP_FMU_H
#define GOSMP_FMU_H

#include <stdarg.h>

#include "fmi2.h"
#include "system.h"

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

#endif

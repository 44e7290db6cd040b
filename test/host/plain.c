//go:build ignore

/* An FMU in C that does what OSMPDummySensor does when it starts, and nothing more: it exports the
 * 34 functions, stores its instance name and logger, opens the bundled scenario and reads its
 * beginning. It is the baseline for the cost of a start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"

typedef struct {
	char *name, *resources;
	fmi2CallbackFunctions callbacks;
	FILE *scenario;
	char beginning[1 << 16];
	double values[256];
} instance;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

static char *copy(const char *text)
{
	char *made = malloc(strlen(text) + 1);
	return made != NULL ? strcpy(made, text) : NULL;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
	(void)type, (void)guid, (void)visible, (void)loggingOn;
	instance *i = calloc(1, sizeof *i);
	if (i == NULL)
		return NULL;
	memcpy((void *)&i->callbacks, callbacks, sizeof *callbacks);
	i->name = copy(name);
	i->resources = copy(resources);
	return i;
}

void fmi2FreeInstance(fmi2Component c)
{
	instance *i = c;
	if (i->scenario != NULL)
		fclose(i->scenario);
	free(i->name);
	free(i->resources);
	free(i);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stopDefined, fmi2Real stop)
{
	(void)c, (void)toleranceDefined, (void)tolerance, (void)start, (void)stopDefined, (void)stop;
	return fmi2OK;
}

/* The host passes the path of the folder without the scheme of a URI. */
fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
	instance *i = c;
	char path[4096];
	snprintf(path, sizeof path, "%s/scenario.csv", i->resources);
	i->scenario = fopen(path, "rb");
	return i->scenario != NULL && fread(i->beginning, 1, sizeof i->beginning, i->scenario) > 0
	           ? fmi2OK
	           : fmi2Error;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
	instance *i = c;
	for (size_t k = 0; k < sizeof i->values / sizeof *i->values; k++)
		i->values[k] = i->beginning[k];
	return fmi2OK;
}

/* The other functions only have to exist. */
/* clang-format off */
#define NOT_CALLED(F) \
	F(fmi2SetDebugLogging) F(fmi2Terminate) F(fmi2Reset) F(fmi2GetReal) \
	F(fmi2GetInteger) F(fmi2GetBoolean) F(fmi2GetString) F(fmi2SetReal) \
	F(fmi2SetInteger) F(fmi2SetBoolean) F(fmi2SetString) F(fmi2GetFMUstate) \
	F(fmi2SetFMUstate) F(fmi2FreeFMUstate) F(fmi2SerializedFMUstateSize) \
	F(fmi2SerializeFMUstate) F(fmi2DeSerializeFMUstate) F(fmi2GetDirectionalDerivative) \
	F(fmi2SetRealInputDerivatives) F(fmi2GetRealOutputDerivatives) F(fmi2DoStep) \
	F(fmi2CancelStep) F(fmi2GetStatus) F(fmi2GetRealStatus) F(fmi2GetIntegerStatus) \
	F(fmi2GetBooleanStatus) F(fmi2GetStringStatus)
/* clang-format on */

#define NAME(name) __asm__(".globl " #name "\n.set " #name ", not_called");
fmi2Status not_called(void);
fmi2Status not_called(void) { return fmi2Error; }
NOT_CALLED(NAME)

#include "fmu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(name) #name,
static const char *const names[34] = {FUNCTIONS(NAME)};

/* What a slave for co-simulation alone does not have. */
static const char *const excess[] = {
	"fmi2EnterEventMode",
	"fmi2NewDiscreteStates",
	"fmi2EnterContinuousTimeMode",
	"fmi2CompletedIntegratorStep",
	"fmi2SetTime",
	"fmi2SetContinuousStates",
	"fmi2GetDerivatives",
	"fmi2GetEventIndicators",
	"fmi2GetContinuousStates",
	"fmi2GetNominalsOfContinuousStates",
};

int trouble(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("host: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return 0;
}

int resolve(fmu *f, const char *path)
{
	f->file = open_library(path);
	if (f->file == NULL)
		return trouble("%s: %s", path, open_failure());
	for (int k = 0; k < 34; k++)
		f->all[k] = symbol(f->file, names[k]);
	return 1;
}

const char *missing(const fmu *f)
{
	for (int k = 0; k < 34; k++)
		if (f->all[k] == NULL)
			return names[k];
	return NULL;
}

int load(fmu *f, const char *path)
{
	if (!resolve(f, path))
		return 0;
	if (missing(f) != NULL)
		return trouble("%s: no function %s", path, missing(f));
	for (size_t k = 0; k < sizeof excess / sizeof *excess; k++)
		if (symbol(f->file, excess[k]) != NULL)
			return trouble("%s: %s is exported, which is for model exchange", path, excess[k]);
	if (strcmp(f->fmi2GetVersion(), "2.0") != 0 ||
	    strcmp(f->fmi2GetTypesPlatform(), "default") != 0)
		return trouble("%s: version %s, platform %s", path, f->fmi2GetVersion(),
		               f->fmi2GetTypesPlatform());
	return 1;
}

int initialize(const fmu *f, fmi2Component c)
{
	return (f->fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0) == fmi2OK &&
	        f->fmi2EnterInitializationMode(c) == fmi2OK &&
	        f->fmi2ExitInitializationMode(c) == fmi2OK) ||
	       trouble("no initialization");
}

const uint64_t hash_start = 14695981039346656037u;

uint64_t hash(uint64_t sum, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	for (size_t k = 0; k < n; k++)
		sum = (sum ^ b[k]) * 1099511628211u;
	return sum;
}

const char *const status_names[6] = {"fmi2OK",    "fmi2Warning", "fmi2Discard",
                                     "fmi2Error", "fmi2Fatal",   "fmi2Pending"};

void must(const char *call, fmi2Status found, fmi2Status wanted)
{
	if (found == wanted)
		return;
	trouble("%s returned %s, expected %s", call, status_names[found], status_names[wanted]);
	exit(1);
}

void log_troubles(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                  fmi2String category, fmi2String message, ...)
{
	(void)environment;
	if (status < fmi2Warning)
		return;
	va_list arguments;
	va_start(arguments, message);
	fprintf(stderr, "%s: %s: status %d: ", instance, category != NULL ? category : "NO CATEGORY",
	        (int)status);
	vfprintf(stderr, message, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

const fmi2CallbackFunctions callbacks = {log_troubles, NULL, NULL, NULL, NULL};

void drop_line(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
               fmi2String category, fmi2String message, ...)
{
	(void)environment, (void)instance, (void)status, (void)category, (void)message;
}

const fmi2CallbackFunctions silent_callbacks = {drop_line, NULL, NULL, NULL, NULL};

//go:build linux

// The libraries of FMUs, and their functions.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "serve.h"

#define GW_LENGTH(array) (sizeof(array) / sizeof *(array))

void *gw_symbol(gw_instance *i, gw_function f)
{
	if (i->function[f] != NULL) {
		return i->function[f];
	}
	gw_string name = {0};
	gw_add(&name, "%s%s%s", i->prefix == NULL ? "" : i->prefix, i->prefix == NULL ? "" : "_",
	       gw_function_name(f));
	if (name.bytes != NULL) {
		i->function[f] = dlsym(i->library, name.bytes);
	}
	if (i->function[f] == NULL) {
		gw_fail(GW_MISSING, f, "%s", name.bytes == NULL ? gw_function_name(f) : name.bytes);
	}
	free(name.bytes);
	return i->function[f];
}

_Static_assert(GW_fmiSetString - GW_fmiGetReal == GW_fmi2SetString - GW_fmi2GetReal,
               "the same order");

gw_function gw_function_of(const gw_instance *i, gw_function fmi2, gw_function fmi3)
{
	if (i->major != 1) {
		return i->major < 3 ? fmi2 : fmi3;
	}
	if (fmi2 >= GW_fmi2GetReal && fmi2 <= GW_fmi2SetString) {
		return (gw_function)(GW_fmiGetReal + (fmi2 - GW_fmi2GetReal));
	}
	switch (fmi2) {
	case GW_fmi2GetVersion:
		return GW_fmiGetVersion;
	case GW_fmi2SetDebugLogging:
		return GW_fmiSetDebugLogging;
	case GW_fmi2FreeInstance:
		return GW_fmiFreeSlaveInstance;
	case GW_fmi2Terminate:
		return GW_fmiTerminateSlave;
	case GW_fmi2Reset:
		return GW_fmiResetSlave;
	case GW_fmi2SetRealInputDerivatives:
		return GW_fmiSetRealInputDerivatives;
	case GW_fmi2GetRealOutputDerivatives:
		return GW_fmiGetRealOutputDerivatives;
	default:
		return GW_nothing;
	}
}

// open_library loads a library. A library linked for fast math disables denormal numbers for the
// thread that loads it, so the floating-point settings are restored afterwards.
static void *open_library(const char *path, int mode)
{
	gw_place *p = &gw_shared->place;
	atomic_store(&p->function, GW_dlopen);
	void *library = dlopen(path, mode);
	gw_restore_floats();
	atomic_store(&p->function, 0);
	return library;
}

// absent collects the libraries in list, one per line, that cannot be loaded.
static void absent(const char *list, gw_string *found)
{
	char *copy = strdup(list == NULL ? "" : list), *rest = NULL;
	for (char *name = strtok_r(copy, "\n", &rest); name != NULL;
	     name = strtok_r(NULL, "\n", &rest)) {
		void *library = open_library(name, RTLD_LAZY | RTLD_LOCAL);
		if (library == NULL) {
			gw_add(found, "%s%s", found->length == 0 ? "" : ", ", name);
		} else {
			dlclose(library);
		}
	}
	free(copy);
}

// Exporters omit libraries that the programs with which they test have loaded anyway. Every host
// has the mathematical functions; the rest are the libraries with which C++ or Python programs are
// linked, and the libraries that were separate before glibc 2.34. They are visible to FMUs, but
// loaded only for an FMU that lacks a symbol: an FMU with its own C++ runtime would otherwise get a
// different one.
static const char *const mathematics = "libm.so.6";
static const char *const ordinary[] = {"libdl.so.2",   "libpthread.so.0", "librt.so.1",
                                       "libutil.so.1", "libgcc_s.so.1",   "libstdc++.so.6",
                                       "libz.so.1",    "libexpat.so.1"};

// open_fmu loads the library of an FMU. A library that lacks a symbol is unloaded before any of its
// code has run, so that loading can be repeated. It copies the reason of a failure.
static void *open_fmu(const char *path, char *reason)
{
	open_library(mathematics, RTLD_NOW | RTLD_GLOBAL);
	void *library = open_library(path, RTLD_NOW | RTLD_LOCAL);
	for (size_t k = 0; library == NULL; k++) {
		const char *why = dlerror();
		snprintf(reason, GW_REASON, "%s", why == NULL ? "no reason given" : why);
		if (strstr(reason, "undefined symbol") == NULL) {
			break;
		}
		while (k < GW_LENGTH(ordinary) &&
		       open_library(ordinary[k], RTLD_NOW | RTLD_GLOBAL) == NULL) {
			k++;
		}
		if (k == GW_LENGTH(ordinary)) {
			break;
		}
		library = open_library(path, RTLD_NOW | RTLD_LOCAL);
	}
	return library;
}

// check_functions reports the first function that the library lacks although every co-simulation
// slave must have it.
static int32_t check_functions(gw_instance *i)
{
	static const gw_function needed1[] = {GW_fmiGetVersion,
	                                      GW_fmiInstantiateSlave,
	                                      GW_fmiInitializeSlave,
	                                      GW_fmiTerminateSlave,
	                                      GW_fmiDoStep,
	                                      GW_fmiFreeSlaveInstance,
	                                      GW_nothing};
	static const gw_function needed2[] = {GW_fmi2GetVersion,
	                                      GW_fmi2Instantiate,
	                                      GW_fmi2FreeInstance,
	                                      GW_fmi2SetupExperiment,
	                                      GW_fmi2EnterInitializationMode,
	                                      GW_fmi2ExitInitializationMode,
	                                      GW_fmi2Terminate,
	                                      GW_fmi2DoStep,
	                                      GW_nothing};
	static const gw_function needed3[] = {GW_fmi3GetVersion,
	                                      GW_fmi3InstantiateCoSimulation,
	                                      GW_fmi3FreeInstance,
	                                      GW_fmi3EnterInitializationMode,
	                                      GW_fmi3ExitInitializationMode,
	                                      GW_fmi3Terminate,
	                                      GW_fmi3DoStep,
	                                      GW_nothing};
	const gw_function *f = i->major == 1 ? needed1 : i->major == 2 ? needed2 : needed3;
	for (; *f != GW_nothing; f++) {
		if (gw_symbol(i, *f) == NULL) {
			return GW_MISSING;
		}
	}
	return 0;
}

static char *copy_of(const char *text) { return text == NULL ? NULL : strdup(text); }

// gw_load loads a library. The texts are the library, the libraries that it needs, one per line, a
// library to load first with global visibility, and the prefix of its functions.
int32_t gw_load(gw_instance *i)
{
	i->prefix = copy_of(gw_text(3));
	const char *before = gw_text(2);
	if (before != NULL && open_library(before, RTLD_NOW | RTLD_GLOBAL) == NULL) {
		return gw_fail(GW_UNLOADABLE, GW_dlopen, "%s", dlerror());
	}
	char reason[GW_REASON];
	i->library = open_fmu(gw_text(0), reason);
	if (i->library == NULL) {
		gw_string list = {0};
		absent(gw_text(1), &list);
		gw_fail(GW_UNLOADABLE, GW_dlopen, "%s%s%s", reason,
		        list.length > 0 ? "; libraries that cannot be loaded: " : "",
		        list.length > 0 ? list.bytes : "");
		free(list.bytes);
		return GW_UNLOADABLE;
	}
	if (check_functions(i) != 0) {
		return GW_MISSING;
	}
	gw_function f = gw_function_of(i, GW_fmi2GetVersion, GW_fmi3GetVersion);
	gw_begin(i, f);
	const char *version = GW_CALL(i, f, const char *(*)(void))();
	gw_end(i, f, 0, "%s", "");
	snprintf(gw_shared->reply.reason, GW_REASON, "%s", version == NULL ? "" : version);
	return 0;
}

// gw_preload loads a library that the loaded one would load itself, later. Go raises the limit on
// open files when it starts; a library that does not want this restores the limit only if it has
// loaded Go itself.
int32_t gw_preload(void)
{
	struct rlimit files;
	bool limited = getrlimit(RLIMIT_NOFILE, &files) == 0;
	if (open_library(gw_text(0), RTLD_NOW | RTLD_LOCAL) == NULL) {
		return gw_fail(GW_UNLOADABLE, GW_dlopen, "%s", dlerror());
	}
	if (limited) {
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return 0;
}

// gw_unload runs the destructors of a library, if nothing else uses it. A crash in them is reported
// by name.
void gw_unload(gw_instance *i)
{
	gw_place *p = &gw_shared->place;
	if (i->library != NULL) {
		atomic_store(&p->slot, i->slot);
		atomic_store(&p->function, GW_dlclose);
		dlclose(i->library);
		i->library = NULL;
		atomic_store(&p->function, 0);
	}
}

bool gw_keep_texts(gw_instance *i)
{
	i->name = copy_of(gw_text(0));
	i->token = copy_of(gw_text(1) == NULL ? "" : gw_text(1));
	i->resources = copy_of(gw_text(2));
	return i->name != NULL && i->token != NULL && (i->resources != NULL || gw_text(2) == NULL);
}

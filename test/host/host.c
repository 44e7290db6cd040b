/* A small importer: it loads an unpacked FMU as any tool does, and prints what came out in a form that can be compared.
 *
 *   host run    GUID RESOURCES LIBRARY [STEPS [REALS...]]   one simulation; per step time, size and hash of SensorData and hash
 *                                                           of the Real outputs with these value references
 *   host copies GUID RESOURCES LIBRARY...                   a short simulation with each library, loaded and unloaded in turn
 *   host race   GUID RESOURCES LIBRARY...                   the same, each on a thread of its own, all beginning at once
 *
 * Trouble of any kind goes to stderr, and the exit code is 1; after a wrong command line it is 2. The source is C11 with
 * __typeof__ and compiles for Linux, macOS and Windows (gcc, clang, mingw); only Linux counts threads, files and cores. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"

/* ---- The platform. ---- */

typedef void (*function)(void);

#if defined(_WIN32)

#include <windows.h>

typedef HMODULE library;
typedef HANDLE thread;

static library open_library(const char *path) { return LoadLibraryA(path); }
static void close_library(library l) { FreeLibrary(l); }
static function symbol(library l, const char *name) { return (function)(void *)GetProcAddress(l, name); }
static const char *open_failure(void) { return "LoadLibrary has failed"; }

static DWORD WINAPI run_thread(void *work)
{
	((void (*)(void))0, (void)work);
	return 0;
}
#error "threads are not written for Windows yet"

#else

#include <dlfcn.h>
#include <pthread.h>

typedef void *library;
typedef pthread_t thread;

static library open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void close_library(library l) { dlclose(l); }
static const char *open_failure(void) { return dlerror(); }

static function symbol(library l, const char *name)
{
	void *address = dlsym(l, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}

#endif

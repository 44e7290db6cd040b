/*
 * The loader is the library that an importer loads from the FMU's binaries folder. It is plain C
 * without thread-local storage or constructors, and exports exactly the functions of the standard:
 * the 34 of an FMI 2.0 co-simulation slave (FMI 2.0.5, 2.1 and 4.2), or all 75 of FMI 3.0. It calls
 * the core, a Go library that exports the same functions and can never be unloaded; one core serves
 * the loaders of both versions. The rules of the loader:
 *
 * One core per process. The name of the core's file, on Linux also its SONAME, ends in a hash of
 * the FMU's content. However often the FMU is unpacked, the loader uses an object with this name if
 * one is already loaded. Access is serialized on Linux by the dynamic linker's lock and on Windows
 * by a mutex of the loader's own. The core stays until the process ends; on Windows it is pinned.
 *
 * A core serves only the process that loaded it. A forked child gets a core of its own for the
 * instances that it creates; calls with instances of its parent are refused with a message
 * (export/process.h).
 *
 * Go's runtime starts only if the memory, files and threads that it needs are available to the
 * process (limits_linux.c, export/threads_linux.c). Otherwise instantiation reports what is missing
 * and returns NULL.
 *
 * The loader copies FMI 2.0 integers and FMI 3.0 binaries itself if a call would do nothing else
 * (integers_fmi2.c, binaries_fmi3.c).
 *
 * The host's logger is called after the core has returned, never from below it: a logger that
 * throws or jumps does not unwind Go frames. Until then the core's messages are queued
 * (messages.c).
 *
 * What the host passes is copied: the callback structure of FMI 2.0 need not outlive
 * fmi2Instantiate.
 *
 * A component is a number in the form of an address and is never dereferenced. A stale, foreign or
 * NULL component is refused (instances.c).
 *
 * The core computes with the defaults of IEEE 754, whatever the host's thread has set
 * (floating_point.c).
 *
 * If a host passes no resource location, the instance gets the resources folder of the FMU that
 * contains the loader.
 *
 * As FMI requires, an instance is used by one thread at a time; different instances share nothing.
 * Threads that nevertheless call one instance at the same time are serialized.
 *
 * GOSMP_CORE is the name of the core; the core is compiled against the same headers, fmi2.h and
 * fmi3.h. This file loads the core; forward_fmi2.c and forward_fmi3.c forward the calls.
 */

#include <stdlib.h>

#include "loader.h"

/* load_symbols stores the addresses of the core's functions. */
static int load_symbols(void *library, instance *i)
{
	for (int k = 0; k < call_count; k++) {
		function found = find_symbol(library, call_names[k]);
		if (found == NULL) {
			report_error(
				i, INSTANTIATE ": the core " GOSMP_CORE " has no function %s; pack the FMU again",
				call_names[k]);
			return 0;
		}
		atomic_store_explicit(&call_symbols[k], found, memory_order_relaxed);
	}
	find_shared(library);
	return 1;
}

/* load_library_for loads the core for an instance and reports a failure to its logger. */
static void *load_library_for(instance *i)
{
	load_failure failure = {
		NULL, "unpack the whole .fmu and keep the files of its binaries folder together"};
	char *path = core_path();
	void *library = open_core(path, &failure);
	if (library == NULL)
		report_error(i,
		             INSTANTIATE ": the core of this FMU cannot be loaded, expected at %s: %s; %s",
		             path != NULL ? path : GOSMP_CORE,
		             failure.reason != NULL ? failure.reason : "no reason given", failure.advice);
	free(path);
	free(failure.reason);
	return library;
}

int load_core(instance *i)
{
	static const atomic_int *_Atomic loaded; /* the mark of the core that owns symbols */
	i->alive = atomic_load_explicit(&loaded, memory_order_acquire);
	if (i->alive != NULL && !core_is_lost(i))
		return 1;
	void *library = load_library_for(i);
	if (library == NULL || !load_symbols(library, i))
		return 0;
	i->alive = alive_mark(library);
	atomic_store_explicit(&loaded, i->alive, memory_order_release);
	return 1;
}

status refuse(instance *i, handle h, const char *name)
{
	if (i == NULL)
		return STATUS_ERROR;
	report_error(i,
	             "%s: this process was forked after the instance had been made, and its core has "
	             "not come along; free it, and "
	             "make instances after the fork or in processes that are started afresh (Python: "
	             "the spawn start method)",
	             name);
	deliver_messages(i, h);
	return STATUS_ERROR;
}

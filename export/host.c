#define _GNU_SOURCE /* process_vm_readv */
#include "host.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

char gosmp_handles[gosmp_handle_count];

const char *const gosmp_types_platform = "default";
const char *const gosmp_version = "2.0";
const char *const gosmp_version3 = "3.0";
const fmi3Byte gosmp_nothing = 0;

void gosmp_call_logger(fmi2CallbackLogger logger, uintptr_t environment, fmi2String instance,
                       fmi2Status status, fmi2String category, fmi2String text)
{
	logger((fmi2ComponentEnvironment)environment, instance, status, category, text);
}

void gosmp_call_logger3(fmi3LogMessageCallback logger, uintptr_t environment, fmi3Status status,
                        fmi3String category, fmi3String text)
{
	logger((fmi3InstanceEnvironment)environment, status, category, text);
}

void gosmp_free(char *memory) { free(memory); }

#if defined(__linux__)
int gosmp_copy(void *to, uintptr_t from, size_t n)
{
	while (n > 0) {
		struct iovec here = {to, n}, there = {(void *)from, n};
		ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
		if (got < 0 && (errno == EPERM || errno == ENOSYS)) { /* a sandbox without this call */
			memcpy(to, (const void *)from, n);
			return 1;
		}
		if (got <= 0)
			return 0;
		to = (char *)to + got;
		from += (size_t)got;
		n -= (size_t)got;
	}
	return 1;
}
#elif defined(_WIN32)
int gosmp_copy(void *to, uintptr_t from, size_t n)
{
	return ReadProcessMemory(GetCurrentProcess(), (const void *)from, to, n, NULL) != 0;
}
#else
int gosmp_copy(void *to, uintptr_t from, size_t n)
{
	memcpy(to, (const void *)from, n);
	return 1;
}
#endif

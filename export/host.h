/* The parts of the package that need C, such as calling the host's variadic logger, and numbers
 * that look like addresses. */
#ifndef GOSMP_HOST_H
#define GOSMP_HOST_H

#include <stdint.h>

#define GOSMP_HANDLES_ARE_NUMBERS
#include "binaries.h"
#include "fmi2.h"
#include "fmi3.h"
#include "integers.h"

/* Handles are addresses inside this array. They are never dereferenced. Because they are real
 * addresses in the library, a host cannot mistake them for its own addresses. */
enum { gosmp_handle_count = 1 << 20 };
extern char gosmp_handles[gosmp_handle_count];

extern const char *const gosmp_types_platform;
extern const char *const gosmp_version;

/* Calls the host's logger with a text that needs no further arguments: every '%' in it has been
 * doubled. The environment is passed as a number because it may point to anything, and cgo would
 * search the memory at a pointer for Go pointers. */
void gosmp_call_logger(fmi2CallbackLogger logger, uintptr_t environment, fmi2String instance,
                       fmi2Status status, fmi2String category, fmi2String text);

/* The same for FMI 3.0, where the text is not a format string. */
void gosmp_call_logger3(fmi3LogMessageCallback logger, uintptr_t environment, fmi3Status status,
                        fmi3String category, fmi3String text);

extern const char *const gosmp_version3;

/* A byte whose address stands for an empty binary value. */
extern const fmi3Byte gosmp_nothing;

/* Copies n bytes from any address, and reports whether all of them could be read. Where the system
 * can check that, unreadable memory causes no fault in this process. */
int gosmp_copy(void *to, uintptr_t from, size_t n);

/* Returns integers for an instance with that many variables, reused or new; NULL without memory.
 * Calls of this function and of gosmp_give_integers must not be concurrent. */
gosmp_integers *gosmp_take_integers(unsigned count);

/* Keeps integers for later instances. */
void gosmp_give_integers(gosmp_integers *i);

/* The same for binaries. */
gosmp_binaries *gosmp_take_binaries(unsigned count);
void gosmp_give_binaries(gosmp_binaries *b);

/* Frees the values that the loader has copied, and drops all others. */
void gosmp_empty_binaries(gosmp_binaries *b);

/* Frees memory from malloc or calloc; passed as bytes for the same reason. */
void gosmp_free(char *memory);

#endif

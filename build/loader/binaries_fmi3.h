/* Binary values that the loader serves without the core. */
#ifndef GOSMP_LOADER_BINARIES_H
#define GOSMP_LOADER_BINARIES_H

#include "binaries.h"
#include "loader.h"

/* get_binaries and set_binaries either do what the functions of FMI do, or do nothing and return 0;
 * in the latter case the core has to be called. */
int get_binaries(const instance *i, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                 fmi3Binary values[], size_t count);
int set_binaries(const instance *i, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                 const fmi3Binary values[], size_t count);

#endif

/* Integers that the loader copies without the core. */
#ifndef GOSMP_LOADER_INTEGERS_H
#define GOSMP_LOADER_INTEGERS_H

#include "loader.h"

/* A call with more integers than this is an error, which the core reports. */
enum { MOST_INTEGERS = 1 << 20 };

/* get_integers and set_integers either do what the functions of FMI do, or do nothing and return 0;
 * in the latter case the core has to be called. */
int get_integers(const instance *i, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]);
int set_integers(const instance *i, const fmi2ValueReference vr[], size_t n,
                 const fmi2Integer value[]);

#endif

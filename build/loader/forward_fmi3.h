/* Declarations shared by the sources for FMI 3.0. */
#ifndef GOSMP_FORWARD_FMI3_H
#define GOSMP_FORWARD_FMI3_H

#include "loader.h"

/* The arguments of fmi3DoStep. */
typedef struct {
	fmi3Float64 time, size;
	fmi3Boolean no_set_before;
	fmi3Boolean *event, *terminate, *early;
	fmi3Float64 *last;
} step_arguments;

/* core_step is fmi3DoStep of the core. */
fmi3Status core_step(instance *i, step_arguments a);

/* new_instance copies what the host passes about itself. Without a logger nothing is logged. */
instance new_instance(fmi3String name, fmi3InstanceEnvironment environment,
                      fmi3LogMessageCallback log);

/* intermediate_update begins or ends an intermediate update, and reports whether the core could do
   so. */
int intermediate_update(instance *i, int begin);

#endif

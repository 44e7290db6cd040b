#include "host.h"

#include <stdlib.h>

char gosmp_handles[gosmp_handle_count];

const char *const gosmp_types_platform = "default";
const char *const gosmp_version = "2.0";

void gosmp_call_logger(fmi2CallbackLogger logger, uintptr_t environment, fmi2String instance, fmi2Status status,
                       fmi2String category, fmi2String text) {
	logger((fmi2ComponentEnvironment)environment, instance, status, category, text);
}

void gosmp_free(char *memory) {
	free(memory);
}

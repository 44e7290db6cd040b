/* The address and size of a message, in the three Integers base.lo, base.hi and size of OSMP. */
#ifndef GOSMP_TRIPLE_H
#define GOSMP_TRIPLE_H

#include <stdint.h>

#include "fmi2.h"

static inline void put_address(fmi2Integer triple[3], const void *address, size_t size)
{
	const uint64_t bits = (uint64_t)(uintptr_t)address;
	triple[0] = (fmi2Integer)(uint32_t)bits;
	triple[1] = (fmi2Integer)(uint32_t)(bits >> 32);
	triple[2] = (fmi2Integer)size;
}

static inline const unsigned char *address_in(const fmi2Integer triple[3])
{
	const uint64_t bits = (uint64_t)(uint32_t)triple[1] << 32 | (uint32_t)triple[0];
	return (const unsigned char *)(uintptr_t)bits;
}

#endif

//go:build linux

// The floating-point settings of the thread that calls FMUs. Some libraries change them when they
// are loaded (-ffast-math) or called, which would affect all FMUs of a process.

#define _GNU_SOURCE
#include "serve.h"

#if defined(__x86_64__)

enum { MXCSR_FLAGS = 0x3f }; // exceptions that have occurred, which are not settings

static uint32_t vector_settings;
static uint16_t x87_settings;

static inline uint32_t vector_now(void)
{
	return __builtin_ia32_stmxcsr() & ~(uint32_t)MXCSR_FLAGS;
}

static inline uint16_t x87_now(void)
{
	uint16_t word;
	__asm__ volatile("fnstcw %0" : "=m"(word));
	return word;
}

void gw_keep_floats(void)
{
	vector_settings = vector_now();
	x87_settings = x87_now();
}

bool gw_restore_floats(void)
{
	if (__builtin_expect(vector_now() == vector_settings && x87_now() == x87_settings, 1)) {
		return false;
	}
	__builtin_ia32_ldmxcsr(vector_settings);
	// An exception that is unmasked and pending would end the process, so it is cleared first.
	__asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87_settings));
	return true;
}

#elif defined(__aarch64__)

static uint64_t settings;

static inline uint64_t now(void)
{
	uint64_t word;
	__asm__ volatile("mrs %0, fpcr" : "=r"(word));
	return word;
}

void gw_keep_floats(void) { settings = now(); }

bool gw_restore_floats(void)
{
	if (__builtin_expect(now() == settings, 1)) {
		return false;
	}
	__asm__ volatile("msr fpcr, %0" : : "r"(settings));
	return true;
}

#else

#include <fenv.h>

static fenv_t settings;
static int rounding;

void gw_keep_floats(void)
{
	fegetenv(&settings);
	rounding = fegetround();
}

bool gw_restore_floats(void)
{
	bool changed = fegetround() != rounding;
	fesetenv(&settings);
	return changed;
}

#endif

/* The floating-point environment: the rounding mode, flush-to-zero, and traps in place of NaN or
 * infinity, which each thread of the host may have set. Go relies on the defaults of IEEE 754: a
 * trap would panic in the model or end the process in Go's runtime, and Go's threads inherit the
 * environment of the thread that creates them. The loader therefore sets the defaults before it
 * enters the core, and afterwards restores the host's environment, including its exception
 * flags. */

#include <stdint.h>

#include "loader.h"

#if defined(__x86_64__) || defined(__i386__)

enum { DEFAULTS = 0x1F80, FLAGS = 0x3F };

static floating_point read_mxcsr(void)
{
	floating_point now;
	__asm__ volatile("stmxcsr %0" : "=m"(now));
	return now;
}

static void write_mxcsr(floating_point value) { __asm__ volatile("ldmxcsr %0" : : "m"(value)); }

floating_point default_floating_point(void)
{
	floating_point hosts = read_mxcsr();
	if ((hosts & ~(floating_point)FLAGS) != DEFAULTS)
		write_mxcsr(DEFAULTS);
	return hosts;
}

void restore_floating_point(floating_point hosts)
{
	if (read_mxcsr() != hosts)
		write_mxcsr(hosts);
}

#elif defined(__aarch64__)

floating_point default_floating_point(void)
{
	floating_point hosts;
	__asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(hosts.control), "=r"(hosts.status));
	if (hosts.control != 0)
		__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
	return hosts;
}

void restore_floating_point(floating_point hosts)
{
	if (hosts.control != 0)
		__asm__ volatile("msr fpcr, %0" : : "r"(hosts.control));
	__asm__ volatile("msr fpsr, %0" : : "r"(hosts.status));
}

#else
#error \
	"the loader cannot set the floating-point environment of this processor; it supports x86 and 64-bit ARM"
#endif

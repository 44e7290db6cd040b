/* How the processor calculates, which each thread of the host may have set for itself: rounding, tiny numbers as zero, and traps
 * instead of NaN or infinity. Go takes the defaults of IEEE 754 for granted: a trap would be a panic in the model, or end the
 * process in Go's runtime, and threads of Go inherit what the thread that makes them has. The core is therefore entered with the
 * defaults, and the host finds everything as it was, also the flags that tell it of overflows and the like of its own. */

#if defined(__x86_64__) || defined(__i386__)

typedef unsigned arithmetic; /* MXCSR */

enum { DEFAULTS = 0x1F80, FLAGS = 0x3F };

static void calculate(arithmetic as) { __asm__ volatile("ldmxcsr %0" : : "m"(as)); }

static arithmetic calculates(void)
{
    arithmetic now;
    __asm__ volatile("stmxcsr %0" : "=m"(now));
    return now;
}

static arithmetic calm(void)
{
    arithmetic hosts = calculates();
    if ((hosts & ~(arithmetic)FLAGS) != DEFAULTS)
        calculate(DEFAULTS);
    return hosts;
}

static void uncalm(arithmetic hosts)
{
    if (calculates() != hosts)
        calculate(hosts);
}

#elif defined(__aarch64__)

typedef struct {
    uint64_t control, flags; /* FPCR and FPSR */
} arithmetic;

static arithmetic calm(void)
{
    arithmetic hosts;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(hosts.control), "=r"(hosts.flags));
    if (hosts.control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return hosts;
}

static void uncalm(arithmetic hosts)
{
    if (hosts.control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"(hosts.control));
    __asm__ volatile("msr fpsr, %0" : : "r"(hosts.flags));
}

#else

typedef int arithmetic;

static arithmetic calm(void) { return 0; }
static void uncalm(arithmetic hosts) { (void)hosts; }

#endif

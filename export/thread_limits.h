/* The limits on threads, before Go's runtime starts. Linux only. */
#ifndef GOSMP_THREAD_LIMITS_H
#define GOSMP_THREAD_LIMITS_H

/* Returns 1 if hundreds of threads can be created as far as all limits say that there are, and 0 if
 * a limit is near or may be out of sight. */
__attribute__((visibility("hidden"))) int gosmp_threads_are_plentiful(void);

#endif

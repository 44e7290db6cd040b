/* The limits on threads, before Go's runtime starts. Linux only. */
#ifndef GOSMP_THREAD_LIMITS_H
#define GOSMP_THREAD_LIMITS_H

/* Returns 1 if all limits are visible and leave room for hundreds of threads, and 0 if a limit is
 * near or may be hidden. */
__attribute__((visibility("hidden"))) int gosmp_threads_are_plentiful(void);

#endif

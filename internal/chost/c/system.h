/* What a host needs from the system: libraries, threads, files, and the resources of its process.
 * One interface for Linux and Windows; macOS has libraries and threads only. All texts are UTF-8.
 */
#ifndef GOSMP_SYSTEM_H
#define GOSMP_SYSTEM_H

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
typedef HMODULE library;
typedef HANDLE thread_id;
#else
#include <pthread.h>
typedef void *library;
typedef pthread_t thread_id;
#endif

typedef void (*function)(void);

library open_library(const char *path);       /* NULL on failure */
const char *open_failure(void);               /* why the last one failed */
int close_library(library l);                 /* 0 on failure */
function symbol(library l, const char *name); /* NULL when there is none */

/* A thread that runs work(argument). */
typedef struct {
	void (*work)(void *);
	void *argument;
	thread_id id;
} thread;

int start(thread *t); /* 0 on failure */
void join(thread *t);

/* utf8_words is the command line, which Windows has in UTF-16. */
char **utf8_words(int *count, char **words);

/* clear removes the folder of a file, and returns how many of its files could not be removed. */
int clear(const char *file);

/* Resources of the process: threads, open files, cores (executable mappings of files with "-core-"
 * in their names), and memory in KiB. 0 where the system has no such count. */
int count_threads(void);
int count_files(void);
int count_cores(void);
long resident_memory(void);
long address_space(void);

/* print_holdings prints "WHEN: threads N files N cores N". */
void print_holdings(const char *when);

/* now returns the time of a monotonic clock in nanoseconds. */
double now(void);

#endif

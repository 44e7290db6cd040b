//go:build fmucore

/* The threads with which Go's runtime starts. The runtime ends the process if it cannot create a
 * thread, although that decision belongs to the host. Unless all limits are far away
 * (thread_limits_linux.c), the threads that the runtime needs first are therefore created before it
 * starts: if that works, the runtime gets one of them each time it asks for a thread; if not, it is
 * not started.
 *
 * This file defines pthread_create for the core alone: the runtime calls this version; the host and
 * other libraries do not. The first call comes from the constructor of Go's library and starts the
 * runtime itself. */

#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>

#include "fmi2.h"
#include "process.h"
#include "thread_limits.h"

/* Go has one thread per active processor and a few more. Later threads are created one by one. */
enum { RESERVED = 8 };

typedef struct {
	void *(*function)(void *);
	void *argument;
} task;

static struct {
	pthread_t thread;
	sem_t ready; /* the task is known */
	task task;   /* without a function: end */
} reserved[RESERVED];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int idle;    /* reserved threads without a task: the first ones of the array */
static int started; /* the runtime has its first thread */
static task runtime_start;

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN create_function pthread_create;

/* create_thread calls the pthread_create of the C library, or of a tool under which the host
   runs. */
static int create_thread(pthread_t *thread, const pthread_attr_t *attributes,
                         void *(*function)(void *), void *argument)
{
	static create_function *_Atomic found;
	create_function *create = atomic_load(&found);
	if (create == NULL) {
		void *address = dlsym(RTLD_DEFAULT, "pthread_create"); /* ours is not among these */
		memcpy(&create, &address, sizeof create);
		atomic_store(&found, create);
	}
	return create(thread, attributes, function, argument);
}

/* serve runs in a reserved thread. */
static void *serve(void *number)
{
	const int k = (int)(intptr_t)number;
	while (sem_wait(&reserved[k].ready) != 0)
		; /* interrupted by a signal */
	const task t = reserved[k].task;
	return t.function != NULL ? t.function(t.argument) : NULL;
}

static void hand_over(int k, task t)
{
	reserved[k].task = t;
	sem_post(&reserved[k].ready);
}

/* reserve creates all threads or none. */
static int reserve(void)
{
	int made = 0;
	while (made < RESERVED && sem_init(&reserved[made].ready, 0, 0) == 0 &&
	       create_thread(&reserved[made].thread, NULL, serve, (void *)(intptr_t)made) == 0)
		made++;
	if (made == RESERVED) {
		idle = made;
		return 1;
	}
	for (int k = 0; k < made; k++)
		hand_over(k, (task){0});
	for (int k = 0; k < made; k++)
		pthread_join(reserved[k].thread, NULL);
	return 0;
}

/* use_reserved gives a task to a reserved thread, if there is one. */
static int use_reserved(pthread_t *thread, task t)
{
	if (idle == 0)
		return 0;
	idle--;
	*thread = reserved[idle].thread;
	pthread_detach(*thread); /* as Go expects */
	hand_over(idle, t);
	return 1;
}

static int use_new(task t)
{
	pthread_t thread;
	return create_thread(&thread, NULL, t.function, t.argument) == 0 && pthread_detach(thread) == 0;
}

/* start starts the runtime in a thread of its own, and makes sure of the others that it needs. */
static void start(void)
{
	pthread_t thread;
	started = gosmp_threads_are_plentiful() ? use_new(runtime_start)
	                                        : reserve() && use_reserved(&thread, runtime_start);
}

/* Go's runtime gives its threads the default stack size, which the reserved threads have as well,
 * and no attribute except being detached. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument)
{
	const task t = {function, argument};
	pthread_mutex_lock(&mutex);
	if (runtime_start.function == NULL) {
		runtime_start = t;
		start(); /* if this fails, gosmp_start_runtime tries again */
		*thread = pthread_self();
		pthread_mutex_unlock(&mutex);
		return 0;
	}
	const int done = use_reserved(thread, t);
	pthread_mutex_unlock(&mutex);
	return done ? 0 : create_thread(thread, attributes, function, argument);
}

/* release ends the reserved threads that the runtime has not asked for. Nobody waits for them:
 * their code is never unmapped. */
static void release(void)
{
	pthread_t thread;
	while (use_reserved(&thread, (task){0}))
		;
}

int gosmp_start_runtime(void)
{
	pthread_mutex_lock(&mutex);
	if (!started)
		start();
	const int result = started;
	pthread_mutex_unlock(&mutex);
	if (!result)
		return 0;
	fmi2GetVersion(); /* returns when Go's packages are initialized */
	pthread_mutex_lock(&mutex);
	release();
	pthread_mutex_unlock(&mutex);
	return 1;
}

/* The loader on Linux; loader.c says what each function is for. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"

static char *core_path(void)
{
    static const char here = 0;
    Dl_info info = {0};
    const char *loader = dladdr(&here, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
    const char *slash = strrchr(loader, '/');
    size_t folder = slash != NULL ? (size_t)(slash - loader) + 1 : 0;
    char *path = malloc(folder + sizeof GOSMP_CORE);
    if (path != NULL) {
        memcpy(path, loader, folder);
        memcpy(path + folder, GOSMP_CORE, sizeof GOSMP_CORE);
    }
    return path;
}

static char *resources_path(void)
{
    static const char up[] = "../../resources";
    char *core = core_path(), *name = core != NULL ? strrchr(core, '/') : NULL, *path = NULL, *found = NULL;
    size_t folder = name != NULL ? (size_t)(name - core) + 1 : 0;
    if (core != NULL && (path = malloc(folder + sizeof up)) != NULL) {
        memcpy(path, core, folder);
        memcpy(path + folder, up, sizeof up);
        found = realpath(path, NULL);
    }
    free(path);
    free(core);
    return found;
}

static gosmp_process *process_of(void *library)
{
    gosmp_process **found = (gosmp_process **)dlsym(library, "gosmp_this_process");
    return found != NULL ? *found : NULL;
}

static const atomic_int *life(void *library)
{
    const gosmp_process *process = process_of(library);
    return process != NULL ? &process->alive : &always;
}

/* duplicate puts a file's content into memory that looks like a file, and returns its descriptor or -1 with errno set. */
static int duplicate(const char *path)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? (int)syscall(SYS_memfd_create, GOSMP_CORE, 1u /* MFD_CLOEXEC */) : -1;
    ssize_t n = -1;
    while (to >= 0 && (n = sendfile(to, from, NULL, INT_MAX)) > 0)
        ;
    int trouble = errno;
    if (from >= 0)
        close(from);
    if (to >= 0 && n < 0)
        close(to);
    errno = trouble;
    return n < 0 ? -1 : to;
}

/* open_duplicate loads a library that is loaded already once more. The dynamic linker knows files by name and by identity: it
 * gets a file that is new, under a name that it has heard neither in this process nor in one that this was forked from, by any
 * FMU. Slashes are for free in a path. */
static void *open_duplicate(int file)
{
    char path[PATH_MAX] = "/proc/self/fd/", *end = path + strlen(path);
    void *known;
    for (snprintf(end, 12, "%d", file); (known = dlopen(path, RTLD_NOW | RTLD_NOLOAD)) != NULL; snprintf(end, 12, "%d", file)) {
        dlclose(known);
        if (end - path > (ptrdiff_t)sizeof path - 16)
            return NULL; /* after thousands of forks in forks, far more than there is room for cores */
        *end++ = '/';
    }
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* wanted is the address space in MB, most of it only reserved, that Go's runtime and its threads may take on a 64-bit system. glibc
 * keeps 64 MB for what each thread allocates and takes 128 to find them; where there is room for that but then not for the stack of
 * the next thread, or for Go's own tables, the process ends. Go has a few threads more than processors at work. */
static size_t wanted(void)
{
    enum { RUNTIME = 768, THREAD = 128 + 8, FEW = 5, MANY = 16 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t busy = processors < 1 ? 1 : processors > MANY ? MANY : (size_t)processors;
    return RUNTIME + THREAD * (busy + FEW);
}

/* descriptors says whether there are more than loading takes: two stay with Go's poller and up to two with what it knows of the
 * control group, the others are for the moment. */
static int descriptors(void)
{
    enum { FILES = 8 };
    int files[FILES], n = 0;
    while (n < FILES && (files[n] = eventfd(0, EFD_CLOEXEC)) >= 0)
        n++;
    for (int k = 0; k < n; k++)
        close(files[k]);
    return n == FILES;
}

/* room makes sure that Go's runtime will find what it cannot start without, because it ends the process when it does not: address
 * space, threads and descriptors. */
static int room(failure *f)
{
    enum { THREADS = 8 };
    if (!descriptors()) {
        f->why = copy("this process cannot open the few files that Go's runtime needs");
        f->hint = "close other files, or raise the limit on open files (ulimit -n)";
        return 0;
    }
    const size_t megabytes = wanted(), size = sizeof(void *) > 4 ? megabytes << 20 : 1;
    void *space = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[THREADS];
    int made = 0;
    pthread_mutex_lock(&gate);
    while (space != MAP_FAILED && made < THREADS && pthread_create(&threads[made], NULL, pass, &gate) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    for (int k = 0; k < made; k++)
        pthread_join(threads[k], NULL);
    pthread_mutex_destroy(&gate);
    if (space == MAP_FAILED) {
        static const char why[] = "this process cannot have the %zu MB of address space that Go's runtime and its threads reserve";
        if ((f->why = malloc(sizeof why + 20)) != NULL)
            snprintf(f->why, sizeof why + 20, why, megabytes);
        f->hint = "raise or lift the limit (ulimit -v)";
        return 0;
    }
    munmap(space, size);
    if (made < THREADS) {
        f->why = copy("this process cannot start the threads that Go's runtime needs");
        f->hint = "raise or lift the limit on threads (ulimit -u, pids.max of the control group) or on address space (ulimit -v)";
    }
    return made == THREADS;
}

/* take_over gives the core that serves this process in place of one that a parent has loaded. All threads and all copies of the
 * loader get the same. */
static void *take_over(gosmp_process *parents, const char *path, failure *f)
{
    f->hint = "this process was forked from one that has loaded it and needs a copy of its own; load the FMU after the fork only, "
              "or start processes afresh (Python: the spawn start method)";
    while (atomic_exchange(&parents->busy, 1))
        sched_yield();
    void *library = atomic_load(&parents->heir);
    if (library == NULL && room(f)) {
        int file = path != NULL ? duplicate(path) : -1;
        const char *text = file < 0 ? strerror(errno) : NULL;
        if (file >= 0) {
            library = open_duplicate(file);
            text = library == NULL ? dlerror() : NULL;
            close(file);
        }
        if (library == NULL)
            f->why = text != NULL ? copy(text) : NULL;
        atomic_store(&parents->heir, library);
    }
    atomic_store(&parents->busy, 0);
    return library;
}

/* open_any asks by the bare name, which finds a core that is loaded already and else follows our RUNPATH to the file beside us.
 * A tool that wraps dlopen, such as a sanitizer, hides the RUNPATH; then the full path helps. */
static void *open_any(const char *path, failure *f)
{
    void *library = dlopen(GOSMP_CORE, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL && !room(f))
        return NULL;
    if (library == NULL)
        library = dlopen(GOSMP_CORE, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL && path != NULL)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *text = library == NULL ? dlerror() : NULL;
    f->why = text != NULL ? copy(text) : NULL;
    gosmp_process *process = library != NULL ? process_of(library) : NULL;
    return process != NULL && !atomic_load(&process->alive) ? take_over(process, path, f) : library;
}

/* lower takes back what package os of Go does when a library that has it is loaded: it raises the limit on open files as far as it
 * may. A host that uses select, or starts programs that close all that could be open, has reasons for its own. Go initializes in a
 * thread of its own and answers calls when it is through. Nothing is ever raised: what this thread saw may have been raised by
 * another one's loading. */
static void lower(void *library, const struct rlimit *before)
{
    struct rlimit now;
    const char *(*answer)(void) = NULL;
    void *address = dlsym(library, "fmi2GetVersion");
    memcpy(&answer, &address, sizeof answer);
    if (answer != NULL)
        answer();
    if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur <= before->rlim_cur)
        return;
    now.rlim_cur = before->rlim_cur;
    setrlimit(RLIMIT_NOFILE, &now);
}

/* open_core loads with all signals blocked. Go's threads inherit that, but for faults and the few that Go itself insists on: a
 * signal that the host waits for, or has a handler for, must not find a thread of Go's, which would end the process or run the
 * handler on a stack of 2 KB. A thread that is to be cancelled is so later: here it would take other threads' gate along. */
static void *open_core(const char *path, failure *f)
{
    sigset_t all, before;
    struct rlimit files;
    int limited = getrlimit(RLIMIT_NOFILE, &files) == 0, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    void *library = open_any(path, f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (library != NULL && limited)
        lower(library, &files);
    pthread_setcancelstate(cancel, NULL);
    return library;
}

/* move_handlers does for the handlers that the host has installed since the core was loaded what Go does for earlier ones: they
 * run on the alternate signal stack of a thread that has one. Go's threads have, and a thread of the host has while it is in Go,
 * where a goroutine's small stack may be in use. For a thread without one SA_ONSTACK changes nothing. */
static void move_handlers(void)
{
    struct sigaction action;
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, NULL, &action) != 0 || (action.sa_flags & SA_ONSTACK) != 0 ||
            ((action.sa_flags & SA_SIGINFO) == 0 && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)))
            continue;
        action.sa_flags |= SA_ONSTACK;
        sigaction(number, &action, NULL);
    }
}

static function find_symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);
    function found = NULL;
    memcpy(&found, &address, sizeof found);
    return found;
}

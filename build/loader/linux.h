/* The loader on Linux; loader.c says what each function is for. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

/* origin is the folder that a library was loaded from, with room for more characters, or NULL. The dynamic linker remembers it, but
 * not its length; that of all places where the library looks for others is greater, because our RUNPATH is one of them, but in a
 * program with more rights than its user. */
static char *origin(const char *name, size_t more)
{
    void *library = getauxval(AT_SECURE) == 0 ? dlopen(name, RTLD_NOW | RTLD_NOLOAD) : NULL;
    Dl_serinfo places;
    char *folder = NULL;
    if (library != NULL && dlinfo(library, RTLD_DI_SERINFOSIZE, &places) == 0)
        folder = malloc(places.dls_size + more);
    if (folder != NULL && dlinfo(library, RTLD_DI_ORIGIN, folder) != 0) {
        free(folder);
        folder = NULL;
    }
    if (library != NULL)
        dlclose(library);
    return folder;
}

/* core_path asks for the origin if the host has loaded us by a relative path: it may work in another folder by now. */
static char *core_path(void)
{
    static const char here = 0, name[] = "/" GOSMP_CORE;
    Dl_info info = {0};
    const char *loader = dladdr(&here, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
    const char *slash = strrchr(loader, '/');
    char *path = *loader != '/' ? origin(loader, sizeof name) : NULL;
    size_t folder = path != NULL ? strlen(path) : slash != NULL ? (size_t)(slash - loader) : 0;
    if (path == NULL && (path = malloc(folder + sizeof name)) != NULL)
        memcpy(path, loader, folder);
    if (path != NULL)
        memcpy(path + folder, name, sizeof name);
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

/* fill copies one file into another. It asks for the limit on the size of files first, because a process that goes beyond gets a
 * signal that ends it. */
static int fill(int to, int from)
{
    struct stat file;
    struct rlimit limit;
    ssize_t n;
    if (fstat(from, &file) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 0;
    if ((rlim_t)file.st_size > limit.rlim_cur) {
        errno = EFBIG;
        return 0;
    }
    while ((n = sendfile(to, from, NULL, INT_MAX)) > 0)
        ;
    return n == 0;
}

/* duplicate puts a file's content into memory that looks like a file, and returns its descriptor or -1 with errno set. */
static int duplicate(const char *path)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? (int)syscall(SYS_memfd_create, GOSMP_CORE, 1u /* MFD_CLOEXEC */) : -1;
    int filled = to >= 0 && fill(to, from), trouble = errno;
    if (from >= 0)
        close(from);
    if (to >= 0 && !filled)
        close(to);
    errno = trouble;
    return filled ? to : -1;
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

/* threads_fit tells whether this process can have eight more threads at the same time. */
static int threads_fit(void)
{
    enum { THREADS = 8 };
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[THREADS];
    int made = 0;
    pthread_mutex_lock(&gate);
    while (made < THREADS && pthread_create(&threads[made], NULL, pass, &gate) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    for (int k = 0; k < made; k++)
        pthread_join(threads[k], NULL);
    pthread_mutex_destroy(&gate);
    return made == THREADS;
}

/* files_fit tells whether this process can have six more open files. */
static int files_fit(void)
{
    enum { FILES = 6 };
    int files[FILES], made = 0;
    while (made < FILES && (files[made] = open("/", O_PATH | O_CLOEXEC)) >= 0)
        made++;
    for (int k = 0; k < made; k++)
        close(files[k]);
    return made == FILES;
}

static int lacking(failure *f, const char *what, const char *hint)
{
    f->why = copy(what);
    f->hint = hint;
    return 0;
}

/* wanted is the address space in MB, most of it only reserved, that Go's runtime and its threads may take on a 64-bit system: some
 * 1.2 GB for its tables, and for each thread its stack and 64 MB of C's heap, twice that for a moment. Go has a few threads more than
 * processors at work. */
static size_t wanted(void)
{
    enum { RUNTIME = 1288, THREAD = 64 + 8, FEW = 5, MANY = 16 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t busy = processors < 1 ? 1 : processors > MANY ? MANY : (size_t)processors;
    return RUNTIME + THREAD * (busy + FEW);
}

/* room makes sure that Go's runtime will find what it cannot start or go on without, because it ends the process when it does not:
 * address space, memory to write to, threads, and files, of which it keeps four open: two to wait by, and two about its control
 * group. */
static int room(failure *f)
{
    enum { WRITTEN = 64, UNIT = sizeof(void *) > 4 ? 1 << 20 : 1 };
    const size_t megabytes = wanted();
    char why[100];
    char *space = mmap(NULL, megabytes * UNIT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        snprintf(why, sizeof why, "this process cannot have the %zu MB of address space that Go's runtime reserves", megabytes);
        return lacking(f, why, "raise or lift the limit (ulimit -v)");
    }
    int written = mprotect(space, (size_t)WRITTEN * UNIT, PROT_READ | PROT_WRITE) == 0, threads = threads_fit();
    munmap(space, megabytes * UNIT);
    if (!written)
        return lacking(f, "this process cannot have the memory that Go's runtime needs", "raise or lift the limit (ulimit -d)");
    if (!threads)
        return lacking(f, "this process cannot start the threads that Go's runtime needs",
                       "raise or lift the limit on threads (ulimit -u, pids.max of the control group), address space (ulimit -v) or "
                       "data (ulimit -d)");
    return files_fit() || lacking(f, "this process cannot open the files that Go's runtime needs",
                                  "close other files, or raise the limit on open files (ulimit -n)");
}

/* take_over gives the core that serves this process in place of one that a parent has loaded. All copies of the loader get the
 * same. */
static void *take_over(gosmp_process *parents, const char *path, failure *f)
{
    f->hint = "this process was forked from one that has loaded it and needs a copy of its own; load the FMU after the fork only, "
              "or start processes afresh (Python: the spawn start method)";
    void *library = atomic_load(&parents->heir);
    if (library != NULL || !room(f))
        return library;
    int file = path != NULL ? duplicate(path) : -1;
    const char *text = file < 0 ? strerror(errno) : NULL;
    if (file >= 0) {
        library = open_duplicate(file);
        text = library == NULL ? dlerror() : NULL;
        close(file);
    }
    f->why = text != NULL ? copy(text) : NULL;
    atomic_store(&parents->heir, library);
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

static function find_symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);
    function found = NULL;
    memcpy(&found, &address, sizeof found);
    return found;
}

/* lower takes back what package os of Go does when a library that has it is loaded: it raises the limit on open files as far as it
 * may. A host that uses select, or starts programs that close all that could be open, has reasons for its own. Go initializes in a
 * thread of its own and answers calls when it is through. */
static void lower(void *library, const struct rlimit *before)
{
    struct rlimit now;
    function answer = find_symbol(library, "fmi2GetVersion");
    if (answer != NULL)
        ((const char *(*)(void))answer)();
    if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur <= before->rlim_cur)
        return;
    now.rlim_cur = before->rlim_cur;
    setrlimit(RLIMIT_NOFILE, &now);
}

/* lock keeps threads apart that want the core at the same time, also those that have come through other copies of the loader: what
 * room finds free must still be free when Go's runtime starts. There is one such file for each process, and a forked child has
 * another one. Without it, for want of /proc or of descriptors, they go on side by side; after ten seconds, too, because whoever is
 * ahead may be waiting for us in the dynamic linker, if we have been called by a constructor. */
static int lock(void)
{
    const struct timespec millisecond = {0, 1000000};
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    for (int k = 0; file >= 0 && k < 10000 && flock(file, LOCK_EX | LOCK_NB) != 0; k++)
        nanosleep(&millisecond, NULL);
    return file;
}

static void unlock(int file)
{
    if (file < 0)
        return;
    flock(file, LOCK_UN); /* for a child that has been forked meanwhile has the file open, too */
    close(file);
}

/* open_core loads with all signals blocked. Go's threads inherit that, but for faults and the few that Go itself insists on: a
 * signal that the host waits for, or has a handler for, must not find a thread of Go's, which would end the process or run the
 * handler on a stack of 2 KB. A thread that is to be cancelled is so later: here it would take other threads' gate along. */
static void *open_core(const char *path, failure *f)
{
    sigset_t all, before;
    struct rlimit files;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int file = lock(), limited = getrlimit(RLIMIT_NOFILE, &files) == 0;
    void *library = open_any(path, f);
    if (library != NULL && limited)
        lower(library, &files);
    unlock(file);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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

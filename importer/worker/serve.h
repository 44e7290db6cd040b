// Declarations shared by the parts of a worker.

#ifndef GOSMP_WORKER_SERVE_H
#define GOSMP_WORKER_SERVE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker.h"

// gw_blob holds a text or a binary that the worker keeps for the host, in alternating places, so
// that the bytes of a step are preserved while the next step runs: in two places or, in a stream,
// in two more than it has slots.
enum { GW_PLACES = 2 + GW_BLOB_SLOTS };
typedef struct {
	uint64_t offset[GW_PLACES], capacity[GW_PLACES];
	uint32_t newest;
} gw_blob;

typedef struct {
	uint32_t plan;
	uint32_t blobs;
	gw_blob *blob;
} gw_shelf;

typedef struct {
	uint32_t major; // 0: the slot is free
	// FMI 1.0: whether fmiInitializeSlave has been called, and whether the run has a stop time.
	bool initialized, ends;
	double stop;
	uint32_t slot;
	uint32_t flags; // of its instantiation
	void *library;
	void *component;
	char *name, *token, *resources; // some FMUs keep the pointers
	char *prefix;                   // of the names of its functions (FMI 1.0)
	void *function[GW_FUNCTION_COUNT];
	void *state[GW_STATES];
	gw_shelf *shelf; // of plans that read texts and binaries
	uint32_t shelves;
	// Intermediate updates: the plans of GW_INSTANTIATE, their references, where the running step
	// began (in FMI 1.0 the start of the run), and the rows of its updates.
	uint64_t update_in, update_out;
	uint32_t *required, required_count;
	bool stepping, rows_lost;
	double begun;
	uint64_t *row;
	size_t rows, rows_room, rows_at, rows_kept; // cells, and where the host finds them
} gw_instance;

// The instances of this worker, which has one thread for them.
extern gw_control *gw_shared;
extern char *gw_memory, *gw_arena;

static inline void *gw_at(uint64_t offset) { return offset == 0 ? NULL : gw_memory + offset; }
static inline char *gw_blob_at(uint64_t offset)
{
	return offset & GW_IN_ARENA ? gw_arena + (offset & ~GW_IN_ARENA) : gw_memory + offset;
}
static inline const char *gw_text(int k) { return gw_at(gw_shared->command.text[k]); }

// gw_begin records the function that is about to run, gw_end its status: the worst status is kept
// in the reply, and the call is logged.
void gw_begin(gw_instance *i, gw_function f);
int32_t gw_end(gw_instance *i, gw_function f, int32_t status, const char *arguments, ...)
	__attribute__((format(printf, 4, 5)));
void gw_call_line(gw_instance *i, gw_function f, const char *result, const char *arguments,
                  va_list list);

// gw_keep_floats records the floating-point settings of this thread, with which FMUs are called:
// rounding, exception masks, denormal numbers. gw_restore_floats restores them, and returns whether
// they had changed.
void gw_keep_floats(void);
bool gw_restore_floats(void);

// gw_clear_reply empties the reply, before a command. gw_fail ends a command with a status that
// does not come from an FMU.
void gw_clear_reply(void);
int32_t gw_fail(int32_t status, gw_function f, const char *reason, ...)
	__attribute__((format(printf, 3, 4)));

// gw_message passes a message of an FMU to the host, from any thread.
void gw_message(uint32_t slot, int32_t status, const char *category, const char *message);
// gw_format_message expands printf arguments; a text that is too long is truncated.
void gw_format_message(uint32_t slot, int32_t status, const char *category, const char *message,
                       va_list list);
void gw_open_log(int descriptor);
bool gw_has_logged(void);

// Copies of this process: gw_prepare_copies notes what the process has before it loads a library.
// gw_copy executes GW_COPY. gw_enter_copy serves the host of a copy and does not return.
void gw_prepare_copies(int channel);
int32_t gw_copy(void);
void gw_enter_copy(int memory, int arena, const int *passed, int count);
int gw_entries(const char *folder); // of a folder of /proc; -1 if it cannot be read
bool gw_has_timer(void), gw_has_children(void);

// Second lives: gw_note executes GW_NOTE, gw_renew executes GW_RENEW.
int32_t gw_note(const gw_command *c);
int32_t gw_renew(gw_instance *i);

// A growing text, for the log of calls.
typedef struct {
	char *bytes;
	size_t length, capacity;
} gw_string;
void gw_add(gw_string *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gw_add_double(gw_string *s, double v);

// The digits of a number for the log of calls, with a decimal point in any locale, because an FMU
// may have called setlocale. Empty if calls are not logged.
typedef struct {
	char text[40];
} gw_number;
gw_number gw_digits(double v);

// Values. They return the worst status; after a status worse than Warning, the remaining groups are
// skipped.
int32_t gw_set_plan(gw_instance *i, uint64_t plan);
int32_t gw_get_plan(gw_instance *i, uint64_t plan);
int32_t gw_set_first(gw_instance *i, uint64_t plan); // its first group alone
bool gw_is_timing(const gw_group *g, int set); // a group of clocks that gw_timing gets or sets
int32_t gw_timing(gw_instance *i, const gw_group *g, int set);

// Texts and binaries. gw_reserve takes room in the area of this worker. gw_keep copies bytes of an
// FMU there, where the host and other workers find them through the two cells; a text must include
// its terminator. Both return false if the area is full; gw_shelf_of returns NULL if memory is
// exhausted.
// gw_set_places sets how many places the next values of the worker alternate between.
// gw_free_area frees the area of this worker.
bool gw_reserve(uint64_t size, uint64_t *offset);
void gw_free_area(void);
void gw_set_places(uint32_t places);
gw_shelf *gw_shelf_of(gw_instance *i, const gw_plan *p);
bool gw_keep(gw_blob *b, const void *bytes, uint64_t size, uint64_t *cells);
void gw_forget_shelves(gw_instance *i);

// gw_run executes the command, gw_run_batch and gw_run_stream a command that consists of other
// commands. gw_carry copies output values of earlier steps to inputs of the next one.
void gw_run(void);
void gw_run_batch(void);
void gw_run_stream(void);
void gw_carry(uint64_t wire, uint32_t wires);

// gw_unload_all unloads the libraries of all instances.
void gw_unload_all(void);

// gw_load loads the library of an instance. gw_symbol returns one of its functions, or fills in the
// reply and returns NULL.
int32_t gw_load(gw_instance *i);
int32_t gw_preload(void);
void gw_unload(gw_instance *i);
void *gw_symbol(gw_instance *i, gw_function f);

// gw_function_of returns the function of the FMU's standard that corresponds to functions of FMI
// 2.0 and 3.0.
gw_function gw_function_of(const gw_instance *i, gw_function fmi2, gw_function fmi3);

// gw_allocate is allocateMemory of FMI 1.0 and 2.0. It returns zeroed memory, and never NULL for
// size 0, because FMUs interpret that as a lack of memory.
void *gw_allocate(size_t n, size_t size);

// gw_wait_for polls an asynchronous step with GetStatus. The host's time limit ends it.
int32_t gw_wait_for(gw_instance *i, gw_function f);

// gw_keep_texts copies the texts of an instantiation for the lifetime of the instance; it returns
// false if memory is exhausted.
bool gw_keep_texts(gw_instance *i);

// The operations in which the standards differ, with one function for each standard.
int32_t gw_fmi1_instantiate(gw_instance *i), gw_fmi2_instantiate(gw_instance *i);
int32_t gw_fmi1_initialize(gw_instance *i), gw_fmi2_initialize(gw_instance *i);
int32_t gw_fmi1_step(gw_instance *i), gw_fmi2_step(gw_instance *i), gw_fmi3_step(gw_instance *i);
int32_t gw_fmi3_instantiate(gw_instance *i), gw_fmi3_initialize(gw_instance *i);
int32_t gw_fmi1_begin(gw_instance *i);       // fmiInitializeSlave, if it has not been called
int32_t gw_fmi3_update(gw_instance *i);      // until the FMU requests no further update
int32_t gw_fmi3_update_once(gw_instance *i); // and whether it requests another one
int32_t gw_fmi3_configure(gw_instance *i);
// Intermediate updates, which an FMU makes within gw_fmi3_step: gw_updates_begin and gw_updates_end
// enclose its call of DoStep. gw_updates_prepare returns false if memory is exhausted;
// gw_updates_wanted reports whether the FMU gets gw_fmi3_intermediate as its callback.
bool gw_updates_prepare(gw_instance *i);
bool gw_updates_wanted(const gw_instance *i);
void gw_updates_begin(gw_instance *i, double time);
int32_t gw_updates_end(gw_instance *i, int32_t status);
void gw_fmi3_intermediate(void *environment, double time, bool set, bool get, bool finished,
                          bool can_return, bool *early, double *early_time);
void gw_updates_forget(gw_instance *i);
gw_instance *gw_instance_at(uint32_t slot); // NULL if there is none
int32_t gw_logging(gw_instance *i);
int32_t gw_state(gw_instance *i);

#define GW_CALL(i, f, type) ((type)(i)->function[f])

#endif

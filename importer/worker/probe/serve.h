// Declarations shared by the files of the probe.

#ifndef GOSMP_PROBE_SERVE_H
#define GOSMP_PROBE_SERVE_H

#include <stddef.h>

#include "probe.h"

enum {
	PB_INSTANCES = 8,
	PB_STATES = 16,
	PB_BUFFERS = 16,
	PB_FETCHED = 64,
	PB_LIBRARIES = 4,
	PB_DEPTH = 4
};

typedef struct {
	void *component;
	uint32_t library, slot;
	_Atomic int freed;
	bool event;    // the last step has asked for an event
	char name[64]; // that was given to it, truncated
} pb_instance;

extern pb_control *pb_shared;
extern char *pb_memory;
extern pb_instance pb_instances[PB_INSTANCES];

static inline void *pb_at(uint64_t offset) { return offset == 0 ? NULL : pb_memory + offset; }

// Arrays for calls. A region holds one array; pb_const copies into it, pb_out fills it with a
// pattern. pb_check looks for bytes written beyond arrays or to constant arrays; pb_release
// protects the texts of the call if they must be taken back.
typedef enum {
	PB_REFERENCES,
	PB_VALUES,
	PB_SIZES,
	PB_ORDERS,
	PB_PAYLOAD,
	PB_TEXTS,
	PB_NAMES,
	PB_SEEDS,
	PB_KNOWNS,
	PB_RESULT,
	PB_EXTRA,
	PB_REGIONS
} pb_region;
void *pb_const(pb_region r, const void *from, size_t size);
void *pb_out(pb_region r, size_t size);
void *pb_payload(size_t size); // writable until pb_seal
void *pb_names(size_t size);   // the same for the texts of an instantiation
void pb_seal(void);
uint32_t pb_check(void);
void pb_release(bool forget);
void pb_set_placement(uint32_t mode);
bool pb_unwritten(const void *from, size_t size);

// Buffers that stand for the messages of other models.
typedef struct {
	char *base, *begin; // of the mapping, of the bytes
	size_t mapped, size;
} pb_buffer;
extern pb_buffer pb_buffers[PB_BUFFERS];
int32_t pb_place(const pb_op *o);
int32_t pb_protect(const pb_op *o);
uint32_t pb_place_of(const void *address); // the place of a fault

// pb_copy copies bytes that may not be readable, and returns how many were.
size_t pb_copy(void *to, const void *from, size_t size);
// pb_store makes bytes the output of an operation; pb_add appends to them.
void pb_begin_out(pb_record *r);
void pb_add(pb_record *r, const void *bytes, size_t size);
void pb_add_blob(pb_record *r, const void *bytes, uint64_t size); // a length and bytes
void pb_add_text(pb_record *r, const char *text);                 // of an FMU
// pb_alive marks a record if the bytes that it returned, which are its output from at on, are in
// the free part of the stack or change when memory is used. A text ends with a zero byte.
void pb_alive(pb_record *r, uint64_t at, const char *address, bool ends);

void *pb_symbol(uint32_t library, uint32_t code);
int32_t pb_load(const pb_op *o, pb_record *r);
int32_t pb_unload(const pb_op *o);

int32_t pb_call2(const pb_op *o, pb_record *r);
int32_t pb_call3(const pb_op *o, pb_record *r);
int32_t pb_send(const pb_op *o);
int32_t pb_fetch(const pb_op *o, pb_record *r);
int32_t pb_peek(const pb_op *o, pb_record *r);
int32_t pb_step(const pb_op *o, pb_record *r, void *f, pb_instance *i, void *c);
int32_t pb_update_states(pb_record *r, void *f, void *c);
int32_t pb_settle(const pb_op *o, pb_record *r);
int32_t pb_timing(const pb_op *o, pb_record *r, void *f, void *c);

// Intermediate updates. pb_update_of returns the callback that an instance gets, or NULL, and the
// variables that it needs.
int32_t pb_updates(const pb_op *o);
void *pb_update_of(uint32_t slot, const uint32_t **references, size_t *n);
void pb_intermediate(void *environment, double time, bool set, bool get, bool finished, bool can,
                     bool *early, double *early_time);
int32_t pb_state(const pb_op *o, pb_record *r, void *component);
int32_t pb_measure(pb_record *r);
int32_t pb_pause(const pb_op *o);
int32_t pb_twins(const pb_op *o);

// pb_isolate gives the process its own objects of System V and message queues, which disappear with
// it, if the system allows it.
void pb_isolate(void);
extern bool pb_isolated;
extern bool
	pb_unloaded; // the last library that was closed is gone, so that its destructors have run

// pb_watch starts to record what the main thread and everything that it starts request from the
// kernel: files that exist or are written, programs, addresses. pb_told makes these records the
// output, and the objects of the kernel that an unloaded library has left.
int32_t pb_watch(void);
int32_t pb_told(pb_record *r);

// pb_make records that an object of System V is created, unless the call only opens one: 0 memory,
// 1 semaphores, 2 a queue. pb_remaining adds notes about the objects of the kernel that the library
// has created and not removed; or that it has created, if this process does not have its own.
void pb_make(int k, uint64_t object_key, uint64_t flags);
void pb_remaining(pb_record *r, char *const notes[], const uint32_t during[], int noted);
void pb_note(pb_record *r, const char *verb, const char *what, uint32_t operation);

// The callbacks of FMI 2.0 other than the logger, and what they have detected: blocks that were not
// freed, foreign blocks that were freed, steps that were reported as finished, and how many of
// these reports had an environment or a status that does not exist.
void *pb_allocate(size_t n, size_t size);
void pb_give_back(void *block);
void pb_finished(void *environment, int status);
void pb_blocks(long *kept, long *wrong, long *finished, long *odd);
void pb_dirty(const pb_op *o);

// pb_christen gives an instance its name, which its messages must contain.
void pb_christen(pb_instance *i, const char *name);

// The loggers that FMUs get, and whether their environment may be NULL.
extern bool pb_no_environment;
void pb_log2(void *environment, const char *name, int status, const char *category,
             const char *message, ...);
void pb_log3(void *environment, int status, const char *category, const char *message);

void pb_run(void);

// pb_text returns a text of the script; NULL if there is none.
static inline const char *pb_text(uint64_t offset) { return pb_at(offset); }

#endif

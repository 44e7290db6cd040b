// The interface between a host and a worker: the layout of the memory that they share, and the
// constants of its protocol.
//
// Both sides are the same executable, so one compiler determines the layout. The version guards
// against a mix of two builds. The host owns everything except the words that are marked "worker":
// it copies those once into its own memory, and checks them before use.

#ifndef GOSMP_WORKER_H
#define GOSMP_WORKER_H

#include <stdatomic.h>
#include <stdint.h>

// The first argument of a worker. The descriptors of its memory, its log, its arena and the host's
// pipe follow and, if it is to be copied, a channel for the descriptors of the copies. The log and
// the pipe have the same numbers in all workers, as a library can find out.
#define GW_MARKER "gosmp-fmu-worker"
#define GW_MAGIC 0x316b77706d736f67ull
#define GW_VERSION 9

#define GW_LOG_DESCRIPTOR 4
#define GW_HOST_DESCRIPTOR 6

#define GW_CONTROL 65536 // bytes at the beginning of the memory; the host lays out the rest
#define GW_TEXTS 8       // texts of a command
#define GW_STATES 8      // saved states per instance
#define GW_INSTANCES 256 // per worker
#define GW_REASON 2048
#define GW_BLOB_SLOTS 16 // at most, of a stream with texts or binaries

// Statuses in addition to the statuses of FMI (OK, Warning, Discard, Error, Fatal, Pending are 0 to
// 5).
enum {
	GW_NULL = 16,  // no instance was returned
	GW_UNLOADABLE, // dlopen failed; the reason is dlerror's
	GW_MISSING,    // the library lacks a function; the reason names it
	GW_MISUSE,     // an invalid command: the host's mistake
	GW_FULL,       // the area cannot hold the value
	GW_UNSETTLED,  // UpdateDiscreteStates still requests an update after GW_UPDATES rounds
	GW_BAD_VALUE,  // an FMU returned an invalid value, such as a NULL text; the reason names it
	GW_UNLIKE,     // GW_COPY, GW_RENEW: it would differ from a new process; the reason says by what
};
#define GW_UPDATES 1000

enum {
	GW_LOAD = 1,
	GW_INSTANTIATE, // in FMI 3.0: plan_in and plan_out of intermediate updates
	GW_CONFIGURE,   // EnterConfigurationMode, set plan_in, ExitConfigurationMode
	GW_SET,         // plan_in
	GW_GET,         // plan_out
	GW_EXCHANGE,    // set plan_in, get plan_out
	GW_INITIALIZE,  // set plan_in, SetupExperiment (2.0), EnterInitializationMode
	// ExitInitializationMode; with GW_EVENT_MODE update discrete states, EnterStepMode; get
	// plan_out
	GW_LEAVE_INITIALIZATION,
	GW_STEP,  // set plan_in, DoStep, get plan_out
	GW_EVENT, // EnterEventMode, set plan_in, UpdateDiscreteStates, get plan_out, EnterStepMode
	GW_TERMINATE,
	GW_RESET,
	GW_FREE,
	GW_SAVE, // state number
	GW_RESTORE,
	GW_FORGET,
	GW_SERIALIZE,   // state number, into the area
	GW_DESERIALIZE, // into state number
	GW_LOGGING,     // SetDebugLogging
	GW_ENTER_EVENT, // EnterEventMode, set plan_in, get plan_out
	GW_UPDATE,      // UpdateDiscreteStates once
	GW_ENTER_STEP,  // get plan_out, EnterStepMode
	GW_COPY,        // continue in a copy of this process, too; the reply has its id as the address
	GW_PRELOAD,     // load a library that the loaded one needs later: a text
	GW_NOTE,        // note the state of the process after loading; count 1: with a language runtime
	GW_RENEW,       // compare with that state after GW_FREE, and prepare for GW_INSTANTIATE
	GW_BATCH,       // the commands of a gw_batch, which are all GW_STEP
	GW_STREAM,      // the steps of a gw_stream
	GW_QUIT,
};

// Flags of commands.
enum {
	GW_VISIBLE = 1,
	GW_LOGGING_ON = 2,
	GW_EVENT_MODE = 4,
	GW_EARLY_RETURN = 8,
	GW_TOLERANCE = 16,
	GW_STOP_TIME = 32,
	GW_KEEP_STATE = 64, // noSetFMUStatePriorToCurrentPoint is false
	GW_ASYNCHRONOUS = 128,
	GW_SAME_PLACE = 256, // texts and binaries overwrite the last command's
};

// In addition to its memory, a worker has mapped the arena of its run: it writes texts and binaries
// from FMUs to its own area, and can read all other areas. The offset of a text or a binary that
// the host passes on has this bit if it is relative to the beginning of the arena.
#define GW_IN_ARENA 0x8000000000000000ull

// Kinds of values. A cell has 8 bytes: the bits of a double, the bits of a float in the low half,
// an integer with its sign extended, 0 or 1. A text or a binary takes two cells: offset and length.
// The offset is relative to the beginning of the memory; with GW_IN_ARENA, and in cells that the
// worker writes, it is relative to the beginning of the arena.
enum {
	GW_FLOAT64 = 1,
	GW_FLOAT32,
	GW_INT8,
	GW_UINT8,
	GW_INT16,
	GW_UINT16,
	GW_INT32,
	GW_UINT32,
	GW_INT64,
	GW_UINT64,
	GW_BOOLEAN,
	GW_STRING,
	GW_BINARY,
	GW_CLOCK,
	GW_OSMP,  // three Integers of FMI 2.0: low half and high half of an address, size
	GW_SLOPE, // first derivatives of inputs and outputs of FMI 2.0
	// For clocks: seconds of all clocks, then qualifiers of all clocks, which setters do not have.
	GW_INTERVAL,
	GW_INTERVAL_FRACTION, // counters, resolutions, qualifiers
	GW_SHIFT,             // seconds
	GW_SHIFT_FRACTION,    // counters, resolutions
	// Negated aliases of FMI 1.0, which are only read.
	GW_NEGATED_FLOAT64,
	GW_NEGATED_INT32,
	GW_NEGATED_BOOLEAN,
};

// gw_group is one call of a getter or setter. Offsets count bytes from the beginning of the memory.
typedef struct {
	uint32_t kind;
	uint32_t references; // their number; 3 for GW_OSMP
	uint32_t values;     // elements of all variables together; 1 for GW_OSMP
	uint32_t blobs;      // number of the first text or binary of this group among all of its plan
	uint64_t reference;  // uint32_t[references]
	uint64_t cells;      // uint64_t[values], or [2 * values]
} gw_group;

typedef struct {
	uint32_t groups;
	uint32_t id;    // of the plan, from 1
	uint64_t group; // gw_group[groups]
} gw_plan;

typedef struct {
	uint32_t operation;
	uint32_t slot;
	uint32_t flags;
	uint32_t major;             // GW_LOAD
	uint32_t state;             // number of a saved state
	uint32_t count;             // categories, intermediate variables
	uint64_t plan_in, plan_out; // offsets of gw_plan, 0 for none
	uint64_t text[GW_TEXTS];    // offsets of texts, 0 for none
	uint64_t blob, size;        // GW_DESERIALIZE
	uint64_t batch;             // GW_BATCH, GW_STREAM: offset of a gw_batch, of a gw_stream
	double time, step, tolerance, stop;
} gw_command;

typedef struct {
	int32_t status;    // the worst one
	uint32_t function; // the function with that status
	uint32_t group;    // its group and plan; GW_NOWHERE if it has none
	uint32_t plan;
	uint32_t event_needed, terminate, early_return; // DoStep, UpdateDiscreteStates
	uint32_t answered; // after a Discard: 1 fmi2Terminated, 2 fmi2LastSuccessfulTime were answered
	uint32_t next_event;
	uint32_t more;    // GW_UPDATE: discreteStatesNeedUpdate
	uint32_t spoiled; // the last function that left other floating-point settings
	double last_time; // last successful time
	double next_event_time;
	// GW_SERIALIZE: the state. GW_STEP: a row for each intermediate update, with the bits of its
	// time and the cells of plan_out of GW_INSTANTIATE.
	uint64_t blob, size;
	uint64_t logged;  // bytes written to the log since the start
	uint64_t address; // of the instance, for the log of calls
	char reason[GW_REASON];
} gw_reply;

#define GW_NOWHERE 0xffffffffu

// gw_wire carries values from a plan that has been read to a plan that is about to be set.
typedef struct {
	uint64_t from, to; // offsets of the first cells
	uint32_t cells;    // a text or a binary has two
	uint32_t blobs;    // these are texts and binaries
} gw_wire;

// gw_stage is a step in a batch.
typedef struct {
	gw_command command; // host
	uint64_t wire;      // host: gw_wire[wires], which carry values before the step
	uint32_t wires;     // host
	gw_reply reply;     // worker
} gw_stage;

// gw_batch is a sequence of steps that one request executes in order. It ends early after a step
// that the host must examine: with a status other than OK or Warning, an early return, a request to
// terminate or changed floating-point settings.
typedef struct {
	uint32_t count;        // host
	_Atomic uint32_t done; // worker: how many steps have ended
	_Atomic int64_t since; // when the last of them ended or, initially, the batch was requested
	gw_stage stage[];
} gw_batch;

// gw_lane is an instance in a stream.
typedef struct {
	gw_command command; // host: a step; its time and its length are in the slots
	uint64_t wire;      // host: gw_wire[wires], which carry values before each step
	uint64_t cell;      // host: offset of the cells to return after each step
	uint32_t wires, cells;
} gw_lane;

// gw_stream is a long row of steps that the worker makes before the host asks for their results,
// which wait in slots. A stream ends after its last step, when the host closes it, and after a step
// that the host must examine: with a status other than OK or Warning, an early return, or a request
// to terminate. The reply to the command is then the reply to that step.
typedef struct {
	// host
	uint32_t lanes, slots;
	uint64_t steps;
	uint64_t lane;               // gw_lane[lanes]
	uint64_t slot, slot_size;    // the first gw_slot, and the distance to the next one
	_Atomic uint64_t allowed;    // so many steps may be made: their slots are filled in and free
	_Atomic uint32_t closed;     // no further step may be made
	_Atomic uint32_t allowances; // changes with either; the worker sleeps on it
	_Atomic uint64_t wanted;     // the host sleeps until so many steps of lanes have been made
	_Atomic int64_t slept;       // when it went to sleep
	_Atomic uint32_t host_sleeps;
	// worker
	_Alignas(64) _Atomic uint64_t made; // steps of lanes: step k of lane n is k * lanes + n
	_Atomic int64_t since;              // when the last of them ended or, before the first, began
	_Atomic uint32_t over;              // no further step will be made
	_Atomic uint32_t results;           // changes when the host is to wake up; it sleeps on it
	_Atomic uint32_t worker_sleeps;
} gw_stream;

// gw_made describes a step of a lane.
typedef struct {
	int32_t status;
	uint32_t spoiled, event_needed, halted; // halted: the stream has ended after it
	uint64_t logged;
} gw_made;

// gw_slot is a step of all lanes. The values of all lanes follow the lanes.
typedef struct {
	double time, step; // host
	gw_made lane[];    // worker
} gw_slot;

// gw_place identifies the running function, for the report if the worker ends.
typedef struct {
	_Atomic uint32_t function; // 0: none
	_Atomic uint32_t slot, plan, group;
} gw_place;

typedef struct {
	uint64_t magic; // host
	uint32_t version, size_of_control;
	uint64_t size;                   // of the memory
	uint64_t arena, area, area_size; // the size of the arena; where the worker's area begins
	int32_t host;                    // process id
	uint32_t log_calls;
	uint64_t memory;                       // RLIMIT_DATA in bytes, 0 for none
	uint32_t core;                         // core dumps are wanted
	_Atomic uint32_t spin;                 // the worker may spin
	_Alignas(64) _Atomic uint32_t request; // host: number of the newest command
	_Atomic uint32_t worker_sleeps;        // worker
	_Alignas(64) _Atomic uint32_t answer;  // worker: number of the newest reply
	_Atomic uint32_t host_sleeps;          // host
	_Alignas(64) gw_place place;           // worker
	_Alignas(64) gw_command command;       // host
	_Alignas(64) gw_reply reply;           // worker
} gw_control;

// The functions that a worker calls, by standard. The order is the same as in gw_function.
/* clang-format off */
#define GW_FUNCTIONS(F) \
	F(fmi2GetVersion) F(fmi2SetDebugLogging) F(fmi2Instantiate) \
	F(fmi2FreeInstance) F(fmi2SetupExperiment) F(fmi2EnterInitializationMode) \
	F(fmi2ExitInitializationMode) F(fmi2Terminate) F(fmi2Reset) F(fmi2GetReal) F(fmi2GetInteger) \
	F(fmi2GetBoolean) F(fmi2GetString) F(fmi2SetReal) F(fmi2SetInteger) F(fmi2SetBoolean) \
	F(fmi2SetString) F(fmi2GetFMUstate) F(fmi2SetFMUstate) F(fmi2FreeFMUstate) \
	F(fmi2SerializedFMUstateSize) F(fmi2SerializeFMUstate) F(fmi2DeSerializeFMUstate) \
	F(fmi2SetRealInputDerivatives) F(fmi2GetRealOutputDerivatives) F(fmi2DoStep) F(fmi2GetStatus) F(fmi2GetRealStatus) \
	F(fmi2GetBooleanStatus) F(fmiGetVersion) F(fmiSetDebugLogging) F(fmiInstantiateSlave) \
	F(fmiFreeSlaveInstance) F(fmiInitializeSlave) F(fmiTerminateSlave) F(fmiResetSlave) \
	F(fmiGetReal) F(fmiGetInteger) F(fmiGetBoolean) F(fmiGetString) F(fmiSetReal) \
	F(fmiSetInteger) F(fmiSetBoolean) F(fmiSetString) F(fmiSetRealInputDerivatives) \
	F(fmiGetRealOutputDerivatives) F(fmiDoStep) F(fmiGetStatus) F(fmiGetRealStatus) \
	F(fmi3GetVersion) F(fmi3SetDebugLogging) \
	F(fmi3InstantiateCoSimulation) F(fmi3FreeInstance) F(fmi3EnterInitializationMode) \
	F(fmi3ExitInitializationMode) F(fmi3EnterConfigurationMode) F(fmi3ExitConfigurationMode) \
	F(fmi3EnterEventMode) F(fmi3EnterStepMode) F(fmi3UpdateDiscreteStates) F(fmi3Terminate) \
	F(fmi3Reset) F(fmi3DoStep) F(fmi3GetFloat64) F(fmi3GetFloat32) F(fmi3GetInt8) F(fmi3GetUInt8) \
	F(fmi3GetInt16) F(fmi3GetUInt16) F(fmi3GetInt32) F(fmi3GetUInt32) F(fmi3GetInt64) \
	F(fmi3GetUInt64) F(fmi3GetBoolean) F(fmi3GetString) F(fmi3GetBinary) F(fmi3GetClock) \
	F(fmi3SetFloat64) F(fmi3SetFloat32) F(fmi3SetInt8) F(fmi3SetUInt8) F(fmi3SetInt16) \
	F(fmi3SetUInt16) F(fmi3SetInt32) F(fmi3SetUInt32) F(fmi3SetInt64) F(fmi3SetUInt64) \
	F(fmi3SetBoolean) F(fmi3SetString) F(fmi3SetBinary) F(fmi3SetClock) F(fmi3GetFMUState) \
	F(fmi3SetFMUState) F(fmi3FreeFMUState) F(fmi3SerializedFMUStateSize) F(fmi3SerializeFMUState) \
	F(fmi3DeserializeFMUState) F(fmi3GetIntervalDecimal) F(fmi3GetIntervalFraction) \
	F(fmi3GetShiftDecimal) F(fmi3GetShiftFraction) F(fmi3SetIntervalDecimal) \
	F(fmi3SetIntervalFraction) F(dlopen) F(dlclose) F(exit) F(osmp_read)
/* clang-format on */

#define GW_ENUM(name) GW_##name,
typedef enum { GW_nothing = 0, GW_FUNCTIONS(GW_ENUM) GW_FUNCTION_COUNT } gw_function;

const char *gw_function_name(uint32_t function);

// gw_habit holds what a side has learned about the time for which it waits for the other.
typedef struct {
	int64_t budget; // how long the next spin may last, in nanoseconds; 0: not decided yet
	uint32_t waits;
} gw_habit;

// gw_peer holds what a host knows of a worker. It is not in shared memory, so that no worker
// changes it.
typedef struct {
	uint32_t dead; // the worker has ended
	gw_habit habit;
} gw_peer;

// Host: calls the worker and returns 0, GW_TIMED_OUT, or GW_DEAD if the worker has ended. limit is
// in nanoseconds; 0 means no limit.
enum { GW_TIMED_OUT = 1, GW_DEAD = 2 };
int gw_call(gw_control *control, gw_peer *peer, int64_t limit);

// Host: gw_call in two parts, so that several workers can execute commands at the same time.
// gw_request returns 0 or GW_DEAD, and the number of the command for gw_await.
int gw_request(gw_control *control, const gw_peer *peer, uint32_t *number);
int gw_await(gw_control *control, gw_peer *peer, uint32_t number, int64_t limit);

// Host: like gw_call, for a batch, which is the current command. The limit applies to each step.
// Done is the number of steps with valid replies; on a timeout, it is the step after them that took
// too long.
int gw_call_batch(gw_control *control, gw_batch *batch, gw_peer *peer, int64_t limit,
                  uint32_t *done);

// Host: waits until so many steps of lanes have been made; if it has to sleep, preferably until the
// preferred number has been made. A step may take as long as the limit (0: no limit), from begin or
// the end of the previous step on. It returns 0, GW_TIMED_OUT, GW_DEAD, GW_OVER if the stream has
// ended before, or now and then GW_AGAIN.
// gw_allow lets the worker make that many steps, gw_close none.
enum { GW_OVER = 3, GW_AGAIN = 4 };
int gw_await_stream(gw_stream *stream, const gw_peer *peer, uint64_t made, uint64_t preferred,
                    int64_t begin, int64_t limit);
void gw_allow(gw_stream *stream, uint64_t steps);
void gw_close(gw_stream *stream);

// Host: records that the worker has ended, and wakes the caller that waits in gw_call.
void gw_bury(gw_control *control, gw_peer *peer);

#endif

// Data shared by a probe and its host: the script, its records, and the state of the run.

#ifndef GOSMP_PROBE_H
#define GOSMP_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PB_MARKER "gosmp-probe"
#define PB_MAGIC 0x65626f7270736f67u
#define PB_LAYOUT 9u       // counts changes of this file
#define PB_NONE UINT64_MAX // the length of a text or binary that is NULL

// The functions of the standards. F is their number in a script.
/* clang-format off */
#define PB_FUNCTIONS(F) \
	F(fmi2GetTypesPlatform) F(fmi2GetVersion) F(fmi2SetDebugLogging) F(fmi2Instantiate) \
	F(fmi2FreeInstance) F(fmi2SetupExperiment) F(fmi2EnterInitializationMode) \
	F(fmi2ExitInitializationMode) F(fmi2Terminate) F(fmi2Reset) F(fmi2GetReal) F(fmi2GetInteger) \
	F(fmi2GetBoolean) F(fmi2GetString) F(fmi2SetReal) F(fmi2SetInteger) F(fmi2SetBoolean) \
	F(fmi2SetString) F(fmi2GetFMUstate) F(fmi2SetFMUstate) F(fmi2FreeFMUstate) \
	F(fmi2SerializedFMUstateSize) F(fmi2SerializeFMUstate) F(fmi2DeSerializeFMUstate) \
	F(fmi2GetDirectionalDerivative) F(fmi2SetRealInputDerivatives) \
	F(fmi2GetRealOutputDerivatives) F(fmi2DoStep) F(fmi2CancelStep) F(fmi2GetStatus) \
	F(fmi2GetRealStatus) F(fmi2GetIntegerStatus) F(fmi2GetBooleanStatus) F(fmi2GetStringStatus) \
	F(fmi3GetVersion) F(fmi3SetDebugLogging) F(fmi3InstantiateCoSimulation) F(fmi3FreeInstance) \
	F(fmi3EnterInitializationMode) F(fmi3ExitInitializationMode) F(fmi3EnterEventMode) \
	F(fmi3Terminate) F(fmi3Reset) F(fmi3GetFloat32) F(fmi3GetFloat64) F(fmi3GetInt8) \
	F(fmi3GetUInt8) F(fmi3GetInt16) F(fmi3GetUInt16) F(fmi3GetInt32) F(fmi3GetUInt32) \
	F(fmi3GetInt64) F(fmi3GetUInt64) F(fmi3GetBoolean) F(fmi3GetString) F(fmi3GetBinary) \
	F(fmi3GetClock) F(fmi3SetFloat32) F(fmi3SetFloat64) F(fmi3SetInt8) F(fmi3SetUInt8) \
	F(fmi3SetInt16) F(fmi3SetUInt16) F(fmi3SetInt32) F(fmi3SetUInt32) F(fmi3SetInt64) \
	F(fmi3SetUInt64) F(fmi3SetBoolean) F(fmi3SetString) F(fmi3SetBinary) F(fmi3SetClock) \
	F(fmi3GetFMUState) F(fmi3SetFMUState) F(fmi3FreeFMUState) F(fmi3SerializedFMUStateSize) \
	F(fmi3SerializeFMUState) F(fmi3DeserializeFMUState) F(fmi3GetDirectionalDerivative) \
	F(fmi3GetAdjointDerivative) F(fmi3EnterConfigurationMode) F(fmi3ExitConfigurationMode) \
	F(fmi3EvaluateDiscreteStates) F(fmi3UpdateDiscreteStates) F(fmi3EnterStepMode) \
	F(fmi3GetOutputDerivatives) F(fmi3DoStep) F(fmi3InstantiateModelExchange) \
	F(fmi3GetNumberOfVariableDependencies) F(fmi3GetVariableDependencies) \
	F(fmi3InstantiateScheduledExecution) F(fmi3GetIntervalDecimal) F(fmi3GetIntervalFraction) \
	F(fmi3GetShiftDecimal) F(fmi3GetShiftFraction) F(fmi3SetIntervalDecimal)
/* clang-format on */

#define PB_ENUM(name) PB_##name,
enum { PB_nothing, PB_FUNCTIONS(PB_ENUM) PB_COUNT };

// Instructions of the probe itself.
enum {
	PB_LOAD = 1000, // the library at text data, into the register slot
	PB_UNLOAD,
	PB_PLACE,     // bytes data, size values: into buffer slot, which ends at a page without access
	PB_PROTECT,   // buffer slot: count 0 no access, 1 reading, 2 all
	PB_SEND,      // fmi2SetInteger of three references data with the address of buffer state
	PB_FETCH,     // fmi2GetInteger of three references data; count is their order, 6: in one call
	PB_PEEK,      // the bytes at the address that PB_FETCH number state has found
	PB_LOOP,      // count rounds, for x[0] seconds, or x[1] for few; 0: without limit
	PB_NEXT,      // ends the loop
	PB_MEASURE,   // what the process has
	PB_SLEEP,     // until no other thread has run for x[0] seconds
	PB_PLACEMENT, // count: see below
	PB_DIRTY,     // fills count bytes of the stack, and eight allocations of state bytes
	PB_SETTLE,    // fmi3UpdateDiscreteStates until no update is needed
	PB_TWINS,     // values steps of slot and of slot state, at the same time in two threads
	PB_UNLESS_EVENT, // skips count operations if the last step of slot has asked for no event
	PB_WATCH,        // notes from here on which files, programs and addresses are used
	PB_TOLD,         // what was noted
	PB_UPDATES,      // intermediate updates of slot: references of data, of which the first values
	                 // are outputs; data2 has values for the inputs; x[0]: return early, x[1]: when
};

#define PB_LONGEST_PAUSE 30 // seconds of PB_SLEEP beyond the wanted ones; see pb_pause

// The placements of call arguments.
enum {
	PB_ROOMY,     // with a canary after each array
	PB_GUARDED,   // ending at a page without access; constant ones are read-only
	PB_FRONT,     // the same, but beginning after such a page
	PB_TAKE_BACK, // texts and binaries have no access after the call
};

// Flags of an operation.
enum {
	PB_MAY_FAIL = 1,     // its status does not end the script
	PB_NO_INSTANCE = 2,  // with NULL for the instance
	PB_NO_ARRAYS = 4,    // with NULL for each array and out argument
	PB_OTHER_THREAD = 8, // in a thread of its own
	PB_SMALL_STACK = 16, // of 128 KiB
	PB_LOGGING_ON = 32,  // of an instantiation
	PB_EVENT_MODE = 64,  // eventModeUsed
	PB_EARLY = 128,      // earlyReturnAllowed
	PB_NO_LOGGER = 256,  // with NULL for the logger
	PB_HAS_STOP = 512,   // stopTimeDefined
	PB_HAS_TOLERANCE = 1024,
	PB_CLOCKED = 2048,          // time of a step: x[0] + round * x[1]
	PB_FORGET = 4096,           // arguments of an instantiation become inaccessible after it
	PB_ONE_BY_ONE = 8192,       // each value in a call of its own
	PB_KEEP_STATE = 16384,      // noSetFMUStatePriorToCurrentPoint is false
	PB_FROM_OUT = 32768,        // the bytes come from the record of operation count
	PB_TRACED = 65536,          // memory functions that notice foreign and forgotten blocks
	PB_NO_MEMORY = 131072,      // with NULL for memory functions and stepFinished
	PB_VISIBLE = 262144,        // visible of an instantiation
	PB_NO_ENVIRONMENT = 524288, // with NULL for the environment of the callbacks
};

// Statuses in addition to the statuses of FMI.
enum { PB_NULL = 16, PB_UNLOADABLE, PB_MISSING, PB_MISUSE, PB_UNSETTLED, PB_NOT_RUN = 99 };

// Flags of a record.
enum {
	PB_FLOATS = 1,    // the call has left other floating-point settings
	PB_OVERRUN = 2,   // it has written past the end of an array
	PB_UNWRITTEN = 4, // it has not changed an out argument, though its status is OK
	PB_CONSTANT = 8,  // it has changed a constant array
	PB_FULL = 16,     // the outputs do not fit
	PB_DEAD = 32,  // a text or binary that it has returned is in memory that is no longer its own
	PB_STRAY = 64, // an intermediate update came outside a step of its instance
	PB_X87 = 128,  // it has left registers of the x87 in use
};

// An intermediate update. The statuses are PB_NOT_RUN if nothing was read or set.
typedef struct {
	double time;
	uint8_t set, get, finished, can; // what the FMU allows
	uint8_t requested;               // an early return was requested
	int32_t got, given;              // statuses of reading outputs and setting inputs
} pb_update;

typedef struct {
	uint32_t code, slot, state, flags;
	uint32_t count;  // of value references
	uint32_t values; // of values
	double x[4];
	uint64_t data;  // offset of the first array, 0 for none: references, text
	uint64_t data2; // of the second: values
	uint64_t data3;
} pb_op;

typedef struct {
	int32_t status;
	uint32_t flags;
	uint64_t runs;
	uint64_t out, size, room;   // what the last run has returned, and the room for it
	int64_t nanos, most, least; // all runs together, the longest and the shortest one
	double y[4];
} pb_record;

typedef struct {
	uint64_t size; // of the text, which follows with its terminator
	uint32_t op;   // number + 1 of the operation in which it came, 0 for none
	int32_t status;
	uint32_t slot; // of the instance, by its environment
	// 1: NULL category, 2: other thread, 4: after its instance was freed, 8: the environment does
	// not belong to an instance, 16: another name than the instance's
	uint32_t flags;
	uint64_t category; // length of the category, which follows the text
} pb_message;

typedef struct {
	uint64_t magic;
	uint32_t layout, size_of_control;
	uint64_t size;
	uint32_t ops;
	uint32_t stack; // bytes of the stack of a thread that runs the script, 0: the main thread
	uint64_t ops_at, records_at;
	uint64_t out_at, out_size;
	uint64_t log_at, log_size;
	_Atomic uint64_t out_used, log_used, log_lost;
	_Atomic uint32_t op;   // number + 1 of the operation that runs, 0: none yet
	_Atomic uint32_t code; // its function
	_Atomic uint64_t beat; // counts operations
	_Atomic uint32_t done; // 1: the script has ended
	int32_t stopped;       // the operation whose status has ended it, -1: none
	uint64_t fault_address;
	int32_t fault_signal;
	uint32_t fault_place; // of the address: see pb_place
} pb_control;

// Places at which a fault can occur.
enum {
	PB_ELSEWHERE,
	PB_BEHIND_ARRAY,
	PB_BEFORE_ARRAY,
	PB_CONSTANT_ARRAY,
	PB_TAKEN_AWAY,
	PB_BUFFER,
	PB_BEHIND_BUFFER
};

const char *pb_function_name(uint32_t code);

#endif

//go:build ignore

// What FMI 3.0 wants every library to export, and this model does not have: other types of
// variables, other interfaces, clocks, derivatives and states. Some importers do not load a library
// that lacks one of them.

#include "link.h"

// ACCESS defines the functions that get and set the variables of a type. It is allowed to ask for
// none of them.
#define ACCESS(name, type)                                                                         \
	EXPORT int fmi3Get##name(instance *c, const reference r[], size_t n, type v[], size_t m)       \
	{                                                                                              \
		(void)r, (void)v, (void)m;                                                                 \
		NEED(ALIVE | ENDED, Get##name)                                                             \
		return n == 0 ? OK : refuse(c, "fmi3Get" #name ": no such variable");                      \
	}                                                                                              \
	EXPORT int fmi3Set##name(instance *c, const reference r[], size_t n, const type v[], size_t m) \
	{                                                                                              \
		(void)r, (void)v, (void)m;                                                                 \
		NEED(ALIVE, Set##name)                                                                     \
		return n == 0 ? OK : refuse(c, "fmi3Set" #name ": no such variable");                      \
	}

typedef const char *text;
ACCESS(Float32, float)
ACCESS(Int8, int8_t)
ACCESS(UInt8, uint8_t)
ACCESS(Int16, int16_t)
ACCESS(UInt16, uint16_t)
ACCESS(Int32, int32_t)
ACCESS(UInt32, uint32_t)
ACCESS(Int64, int64_t)
ACCESS(Boolean, bool)
ACCESS(String, text)

// ABSENT0 to ABSENT8 define functions with as many parameters after the instance.
#define ABSENT(name) \
	return c == NULL ? ERROR : refuse(c, "fmi3" #name ": this FMU does not have it")
#define ABSENT0(name) \
	EXPORT int fmi3##name(instance *c) { ABSENT(name); }
#define ABSENT1(name, D)                    \
	EXPORT int fmi3##name(instance *c, D d) \
	{                                       \
		(void)d;                            \
		ABSENT(name);                       \
	}
#define ABSENT2(name, D, E)                      \
	EXPORT int fmi3##name(instance *c, D d, E e) \
	{                                            \
		(void)d, (void)e;                        \
		ABSENT(name);                            \
	}
#define ABSENT3(name, D, E, F)                        \
	EXPORT int fmi3##name(instance *c, D d, E e, F f) \
	{                                                 \
		(void)d, (void)e, (void)f;                    \
		ABSENT(name);                                 \
	}
#define ABSENT4(name, D, E, F, G)                          \
	EXPORT int fmi3##name(instance *c, D d, E e, F f, G g) \
	{                                                      \
		(void)d, (void)e, (void)f, (void)g;                \
		ABSENT(name);                                      \
	}
#define ABSENT5(name, D, E, F, G, H)                            \
	EXPORT int fmi3##name(instance *c, D d, E e, F f, G g, H h) \
	{                                                           \
		(void)d, (void)e, (void)f, (void)g, (void)h;            \
		ABSENT(name);                                           \
	}
#define ABSENT6(name, D, E, F, G, H, I)                              \
	EXPORT int fmi3##name(instance *c, D d, E e, F f, G g, H h, I i) \
	{                                                                \
		(void)d, (void)e, (void)f, (void)g, (void)h, (void)i;        \
		ABSENT(name);                                                \
	}
#define ABSENT8(name, D, E, F, G, H, I, J, K)                                   \
	EXPORT int fmi3##name(instance *c, D d, E e, F f, G g, H h, I i, J j, K k)  \
	{                                                                           \
		(void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j, (void)k; \
		ABSENT(name);                                                           \
	}

typedef void *state;
typedef const reference *references;
typedef const double *given;
typedef double *wanted;
typedef uint64_t *count;
typedef const uint64_t *counts;

ABSENT0(EnterEventMode)
ABSENT0(EnterStepMode)
ABSENT0(EnterContinuousTimeMode)
ABSENT0(EvaluateDiscreteStates)
ABSENT6(UpdateDiscreteStates, bool *, bool *, bool *, bool *, bool *, wanted)

ABSENT3(GetClock, references, size_t, bool *)
ABSENT3(SetClock, references, size_t, const bool *)
ABSENT4(GetIntervalDecimal, references, size_t, wanted, int *)
ABSENT5(GetIntervalFraction, references, size_t, count, count, int *)
ABSENT3(GetShiftDecimal, references, size_t, wanted)
ABSENT4(GetShiftFraction, references, size_t, count, count)
ABSENT3(SetIntervalDecimal, references, size_t, given)
ABSENT4(SetIntervalFraction, references, size_t, counts, counts)
ABSENT3(SetShiftDecimal, references, size_t, given)
ABSENT4(SetShiftFraction, references, size_t, counts, counts)
ABSENT2(ActivateModelPartition, reference, double)

ABSENT2(GetNumberOfVariableDependencies, reference, size_t *)
ABSENT6(GetVariableDependencies, reference, size_t *, reference *, size_t *, int *, size_t)
ABSENT8(GetDirectionalDerivative, references, size_t, references, size_t, given, size_t, wanted,
        size_t)
ABSENT8(GetAdjointDerivative, references, size_t, references, size_t, given, size_t, wanted, size_t)
ABSENT5(GetOutputDerivatives, references, size_t, const int32_t *, wanted, size_t)

ABSENT1(GetFMUState, state *)
ABSENT1(SetFMUState, state)
ABSENT1(FreeFMUState, state *)
ABSENT2(SerializedFMUStateSize, state, size_t *)
ABSENT3(SerializeFMUState, state, unsigned char *, size_t)
ABSENT3(DeserializeFMUState, const unsigned char *, size_t, state *)

ABSENT3(CompletedIntegratorStep, bool, bool *, bool *)
ABSENT1(SetTime, double)
ABSENT2(SetContinuousStates, given, size_t)
ABSENT2(GetContinuousStates, wanted, size_t)
ABSENT2(GetContinuousStateDerivatives, wanted, size_t)
ABSENT2(GetNominalsOfContinuousStates, wanted, size_t)
ABSENT2(GetEventIndicators, wanted, size_t)
ABSENT1(GetNumberOfContinuousStates, size_t *)
ABSENT1(GetNumberOfEventIndicators, size_t *)

// instantiate answers for the interfaces that the model description does not offer.
static void *instantiate(void *environment, logger log)
{
	if (log != NULL) {
		log(environment, ERROR, "logStatusError", "this FMU is for co-simulation");
	}
	return NULL;
}

EXPORT void *fmi3InstantiateModelExchange(text name, text token, text resources, bool visible,
                                          bool logging, void *environment, logger log)
{
	(void)name, (void)token, (void)resources, (void)visible, (void)logging;
	return instantiate(environment, log);
}

EXPORT void *fmi3InstantiateScheduledExecution(text name, text token, text resources, bool visible,
                                               bool logging, void *environment, logger log,
                                               void *update, void *lock, void *unlock)
{
	(void)name, (void)token, (void)resources, (void)visible, (void)logging;
	(void)update, (void)lock, (void)unlock;
	return instantiate(environment, log);
}

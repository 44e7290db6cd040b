package fmu

import "gosmp/fmi"

// Sets that several rows of the table share. Calls that are legal in the state terminated are also
// legal after an error, apart from fmi3Terminate: FMI 3.0 has one state for both.
var (
	ended3 = in(fmi.Terminated, fmi.Erroneous)
	alive3 = in(fmi.Instantiated, fmi.ConfigurationMode, fmi.ReconfigurationMode) | inUse3 |
		ended3
	inUse3   = in(fmi.InitializationMode) | running3
	running3 = in(fmi.StepComplete, fmi.EventMode)
	getting3 = in(fmi.Instantiated, fmi.IntermediateUpdateMode) | inUse3 | ended3
	setting3 = in(fmi.Instantiated, fmi.ConfigurationMode, fmi.ReconfigurationMode,
		fmi.IntermediateUpdateMode) | inUse3
	differing3 = inUse3 | ended3
	clocking3  = in(fmi.InitializationMode, fmi.EventMode)
	timing3    = in(fmi.Instantiated, fmi.InitializationMode, fmi.EventMode)
)

// legal3 is the state chart of a co-simulation FMU in FMI 3.0, 4.2: the states in which each
// function may be called, like [legal] for FMI 2.0. Functions that only serve model exchange and
// scheduled execution are never allowed.
var legal3 = [functionCount]struct {
	name string
	in   states
}{
	SetDebugLogging:        {"fmi3SetDebugLogging", alive3},
	Reset:                  {"fmi3Reset", alive3},
	EnterConfigurationMode: {"fmi3EnterConfigurationMode", in(fmi.Instantiated, fmi.StepComplete)},
	ExitConfigurationMode: {"fmi3ExitConfigurationMode",
		in(fmi.ConfigurationMode, fmi.ReconfigurationMode)},
	EnterInitializationMode:         {"fmi3EnterInitializationMode", in(fmi.Instantiated)},
	ExitInitializationMode:          {"fmi3ExitInitializationMode", in(fmi.InitializationMode)},
	Terminate:                       {"fmi3Terminate", running3},
	EnterEventMode:                  {"fmi3EnterEventMode", in(fmi.StepComplete)},
	EnterStepMode:                   {"fmi3EnterStepMode", in(fmi.EventMode)},
	UpdateDiscreteStates:            {"fmi3UpdateDiscreteStates", in(fmi.EventMode)},
	EvaluateDiscreteStates:          {"fmi3EvaluateDiscreteStates", in(fmi.EventMode)},
	DoStep:                          {"fmi3DoStep", in(fmi.StepComplete)},
	GetReal:                         {"fmi3GetFloat64", getting3},
	GetInteger:                      {"fmi3GetInt32", getting3},
	GetBoolean:                      {"fmi3GetBoolean", getting3},
	GetString:                       {"fmi3GetString", getting3},
	GetBinary:                       {"fmi3GetBinary", getting3},
	GetFloat32:                      {"fmi3GetFloat32", getting3},
	GetInt8:                         {"fmi3GetInt8", getting3},
	GetUInt8:                        {"fmi3GetUInt8", getting3},
	GetInt16:                        {"fmi3GetInt16", getting3},
	GetUInt16:                       {"fmi3GetUInt16", getting3},
	GetUInt32:                       {"fmi3GetUInt32", getting3},
	GetInt64:                        {"fmi3GetInt64", getting3},
	GetUInt64:                       {"fmi3GetUInt64", getting3},
	SetReal:                         {"fmi3SetFloat64", setting3},
	SetInteger:                      {"fmi3SetInt32", setting3},
	SetBoolean:                      {"fmi3SetBoolean", setting3},
	SetString:                       {"fmi3SetString", setting3},
	SetBinary:                       {"fmi3SetBinary", setting3},
	SetFloat32:                      {"fmi3SetFloat32", setting3},
	SetInt8:                         {"fmi3SetInt8", setting3},
	SetUInt8:                        {"fmi3SetUInt8", setting3},
	SetInt16:                        {"fmi3SetInt16", setting3},
	SetUInt16:                       {"fmi3SetUInt16", setting3},
	SetUInt32:                       {"fmi3SetUInt32", setting3},
	SetInt64:                        {"fmi3SetInt64", setting3},
	SetUInt64:                       {"fmi3SetUInt64", setting3},
	GetClock:                        {"fmi3GetClock", clocking3},
	SetClock:                        {"fmi3SetClock", clocking3},
	GetIntervalDecimal:              {"fmi3GetIntervalDecimal", timing3},
	GetIntervalFraction:             {"fmi3GetIntervalFraction", timing3},
	GetShiftDecimal:                 {"fmi3GetShiftDecimal", timing3},
	GetShiftFraction:                {"fmi3GetShiftFraction", timing3},
	SetIntervalDecimal:              {"fmi3SetIntervalDecimal", timing3},
	SetIntervalFraction:             {"fmi3SetIntervalFraction", timing3},
	SetShiftDecimal:                 {"fmi3SetShiftDecimal", timing3},
	SetShiftFraction:                {"fmi3SetShiftFraction", timing3},
	GetFMUstate:                     {"fmi3GetFMUState", alive3},
	SetFMUstate:                     {"fmi3SetFMUState", alive3},
	FreeFMUstate:                    {"fmi3FreeFMUState", alive3},
	SerializedFMUstateSize:          {"fmi3SerializedFMUStateSize", alive3},
	SerializeFMUstate:               {"fmi3SerializeFMUState", alive3},
	DeSerializeFMUstate:             {"fmi3DeserializeFMUState", alive3},
	GetNumberOfVariableDependencies: {"fmi3GetNumberOfVariableDependencies", alive3},
	GetVariableDependencies:         {"fmi3GetVariableDependencies", alive3},
	GetDirectionalDerivative:        {"fmi3GetDirectionalDerivative", differing3},
	GetAdjointDerivative:            {"fmi3GetAdjointDerivative", differing3},
	GetRealOutputDerivatives: {"fmi3GetOutputDerivatives",
		in(fmi.StepComplete, fmi.IntermediateUpdateMode, fmi.Terminated, fmi.Erroneous)},
	EnterContinuousTimeMode:       {"fmi3EnterContinuousTimeMode", 0},
	CompletedIntegratorStep:       {"fmi3CompletedIntegratorStep", 0},
	SetTime:                       {"fmi3SetTime", 0},
	SetContinuousStates:           {"fmi3SetContinuousStates", 0},
	GetContinuousStates:           {"fmi3GetContinuousStates", 0},
	GetContinuousStateDerivatives: {"fmi3GetContinuousStateDerivatives", 0},
	GetEventIndicators:            {"fmi3GetEventIndicators", 0},
	GetNominalsOfContinuousStates: {"fmi3GetNominalsOfContinuousStates", 0},
	GetNumberOfEventIndicators:    {"fmi3GetNumberOfEventIndicators", 0},
	GetNumberOfContinuousStates:   {"fmi3GetNumberOfContinuousStates", 0},
	ActivateModelPartition:        {"fmi3ActivateModelPartition", 0},
}
